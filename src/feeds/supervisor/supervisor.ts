/**
 * feeds/supervisor makes one feed of several live sources. In: what each `Source` delivers over its connections, by slot, in any
 * order and more than once. Out: events in the order of the chain, each transaction once.
 * `SourceRun` keeps a source connected, `SlotReach` refuses impossible slots, `SlotSequencer` buffers slots until they are whole and
 * those before them are out, `GapFiller` and `SlotFetcher` ask for missing ones, `ReserveTrades` matches trades of sources without slots.
 * Words: whole (all of the slot was delivered), gap (slots missing before a whole one), late (a transaction behind its slot).
 * Invariants: the cursor only goes forward; a slot is given up only with a report.
 */

import { totals } from '../../base/safe-text.ts'
import {
  AHEAD_OF_WALL_SECONDS_MAX,
  type FeedEvent,
  gapEvent,
  type SwapContent,
} from '../../events/event.ts'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import { ReserveCheck } from '../chain/reserve-check.ts'
import { REAL_TIMERS, type Timers } from '../timers.ts'
import { GapFiller } from './gap-filler.ts'
import { type OpenGap, OpenGaps } from './open-gaps.ts'
import { ReserveTrades } from './reserve-trades.ts'
import type { WrittenIndexes } from './slot-order.ts'
import { SlotLength, SlotReach } from './slot-reach.ts'
import { newSlotCounters, SlotSequencer } from './slot-sequencer.ts'
import type { Source } from './source.ts'
import { SourceRun } from './source-run.ts'

interface SupervisorOptions {
  /** At least one. */
  readonly sources: readonly Source[]
  /** Those that only fill gaps, asked behind the others; absent: there are none. */
  readonly backfillSources?: readonly Source[]
  /** The last slot that is known to be whole, from what was recovered; null: none. */
  readonly cursor: number | null
  /** Unix seconds of what was recovered last; absent or 0: not known. */
  readonly cursorSeconds?: number
  /** Of what was recovered, of the slots that may be delivered again; absent: nothing was. */
  readonly written?: WrittenIndexes
  /** Trades that the runs before took of a source without slots; asked for where one with slots may deliver them too. */
  readonly earlierReserveTrades?: () => readonly SwapContent[]
  /** Called at lost connections and gaps: the source (or `gap`) and one sentence. */
  readonly report: (who: string, reason: string) => void
  /** Slots of an outage that are back-filled; of a longer one the oldest are given up. */
  readonly backfillSlotsMax: number
  /** The same as a time, which counts in place of the slots; null or absent: the slots count. */
  readonly backfillMs?: number | null
  /** How long a gap holds what is behind it; absent: until it is filled or given up. */
  readonly gapWaitMs?: number
  /**
   * Slots behind the newest one that the next run asks for again; older ones that may lack trades are told as a gap.
   * Absent: none is.
   */
  readonly resumedSlots?: number
  /** As in `OpenGaps`. */
  readonly takeLongGap?: (gap: OpenGap) => boolean
  /** Gaps that the run before went on without, and unix seconds of what is behind each. */
  readonly openGaps?: readonly OpenGap[]
  /** The last slot that the runs before missed: the first of a source that has slots ends that. */
  readonly unseenTo?: number
  /** Whether events may lie ahead of the clock of this machine. */
  readonly isEventClock?: boolean
  readonly timers?: Timers
  /** A number in [0, 1). */
  readonly random?: () => number
}

/**
 * The live sources of FEED as one feed: keeps them connected, puts what they deliver into one order,
 * fills gaps. Two sources of the same chain are redundancy: the first one wins.
 */
export class Supervisor implements Feed {
  readonly name: string
  readonly #timers: Timers
  readonly #stopping = new AbortController()
  readonly #counters = newSlotCounters()
  readonly #reserves = new ReserveCheck()
  readonly #slotLength = new SlotLength()
  readonly #sequencer: SlotSequencer
  readonly #runs: readonly SourceRun[]
  readonly #filler: GapFiller
  /** null: the sources are all of one kind, and so were those of the runs before. */
  readonly #reserveTrades: ReserveTrades | null
  readonly #isEventClock: boolean
  #sink: EventSink | null = null
  #newestTimestamp = 0
  /** How far what was handed over last lies ahead of the clock of this machine. */
  #aheadSeconds = 0
  /** The newest time of sources with slots, and how old it was when something of theirs came last. */
  #newestOfChain = 0
  #lagSeconds = 0
  /** The cursor when it was looked at last, and since when it has stood there. */
  #standsAt: number | null
  #standsSinceMs: number
  /** What the sink has thrown: it ends the feed. */
  readonly #failures: unknown[] = []
  readonly #gaps: OpenGaps
  #hasStarted = false
  /** Has no run before handed over a slot, or has this one none? */
  readonly #isNew: boolean
  /** Are all sources without slots? */
  readonly #isSlotless: boolean
  /** The last slot that is known to be missing; -1: none is. */
  readonly #unseenTo: number
  readonly #openGaps: readonly OpenGap[]
  /** Events handed over, those of back-fills not among them, and the newest slot of these. */
  #handedOver = 0
  #newestSlot = -1
  readonly #resumedSlots: number

  constructor(options: SupervisorOptions) {
    const { sources, cursor, report } = options
    this.name = sources.map((source) => source.name).join(',')
    this.#timers = options.timers ?? REAL_TIMERS
    const random = options.random ?? Math.random
    this.#isEventClock = options.isEventClock ?? false
    this.#standsAt = cursor
    this.#resumedSlots = options.resumedSlots ?? Number.POSITIVE_INFINITY
    this.#isSlotless = sources.every(({ isDegraded }) => isDegraded)
    this.#isNew = cursor === null || this.#isSlotless
    this.#unseenTo = options.unseenTo ?? -1
    this.#openGaps = options.openGaps ?? []
    this.#standsSinceMs = this.#timers.nowMs()
    this.#reserveTrades = reserveTradesOf(options)
    this.#sequencer = new SlotSequencer(
      (events) => this.#handOver(events, false),
      this.#counters,
      cursor,
      (seconds) => this.#isEarly(seconds),
      options.written,
    )
    const fillers = [...sources, ...(options.backfillSources ?? [])]
    this.#filler = new GapFiller({
      sequencer: this.#sequencer,
      sources: fillers,
      counters: this.#counters,
      timers: this.#timers,
      random,
      slotsMax: () => this.#backfillSlotsMax(options),
      report: (reason) => report('gap', reason),
      onLost: (from, to) => this.#gaps.tellLost(from, to),
    })
    this.#gaps = new OpenGaps({
      ...{ sources: fillers, counters: this.#counters, timers: this.#timers, random },
      live: this.#sequencer,
      waitMs: options.gapWaitMs ?? Number.POSITIVE_INFINITY,
      openGaps: this.#openGaps,
      takeLong: options.takeLongGap,
      slotsMax: () => this.#backfillSlotsMax(options),
      newestSeconds: () =>
        this.#newestTimestamp || options.cursorSeconds || Math.floor(this.#timers.wallMs() / 1000),
      handedOver: () => this.#handedOver,
      handOver: (events) => this.#give(this.#withoutRepeats(events, false)),
      onReleased: () => this.#progressed(),
      report: (reason) => report('gap', reason),
      signal: this.#stopping.signal,
    })
    const reach = this.#reachFrom(cursor, options.cursorSeconds ?? 0)
    this.#runs = sources.map(
      (source) =>
        new SourceRun({
          source,
          sequencer: this.#sequencer,
          reach,
          timers: this.#timers,
          random,
          handOver: (events) => this.#handOver(events, source.isDegraded),
          isStandby: () => fullRuns(this.#runs).length > 0,
          report: (reason) => report(source.name, reason),
          onProgress: () => this.#progressed(),
          onIncomplete: (from, to) => {
            this.#filler.slotsIncomplete(from, to, this.#stopping.signal)
            this.#openIncomplete(this.#newestSlot)
          },
        }),
    )
  }

  /** The last slot that was handed over whole; null: none yet. */
  get cursor(): number | null {
    return this.#sequencer.cursor
  }

  /**
   * Runs until `stop`.
   * @throws what the sink throws
   */
  async start(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping
    this.#sink = sink
    this.#gaps.resume()
    await Promise.all(this.#runs.map((run) => run.run(signal)))
    this.#sequencer.flush()
    this.#filler.ended()
    this.#sink = null
    if (this.#failures.length > 0) throw this.#failures[0]
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Why what is served is not that of the chain now, in one sentence; null: it is. */
  notLive(): string | null {
    return whyNotLive({
      runs: this.#runs,
      slotsBehind: this.#slotsBehind(),
      slotMs: this.#slotLength.ms,
      aheadSeconds: this.#isEventClock ? 0 : this.#aheadSeconds,
      lagSeconds: this.#isEventClock ? 0 : this.#lagSeconds,
      bufferedSlots: this.#sequencer.bufferedSlots,
      cursor: this.#sequencer.cursor,
      standsMs: this.#timers.nowMs() - this.#standsSinceMs,
    })
  }

  /** Figures for `/readyz` and metrics; names begin with `feed_`. */
  figures(): Readonly<Record<string, number>> {
    const figures: Record<string, number> = {
      feed_slot: this.#sequencer.cursor ?? -1,
      feed_slots_behind: Math.max(0, this.#slotsBehind()),
      feed_seconds_behind: this.#secondsSince(this.#newestTimestamp),
      feed_slot_ms: Math.round(this.#slotLength.ms),
      feed_slots_held: this.#sequencer.bufferedSlots,
      feed_gap_open: this.#sequencer.gap === null ? 0 : 1,
      feed_gaps_behind: this.#gaps.count,
      feed_curve_drifts_total: this.#reserves.curveDrifts,
      feed_pool_drifts_total: this.#reserves.poolDrifts,
      feed_reserve_trades_total: this.#reserveTrades?.leftOut ?? 0,
      ...totals(this.#counters, 'feed_'),
    }
    for (const run of this.#runs) {
      const prefix = `feed_${run.source.name}`
      figures[`${prefix}_connected`] = run.isConnected ? 1 : 0
      figures[`${prefix}_degraded`] = run.source.isDegraded ? 1 : 0
      Object.assign(figures, totals(run.counters, `${prefix}_`))
      for (const [name, value] of Object.entries(run.source.figures?.() ?? {}))
        figures[`${prefix}_${name}`] = value
    }
    return figures
  }

  #handOver(received: readonly FeedEvent[], isReserve: boolean): void {
    const events = this.#withoutRepeats(received, isReserve)
    if (events.length === 0) return
    if (!isReserve || this.#isSlotless) this.#tellStart(events)
    this.#handedOver += events.length
    const newest = events.reduce((most, { timestamp }) => Math.max(most, timestamp), 0)
    this.#aheadSeconds = newest - Math.floor(this.#timers.wallMs() / 1000)
    // A time that is refused would hide for ever how far the others are behind.
    if (this.#aheadSeconds <= AHEAD_OF_WALL_SECONDS_MAX) {
      this.#newestTimestamp = Math.max(this.#newestTimestamp, newest)
      if (!isReserve) this.#newestOfChain = Math.max(this.#newestOfChain, newest)
    }
    this.#followSlots(events)
    if (!isReserve) this.#lagSeconds = this.#secondsSince(this.#newestOfChain)
    this.#reserves.check(events)
    this.#give(events)
  }

  #withoutRepeats(events: readonly FeedEvent[], isReserve: boolean): readonly FeedEvent[] {
    return this.#reserveTrades?.withoutRepeats(events, isReserve) ?? events
  }

  #give(events: readonly FeedEvent[]): void {
    try {
      this.#sink?.events(events)
    } catch (error) {
      this.#failures.push(error)
      this.stop()
    }
  }

  /** What lies before the first slot of a market is not seen, and of sources without slots nothing is known whole. */
  #tellStart(events: readonly FeedEvent[]): void {
    if (this.#hasStarted) return
    const slots = events.flatMap((event) => ('slot' in event ? [event.slot] : []))
    const told = this.#isSlotless ? Number.POSITIVE_INFINITY : slots.find((slot) => slot !== null)
    if (told == null) return
    this.#hasStarted = true
    const first = this.#isNew ? Math.max(told, (this.#sequencer.cursor ?? -1) + 1) : told
    const seconds = events[0]?.timestamp ?? 0
    const last = Math.min(first - 1, Number.MAX_SAFE_INTEGER)
    if (this.#isNew && last >= 0) this.#give([gapEvent('lost', { from: 0, to: last, seconds })])
    // Open gaps among them stay so until they are filled: a kill before that would lose them.
    const end = this.#unseenTo + 1
    let from = first
    for (const gap of [...this.#openGaps, { from: end, to: end }]) {
      const to = Math.min(gap.from, end) - 1
      if (from <= to) this.#give([gapEvent('filled', { from, to, seconds })])
      from = Math.max(from, gap.to + 1)
    }
  }

  /** By the last event with a slot: what comes late stands before it, and says nothing new. */
  #followSlots(events: readonly FeedEvent[]): void {
    const last = events.findLast((event) => 'slot' in event && event.slot !== null)
    if (last === undefined || !('slot' in last) || last.slot === null) return
    this.#slotLength.observe(last.slot, last.timestamp)
    this.#newestSlot = Math.max(this.#newestSlot, last.slot)
    this.#openIncomplete(this.#newestSlot)
  }

  /** The next run would not ask for them: what may be missing is told before that slot is. */
  #openIncomplete(newestSlot: number): void {
    const range = this.#filler.takeIncomplete(newestSlot - this.#resumedSlots)
    if (range !== null) this.#gaps.again(range)
  }

  #backfillSlotsMax({ backfillSlotsMax, backfillMs = null }: SupervisorOptions): number {
    return backfillMs === null ? backfillSlotsMax : Math.ceil(this.#slotLength.slotsIn(backfillMs))
  }

  /** Whether the clock of this machine, which is wrong then, has the engine refuse events of this time. */
  #isEarly(seconds: number): boolean {
    if (this.#isEventClock || seconds === Number.POSITIVE_INFINITY) return false
    const aheadSeconds = seconds - Math.floor(this.#timers.wallMs() / 1000)
    if (aheadSeconds <= AHEAD_OF_WALL_SECONDS_MAX) return false
    this.#aheadSeconds = aheadSeconds
    return true
  }

  #progressed(): void {
    if (this.#sequencer.cursor !== this.#standsAt) {
      this.#standsAt = this.#sequencer.cursor
      this.#standsSinceMs = this.#timers.nowMs()
    }
    this.#gaps.look()
    if (this.#sequencer.gap !== null) void this.#filler.fill(this.#stopping.signal)
  }

  /** How far the chain can be, by what was recovered. */
  #reachFrom(slot: number | null, seconds: number): SlotReach {
    if (slot === null || seconds === 0) return new SlotReach(this.#timers, null, this.#slotLength)
    const agoMs = Math.max(0, this.#timers.wallMs() - seconds * 1_000)
    const newest = { slot, atMs: this.#timers.nowMs() - agoMs }
    return new SlotReach(this.#timers, newest, this.#slotLength)
  }

  /** Below 0: what was recovered lies ahead of what the sources deliver. */
  #slotsBehind(): number {
    const newest = Math.max(...this.#runs.map((run) => run.newestSlot))
    return this.#sequencer.cursor === null || newest < 0 ? 0 : newest - this.#sequencer.cursor
  }

  /** 0: there is no such time yet. */
  #secondsSince(timestamp: number): number {
    if (timestamp === 0) return 0
    return Math.max(0, Math.round(this.#timers.wallMs() / 1000 - timestamp))
  }
}

/** Trades that one kind of source may deliver again after the other, in this run or one before. */
function reserveTradesOf({
  sources,
  earlierReserveTrades,
}: SupervisorOptions): ReserveTrades | null {
  if (sources.every(({ isDegraded }) => isDegraded)) return null
  const earlier = earlierReserveTrades?.() ?? []
  const hasReserve = sources.some(({ isDegraded }) => isDegraded)
  return hasReserve || earlier.length > 0 ? new ReserveTrades(earlier) : null
}

/** A loss that lasts longer is said in `/readyz`. */
const LOST_MS = 10_000
/** Slots that wait for so long while none is handed over are said in `/readyz`. */
const STUCK_MS = 60_000
/** The two programs have a hundred transactions a second: without one for so long it is said too. */
const QUIET_MS = 60_000
/** The handed-over events may lie behind the chain's newest by the slots of this time and count as live. */
const BEHIND_MS_MAX = 60_000
/**
 * Seconds that they may be old: a server that lags delivers no later slot. The chain's own clock is off by
 * less.
 */
const BEHIND_SECONDS_MAX = 120

/** Those connected now that know slots. */
function fullRuns(runs: readonly SourceRun[]): readonly SourceRun[] {
  return runs.filter((run) => run.isConnected && !run.source.isDegraded)
}

/**
 * Why what is served is not that of the chain now, in one sentence; null: it is.
 * @param told what says whether the events that are handed over are those of the chain now
 */
function whyNotLive(told: {
  readonly runs: readonly SourceRun[]
  /** Below 0: what was recovered lies ahead of what the sources deliver. */
  readonly slotsBehind: number
  /** Milliseconds that a slot takes. */
  readonly slotMs: number
  /** How far the chain's times lie ahead of the clock of this machine, and how old they are. */
  readonly aheadSeconds: number
  readonly lagSeconds: number
  readonly bufferedSlots: number
  /** The last slot that was handed over whole; null: none yet. */
  readonly cursor: number | null
  /** How long it has been the last one. */
  readonly standsMs: number
}): string | null {
  const { runs, slotsBehind, slotMs, aheadSeconds, bufferedSlots, standsMs } = told
  const behindMs = slotsBehind * slotMs
  const lost = runs.filter((run) => run.lostMs >= LOST_MS)
  if (lost.length === runs.length)
    return `No feed is connected (${lost.map((run) => `${run.source.name}: ${run.reason}`).join('; ')}).`
  if (behindMs < -BEHIND_MS_MAX)
    return `The chain is ${-slotsBehind} slots behind what DATA_DIR holds: is that of another feed?`
  if (aheadSeconds > AHEAD_OF_WALL_SECONDS_MAX)
    return (
      `The chain is ${aheadSeconds} s ahead of the clock of this machine, and events more ` +
      `than ${AHEAD_OF_WALL_SECONDS_MAX} s ahead wait: set the clock.`
    )
  if (behindMs > BEHIND_MS_MAX)
    return `The feed is ${slotsBehind} slots behind the chain, ${seconds(behindMs)} s.`
  if (bufferedSlots > 0 && standsMs >= STUCK_MS)
    return `Slots are told, but none could be handed over for ${seconds(standsMs)} s.`
  const full = fullRuns(runs)
  return full.length === 0 ? whyPartial(runs) : whyOld(full, told)
}

/** Why those that know no slots, where no other is connected, do not deliver what they were asked for. */
function whyPartial(runs: readonly SourceRun[]): string | null {
  for (const { isConnected, source } of runs) {
    const complaint = isConnected ? (source.complaint ?? null) : null
    if (complaint !== null)
      return `The feed lacks what was asked for (${source.name}: ${complaint}).`
  }
  return null
}

/** Why what the connected sources deliver is not what happens now. */
function whyOld(
  full: readonly SourceRun[],
  { lagSeconds, cursor, standsMs }: Parameters<typeof whyNotLive>[0],
): string | null {
  if (lagSeconds > BEHIND_SECONDS_MAX)
    return (
      `What the feed tells is ${lagSeconds} s old by the clock of this machine: the feed lags behind ` +
      'the chain, or the clock is ahead.'
    )
  const quietMs = Math.min(...full.map((run) => run.quietMs))
  if (quietMs >= QUIET_MS)
    return `Slots are told, but for ${seconds(quietMs)} s no transaction in them.`
  const oldMs = Math.min(standsMs, Math.max(...full.map((run) => run.connectedMs)))
  if (oldMs >= STUCK_MS && cursor !== null)
    return (
      `For ${seconds(oldMs)} s nothing newer was told than slot ${cursor}, the last one handed over: ` +
      'the server lags.'
    )
  return null
}

function seconds(ms: number): number {
  return Math.round(ms / 1000)
}
