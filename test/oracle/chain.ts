/** The chain that histories are cut from: its transactions one after the other. */
import type { FeedEvent } from '../../src/events/event.ts'
import { type Extra, Extras } from './extras.ts'
import type { Kind } from './kinds.ts'
import {
  bearToken,
  createdEvent,
  metadataEvent,
  type Place,
  type SimToken,
  type Step,
  swapEvent,
} from './market.ts'
import type { More } from './more.ts'
import { QuoteCoins } from './quote-coins.ts'
import type { Random } from './random.ts'
import { reservesEvent } from './untraded.ts'

const FIRST_SLOT = 300_000_000
const FIRST_SECOND = 1_750_000_000
const SLOTS_PER_SECOND = 2.5
const DAY_SLOTS = 216_000

/** Writes the chain itself, in its true order. */
export class Chain {
  private readonly random: Random
  private readonly more: More
  private readonly coins: QuoteCoins
  private readonly extras: Extras
  private readonly steps: Step[] = []
  private readonly tokens: SimToken[] = []
  private readonly wallets: [string, ...string[]]
  private readonly tokenCount: number
  private slot = FIRST_SLOT
  private txIndex = 0

  constructor(random: Random, more: More) {
    this.random = random
    this.more = more
    this.coins = new QuoteCoins(more)
    this.tokenCount = random.integer(3, 6)
    const wallets = Array.from({ length: random.integer(3, 7) }, () => random.base58(44))
    this.wallets = [random.base58(44), ...wallets]
    this.extras = new Extras(more, this.wallets)
  }

  run(count: number): readonly Step[] {
    if (this.random.chance(0.8)) this.addSolPrice()
    while (this.steps.length < count) {
      this.advance()
      const token = this.tokens[this.random.integer(0, this.tokenCount * 2)]
      const any = token ?? this.tokens[0]
      if (this.tokens.length < this.tokenCount && this.random.chance(any ? 0.15 : 1)) this.bear()
      else if (any && this.addExtra(any)) continue
      else if (!any || this.random.chance(0.05)) this.addSolPrice()
      else if (this.random.chance(0.1)) {
        this.add(metadataEvent(this.random, any.mint, this.seconds()))
      } else if (any.stage === 'complete' || this.random.chance(0.03)) this.graduate(any)
      else this.trade(any)
    }
    return this.steps
  }

  private advance(): void {
    const { random } = this
    const slots = random.chance(0.35)
      ? 0
      : random.chance(0.7)
        ? random.integer(1, 4)
        : random.chance(0.8)
          ? random.integer(5, 80)
          : random.chance(0.7)
            ? random.integer(100, 20_000)
            : DAY_SLOTS + random.integer(-3, 30)
    this.slot += slots
    this.txIndex = slots === 0 ? this.txIndex + random.integer(1, 3) : random.integer(0, 5)
  }

  private seconds(): number {
    const { random } = this
    const drift = random.chance(0.03) ? random.integer(-3, 3) : 0
    return FIRST_SECOND + Math.floor((this.slot - FIRST_SLOT) / SLOTS_PER_SECOND) + drift
  }

  private place(): Place {
    const { random, slot, txIndex } = this
    const signature = random.chance(0.1) ? `tx-${slot}-${txIndex}` : random.base58(88)
    return { slot, txIndex, ordinal: random.integer(0, 2), signature, timestamp: this.seconds() }
  }

  /** The same out of draws that change no others. */
  private placeAt(random: Random): Place {
    const { slot, txIndex } = this
    const timestamp = FIRST_SECOND + Math.floor((slot - FIRST_SLOT) / SLOTS_PER_SECOND)
    return { slot, txIndex, ordinal: 0, signature: random.base58(88), timestamp }
  }

  private add(event: FeedEvent, token: SimToken | null = null, more: Partial<Step> = {}): void {
    const { slot } = this
    const [dressed, kinds] = token ? this.dressed(event, token) : [event, []]
    const labels = [...(more.kinds ?? []), ...kinds]
    const isPlaced = more.isPlaced ?? false
    this.steps.push({
      event: dressed,
      slot,
      creation: more.creation ?? null,
      kinds: labels,
      isPlaced,
    })
  }

  /** A swap with its newer fees, and what it or a creation tells of its quote. */
  private dressed(event: FeedEvent, token: SimToken): [FeedEvent, Kind[]] {
    if (event.type === 'token_created') return this.coins.told(event, token)
    if (event.type !== 'swap') return [event, []]
    token.pools.add(event.pool)
    const { more } = this
    const [swap, kinds] = this.coins.told(event, token)
    const { source, quoteRaw } = swap
    const hasLpFee = more.has('lp_fee', source === 'pump_amm' ? 0.5 : 0.04)
    const hasCashback = more.has('cashback', 0.15)
    const fees = {
      ...(hasLpFee && { lpFeeRaw: (quoteRaw * 20n) / 10_000n }),
      ...(hasCashback && { cashbackRaw: (quoteRaw * 30n) / 10_000n }),
    }
    const labels = [...kinds]
    if (hasLpFee) labels.push('lp_fee')
    if (hasCashback) labels.push('cashback')
    return [{ ...swap, ...fees }, labels]
  }

  /** A transaction of the newer kinds, if there is one now. */
  private addExtra(token: SimToken): boolean {
    const { more } = this
    const place = { ...this.placeAt(more.random), ordinal: more.random.integer(0, 2) }
    const extras = this.extras.transaction(token, this.tokens, this.coins.unborn, place)
    this.addAll(extras)
    return extras.length > 0
  }

  private addAll(extras: readonly Extra[]): void {
    for (const { event, token, kinds, isPlaced } of extras)
      this.add(event, token, { kinds, ...(isPlaced && { isPlaced }) })
  }

  private addSolPrice(): void {
    const usd = this.random.pick([150, 151.37, 0.1 + 0.2, this.random.integer(9_000, 30_000) / 97])
    this.add({ type: 'sol_price', timestamp: this.seconds(), usd })
  }

  private bear(): void {
    const token = this.coins.quoted(bearToken(this.random, this.wallets), this.tokens)
    this.tokens.push(token)
    if (token.creation === 'never') return
    const created = createdEvent(this.random, token, this.place())
    token.supplyRaw = created.supplyRaw ?? token.supplyRaw
    this.add(created, token, { creation: token.creation })
    // Some of what is told of it comes before it does.
    if (token.creation === 'soon' && this.more.has('unknown_mint', 0.5)) {
      this.txIndex += 1
      this.addAll([this.extras.unknownMint(token, this.placeAt(this.more.random))])
    }
    // Far enough behind its creation that nobody is judged by when the creation was heard of.
    if (token.creation === 'late') this.slot += 40
    else if (this.random.chance(0.5)) {
      const place = { ...created, slot: this.slot, txIndex: this.txIndex, ordinal: 3 }
      this.add(swapEvent(this.random, token, [token.creator], placeOf(place)), token)
    }
  }

  /** One transaction of one to four swaps, most of one token. */
  private trade(token: SimToken): void {
    const place = this.place()
    const swaps = this.random.chance(0.75) ? 1 : this.random.integer(2, 4)
    let { ordinal } = place
    for (let index = 0; index < swaps; index += 1) {
      const other = this.tokens[this.random.integer(0, this.tokens.length - 1)]
      const traded = other && other.stage !== 'complete' && this.random.chance(0.2) ? other : token
      if (traded.stage === 'complete') break
      const swap = swapEvent(this.random, traded, this.wallets, { ...place, ordinal })
      this.add(swap, traded)
      ordinal += 1
      if (!completes(traded) || !this.more.has('post_complete', 0.6)) continue
      this.addAll(this.extras.goesOn(traded, swap))
      ordinal += 2
    }
    this.addAll(this.extras.balances(token, { ...place, ordinal }))
  }

  /** `completed`, `migrated` and the first AMM trades; each event may be missing. */
  private graduate(token: SimToken): void {
    const named = { mint: token.mint, bondingCurve: token.curve }
    if (token.stage === 'amm') {
      this.add({ type: 'migrated', ...this.place(), ...named, poolAmm: this.random.base58(44) })
      return
    }
    if (this.random.chance(0.7)) this.add({ type: 'completed', ...this.place(), ...named })
    token.stage = 'amm'
    this.advance()
    const isSeen = this.random.chance(0.7)
    const place = isSeen ? this.place() : this.placeAt(this.more.random)
    if (isSeen) this.add({ type: 'migrated', ...place, ...named, poolAmm: token.pool })
    // Where nothing gave a price before, the contract does not say what a later creation changes.
    const isPriced = token.creation === 'first' || token.pools.size > 0
    if (isPriced && this.more.has('pool_opened', 0.6))
      this.add(
        reservesEvent(token, 'pool_opened', { ...place, ordinal: place.ordinal + 1 }),
        token,
        { kinds: ['pool_opened'] },
      )
  }
}

/** Its last swap took all that the curve had. */
function completes({ stage }: SimToken): boolean {
  return stage === 'complete'
}

function placeOf({ slot, txIndex, ordinal, signature, timestamp }: Place): Place {
  return { slot, txIndex, ordinal, signature, timestamp }
}
