import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import type { LongSteps } from './long-steps.ts'
import { ThreadTimes } from './thread-times.ts'

/** A turn of the loop that makes others wait for longer than this is a stall, in ms. */
export const STALL_MS = 50
/** Shorter turns are remembered too, when others did not have the core for most of them. */
export const LONG_TURN_MS = 20
/** How often the loop is looked at, in ms. */
const TICK_MS = 10
/** Stalls that are remembered; the oldest go. */
const STALLS_MAX = 512

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
  /** Neither: a disk, a page that was not there, a machine that stood still. */
  readonly blockedMs: number
  /** Long steps within it by name, in ms: garbage collections ("gc"), folds, calls of the disk. */
  readonly steps: Readonly<Record<string, number>>
}

/** What is left without the time for which others had the core. */
export function ownMs({ lateMs, waitedMs }: Pick<Stall, 'lateMs' | 'waitedMs'>): number {
  return Math.max(0, lateMs - waitedMs)
}

/** Is it no stall without the time for which others had the core? */
export function isOfTheMachine(stall: Pick<Stall, 'lateMs' | 'waitedMs'>): boolean {
  return ownMs(stall) <= STALL_MS
}

interface Seen extends Omit<Stall, 'steps'> {
  readonly startMs: number
  readonly endMs: number
}

/**
 * Looks at the loop a hundred times a second and notes each stall with what the thread did in it, so
 * that a busy machine and a busy program are told apart. A look costs some microseconds.
 */
export class StallWitness {
  readonly #steps: LongSteps
  readonly #times = new ThreadTimes()
  readonly #stalls: Seen[] = []
  readonly #observer = new PerformanceObserver((list) => this.#collected(list.getEntries()))
  readonly #timer: NodeJS.Timeout
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
  }

  /** The newest stalls and long turns, oldest first. */
  stalls(): readonly Stall[] {
    return this.#stalls.map(({ startMs, endMs, ...stall }) => ({
      ...stall,
      steps: this.#steps.within(startMs, endMs),
    }))
  }

  /** Figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { loop_stalls_total: this.#count, loop_own_stalls_total: this.#countOwn }
  }

  #look(): void {
    const nowMs = performance.now()
    const now = this.#times.read()
    const sinceMs = nowMs - this.#lastMs
    const lateMs = sinceMs - TICK_MS
    if (lateMs > LONG_TURN_MS) {
      const ranMs = now.ranMs - this.#last.ranMs
      const waitedMs = now.waitedMs - this.#last.waitedMs
      const blockedMs = Math.max(0, lateMs - ranMs - waitedMs)
      const span = { startMs: this.#lastMs, endMs: nowMs }
      this.#note({ atMs: Date.now(), lateMs, ranMs, waitedMs, blockedMs, ...span })
    }
    this.#lastMs = nowMs
    this.#last = now
  }

  #note(stall: Seen): void {
    const isStall = stall.lateMs > STALL_MS
    if (!isStall && ownMs(stall) <= LONG_TURN_MS) return
    if (isStall) this.#count += 1
    if (!isOfTheMachine(stall)) this.#countOwn += 1
    if (this.#stalls.length === STALLS_MAX) this.#stalls.shift()
    this.#stalls.push(stall)
  }

  #collected(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of entries)
      this.#steps.note('gc', startTime, startTime + duration)
  }
}
