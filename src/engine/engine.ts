import {
  differingRules,
  type EngineSettings,
  isSolPrice,
  type Thresholds,
} from '../base/thresholds.ts'
import {
  AHEAD_OF_WALL_SECONDS_MAX,
  type Balance,
  type Completed,
  type FeedEvent,
  type Gap,
  type Metadata,
  type Migrated,
  type Reserves,
  type SolPrice,
  type Swap,
  type TokenCreated,
} from '../events/event.ts'
import type { EventSink } from '../events/event-sink.ts'
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
import { EngineFacts, NOTHING_LATER } from './facts.ts'
import { type ColdHoldingsCache, ColdStore } from './fold/cold-store.ts'
import { OrderedFold } from './fold/ordered-fold.ts'
import { RollingWindow } from './fold/swap-fold.ts'
import { MetadataFold } from './fold/token-lifecycle.ts'
import { BarChains } from './history/bar-chains.ts'
import type { ChartTrades } from './history/candles.ts'
import { newestSecondsOf, SwapChains } from './history/swap-chains.ts'
import { SearchIndex } from './index/search-index.ts'
import { TokenOrder } from './index/token-order.ts'
import { TopHolders } from './index/top-holders.ts'
import { TraderColumns } from './index/trader-columns.ts'
import { XLinks } from './index/x-links.ts'
import { PREFETCHED_SWAPS, Prefetcher, SwapIntake } from './intake.ts'
import {
  boundedPart,
  derivedPart,
  growingPart,
  type MemoryPart,
  type StatePart,
} from './memory/state-part.ts'
import { type EventPosition, NOWHERE } from './order/event-position.ts'
import { Identities, identityKey, PositionResolver } from './order/position-resolver.ts'
import { Progress } from './order/progress.ts'
import { LATE_SLOTS, ReorderWindow } from './order/reorder-window.ts'
import { flagsOf } from './state/lanes.ts'
import { TokenFlag } from './state/layout.ts'
import { PositionLists } from './state/position-lists.ts'
import { State } from './state/state.ts'

export interface EngineOptions {
  readonly clock: EngineSettings['clock']
  readonly lateSlots?: number
  /** Swap identities remembered, a power of two. */
  readonly identities?: number
  readonly rules?: Partial<Thresholds>
  /** Records of the tape that leave memory together. */
  readonly tapeChunkRecords?: number
}

/**
 * The engine folds events into a state. In: events and records, in order of arrival. Out: the state, its
 * parts for a snapshot, and facts for live feeds. No I/O, no clock, no randomness; the same events in the
 * same order of arrival give the same state. A late event is folded in its place: later ones are taken back
 * by the undo log and folded again, so the state is that of the total order.
 */
export class Engine implements EventSink {
  readonly state: State
  readonly facts: EngineFacts['emitter']
  readonly window: RollingWindow
  readonly order: TokenOrder
  readonly search = new SearchIndex()
  readonly positions: PositionLists
  readonly traders: TraderColumns
  readonly top: TopHolders
  readonly chains: SwapChains
  readonly bars: BarChains
  readonly links: XLinks
  readonly intake: SwapIntake
  readonly #progress = new Progress()
  readonly counts = this.#progress.counts
  /** Events since this process began that were taken and have no effect: no part of the state. */
  readonly idle = { unknownMints: 0, balancesBeyondSupply: 0 }
  readonly announcements: State['announcements']
  /** The whole state, for a snapshot; what reads derive from it is no part. */
  readonly parts: readonly StatePart[]
  readonly prefetcher: Prefetcher
  readonly coldStore: ColdStore
  readonly #ordered: OrderedFold
  readonly #metadata: MetadataFold
  readonly #identities: Identities
  readonly #reorder = new ReorderWindow()
  readonly #single = new RecordBatch(1)
  #isEventClock: boolean
  readonly #newest: EventPosition = this.#progress.newest
  readonly #key: EventPosition = { ...NOWHERE }
  #newestSeconds = 0
  readonly #arrivals: PositionResolver
  /** Do the events that come fill a gap? */
  #isFilling = false
  readonly #facts: EngineFacts

  constructor(options: EngineOptions) {
    this.state = new State(options.rules, options.tapeChunkRecords)
    this.announcements = this.state.announcements
    this.#facts = new EngineFacts(this.state)
    this.facts = this.#facts.emitter
    this.window = new RollingWindow(this.state)
    this.order = new TokenOrder(this.state)
    this.positions = new PositionLists(this.state)
    this.traders = new TraderColumns(this.state)
    this.top = new TopHolders(this.state, this.positions)
    this.links = new XLinks(this.state)
    this.chains = new SwapChains(this.state, () => this.settledSwaps)
    this.bars = new BarChains(this.state, () => this.settledBars)
    this.intake = new SwapIntake(this.state.book)
    const { book, tape } = this.state
    this.#arrivals = new PositionResolver(book, tape, this.#reorder, this.#newest)
    const lateSlots = options.lateSlots ?? LATE_SLOTS
    this.#ordered = new OrderedFold(this.state, this, this.#reorder, this.#progress, lateSlots)
    this.coldStore = new ColdStore(this.state, this.top, this.#ordered)
    this.#metadata = new MetadataFold(this.state, this.links)
    this.#identities = new Identities(options.identities)
    this.prefetcher = new Prefetcher(this.state, this.#identities)
    this.#isEventClock = options.clock === 'event'
    this.parts = [
      ...this.state.parts,
      this.state.tape.part('tape', () => this.settledSwaps),
      ...this.#ordered.swaps.parts,
      this.window.part,
      this.search.part,
      this.#metadata.part,
      this.#identities.part,
      ...this.#reorder.parts,
      this.#progress.part,
      this.announcements.part,
      ...[derivedPart('derived', () => this.#derive()), this.state.unseen.part],
    ]
  }

  /** Its memory, part by part. */
  get memory(): readonly MemoryPart[] {
    const announced = [this.announcements.launches, this.announcements.migrations]
    return [
      ...this.state.memory,
      this.search.memory,
      growingPart('orders', this.order, this.links, ...announced),
      growingPart('top_lists', this.top),
      boundedPart('position_lists', this.positions, this.traders),
      boundedPart('swap_places', this.chains),
      boundedPart('bar_places', this.bars),
      boundedPart('chart_trades', this.chartTrades),
      boundedPart('resting_holdings', this.coldHoldings),
      boundedPart('identities', this.#identities),
      boundedPart('late_events', this.#reorder),
      this.#ordered.swaps.memory,
      boundedPart('seconds', this.window),
    ]
  }

  get settings(): EngineSettings {
    const rules = differingRules(this.state.rules)
    const clock = this.#isEventClock ? 'event' : 'wall'
    const own = Object.keys(rules).length === 0 ? {} : { rules }
    return { clock, lateSlots: this.#ordered.lateSlots, ...own }
  }

  /**
   * Folds later events by these settings. Classes that a wallet got at a trade stay; those that are
   * decided at a read follow the new rules.
   */
  settle(settings: EngineSettings): void {
    this.endFill()
    this.#isEventClock = settings.clock === 'event'
    this.#ordered.lateSlots = settings.lateSlots
    if (!this.state.judgeBy(settings.rules)) return
    this.order.startAnew()
    this.#ordered.swaps.bundles.drop()
  }

  /** Moves the wall clock (unix seconds); a clock by event time moves with its events. */
  advance(nowSeconds: number): void {
    if (!this.#isEventClock) this.#ordered.advance(nowSeconds)
  }

  /** Is an event of this time refused, because it is too far ahead of the wall clock? */
  isAhead(timestamp: number): boolean {
    return !this.#isEventClock && timestamp > this.state.now + AHEAD_OF_WALL_SECONDS_MAX
  }

  get chartTrades(): ChartTrades {
    return this.#ordered.swaps.candles.trades
  }

  get coldHoldings(): ColdHoldingsCache {
    return this.#ordered.swaps.coldHoldings
  }

  /** Events taken so far: the position in the stream. Duplicates and refused ones do not count. */
  get seq(): number {
    return this.counts.swaps + this.#progress.othersTaken
  }

  /** Swaps from the first that no late event can take back any more: their records stay as they are. */
  get settledSwaps(): number {
    return this.coldStore.settledSwaps
  }

  /** Stored bars from the first that no late event can take back any more. */
  get settledBars(): number {
    return this.#reorder.settledBars(this.state.bars.count)
  }

  /** Slot of the newest event. */
  get newestSlot(): number {
    return this.#newest.slot
  }

  /** Index of its transaction there. */
  get newestTxIndex(): number {
    return this.#newest.txIndex
  }

  /** Latest time of an event that has a place, in unix seconds; 0: none yet. */
  get newestEventSeconds(): number {
    return this.#newestSeconds
  }

  /** Takes the records `from` to before `to` of a batch, in order of arrival. */
  acceptRecords(batch: RecordBatch, from = 0, to = batch.count): void {
    this.acceptLanes(batch.u32, batch.f64, RecordBatch.u32At(from), to - from)
  }

  /** Takes `count` records from u32 lane `at` on of a buffer, an even lane; it is written to. */
  acceptLanes(u32: Uint32Array, f64: Float64Array, at: number, count: number): void {
    const end = at + count * SWAP_U32_LANES
    for (let lane = at; lane < end; ) {
      const stop = Math.min(end, lane + PREFETCHED_SWAPS * SWAP_U32_LANES)
      if (stop - lane > SWAP_U32_LANES) {
        for (let ahead = lane; ahead < stop; ahead += SWAP_U32_LANES)
          this.prefetcher.touchIndex(u32, ahead)
        for (let ahead = lane; ahead < stop; ahead += SWAP_U32_LANES)
          this.prefetcher.touchRow(u32, ahead)
      }
      for (; lane < stop; lane += SWAP_U32_LANES) this.#acceptSwap(u32, f64, lane)
    }
  }

  /** Takes events in order of arrival. */
  events(batch: readonly FeedEvent[]): void {
    for (const event of batch) this.accept(event)
  }

  records(batch: RecordBatch): void {
    batch.walk(
      (from, to) => this.acceptRecords(batch, from, to),
      (event) => this.accept(event),
    )
  }

  /** Ends a fill whose `filled` event never came, as at the end of a journal. */
  endFill(): void {
    this.#isFilling = false
    this.#settleRun()
  }

  /** Later events are folded again, and waiting facts emitted; not while a gap is filled, so that it costs one pass. */
  #settleRun(): void {
    if (this.#isFilling) return
    if (this.#ordered.isBehind) this.#ordered.catchUp()
    if (this.#facts.isWaiting) this.#facts.emitWaiting()
  }

  /** Makes orders, links and lists of holders anew from the loaded rows. */
  #derive(): void {
    this.#newestSeconds = newestSecondsOf(this.state.tape)
    this.order.startAnew()
    this.links.rebuild()
    this.top.drop()
    this.positions.drop()
    this.traders.drop()
    this.chains.drop()
    this.bars.drop()
    this.coldHoldings.drop()
    this.chartTrades.drop()
    this.#ordered.swaps.bundles.drop()
  }

  accept(event: FeedEvent): void {
    if (event.type === 'swap') {
      this.#single.clear()
      this.intake.append(event, this.#single)
      this.acceptRecords(this.#single)
    } else this.#acceptOther(event)
    this.#settleRun()
  }

  #acceptOther(event: Exclude<FeedEvent, Swap>): void {
    this.counts.events += 1
    if (!this.#tick(event.timestamp)) return
    if (!('slot' in event)) this.#acceptUnplaced(event)
    else if (event.type === 'reserves' || event.type === 'balance') this.#acceptAmount(event)
    else this.#acceptLifecycle(event)
  }

  /** Moves the clock with an event; false when the event is too far ahead of the wall clock. */
  #tick(timestamp: number): boolean {
    if (this.#isEventClock) this.#ordered.advance(timestamp)
    else if (this.isAhead(timestamp)) {
      this.counts.aheadRefused += 1
      return false
    }
    return true
  }

  /** Is the event with this key and `identityKey` folded? If not, it is counted as a duplicate or as too late. */
  #admits(key: EventPosition): boolean {
    if (!this.#ordered.isInReach(key)) {
      // It is not remembered, so that it is refused again when it arrives again.
      if (this.#identities.has(identityKey[0], identityKey[1])) this.counts.duplicates += 1
      else this.counts.lateRefused += 1
      return false
    }
    if (this.#identities.add(identityKey[0], identityKey[1])) return true
    this.counts.duplicates += 1
    return false
  }

  /** Takes the record at u32 lane `at`, unless it is a duplicate or too late. */
  #acceptSwap(u32: Uint32Array, f64: Float64Array, at: number): void {
    if (!this.#tick(u32[at + SwapLane.timestamp])) return
    const key = this.#key
    if ((u32[at + SwapLane.flags] & (Flag.noSlot | Flag.noTxIndex)) !== 0) this.#ordered.catchUp()
    this.#arrivals.readRecord(key, u32, f64, at)
    if (!this.#admits(key)) return
    const token = u32[at + SwapLane.token]
    this.state.coverToken(token)
    this.state.coverWallet(u32[at + SwapLane.wallet])
    this.#beginFold(token, key)
    this.counts.swaps += 1
    this.#noteTime(u32[at + SwapLane.timestamp])
    key.arrival = this.seq
    const pricing = this.#ordered.pricingBefore(token)
    const priceAt = (at >>> 1) + SwapFloatLane.givenSolPriceUsd
    // Journals of former versions may have prices that are refused by now: they count as not given.
    if ((u32[at + SwapLane.flags] & Flag.ownSolPrice) !== 0 && !isSolPrice(f64[priceAt]))
      u32[at + SwapLane.flags] &= ~Flag.ownSolPrice
    if ((u32[at + SwapLane.flags] & Flag.ownSolPrice) === 0)
      f64[priceAt] = this.state.feedSolPriceUsd
    if (!key.isSlotKnown) f64[(at >>> 1) + SwapFloatLane.slot] = key.slot
    else u32[at + SwapLane.txIndex] = key.txIndex
    u32[at + SwapLane.flags] &= INPUT_FLAGS | GIVEN_BITS
    const tapeIndex = this.#ordered.swap(u32, at, key)
    if (this.#ordered.isBehind || this.#facts.isWaiting) {
      this.#facts.wait({ type: 'swap', token, pricing, tapeIndex, wallet: walletOf(u32, at) })
      this.#settleRun()
    } else this.#facts.trade(token, pricing, tapeIndex, NOTHING_LATER)
  }

  /** Before an event of a token is folded at a key: its positions are rows again. */
  #beginFold(token: number, key: EventPosition): void {
    if (this.coldStore.isCold(token)) {
      this.#ordered.catchUp()
      this.coldStore.restore(token)
    }
    // Places in the tape of what arrived are good as long as nothing comes before them.
    if (this.#facts.isWaiting && this.#ordered.goesBack(key)) {
      this.#ordered.catchUp()
      this.#facts.emitWaiting()
    }
  }

  #noteTime(timestamp: number): void {
    if (timestamp > this.#newestSeconds) this.#newestSeconds = timestamp
  }

  /** Takes an event that has no place among those of the chain: it counts from its arrival on. */
  #acceptUnplaced(event: SolPrice | Metadata | Gap): void {
    this.#ordered.catchUp()
    this.#progress.othersTaken += 1
    if (event.type === 'sol_price') {
      if (isSolPrice(event.usd)) this.state.feedSolPriceUsd = event.usd
      return
    }
    if (event.type === 'gap') {
      this.endFill()
      if (this.state.unseen.note(event)) this.order.touchAll()
      this.#isFilling = event.state === 'filling'
      return
    }
    const token = this.state.book.token(event.mint)
    this.state.coverToken(token)
    this.#metadata.fold(token, event)
    this.order.touch(token)
  }

  #acceptLifecycle(event: TokenCreated | Completed | Migrated): void {
    const { book, quotes } = this.state
    const token = book.token(event.mint)
    this.state.coverToken(token)
    if (event.txIndex === null || this.#ordered.hasTakenBackLifecycle(token))
      this.#ordered.catchUp()
    if (this.#isSecond(token, event)) return
    this.#noteTime(event.timestamp)
    const key = this.#arrivals.keyOf(event, this.seq + 1)
    this.#beginFold(token, key)
    if (event.type === 'token_created' && event.quoteDecimals !== undefined)
      quotes.noteDecimals(quotes.numberOf(event.quoteMint), event.quoteDecimals)
    this.#progress.othersTaken += 1
    const pricing = this.#ordered.pricingBefore(token)
    this.#ordered.lifecycle({ event, token, key })
    if (this.#ordered.isBehind || this.#facts.isWaiting)
      this.#facts.wait({ type: event.type, token, pricing })
    else this.#facts.lifecycle(event.type, token, pricing)
  }

  /** Takes reserves or a balance, unless they are a duplicate or too late. */
  #acceptAmount(event: Reserves | Balance): void {
    const { book } = this.state
    const token = book.token(event.mint)
    this.state.coverToken(token)
    const wallet = event.type === 'balance' ? book.wallet(event.wallet) : -1
    if (wallet >= 0) this.state.coverWallet(wallet)
    if (event.txIndex === null) this.#ordered.catchUp()
    const key = this.#arrivals.readAmount(event, token, wallet, this.seq + 1)
    if (!this.#admits(key)) return
    if ((flagsOf(this.state, token) & TokenFlag.exists) === 0) this.idle.unknownMints += 1
    else if (
      event.type === 'balance' &&
      this.#ordered.balances.isBeyondSupply(token, event.balanceRaw)
    )
      this.idle.balancesBeyondSupply += 1
    this.#noteTime(event.timestamp)
    this.#beginFold(token, key)
    this.#progress.othersTaken += 1
    this.#ordered.lifecycle({ event, token, key })
  }

  /** A second creation or migration of a mint is counted and ignored: the first that arrived wins. */
  #isSecond(token: number, event: TokenCreated | Completed | Migrated): boolean {
    const flags = flagsOf(this.state, token)
    if (event.type === 'token_created' && flags & TokenFlag.creationKnown)
      this.counts.secondCreations += 1
    else if (event.type === 'migrated' && flags & TokenFlag.migrationKnown)
      this.counts.secondMigrations += 1
    else return false
    return true
  }
}
