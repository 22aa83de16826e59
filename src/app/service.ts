import os from 'node:os'
import { TapeDamage } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { Engine, HistoryLimit, TokenLimit } from '../engine/engine.ts'
import { RING_SECONDS } from '../engine/fold/swap-fold.ts'
import type { MemoryPart } from '../engine/memory/state-part.ts'
import { AHEAD_OF_WALL_SECONDS_MAX, type FeedEvent } from '../events/event.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { RecordBatch } from '../events/swap-record.ts'
import type { LongSteps } from '../figures/event-loop-stall-monitor.ts'
import type { Log } from '../server/http/exchange.ts'

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
  /** Are events that lie too far ahead of the clock left out before the journal, in place of by the fold? */
  dropsAhead = false
  #aheadDropped = 0
  /** Called behind each batch, while somebody waits for one. */
  onFolded: (() => void) | null = null
  /** Takes each batch as a step, which lasts until it is folded. */
  steps: Pick<LongSteps, 'note'> | null = null
  /** Called with events that were journaled and folded. */
  onTaken: (events: readonly FeedEvent[]) => void = () => {}
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
   * Advances the engine to now second by second: after a stop of hours millions of swaps leave the window of 24 hours, and
   * no reader should wait for all of them at once. Then makes the narrower windows. Yields after each piece.
   */
  *catchUp(): Generator<number, void> {
    if (this.engine.settings.clock === 'wall') {
      const { now } = this.engine.state
      const toSecond = Math.min(this.#nowSeconds(), now + RING_SECONDS)
      for (let second = now + 1; second <= toSecond && this.failure === null; second++) {
        this.#guard(() => this.engine.advance(second))
        yield second
      }
      this.tick()
    }
    yield* this.engine.window.trades.begin()
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
    this.admitted(this.tokenLimit.admitted(this.dropsAhead ? this.#notAhead(batch) : batch))
  }

  /** A replica takes what the sequencer took, whatever its own clock says. */
  #notAhead(batch: readonly FeedEvent[]): readonly FeedEvent[] {
    this.tick()
    const taken = batch.filter(({ timestamp }) => !this.engine.isAhead(timestamp))
    this.#aheadDropped += batch.length - taken.length
    return taken
  }

  /** Folds events that came in order by the replicated stream. */
  follow(events: number, fold: () => void): void {
    this.#take(events, fold)
  }

  /** Takes events that MAX_TOKENS does not refuse, or that a service before has taken. */
  admitted(batch: readonly FeedEvent[]): void {
    this.#take(batch.length, () => {
      this.#sink.events(batch)
      this.onTaken(batch)
    })
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
    this.steps?.note('fold', startMs)
    this.onFolded?.()
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
      tokens_complete: this.engine.complete.count,
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
      ahead_refused_total: counts.aheadRefused + this.#aheadDropped,
      second_creations_total: counts.secondCreations,
      second_migrations_total: counts.secondMigrations,
      unknown_mint_events_total: idle.unknownMints,
      balances_beyond_supply_total: idle.balancesBeyondSupply,
    }
  }
}

/** Swaps by which it is judged whether a feed is of the market of the folder. */
export const JUDGED_SWAPS = 1_000
/** So many of the judged ones refused as late are nearly all. */
const LATE_SHARE = 0.9

/** Judges the first swaps of a feed without slots (`SlotlessShare`). */
interface SlotlessJudge {
  look(batch: readonly FeedEvent[]): void
  readonly isFull: boolean
  readonly isForeign: boolean
}

/** A feed's way to the service: counts what came of the events of this one feed. */
export class FeedShare implements EventSink {
  readonly counts: Engine['counts'] = {
    swaps: 0,
    duplicates: 0,
    lateRefused: 0,
    lateFolded: 0,
    aheadRefused: 0,
    secondCreations: 0,
    secondMigrations: 0,
    events: 0,
  }
  /** Events that it has handed over, whatever came of them. */
  received = 0
  #service: EventSink & { readonly engine: Pick<Engine, 'counts'> }
  readonly #onForeign: (foreign: 'late' | 'slotless') => void
  /** null: it has slots, or its folder was empty, or it was judged. */
  #slotless: SlotlessJudge | null
  #isJudged = false

  /** @param onForeign called once for each, when nearly all of the first swaps show it */
  constructor(
    service: EventSink & { readonly engine: Pick<Engine, 'counts'> },
    onForeign: (foreign: 'late' | 'slotless') => void,
    slotless: SlotlessJudge | null = null,
  ) {
    this.#service = service
    this.#onForeign = onForeign
    this.#slotless = slotless
  }

  /** Another service takes its events from now on. */
  use(service: Service): void {
    this.#service = service
  }

  events(batch: readonly FeedEvent[]): void {
    this.received += batch.length
    this.#slotless?.look(batch)
    this.#count(() => this.#service.events(batch))
    if (this.#slotless?.isFull) this.#judgeSlotless()
  }

  records(batch: RecordBatch): void {
    this.received += batch.events
    this.#count(() => this.#service.records(batch))
  }

  /** The feed has ended: what it brought is judged, however little it was. */
  ended(): void {
    this.#judge(1)
    this.#judgeSlotless()
  }

  #count(take: () => void): void {
    // Those of all feeds together, since the folder was new.
    const { counts: total } = this.#service.engine
    const before = { ...total }
    take()
    const { counts } = this
    counts.swaps += total.swaps - before.swaps
    counts.duplicates += total.duplicates - before.duplicates
    counts.lateRefused += total.lateRefused - before.lateRefused
    counts.lateFolded += total.lateFolded - before.lateFolded
    counts.aheadRefused += total.aheadRefused - before.aheadRefused
    counts.secondCreations += total.secondCreations - before.secondCreations
    counts.secondMigrations += total.secondMigrations - before.secondMigrations
    counts.events += total.events - before.events
    this.#judge(JUDGED_SWAPS)
  }

  #judge(swapsMin: number): void {
    if (this.#isJudged) return
    const { swaps, duplicates, lateRefused } = this.counts
    const judged = swaps + duplicates + lateRefused
    if (judged < swapsMin) return
    this.#isJudged = true
    if (lateRefused >= judged * LATE_SHARE) this.#onForeign('late')
  }

  /** What had come before mixes nothing. */
  #judgeSlotless(): void {
    const { swaps, duplicates } = this.counts
    if (this.#slotless?.isForeign && swaps > duplicates) this.#onForeign('slotless')
    this.#slotless = null
  }
}

/**
 * A larger step forward of the wall clock has to last before it is taken. Time services make smaller ones every day,
 * and those cost no more than an event may lie ahead of the clock.
 */
const STEP_MS_MAX = 60_000
/**
 * How long it has to last, by the monotonic clock. A time service that set the clock wrong notices at its next poll,
 * after 32 or 64 s. The market's clock never goes back: after a wrong step windows of 24 hours would stay empty until
 * that time comes.
 */
const STEP_LASTS_MS = 90_000

/** A smaller step is drift, not sleep. */
const SLEPT_MS_MIN = 1_000

const MACHINE_CLOCKS = {
  /** Unix milliseconds; anybody may set it. */
  wallMs: () => Date.now(),
  /** Milliseconds that never jump and stand still while the machine sleeps. */
  steadyMs: () => performance.now(),
  /** As `steadyMs`, but they go on while the machine sleeps. */
  upMs: () => os.uptime() * 1000,
}

/** What became of a step forward that the other clocks contradict. */
type ClockStep = 'held' | 'taken' | 'undone'

/**
 * The wall clock of the machine without single steps ahead: a step of more than STEP_MS_MAX that the monotonic clock
 * contradicts is taken after STEP_LASTS_MS. Until then time goes on as if there had been none. Steps back are passed on
 * at once, and so is the time that the machine slept.
 */
export class WallClock {
  readonly #clocks: typeof MACHINE_CLOCKS
  readonly #onStep: (step: ClockStep, aheadSeconds: number) => void
  /** The most that the wall clock was ahead of the monotonic one when it was taken. */
  #offsetMs: number
  /** What the machine had slept when that was. */
  #sleptMs: number
  /** A step that is not taken yet: how far the wall clock is ahead of the monotonic one, and since when. */
  #held: { readonly offsetMs: number; readonly sinceMs: number } | null = null

  constructor(
    onStep: (step: ClockStep, aheadSeconds: number) => void = () => {},
    clocks = MACHINE_CLOCKS,
  ) {
    this.#clocks = clocks
    this.#onStep = onStep
    this.#offsetMs = clocks.wallMs() - clocks.steadyMs()
    this.#sleptMs = this.#slept()
  }

  /** Unix milliseconds; it is handed on as it is. */
  readonly nowMs = (): number => {
    const wallMs = this.#clocks.wallMs()
    const steadyMs = this.#clocks.steadyMs()
    const offsetMs = wallMs - steadyMs
    const aheadMs = offsetMs - this.#offsetMs
    if (aheadMs <= STEP_MS_MAX) {
      if (this.#held !== null) this.#end('undone', aheadMs)
      if (aheadMs > 0) this.#offsetMs = offsetMs
      // Short sleeps end here: added up they would confirm a wrong step.
      if (aheadMs > SLEPT_MS_MIN) this.#sleptMs = this.#slept()
      return wallMs
    }
    if (aheadMs <= this.#slept() - this.#sleptMs + STEP_MS_MAX) return this.#take(offsetMs, aheadMs)
    // A step that changes meanwhile starts again.
    if (this.#held === null || Math.abs(offsetMs - this.#held.offsetMs) > STEP_MS_MAX) {
      const isFirst = this.#held === null
      this.#held = { offsetMs, sinceMs: steadyMs }
      if (isFirst) this.#onStep('held', Math.round(aheadMs / 1000))
    }
    if (steadyMs - this.#held.sinceMs >= STEP_LASTS_MS) return this.#take(offsetMs, aheadMs)
    return steadyMs + this.#offsetMs
  }

  /** Why the machine's clock is not followed now, in one sentence; null: it is. */
  get heldReason(): string | null {
    if (this.#held === null) return null
    return heldSentence(Math.round((this.#held.offsetMs - this.#offsetMs) / 1000))
  }

  #take(offsetMs: number, aheadMs: number): number {
    if (this.#held !== null) this.#end('taken', aheadMs)
    this.#offsetMs = offsetMs
    this.#sleptMs = this.#slept()
    return offsetMs + this.#clocks.steadyMs()
  }

  #end(step: ClockStep, aheadMs: number): void {
    this.#held = null
    this.#onStep(step, Math.round(aheadMs / 1000))
  }

  #slept(): number {
    try {
      return this.#clocks.upMs() - this.#clocks.steadyMs()
    } catch {
      // Without an uptime every step has to last.
      return 0
    }
  }
}

/** One sentence for the log and for `/readyz`. */
function heldSentence(aheadSeconds: number): string {
  return (
    `The clock of this machine went ${aheadSeconds} s ahead at once, which no other clock of it bears out: ` +
    `this is taken once it has lasted ${STEP_LASTS_MS / 1000} s, and until then feeds with slots wait, PumpPortal's trades ` +
    'have the time before, and lines of the new time are refused. If it is wrong, set the clock before anything is started anew.'
  )
}

/** Log lines about the machine's clock, which a market by the times of events does not follow. */
export class ClockReports {
  readonly #log: Log
  readonly #isEventClock: boolean
  /** The log has said that the market's clock lies ahead of the machine's. */
  #isAheadLogged = false

  constructor(log: Log, isEventClock: boolean) {
    this.#log = log
    this.#isEventClock = isEventClock
  }

  /** A step forward that the market's clock did not take at once. */
  step(step: ClockStep, aheadSeconds: number): void {
    if (this.#isEventClock) return
    if (step === 'held') this.#log.warn({ aheadSeconds }, heldSentence(aheadSeconds))
    else if (step === 'undone')
      this.#log.info({}, 'the clock of this machine was set back: nothing of its step was taken')
    else
      this.#log.warn(
        { aheadSeconds },
        "the step of this machine's clock has lasted: the market takes it",
      )
  }

  /** Takes the reason why windows stand still, or null, each second; logs the first reason and the first null. */
  standStill(reason: string | null): void {
    if ((reason !== null) === this.#isAheadLogged) return
    this.#isAheadLogged = reason !== null
    if (reason !== null) this.#log.warn({}, reason)
    else this.#log.info({}, "the machine's clock has reached that of the market: windows go on")
  }
}
