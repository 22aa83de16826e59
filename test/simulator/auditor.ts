import type {
  Balance,
  FeedEvent,
  Migrated,
  PlacedEvent,
  Reserves,
  TokenCreated,
} from '../../src/events/event.ts'
import type { RecordSink } from '../../src/events/event-sink.ts'
import { USDC_MINT } from '../../src/events/platform.ts'
import { Flag, type RecordBatch } from '../../src/events/swap-record.ts'
import { type AuditedSwap, readSwap } from './audited-swap.ts'
import { AuditedToken } from './audited-token.ts'
import { must } from './must.ts'
import { type KnownNames, Names } from './names.ts'

export { Names }

/** Recomputes the market from what the simulator emits, in BigInt, and throws on any difference. */
export class Auditor implements RecordSink {
  readonly names: KnownNames
  readonly tokens = new Map<string, AuditedToken>()
  readonly counts = {
    ...{ swaps: 0, buys: 0, amm: 0, chainFees: 0, balances: 0, agent: 0, insiders: 0 },
    ...{ hops: 0, inCoins: 0, paidInCoins: 0, cashbacks: 0 },
  }
  readonly events_: FeedEvent[] = []
  readonly quotesSol: number[] = []
  newestSeconds = 0
  readonly #nowSeconds: () => number
  #order: readonly [number, number, number] = [-1, 0, 0]
  /** Tokens that the open transaction has to do with. */
  readonly #touched = new Set<AuditedToken>()
  #hasBalances = false

  constructor(nowSeconds: () => number, names: KnownNames = new Names()) {
    this.names = names
    this.#nowSeconds = nowSeconds
  }

  records(batch: RecordBatch): void {
    batch.walk(
      (from, to) => {
        for (let i = from; i < to; i++) this.#swap(readSwap(batch, i, this.names))
      },
      (event) => this.#event(event),
    )
  }

  /** Ends the last transaction. */
  close(): void {
    for (const token of this.#touched) token.close()
    this.#touched.clear()
    this.#hasBalances = false
  }

  #event(event: FeedEvent): void {
    this.events_.push(event)
    this.#time(event.timestamp)
    for (const text of Object.values(event))
      if (typeof text === 'string') must(text.isWellFormed(), `half a character in ${event.type}`)
    if ('slot' in event && event.type !== 'swap') this.#placed(event)
  }

  #placed(event: PlacedEvent): void {
    this.#position(event.slot ?? -1, event.txIndex ?? -1, event.ordinal)
    must(event.type === 'balance' || !this.#hasBalances, 'an event behind the balances')
    if (event.type === 'token_created') this.#create(event)
    else if (event.type === 'completed') this.#known(event.mint).complete()
    else if (event.type === 'migrated') this.#migrate(event)
    else if (event.type === 'reserves') this.#reserves(event)
    else if (event.type === 'balance') this.#balance(event)
    else must(false, 'the state of a mint, which no simulator asks for')
  }

  #create(event: TokenCreated): void {
    must(!this.tokens.has(event.mint), 'a mint was created twice')
    const { quoteMint } = event
    const isCoin = quoteMint !== undefined && quoteMint !== USDC_MINT
    this.tokens.set(
      event.mint,
      new AuditedToken(event, isCoin ? this.#known(quoteMint) : undefined),
    )
  }

  #migrate(event: Migrated): void {
    this.#known(event.mint).migrate(event.poolAmm)
  }

  #reserves(event: Reserves): void {
    this.#known(event.mint).reserves(event)
  }

  #balance(event: Balance): void {
    this.#hasBalances = true
    this.#known(event.mint).ledger.tell(event.wallet, event.balanceRaw)
  }

  /** The token, which the open transaction has to do with from now on. */
  #known(mint: string): AuditedToken {
    const token = this.tokens.get(mint)
    if (token === undefined) throw new Error(`unknown mint ${mint}`)
    this.#touched.add(token)
    return token
  }

  #time(seconds: number): void {
    must(seconds >= this.newestSeconds, 'time went back')
    must(seconds <= this.#nowSeconds(), 'an event from the future')
    this.newestSeconds = seconds
  }

  #position(slot: number, txIndex: number, ordinal: number): void {
    const [a, b, c] = this.#order
    const isLater = slot > a || (slot === a && (txIndex > b || (txIndex === b && ordinal > c)))
    if (!isLater) throw new Error(`${[slot, txIndex, ordinal]} after ${this.#order}`)
    if (slot !== a || txIndex !== b) this.close()
    this.#order = [slot, txIndex, ordinal]
  }

  #swap(swap: AuditedSwap): void {
    this.#position(swap.slot, swap.txIndex, swap.ordinal)
    this.#time(swap.timestamp)
    must(!this.#hasBalances, 'a swap behind the balances')
    const token = this.#known(swap.mint)
    if (token.quote === 'coin') this.#known(swap.quoteMint)
    token.swap(swap)
    this.#count(swap, token)
    if (token.quote === 'sol') this.quotesSol.push(Number(swap.quote) / 1e9)
  }

  #count({ flags, route, cashback }: AuditedSwap, token: AuditedToken): void {
    const { counts } = this
    counts.swaps++
    if ((flags & Flag.sell) === 0) counts.buys++
    if ((flags & Flag.amm) !== 0) counts.amm++
    if ((flags & Flag.chainFeeGiven) !== 0) counts.chainFees++
    if ((flags & Flag.balanceAfterGiven) !== 0) counts.balances++
    if ((flags & Flag.insiderValue) !== 0) counts.insiders++
    if (token.lastWasAgent) counts.agent++
    if (route > 0) counts.hops++
    if (token.quote === 'coin') counts.inCoins++
    if (token.quote === 'coin' && route === 0) counts.paidInCoins++
    if (cashback > 0n) counts.cashbacks++
  }
}
