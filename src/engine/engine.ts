import { differingRules, type EngineSettings, type Thresholds } from '../base/thresholds.ts'
import type { FeedEvent } from '../events/event.ts'
import type { EventSink } from '../events/event-sink.ts'
import { RecordBatch } from '../events/swap-record.ts'
import { EventAcceptor } from './event-acceptor.ts'
import { type ColdHoldingsCache, ColdStore } from './fold/cold-store.ts'
import { MetadataFold } from './fold/metadata-fold.ts'
import { KEPT_BARS, OrderedFold } from './fold/ordered-fold.ts'
import { RollingWindow } from './fold/swap-fold.ts'
import { BarChains } from './history/bar-chains.ts'
import type { ChartTrades } from './history/candles.ts'
import { partWideBars } from './history/former-bars.ts'
import { newestSecondsOf, SwapChains } from './history/swap-chains.ts'
import { SearchIndex } from './index/search-index.ts'
import { TokenOrder } from './index/token-order.ts'
import { TopHolders } from './index/top-holders.ts'
import { TraderColumns } from './index/trader-columns.ts'
import { XLinks } from './index/x-links.ts'
import { ROWS_MAX } from './memory/rows.ts'
import {
  boundedPart,
  derivedPart,
  growingPart,
  type MemoryPart,
  type StatePart,
} from './memory/state-part.ts'
import type { EventPosition } from './order/event-position.ts'
import { Identities, PositionResolver } from './order/position-resolver.ts'
import { Progress } from './order/progress.ts'
import { LATE_SLOTS, ReorderWindow } from './order/reorder-window.ts'
import { Prefetcher } from './prefetcher.ts'
import { CompleteTokens } from './read/complete-tokens.ts'
import { TokenReader } from './read/token-reader.ts'
import { PositionLists } from './state/position-lists.ts'
import { State } from './state/state.ts'
import type { Tape } from './state/tape.ts'

export interface EngineOptions {
  readonly clock: EngineSettings['clock']
  readonly lateSlots?: number
  /** Swap identities remembered, a power of two. */
  readonly identities?: number
  readonly rules?: Partial<Thresholds>
  /** Records of the tape that leave memory together. */
  readonly tapeChunkRecords?: number
  /** Rows of stored bars that stay. */
  readonly keptBars?: typeof KEPT_BARS
}

/**
 * The engine folds events into a state. In: events and records, in order of arrival. Out: the state, its
 * parts for a snapshot, and facts for live feeds. No I/O, no clock, no randomness; the same events in the
 * same order of arrival give the same state. A late event is folded in its place: later ones are taken back
 * by the undo log and folded again, so the state is that of the total order.
 */
export class Engine implements EventSink {
  readonly state: State
  readonly facts: EventAcceptor['facts']['emitter']
  readonly window: RollingWindow
  readonly order: TokenOrder
  readonly search = new SearchIndex()
  readonly positions: PositionLists
  readonly traders: TraderColumns
  readonly top: TopHolders
  readonly chains: SwapChains
  readonly bars: BarChains
  readonly links: XLinks
  readonly complete: CompleteTokens
  readonly #progress = new Progress()
  readonly counts = this.#progress.counts
  readonly idle: EventAcceptor['idle']
  readonly announcements: State['announcements']
  /** The whole state, for a snapshot; what reads derive from it is no part. */
  readonly parts: readonly StatePart[]
  readonly prefetcher: Prefetcher
  readonly coldStore: ColdStore
  readonly #ordered: OrderedFold
  readonly #metadata: MetadataFold
  readonly #identities: Identities
  readonly #reorder = new ReorderWindow()
  readonly #newest: EventPosition = this.#progress.newest
  readonly #acceptor: EventAcceptor

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
    this.bars = new BarChains(this.state, (base) => this.settledBars(base))
    this.complete = new CompleteTokens(
      this.state,
      new TokenReader(this.state, this.top, this.links),
    )
    const lateSlots = options.lateSlots ?? LATE_SLOTS
    const limits = { lateSlots, keptBars: options.keptBars ?? KEPT_BARS }
    this.#ordered = new OrderedFold(this.state, this, this.#reorder, this.#progress, limits)
    this.coldStore = new ColdStore(this.state, this.top, this.#ordered)
    this.#metadata = new MetadataFold(this.state, this.links)
    this.#identities = new Identities(options.identities)
    this.prefetcher = new Prefetcher(this.state, this.#identities, this.window.trades)
    const { book, tape } = this.state
    this.#acceptor = new EventAcceptor({
      ...{ prefetcher: this.prefetcher, progress: this.#progress },
      ...{ state: this.state, ordered: this.#ordered, coldStore: this.coldStore },
      ...{ metadata: this.#metadata, identities: this.#identities, order: this.order },
      resolver: new PositionResolver(book, tape, this.#reorder, this.#newest),
    })
    this.#acceptor.isEventClock = options.clock === 'event'
    this.facts = this.#acceptor.facts.emitter
    this.idle = this.#acceptor.idle
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
      derivedPart('derived', () => this.#derive()),
      this.state.unseen.part,
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
      boundedPart('bar_places', this.bars, this.bars.past),
      boundedPart('chart_trades', this.chartTrades),
      boundedPart('resting_holdings', this.coldHoldings),
      boundedPart('identities', this.#identities),
      boundedPart('late_events', this.#reorder),
      this.#ordered.swaps.memory,
      boundedPart('seconds', this.window),
      growingPart('trade_windows', this.window.trades),
    ]
  }

  /** As `Progress.newestSlotOf`. */
  static newestSlotOf(parts: Parameters<typeof Progress.newestSlotOf>[0]): number {
    return Progress.newestSlotOf(parts)
  }

  /** As `EventAcceptor.late`. */
  get late(): EventAcceptor['late'] {
    return this.#acceptor.late
  }

  /** As `EventAcceptor.areFactsWaiting`. */
  get areFactsWaiting(): boolean {
    return this.#acceptor.areFactsWaiting
  }

  forgetLate(): EventAcceptor['late'] {
    return this.#acceptor.forgetLate()
  }

  get settings(): EngineSettings {
    const clock = this.#acceptor.isEventClock ? 'event' : 'wall'
    const rules = differingRules(this.state.rules)
    return {
      ...{ clock, lateSlots: this.#ordered.lateSlots },
      ...(Object.keys(rules).length === 0 ? {} : { rules }),
      ...(this.#acceptor.takesAhead ? { takesAhead: true } : {}),
    }
  }

  /**
   * Folds later events by these settings. Classes that a wallet got at a trade stay; those that are
   * decided at a read follow the new rules.
   */
  settle(settings: EngineSettings): void {
    this.endFill()
    this.#acceptor.isEventClock = settings.clock === 'event'
    this.#acceptor.takesAhead = settings.takesAhead ?? false
    this.#ordered.lateSlots = settings.lateSlots
    if (!this.state.judgeBy(settings.rules)) return
    this.order.startAnew()
    this.#ordered.swaps.bundles.drop()
  }

  /** Moves the wall clock (unix seconds); a clock by event time moves with its events. */
  advance(nowSeconds: number): void {
    // Every read calls this, many of them in one second.
    if (nowSeconds > this.state.now) this.#acceptor.advance(nowSeconds)
  }

  /** Is an event of this time refused, because it is too far ahead of the wall clock? */
  isAhead(timestamp: number): boolean {
    return this.#acceptor.isAhead(timestamp)
  }

  get chartTrades(): ChartTrades {
    return this.#ordered.swaps.candles.trades
  }

  get coldHoldings(): ColdHoldingsCache {
    return this.#ordered.swaps.coldHoldings
  }

  /** Events taken so far: the position in the stream. Duplicates and refused ones do not count. */
  get seq(): number {
    return this.#progress.taken
  }

  /** Swaps from the first that no late event can take back any more: their records stay as they are. */
  get settledSwaps(): number {
    return this.coldStore.settledSwaps
  }

  /** Stored bars of a base width, from the first, that no late event can take back any more. */
  settledBars(base: number): number {
    return this.#reorder.settledBars(base, this.state.barWidths[base].count)
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
    return this.#acceptor.newestSeconds
  }

  /** Takes the records `from` to before `to` of a batch, in order of arrival. */
  acceptRecords(batch: RecordBatch, from = 0, to = batch.count): void {
    this.acceptLanes(batch.u32, batch.f64, RecordBatch.u32At(from), to - from)
  }

  /** Takes `count` records from u32 lane `at` on of a buffer, an even lane; it is written to. */
  acceptLanes(u32: Uint32Array, f64: Float64Array, at: number, count: number): void {
    this.#acceptor.acceptLanes(u32, f64, at, count)
  }

  accept(event: FeedEvent): void {
    this.#acceptor.accept(event)
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
    this.#acceptor.endFill()
  }

  /** Makes orders, links and lists of holders anew from the loaded rows. */
  #derive(): void {
    this.#acceptor.newestSeconds = newestSecondsOf(this.state.tape)
    this.#takeFormerImages()
    this.order.startAnew()
    this.links.rebuild()
    this.top.drop()
    this.positions.drop()
    this.traders.drop()
    this.chains.drop()
    this.bars.drop()
    this.coldHoldings.drop()
    this.window.trades.startAnew()
    this.chartTrades.drop()
    this.#ordered.swaps.bundles.drop()
    const { bars, hours } = this.state
    // A snapshot of before these lay apart: each bar of a second is in an hour.
    if (bars.count > 0 && hours.count === 0)
      this.#ordered.changeBehindAll(() => partWideBars(this.state))
  }

  /** The rows of a former snapshot have been brought up; late events roll back to what their images say. */
  #takeFormerImages(): void {
    const { formerTokens: former, positions, undo } = this.state
    this.state.formerTokens = null
    if (former === null) return
    const images = new Map([...former.images, ...positions.formerImages])
    this.#reorder.moveMarks(undo.bringUp(images))
  }
}

/**
 * Refuses tokens past MAX_TOKENS, before the journal: a refused event cannot come back in a replay, so every
 * restart, snapshot and export shows the same tokens. A refused token stays refused while the process runs,
 * with all of its events; nothing changes for the others.
 */
export class TokenLimit {
  readonly #state: State
  readonly #maxTokens: number
  /** Events of refused tokens. */
  refusedEvents = 0

  constructor(state: State, maxTokens: number) {
    this.#state = state
    this.#maxTokens = maxTokens
  }

  /** Why tokens are refused; null: none was yet. */
  get reason(): string | null {
    if (this.refusedEvents === 0) return null
    return `New tokens are refused: MAX_TOKENS=${this.#maxTokens} are held. Raise it, with memory for them, and start anew.`
  }

  /** The events that may be taken; the batch itself while the limit is far. */
  admitted(batch: readonly FeedEvent[]): readonly FeedEvent[] {
    const { book } = this.#state
    const { tokens } = book.counts
    if (tokens + batch.length <= this.#maxTokens) return batch
    const fresh = new Set<string>()
    const admitted = batch.filter((event) => {
      if (!('mint' in event)) return true
      if (fresh.has(event.mint) || book.findToken(event.mint) >= 0) return true
      if (tokens + fresh.size >= this.#maxTokens) return false
      fresh.add(event.mint)
      return true
    })
    this.refusedEvents += batch.length - admitted.length
    return admitted
  }
}

const FULL =
  `The history holds ${ROWS_MAX} swaps, the most that one can: no events are taken any more, reads ` +
  'go on. Start with an empty DATA_DIR, and keep this one to read in.'

/**
 * Ends the intake of events before the number of a swap is wider than the lanes that store it: later reads
 * would find another swap. Before the journal, as TokenLimit is.
 */
export class HistoryLimit {
  readonly #tape: Tape
  readonly #onFull: (reason: string) => void
  #isFull = false

  constructor(tape: Tape, onFull: (reason: string) => void) {
    this.#tape = tape
    this.#onFull = onFull
  }

  /** Why no event is taken; null: there was room for all. */
  get reason(): string | null {
    return this.#isFull ? FULL : null
  }

  /** Is there room for a batch of so many events? */
  admits(events: number): boolean {
    if (this.#isFull) return false
    if (this.#tape.count + events <= ROWS_MAX) return true
    this.#isFull = true
    this.#onFull(FULL)
    return false
  }
}
