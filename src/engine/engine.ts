import { createNanoEvents } from 'nanoevents'
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
  type Metadata,
  type Migrated,
  type Reserves,
  type SolPrice,
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
} from '../events/swap-record.ts'
import { type ColdHoldingsCache, ColdStore } from './fold/cold-store.ts'
import { OrderedFold } from './fold/ordered-fold.ts'
import { RollingWindow } from './fold/swap-fold.ts'
import { MetadataFold } from './fold/token-lifecycle.ts'
import { BarChains } from './history/bar-chains.ts'
import { type ChartTrades, pricingOf } from './history/candles.ts'
import { SwapChains } from './history/swap-chains.ts'
import { SearchIndex } from './index/search-index.ts'
import { TokenOrder } from './index/token-order.ts'
import { TopHolders } from './index/top-holders.ts'
import { TraderColumns } from './index/trader-columns.ts'
import { XLinks } from './index/x-links.ts'
import { PREFETCHED_SWAPS, Prefetcher, SwapIntake } from './intake.ts'
import {
  boundedPart,
  growingPart,
  type MemoryPart,
  type StatePart,
  sizesOf,
} from './memory/state-part.ts'
import { type EventPosition, NOWHERE } from './order/event-position.ts'
import { Identities, identityKey, PositionResolver } from './order/position-resolver.ts'
import { Progress } from './order/progress.ts'
import { LATE_SLOTS, ReorderWindow } from './order/reorder-window.ts'
import { flagsOf } from './state/lanes.ts'
import { TokenFlag, TokenLane } from './state/layout.ts'
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
  /** Listeners must not throw and must not fold. */
  readonly facts = createNanoEvents<{
    /** A new swap, by tape index; valid until the listener returns. */
    trade: (index: number) => void
    /** A token migrated. */
    migration: (token: number) => void
    /** The creation event of a token arrived; emitted once, and not when a swap first names its mint. */
    created: (token: number) => void
    /** The prices of all trades of a token changed. */
    repriced: (token: number) => void
  }>()
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
  readonly #ring = new ReorderWindow()
  readonly #single = new RecordBatch(1)
  #isEventClock: boolean
  readonly #newest: EventPosition = this.#progress.newest
  readonly #key: EventPosition = { ...NOWHERE }
  #newestSeconds = 0
  readonly #arrivals: PositionResolver

  constructor(options: EngineOptions) {
    this.state = new State(options.rules, options.tapeChunkRecords)
    this.announcements = this.state.announcements
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
    this.#arrivals = new PositionResolver(book, tape, this.#ring, this.#newest)
    const lateSlots = options.lateSlots ?? LATE_SLOTS
    this.#ordered = new OrderedFold(this.state, this, this.#ring, this.#progress, lateSlots)
    this.coldStore = new ColdStore(this.state, this.top, this.#ring)
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
      ...this.#ring.parts,
      this.#progress.part,
      this.announcements.part,
      this.#derivedPart(),
    ]
  }

  /** Its memory, part by part. */
  get memory(): readonly MemoryPart[] {
    const { launches, migrations } = this.announcements
    return [
      ...this.state.memory,
      this.search.memory,
      growingPart('orders', this.order, this.links, launches, migrations),
      growingPart('top_lists', this.top),
      boundedPart('position_lists', this.positions, this.traders),
      boundedPart('swap_places', this.chains),
      boundedPart('bar_places', this.bars),
      boundedPart('chart_trades', this.chartTrades),
      boundedPart('resting_holdings', this.coldHoldings),
      boundedPart('identities', this.#identities),
      boundedPart('late_events', this.#ring),
      this.#ordered.swaps.memory,
      boundedPart('seconds', this.window),
    ]
  }

  get settings(): EngineSettings {
    const clock = this.#isEventClock ? 'event' : 'wall'
    const rules = differingRules(this.state.rules)
    const settings = { clock, lateSlots: this.#ordered.lateSlots } as const
    return Object.keys(rules).length === 0 ? settings : { ...settings, rules }
  }

  /**
   * Folds later events by these settings. Classes that a wallet got at a trade stay; those that are
   * decided at a read follow the new rules.
   */
  settle(settings: EngineSettings): void {
    this.#isEventClock = settings.clock === 'event'
    this.#ordered.lateSlots = settings.lateSlots
    if (!this.state.judgeBy(settings.rules)) return
    this.order.startAnew()
    this.#ordered.swaps.bundles.drop()
  }

  /** Moves the wall clock (unix seconds); a clock by event time moves with its events. */
  advance(nowSeconds: number): void {
    if (!this.#isEventClock) this.window.advance(nowSeconds)
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
    return this.#ring.settledBars(this.state.bars.count)
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

  /** A part without bytes: it makes orders, links and lists of holders anew from the loaded rows. */
  #derivedPart(): StatePart {
    return {
      name: 'derived',
      facts: () => [],
      views: () => [],
      open: (facts) => {
        sizesOf('derived', facts, [])
        return []
      },
      settle: () => {
        this.#newestSeconds = this.#newestSwapSeconds()
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
      },
    }
  }

  accept(event: FeedEvent): void {
    if (event.type === 'swap') {
      this.#single.clear()
      this.intake.append(event, this.#single)
      this.acceptRecords(this.#single)
      return
    }
    this.counts.events += 1
    if (!this.#tick(event.timestamp)) return
    if (event.type === 'sol_price') this.#acceptSolPrice(event)
    else if (event.type === 'metadata') this.#acceptMetadata(event)
    else if (event.type === 'reserves' || event.type === 'balance') this.#acceptAmount(event)
    else this.#acceptLifecycle(event)
  }

  /** Moves the clock with an event; false when the event is too far ahead of the wall clock. */
  #tick(timestamp: number): boolean {
    if (this.#isEventClock) this.window.advance(timestamp)
    else if (this.isAhead(timestamp)) {
      this.counts.aheadRefused += 1
      return false
    }
    return true
  }

  /** Is the event with this key and `identityKey` folded? If not, it is counted as a duplicate or as too late. */
  #admits(key: EventPosition): boolean {
    if (!this.#ordered.isInReach(key)) {
      // A refused event is not remembered: it is refused again when it arrives again.
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
    this.#arrivals.readRecord(key, u32, f64, at)
    if (!this.#admits(key)) return
    this.counts.swaps += 1
    this.#noteTime(u32[at + SwapLane.timestamp])
    key.arrival = this.seq
    this.state.coverToken(u32[at + SwapLane.token])
    this.state.coverWallet(u32[at + SwapLane.wallet])
    const token = u32[at + SwapLane.token]
    const isKnown = (flagsOf(this.state, token) & TokenFlag.exists) !== 0
    const pricing = pricingOf(this.state, token)
    this.coldStore.restore(token)
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
    if (isKnown && pricingOf(this.state, token) !== pricing) this.facts.emit('repriced', token)
    this.facts.emit('trade', tapeIndex)
  }

  #newestSwapSeconds(): number {
    const { tape } = this.state
    const last = tape.count - 1
    // A load must not wait for the disk, or fail, for a figure.
    if (last < tape.firstInMemory) return 0
    return tape.u32Of(last)[tape.at(last) + SwapLane.timestamp]
  }

  #noteTime(timestamp: number): void {
    if (timestamp > this.#newestSeconds) this.#newestSeconds = timestamp
  }

  #acceptSolPrice(event: SolPrice): void {
    this.#progress.othersTaken += 1
    if (isSolPrice(event.usd)) this.state.feedSolPriceUsd = event.usd
  }

  #acceptMetadata(event: Metadata): void {
    const token = this.state.book.token(event.mint)
    this.state.coverToken(token)
    this.#progress.othersTaken += 1
    this.#metadata.fold(token, event)
    this.order.touch(token)
  }

  #acceptLifecycle(event: TokenCreated | Completed | Migrated): void {
    const { book, quotes } = this.state
    const token = book.token(event.mint)
    this.state.coverToken(token)
    if (this.#isSecond(token, event)) return
    this.#noteTime(event.timestamp)
    this.coldStore.restore(token)
    if (event.type === 'token_created' && event.quoteDecimals !== undefined)
      quotes.noteDecimals(quotes.numberOf(event.quoteMint), event.quoteDecimals)
    this.#progress.othersTaken += 1
    const key = this.#arrivals.keyOf(event, this.seq)
    const pricing = pricingOf(this.state, token)
    this.#ordered.lifecycle({ event, token, key })
    this.#announce(event, token)
    if (
      pricingOf(this.state, token) !== pricing &&
      this.state.tokens.get(token, TokenLane.swaps) > 0
    )
      this.facts.emit('repriced', token)
  }

  /** Takes reserves or a balance, unless they are a duplicate or too late. */
  #acceptAmount(event: Reserves | Balance): void {
    const { book } = this.state
    const token = book.token(event.mint)
    this.state.coverToken(token)
    let wallet = -1
    if (event.type === 'balance') {
      wallet = book.wallet(event.wallet)
      this.state.coverWallet(wallet)
    }
    const key = this.#arrivals.readAmount(event, token, wallet, this.seq + 1)
    if (!this.#admits(key)) return
    if ((flagsOf(this.state, token) & TokenFlag.exists) === 0) this.idle.unknownMints += 1
    else if (
      event.type === 'balance' &&
      this.#ordered.balances.isBeyondSupply(token, event.balanceRaw)
    )
      this.idle.balancesBeyondSupply += 1
    this.#noteTime(event.timestamp)
    this.coldStore.restore(token)
    this.#progress.othersTaken += 1
    this.#ordered.lifecycle({ event, token, key })
  }

  #announce(event: TokenCreated | Completed | Migrated, token: number): void {
    if (event.type === 'token_created') {
      this.announcements.launches.push(token)
      this.facts.emit('created', token)
    }
    if (event.type !== 'migrated') return
    this.announcements.migrations.push(token)
    this.facts.emit('migration', token)
  }

  /** A second creation or migration of a mint is counted and ignored: the first that arrived wins. */
  #isSecond(token: number, event: TokenCreated | Completed | Migrated): boolean {
    const flags = flagsOf(this.state, token)
    const isSecondCreation =
      event.type === 'token_created' && (flags & TokenFlag.creationKnown) !== 0
    const isSecondMigration = event.type === 'migrated' && (flags & TokenFlag.migrationKnown) !== 0
    if (isSecondCreation) this.counts.secondCreations += 1
    if (isSecondMigration) this.counts.secondMigrations += 1
    return isSecondCreation || isSecondMigration
  }
}
