import { createNanoEvents } from 'nanoevents'
import { isSolPrice } from '../base/thresholds.ts'
import {
  AHEAD_OF_WALL_SECONDS_MAX,
  type Balance,
  type Completed,
  type FeedEvent,
  type Gap,
  type Metadata,
  type Migrated,
  type PlacedEvent,
  type Reserves,
  type SolPrice,
  type Swap,
  type TokenCreated,
  type TokenState,
} from '../events/event.ts'
import {
  Flag,
  GIVEN_BITS,
  INPUT_FLAGS,
  RecordBatch,
  SWAP_U32_LANES,
  SwapFloatLane,
  SwapLane,
  walletOf,
} from '../events/swap-record.ts'
import type { ColdStore } from './fold/cold-store.ts'
import type { MetadataFold } from './fold/metadata-fold.ts'
import type { OrderedFold } from './fold/ordered-fold.ts'
import type { TokenOrder } from './index/token-order.ts'
import { type EventPosition, NOWHERE } from './order/event-position.ts'
import { type Identities, identityKey, type PositionResolver } from './order/position-resolver.ts'
import type { Progress } from './order/progress.ts'
import { PREFETCHED_SWAPS, type Prefetcher } from './prefetcher.ts'
import { flagsOf } from './state/lanes.ts'
import { TokenFlag } from './state/layout.ts'
import { pricingOf } from './state/money.ts'
import type { State } from './state/state.ts'

/** Accepted events from one `moment` to the next within a second. */
export const MOMENT_EVENTS = 1_024

const NONE_LATE = { count: 0, fromSlot: Number.POSITIVE_INFINITY, toSlot: -1 }

/**
 * What an arriving event goes through: the clock, its place, duplicates and lateness, then the fold, then the fact that
 * is emitted. Events that fill a gap (`gap` with the state `filling`) are one run: later events are folded again, and
 * facts emitted, at its end.
 */
export class EventAcceptor {
  /** Does the clock move with events, and not with the wall? */
  isEventClock = false
  takesAhead = false
  /** Latest time of an event that has a place, in unix seconds; 0: none yet. */
  newestSeconds = 0
  readonly facts: EngineFacts
  /** Events since this process began that were taken and have no effect: no part of the state. */
  readonly idle = { unknownMints: 0, balancesBeyondSupply: 0 }
  /** Events since this process began that came too late for their place, and their slots: no part of the state. */
  late = NONE_LATE
  readonly #state: State
  readonly #ordered: OrderedFold
  readonly #coldStore: ColdStore
  readonly #metadata: MetadataFold
  readonly #order: TokenOrder
  readonly #prefetcher: Prefetcher
  readonly #identities: Identities
  readonly #resolver: PositionResolver
  readonly #progress: Progress
  readonly #counts: Progress['counts']
  readonly #single = new RecordBatch(1)
  readonly #key: EventPosition = { ...NOWHERE }
  /** Last slot of the gap that the events fill which come; infinite: they fill none. */
  #fillsTo = Number.POSITIVE_INFINITY
  /** The newest second of events that `moment` was emitted of, and the seq that it is emitted at again. */
  #toldSeconds = 0
  #nextMoment = MOMENT_EVENTS

  constructor(parts: {
    readonly state: State
    readonly ordered: OrderedFold
    readonly coldStore: ColdStore
    readonly metadata: MetadataFold
    readonly order: TokenOrder
    readonly prefetcher: Prefetcher
    readonly identities: Identities
    readonly resolver: PositionResolver
    readonly progress: Progress
  }) {
    this.#state = parts.state
    this.#ordered = parts.ordered
    this.facts = new EngineFacts(parts.state)
    this.#coldStore = parts.coldStore
    this.#metadata = parts.metadata
    this.#order = parts.order
    this.#prefetcher = parts.prefetcher
    this.#identities = parts.identities
    this.#resolver = parts.resolver
    this.#progress = parts.progress
    this.#counts = parts.progress.counts
  }

  /** Moves the wall clock (unix seconds); a clock by event time moves with its events. */
  advance(nowSeconds: number): void {
    if (!this.isEventClock) this.#ordered.advance(nowSeconds)
  }

  /** Is an event of this time refused, because it is too far ahead of the wall clock? */
  isAhead(timestamp: number): boolean {
    return !this.isEventClock && timestamp > this.#state.now + AHEAD_OF_WALL_SECONDS_MAX
  }

  get #isFilling(): boolean {
    return Number.isFinite(this.#fillsTo)
  }

  /** Is there an event whose fact is not emitted yet? */
  get areFactsWaiting(): boolean {
    return this.#isFilling || this.facts.isWaiting
  }

  /** Takes `count` records from u32 lane `at` on of a buffer, an even lane; it is written to. */
  acceptLanes(u32: Uint32Array, f64: Float64Array, at: number, count: number): void {
    const end = at + count * SWAP_U32_LANES
    for (let lane = at; lane < end; ) {
      const stop = Math.min(end, lane + PREFETCHED_SWAPS * SWAP_U32_LANES)
      if (stop - lane > SWAP_U32_LANES) {
        for (let ahead = lane; ahead < stop; ahead += SWAP_U32_LANES)
          this.#prefetcher.touchIndex(u32, ahead)
        for (let ahead = lane; ahead < stop; ahead += SWAP_U32_LANES)
          this.#prefetcher.touchRow(u32, ahead)
      }
      for (; lane < stop; lane += SWAP_U32_LANES) this.#acceptSwap(u32, f64, lane)
    }
  }

  /** Ends a fill whose `filled` event never came, as at the end of a journal. */
  endFill(): void {
    this.#fillsTo = Number.POSITIVE_INFINITY
    this.#settleRun()
  }

  /** Later events are folded again, and waiting facts emitted; not while a gap is filled, so that it costs one pass. */
  #settleRun(): void {
    if (this.#isFilling) return
    this.#ordered.catchUp()
    if (this.facts.isWaiting) this.facts.emitWaiting()
    this.#tellMoment()
  }

  /** Events have come to a later second than before, or another `MOMENT_EVENTS` are there. */
  #tellMoment(): void {
    const { taken } = this.#progress
    if (this.newestSeconds <= this.#toldSeconds && taken < this.#nextMoment) return
    if (this.#isFilling) return
    this.#toldSeconds = this.newestSeconds
    this.#nextMoment = (Math.floor(taken / MOMENT_EVENTS) + 1) * MOMENT_EVENTS
    this.facts.emitter.emit('moment', this.newestSeconds)
  }

  /** Counts late events anew; returns those so far. */
  forgetLate(): typeof NONE_LATE {
    const before = this.late
    this.late = NONE_LATE
    return before
  }

  accept(event: FeedEvent): void {
    if (event.type === 'swap') {
      this.#single.clear()
      this.#single.addSwap(event, this.#state.book)
      this.acceptLanes(this.#single.u32, this.#single.f64, RecordBatch.u32At(0), 1)
      return
    }
    this.#acceptOther(event)
    this.#settleRun()
  }

  #acceptOther(event: Exclude<FeedEvent, Swap>): void {
    this.#counts.events += 1
    if (!this.#tick(event.timestamp)) return
    if (!('slot' in event)) this.#acceptUnplaced(event)
    else if (event.type === 'reserves' || event.type === 'balance' || event.type === 'token_state')
      this.#acceptAmount(event)
    else this.#acceptLifecycle(event)
  }

  /** Moves the clock with an event; false when the event is too far ahead of the wall clock. */
  #tick(timestamp: number): boolean {
    if (this.isEventClock) this.#ordered.advance(timestamp)
    else if (!this.takesAhead && this.isAhead(timestamp)) {
      this.#counts.aheadRefused += 1
      return false
    }
    return true
  }

  /** Is the event with this key and `identityKey` folded? If not, it is counted as a duplicate or as too late. */
  #admits(key: EventPosition): boolean {
    if (!this.#ordered.isInReach(key)) {
      // It is not remembered, so that it is refused again when it arrives again.
      if (this.#identities.has(identityKey[0], identityKey[1])) this.#counts.duplicates += 1
      else {
        this.#counts.lateRefused += 1
        this.#noteLate(key)
      }
      return false
    }
    if (this.#identities.add(identityKey[0], identityKey[1])) return true
    this.#counts.duplicates += 1
    return false
  }

  /** Takes the record at u32 lane `at`, unless it is a duplicate or too late. */
  #acceptSwap(u32: Uint32Array, f64: Float64Array, at: number): void {
    if (!this.#tick(u32[at + SwapLane.timestamp])) return
    const key = this.#key
    // Such a place depends on all events so far.
    if ((u32[at + SwapLane.flags] & (Flag.noSlot | Flag.noTxIndex)) !== 0) this.#ordered.catchUp()
    this.#resolver.readRecord(key, u32, f64, at)
    if (!this.#admits(key)) return
    const token = u32[at + SwapLane.token]
    this.#state.coverToken(token)
    this.#state.coverWallet(u32[at + SwapLane.wallet])
    this.#beginFold(token, key)
    this.#counts.swaps += 1
    this.#noteTime(u32[at + SwapLane.timestamp])
    this.#progress.taken += 1
    key.arrival = this.#progress.taken
    const pricing = this.#ordered.pricingBefore(token)
    const priceAt = (at >>> 1) + SwapFloatLane.givenSolPriceUsd
    if ((u32[at + SwapLane.flags] & Flag.ownSolPrice) === 0)
      f64[priceAt] = this.#state.feedSolPriceUsd
    if (!key.isSlotKnown) f64[(at >>> 1) + SwapFloatLane.slot] = key.slot
    else u32[at + SwapLane.txIndex] = key.txIndex
    u32[at + SwapLane.flags] &= INPUT_FLAGS | GIVEN_BITS
    const tapeIndex = this.#ordered.swap(u32, at, key)
    if (this.#mustWait) {
      this.facts.wait({ type: 'swap', token, pricing, tapeIndex, wallet: walletOf(u32, at) })
      this.#settleRun()
    } else {
      this.facts.trade(token, pricing, tapeIndex, NOTHING_LATER)
      this.#tellMoment()
    }
  }

  /** Facts are emitted in the order of arrival, and of a state that has all events. */
  get #mustWait(): boolean {
    return this.#ordered.isBehind || this.facts.isWaiting
  }

  /** Before an event of a token is folded at a key: its positions are rows again. */
  #beginFold(token: number, key: EventPosition): void {
    // What comes from behind the gap does not fill it: its end was lost, and nobody is to wait for it.
    if (key.slot > this.#fillsTo) this.endFill()
    if (this.#coldStore.isCold(token)) {
      this.#ordered.catchUp()
      this.#coldStore.restore(token)
    }
    // Places in the tape of what arrived are good as long as nothing comes before them.
    if (this.facts.isWaiting && this.#ordered.goesBack(key)) {
      this.#ordered.catchUp()
      this.facts.emitWaiting()
    }
  }

  #noteLate({ slot }: EventPosition): void {
    const { count, fromSlot, toSlot } = this.late
    this.late = {
      count: count + 1,
      fromSlot: Math.min(fromSlot, slot),
      toSlot: Math.max(toSlot, slot),
    }
  }

  #noteTime(timestamp: number): void {
    if (timestamp > this.newestSeconds) this.newestSeconds = timestamp
  }

  /** Takes an event that has no place among those of the chain: it counts from its arrival on. */
  #acceptUnplaced(event: SolPrice | Metadata | Gap): void {
    this.#ordered.catchUp()
    this.#progress.taken += 1
    if (event.type === 'sol_price') {
      if (isSolPrice(event.usd)) this.#state.feedSolPriceUsd = event.usd
      return
    }
    if (event.type === 'gap') {
      this.endFill()
      if (this.#state.unseen.note(event)) this.#order.touchAll()
      if (event.state === 'filling') this.#fillsTo = event.toSlot
      return
    }
    const token = this.#state.book.token(event.mint)
    this.#state.coverToken(token)
    this.#metadata.fold(token, event)
    this.#order.touch(token)
  }

  #acceptLifecycle(event: TokenCreated | Completed | Migrated): void {
    const { book, quotes } = this.#state
    const token = book.token(event.mint)
    this.#state.coverToken(token)
    if (event.txIndex === null || this.#ordered.hasTakenBackLifecycle(token))
      this.#ordered.catchUp()
    if (this.#isSecond(token, event)) return
    this.#noteTime(event.timestamp)
    const key = this.#resolver.keyOf(event, this.#progress.taken + 1)
    // It is folded all the same, where it came; of a curve that is complete already nothing changes.
    const isKnown =
      event.type === 'completed' && (flagsOf(this.#state, token) & TokenFlag.complete) !== 0
    if (!isKnown && !this.#ordered.isInReach(key)) this.#noteLate(key)
    this.#beginFold(token, key)
    if (event.type === 'token_created' && event.quoteDecimals !== undefined)
      quotes.noteDecimals(quotes.numberOf(event.quoteMint), event.quoteDecimals)
    this.#progress.taken += 1
    const pricing = this.#ordered.pricingBefore(token)
    this.#ordered.lifecycle({ event, token, key })
    if (this.#mustWait) this.facts.wait({ type: event.type, token, pricing })
    else this.facts.lifecycle(event.type, token, pricing)
  }

  /** Takes reserves, a balance or the state of a mint, unless they are a duplicate or too late. */
  #acceptAmount(event: Reserves | Balance | TokenState): void {
    const { book } = this.#state
    const token = book.token(event.mint)
    this.#state.coverToken(token)
    const wallet = event.type === 'balance' ? book.wallet(event.wallet) : -1
    if (wallet >= 0) this.#state.coverWallet(wallet)
    if (event.txIndex === null) this.#ordered.catchUp()
    const key = this.#resolver.readAmount(event, token, wallet, this.#progress.taken + 1)
    if (!this.#admits(key)) return
    if ((flagsOf(this.#state, token) & TokenFlag.exists) === 0) this.idle.unknownMints += 1
    else if (
      event.type === 'balance' &&
      this.#ordered.balances.isBeyondSupply(token, event.balanceRaw)
    )
      this.idle.balancesBeyondSupply += 1
    this.#noteTime(event.timestamp)
    this.#beginFold(token, key)
    this.#progress.taken += 1
    this.#ordered.lifecycle({ event, token, key })
  }

  /** A second creation or migration of a mint is counted and ignored: the first that arrived wins. */
  #isSecond(token: number, event: TokenCreated | Completed | Migrated): boolean {
    const flags = flagsOf(this.#state, token)
    if (event.type === 'token_created' && flags & TokenFlag.creationKnown)
      this.#counts.secondCreations += 1
    else if (event.type === 'migrated' && flags & TokenFlag.migrationKnown)
      this.#counts.secondMigrations += 1
    else return false
    return true
  }
}

/** Swaps that arrived later than one and are in the state already: late swaps are told when all of their run are. */
interface LaterSwaps {
  readonly swaps: number
  readonly ofMint: number
  readonly ofWallet: number
}

export const NOTHING_LATER: LaterSwaps = { swaps: 0, ofMint: 0, ofWallet: 0 }

/** An event that was folded. */
type Arrived = {
  readonly token: number
  /** What the prices of its token were made with before it (`pricingOf`); -1: it had none. */
  readonly pricing: number
} & (
  | { readonly type: 'swap'; readonly tapeIndex: number; readonly wallet: number }
  | { readonly type: 'token_created' | 'completed' | 'migrated' }
)

/** Emits what the live feeds publish, in the order of arrival, each fact when the state is that of all events. */
class EngineFacts {
  /** Listeners must not throw and must not fold. */
  readonly emitter = createNanoEvents<{
    /** A new swap, by tape index, which is valid until the listener returns. */
    trade: (index: number, later: LaterSwaps) => void
    /** A token migrated. */
    migration: (token: number) => void
    /** The creation event of a token arrived; emitted once, and not when a swap first names its mint. */
    created: (token: number) => void
    /** The prices of all trades of a token changed. */
    repriced: (token: number) => void
    /**
     * The first event of a later second (unix) than all before is folded, or the seq has come to another
     * `MOMENT_EVENTS`; not while a gap is filled. Journals and replicas have it behind the same events.
     */
    moment: (seconds: number) => void
  }>()
  readonly #state: State
  /** Behind a late event, until the later ones are folded again; a run that fills a gap at most. */
  readonly #waiting: Arrived[] = []

  constructor(state: State) {
    this.#state = state
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** A fact that is emitted by `emitWaiting`. */
  wait(event: Arrived): void {
    this.#waiting.push(event)
  }

  trade(token: number, pricing: number, tapeIndex: number, later: LaterSwaps): void {
    this.#repriced(token, pricing)
    this.emitter.emit('trade', tapeIndex, later)
  }

  lifecycle(type: PlacedEvent['type'], token: number, pricing: number): void {
    const { launches, migrations } = this.#state.announcements
    if (type === 'token_created') {
      launches.push(token)
      this.emitter.emit('created', token)
    }
    if (type === 'migrated') {
      migrations.push(token)
      this.emitter.emit('migration', token)
    }
    this.#repriced(token, pricing)
  }

  /** The later events are folded again: emits what waits, each swap with the counts that it had on arrival. */
  emitWaiting(): void {
    const waiting = this.#waiting.splice(0)
    const ofMint = new Map<number, number>()
    const ofWallet = new Map<number, number>()
    let swaps = 0
    const count = (event: Arrived, by: number) => {
      if (event.type !== 'swap') return
      swaps += by
      ofMint.set(event.token, (ofMint.get(event.token) ?? 0) + by)
      ofWallet.set(event.wallet, (ofWallet.get(event.wallet) ?? 0) + by)
    }
    for (const event of waiting) count(event, 1)
    for (const event of waiting) {
      const { token, pricing } = event
      count(event, -1)
      if (event.type === 'swap')
        this.trade(token, pricing, event.tapeIndex, {
          ...{ swaps, ofMint: ofMint.get(token) ?? 0 },
          ofWallet: ofWallet.get(event.wallet) ?? 0,
        })
      else this.lifecycle(event.type, token, pricing)
    }
  }

  #repriced(token: number, before: number): void {
    if (before >= 0 && pricingOf(this.#state, token) !== before)
      this.emitter.emit('repriced', token)
  }
}
