import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import type { LongSteps, Steps } from './long-steps.ts'
import { StolenTime } from './stolen-time.ts'
import { ThreadTimes, type Times } from './thread-times.ts'

/** A turn of the loop that makes others wait for longer than this is a stall, in ms. */
export const STALL_MS = 50
/** Shorter turns are remembered too, when others did not have the core for most of them. */
export const LONG_TURN_MS = 20
/** How often the loop is looked at, in ms. */
const TICK_MS = 10
/** What a hypervisor took is asked after a long turn, and this often, so that a stall has no more of it. */
const STOLEN_EVERY_MS = 1000
/** Stalls that are remembered; the oldest go. */
export const STALLS_MAX = 512
/** Name of collections among the long steps. */
const COLLECTION = 'gc'

/** One stall, or a long turn, and what the loop's thread did from the last look to this one. */
export interface Stall {
  /** When it was over, in unix milliseconds. */
  readonly atMs: number
  /** How long it held up what was due. */
  readonly lateMs: number
  /** On a core: the program's own work. */
  readonly ranMs: number
  /** Ready to run, while others had the core. */
  readonly waitedMs: number
  /** In a collection, stopped for a helper of V8 that was ready to run while others had its core. */
  readonly helpersMs: number
  /** None of these, while a hypervisor took a processor away: at most that. */
  readonly stolenMs: number
  /** None of these: a disk, a page that was not there, interrupts, a machine that stood still. */
  readonly blockedMs: number
  /**
   * Steps within it by name, in ms, long ones and many short ones: garbage collections ("gc"), folds, calls of
   * the disk, answers by their route, messages and rounds of the live feed.
   */
  readonly steps: Steps
}

type Waits = Pick<Stall, 'lateMs' | 'waitedMs' | 'helpersMs' | 'stolenMs'>

/** What is left without the time for which others had the core. */
export function ownMs({ lateMs, waitedMs, helpersMs, stolenMs }: Waits): number {
  return Math.max(0, lateMs - waitedMs - helpersMs - stolenMs)
}

/** Is it no stall without the time for which others had the core? */
export function isOfTheMachine(stall: Waits): boolean {
  return ownMs(stall) <= STALL_MS
}

/** A turn as it was seen: collections are told of a moment later. */
interface Turn {
  readonly atMs: number
  readonly startMs: number
  readonly endMs: number
  readonly ranMs: number
  readonly waitedMs: number
  /** The longest of its helpers' waits. */
  readonly helperWaitedMs: number
  readonly stolenMs: number
  /** Sums of short steps. */
  readonly short: Steps
}

/**
 * Looks at the loop a hundred times a second and notes each stall with what the threads did in it, so
 * that a busy machine and a busy program are told apart. A look costs some ten microseconds.
 */
export class EventLoopStallMonitor {
  readonly #steps: LongSteps
  readonly #times = new ThreadTimes()
  readonly #stolen = new StolenTime()
  #stolenAtMs = 0
  readonly #stalls: Stall[] = []
  readonly #observer = new PerformanceObserver((list) => this.#collected(list.getEntries()))
  readonly #timer: NodeJS.Timeout
  #turn: Turn | null = null
  #lastMs = performance.now()
  #last = this.#times.read()
  #count = 0
  #countOwn = 0

  constructor(steps: LongSteps) {
    this.#steps = steps
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#timer = setInterval(() => this.#look(), TICK_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#observer.disconnect()
    this.#times.close()
    this.#stolen.close()
  }

  /** The newest stalls and long turns, oldest first. */
  stalls(): readonly Stall[] {
    return this.#stalls
  }

  /** Figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { loop_stalls_total: this.#count, loop_own_stalls_total: this.#countOwn }
  }

  #look(): void {
    if (this.#turn !== null) this.#note(this.#stallOf(this.#turn))
    this.#turn = null
    const nowMs = performance.now()
    const now = this.#times.read()
    const short = this.#steps.takeShort()
    const isLong = nowMs - this.#lastMs - TICK_MS > LONG_TURN_MS
    if (isLong || nowMs - this.#stolenAtMs > STOLEN_EVERY_MS) {
      const stolenMs = this.#stolen.sinceLastMs()
      this.#stolenAtMs = nowMs
      if (isLong) this.#turn = this.#turnTo(nowMs, now, stolenMs, short)
    }
    this.#lastMs = nowMs
    this.#last = now
  }

  #turnTo(endMs: number, now: Times, stolenMs: number, short: Steps): Turn {
    const last = this.#last
    const helpers = now.helpersWaitedMs.map((waitedMs, i) => waitedMs - last.helpersWaitedMs[i])
    return {
      atMs: Date.now(),
      startMs: this.#lastMs,
      endMs,
      ranMs: now.ranMs - last.ranMs,
      waitedMs: now.waitedMs - last.waitedMs,
      helperWaitedMs: Math.max(0, ...helpers),
      stolenMs,
      short,
    }
  }

  #stallOf({ atMs, startMs, endMs, ranMs, waitedMs, helperWaitedMs, ...turn }: Turn): Stall {
    const lateMs = endMs - startMs - TICK_MS
    const steps = { ...this.#steps.within(startMs, endMs) }
    for (const [name, ms] of Object.entries(turn.short)) steps[name] = (steps[name] ?? 0) + ms
    const stoppedMs = Math.max(0, lateMs - ranMs - waitedMs)
    const helpersMs = Math.min(stoppedMs, helperWaitedMs, steps[COLLECTION] ?? 0)
    const stolenMs = Math.min(stoppedMs - helpersMs, turn.stolenMs)
    const blockedMs = stoppedMs - helpersMs - stolenMs
    return { atMs, lateMs, ranMs, waitedMs, helpersMs, stolenMs, blockedMs, steps }
  }

  #note(stall: Stall): void {
    const isStall = stall.lateMs > STALL_MS
    if (!isStall && ownMs(stall) <= LONG_TURN_MS) return
    if (isStall) this.#count += 1
    if (!isOfTheMachine(stall)) this.#countOwn += 1
    if (this.#stalls.length === STALLS_MAX) this.#stalls.shift()
    this.#stalls.push(stall)
  }

  #collected(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of entries)
      this.#steps.note(COLLECTION, startTime, startTime + duration)
  }
}
