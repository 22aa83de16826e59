import { TapeDamage } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { Engine } from '../engine/engine.ts'
import { RING_SECONDS } from '../engine/fold/swap-fold.ts'
import { HistoryLimit, TokenLimit } from '../engine/intake.ts'
import type { MemoryPart } from '../engine/memory/state-part.ts'
import { AHEAD_OF_WALL_SECONDS_MAX, type FeedEvent } from '../events/event.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { RecordBatch } from '../events/swap-record.ts'

const UNPRICED =
  'No price of SOL is known: amounts in USD of what is quoted in SOL read 0, and trades of now keep that. Set SOL_PRICE: ' +
  'fixed:<usd>, file:<path>, or venues that can be reached; begin a replay again in an empty DATA_DIR.'
const FAULT =
  'An event met a fault of this program: no events are taken until it is started anew, which says what ' +
  'to do; reads go on'

/** The engine with its clock and limits, behind the sink that feeds write to. */
export class Service implements EventSink {
  readonly engine: Engine
  readonly tokenLimit: TokenLimit
  readonly historyLimit: HistoryLimit
  /** Where batches go: the engine itself, or the journal before it. */
  #sink: EventSink

  /** Why nothing more is folded, or null. */
  failure: string | null = null
  /** Called after each batch with its begin (`performance.now`). */
  onFolded: (startMs: number) => void = () => {}
  readonly #onFailure: (reason: string) => void
  /** Unix milliseconds; a simulation puts its own in place. */
  readonly #clockMs: () => number

  constructor(
    config: Pick<Config, 'clock' | 'lateSlots'> & Partial<Pick<Config, 'maxTokens' | 'rules'>>,
    onFailure: (reason: string) => void = () => {},
    clockMs: () => number = Date.now,
    engine: Engine = new Engine({
      clock: config.clock,
      lateSlots: config.lateSlots,
      ...(config.rules && { rules: config.rules }),
    }),
  ) {
    this.engine = engine
    this.tokenLimit = new TokenLimit(engine.state, config.maxTokens ?? Number.POSITIVE_INFINITY)
    this.historyLimit = new HistoryLimit(engine.state.tape, onFailure)
    this.#sink = this.engine
    this.#onFailure = onFailure
    this.#clockMs = clockMs
    // No tick yet: a recovery folds the journal by the clock of that time, and the clock never goes back.
  }

  /** From now on batches go through a journal. */
  journalTo(journaled: EventSink): void {
    this.#sink = journaled
  }

  /** Advances the engine to now; every read and every batch does it first. */
  tick(): void {
    this.#guard(() => this.engine.advance(this.#nowSeconds()))
  }

  /**
   * Advances the engine to now second by second, and yields each: after a stop of hours millions of swaps leave the
   * window of 24 hours, and no reader should wait for all of them at once.
   */
  *catchUp(): Generator<number, void> {
    if (this.engine.settings.clock === 'event') return
    const { now } = this.engine.state
    const toSecond = Math.min(this.#nowSeconds(), now + RING_SECONDS)
    for (let second = now + 1; second <= toSecond && this.failure === null; second++) {
      this.#guard(() => this.engine.advance(second))
      yield second
    }
    this.tick()
  }

  /** Would an event of this time be refused now, because it lies too far ahead of the machine's clock? */
  isAhead(timestamp: number): boolean {
    this.tick()
    return this.engine.isAhead(timestamp)
  }

  /** Why figures of 24 hours are wrong though everything runs, in one sentence; null: they are right. */
  get clockReason(): string | null {
    const aheadSeconds = this.engine.state.now - this.#nowSeconds()
    if (this.engine.settings.clock === 'event' || aheadSeconds <= AHEAD_OF_WALL_SECONDS_MAX)
      return null
    return (
      `The market's clock is ${aheadSeconds} s ahead of this machine's, which was set ahead before or is set ` +
      'back now: windows of 24 hours stand still until it is reached. Set the clock, or start with a copy of ' +
      'DATA_DIR from before, or with an empty one.'
    )
  }

  /** What a reader of a ready service has to know, in sentences; null: nothing. */
  get notice(): string | null {
    const { tape, solPriceUsd } = this.engine.state
    return tape.count > 0 && solPriceUsd === 0 ? UNPRICED : null
  }

  #nowSeconds(): number {
    return Math.floor(this.#clockMs() / 1000)
  }

  events(batch: readonly FeedEvent[]): void {
    this.#take(batch.length, () => this.#sink.events(this.tokenLimit.admitted(batch)))
  }

  records(batch: RecordBatch): void {
    this.#take(batch.events, () => this.#sink.records(batch))
  }

  #take(events: number, fold: () => void): void {
    const startMs = performance.now()
    this.tick()
    if (!this.historyLimit.admits(events)) return
    this.#guard(fold)
    this.engine.order.keepUp()
    this.onFolded(startMs)
  }

  /**
   * Unreadable history or a fault of this program leaves a fold half done: nothing is folded from there on.
   * @throws a fault of this program, once
   */
  #guard(fold: () => void): void {
    if (this.failure !== null) return
    try {
      fold()
    } catch (error) {
      const isDamage = error instanceof TapeDamage
      this.failure = isDamage ? error.message : `${FAULT} (${String(error)})`
      this.#onFailure(this.failure)
      if (!isDamage) throw error
    }
  }

  /** The engine's memory, part by part. */
  get memory(): readonly MemoryPart[] {
    return this.engine.memory
  }

  /** Figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    const { state, counts, idle } = this.engine
    const { positions, dormant } = state
    const positionsInMemory = positions.count - positions.free
    return {
      tokens: state.tokens.count,
      token_limit_refused_events_total: this.tokenLimit.refusedEvents,
      wallets: state.wallets.count,
      positions: positionsInMemory + dormant.positions,
      positions_in_memory: positionsInMemory,
      dormant_tokens: dormant.tokens,
      dormant_positions: dormant.positions,
      dormant_wakings_total: dormant.wakings,
      swaps: state.tape.count,
      addresses: state.book.counts.addresses,
      newest_slot: this.engine.newestSlot,
      newest_event_seconds: this.engine.newestEventSeconds,
      now_seconds: state.now,
      sol_price_usd: state.solPriceUsd,
      swaps_folded_total: counts.swaps,
      other_events_total: counts.events,
      duplicates_total: counts.duplicates,
      late_refused_total: counts.lateRefused,
      late_folded_total: counts.lateFolded,
      ahead_refused_total: counts.aheadRefused,
      second_creations_total: counts.secondCreations,
      second_migrations_total: counts.secondMigrations,
      unknown_mint_events_total: idle.unknownMints,
      balances_beyond_supply_total: idle.balancesBeyondSupply,
    }
  }
}
