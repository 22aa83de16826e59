/**
 * Seeded histories as a feed would deliver them: late, twice, in the wrong order. They keep out
 * of what the contract leaves open, so that every one has a single right answer.
 */
import type { FeedEvent, Swap } from '../../src/engine/event.ts'
import { U64_MAX } from './exact.ts'
import {
  bearToken,
  createdEvent,
  metadataEvent,
  type Place,
  type SimToken,
  type Step,
  swapEvent,
} from './market.ts'
import { Random } from './random.ts'

const FIRST_SLOT = 300_000_000
const FIRST_SECOND = 1_750_000_000
const SLOTS_PER_SECOND = 2.5
const DAY_SLOTS = 216_000

/** The events of a history as a feed that knows no slots tells them, in order of arrival. */
export function slotlessHistory(seed: number, count: number): FeedEvent[] {
  const random = new Random(seed)
  return history(seed, count).map((event) => withoutSlot(random, event))
}

/** `count` events in order of arrival. The same seed and count give the same events. */
export function history(seed: number, count: number): FeedEvent[] {
  const random = new Random(seed)
  const steps = new Chain(random).run(count)
  const events = arrivals(random, steps).slice(0, count)
  // Some feeds know no slot at all.
  return random.chance(0.1) ? events.map((event) => withoutSlot(random, event)) : events
}

function withoutSlot(random: Random, event: FeedEvent): FeedEvent {
  if (event.type === 'sol_price' || event.type === 'metadata') return event
  return { ...event, slot: null, txIndex: random.chance(0.5) ? event.txIndex : null }
}

/** Writes the chain itself, in its true order. */
class Chain {
  private readonly random: Random
  private readonly steps: Step[] = []
  private readonly tokens: SimToken[] = []
  private readonly wallets: [string, ...string[]]
  private readonly tokenCount: number
  private slot = FIRST_SLOT
  private txIndex = 0

  constructor(random: Random) {
    this.random = random
    this.tokenCount = random.integer(3, 6)
    const wallets = Array.from({ length: random.integer(3, 7) }, () => random.base58(44))
    this.wallets = [random.base58(44), ...wallets]
  }

  run(count: number): readonly Step[] {
    if (this.random.chance(0.8)) this.addSolPrice()
    while (this.steps.length < count) {
      this.advance()
      const token = this.tokens[this.random.integer(0, this.tokenCount * 2)]
      const any = token ?? this.tokens[0]
      if (this.tokens.length < this.tokenCount && this.random.chance(any ? 0.15 : 1)) this.bear()
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

  private add(event: FeedEvent, creation: Step['creation'] = null): void {
    this.steps.push({ event, slot: this.slot, creation })
  }

  private addSolPrice(): void {
    const usd = this.random.pick([150, 151.37, 0.1 + 0.2, this.random.integer(9_000, 30_000) / 97])
    this.add({ type: 'sol_price', timestamp: this.seconds(), usd })
  }

  private bear(): void {
    const token = bearToken(this.random, this.wallets)
    this.tokens.push(token)
    if (token.creation === 'never') return
    const created = createdEvent(this.random, token, this.place())
    this.add(created, token.creation)
    // Far enough behind its creation that nobody is judged by when the creation was heard of.
    if (token.creation === 'late') this.slot += 40
    else if (this.random.chance(0.5)) {
      const place = { ...created, slot: this.slot, txIndex: this.txIndex, ordinal: 3 }
      this.add(swapEvent(this.random, token, [token.creator], placeOf(place)))
    }
  }

  /** One transaction of one to four swaps, most of one token. */
  private trade(token: SimToken): void {
    const place = this.place()
    const swaps = this.random.chance(0.75) ? 1 : this.random.integer(2, 4)
    for (let index = 0; index < swaps; index += 1) {
      const other = this.tokens[this.random.integer(0, this.tokens.length - 1)]
      const traded = other && other.stage !== 'complete' && this.random.chance(0.2) ? other : token
      if (traded.stage === 'complete') break
      const at = { ...place, ordinal: place.ordinal + index }
      this.add(swapEvent(this.random, traded, this.wallets, at))
    }
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
    if (this.random.chance(0.7)) {
      this.add({ type: 'migrated', ...this.place(), ...named, poolAmm: token.pool })
    }
  }
}

function placeOf({ slot, txIndex, ordinal, signature, timestamp }: Place): Place {
  return { slot, txIndex, ordinal, signature, timestamp }
}

/** Delays only: what has arrived by some step is never newer than that step. */
function arrivals(random: Random, steps: readonly Step[]): FeedEvent[] {
  const timed: { event: FeedEvent; at: number }[] = []
  for (const [index, step] of steps.entries()) {
    const at = arrivalOf(random, steps, index)
    const event = withGaps(random, steps, step)
    timed.push({ event, at })
    const second = repeated(random, event)
    if (second) timed.push({ event: second, at: at + random.integer(0, 12) + 0.5 })
  }
  return timed.toSorted((a, b) => a.at - b.at).map(({ event }) => event)
}

function arrivalOf(random: Random, steps: readonly Step[], index: number): number {
  const step = steps[index]
  if (!step || step.creation === 'first') return index
  if (step.creation === 'soon') {
    const near = steps.filter(({ slot }, at) => at >= index && slot <= step.slot + 30)
    return index + random.integer(0, near.length - 1) + 0.1
  }
  if (step.creation !== null) return index + random.integer(3, 25) + 0.1
  if (step.event.type === 'sol_price' || step.event.type === 'metadata') return index
  if (random.chance(0.12)) return index + random.integer(1, 6) + 0.2
  return random.chance(0.01) ? index + random.integer(10, 30) + 0.2 : index
}

/** Some feeds know no slot, some no index in the block. */
function withGaps(random: Random, steps: readonly Step[], { event, creation }: Step): FeedEvent {
  if (creation === 'slotless' && event.type === 'token_created') return withoutSlot(random, event)
  if (event.type === 'sol_price' || event.type === 'metadata' || creation !== null) return event
  const hasNoSlot = random.chance(0.04)
  const hasNoIndex = random.chance(0.06)
  if (isBesideCompletion(steps, event)) return event
  if (hasNoSlot) return withoutSlot(random, event)
  return hasNoIndex ? { ...event, txIndex: null } : event
}

/**
 * A curve swap of unknown place could come to stand after a `completed` that arrives later than the
 * window; whether the swap then shows 100 % is left open.
 */
function isBesideCompletion(steps: readonly Step[], event: FeedEvent): boolean {
  if (event.type !== 'swap' || event.source !== 'pump') return false
  return steps.some((step) => step.event.type === 'completed' && step.event.mint === event.mint)
}

/** The same event again, as it was or with another content under the same identity. */
function repeated(random: Random, event: FeedEvent): FeedEvent | null {
  if (event.type === 'swap' && random.chance(0.08)) {
    // No feed can tell more than a u64.
    const baseRaw = event.baseRaw > U64_MAX - 5n ? 5n : event.baseRaw + 5n
    const other: Partial<Swap> = { baseRaw, direction: 'sell' }
    return random.chance(0.5) ? event : { ...event, ...other, signer: 'someone else' }
  }
  if (event.type === 'token_created' && random.chance(0.1)) {
    return { ...event, name: 'second', creator: 'second creator', virtualQuoteRaw: 1n }
  }
  return event.type === 'completed' && random.chance(0.2) ? event : null
}
