import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { ThreadTimes } from './thread-times.ts'

/** A turn of the loop that makes others wait for longer than this is a stall, in ms. */
export const STALL_MS = 50
/** How often the loop is looked at, in ms. */
const TICK_MS = 10
/** Stalls, and collections to tell them by, that are remembered; the oldest go. */
const STALLS_MAX = 512
const COLLECTIONS_MAX = 512

/** One stall, and what the loop's thread did from the last look to this one. */
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
  /** Of it, garbage collections. */
  readonly collectedMs: number
}

/** Is it no stall without the time for which others had the core? */
export function isOfTheMachine({ lateMs, waitedMs }: Pick<Stall, 'lateMs' | 'waitedMs'>): boolean {
  return lateMs - waitedMs <= STALL_MS
}

interface Seen extends Omit<Stall, 'collectedMs'> {
  readonly startMs: number
  readonly endMs: number
}

/**
 * Looks at the loop a hundred times a second and notes each stall with what the thread did in it, so
 * that a busy machine and a busy program are told apart. A look costs some microseconds.
 */
export class StallWitness {
  readonly #times = new ThreadTimes()
  readonly #stalls: Seen[] = []
  readonly #collections: { readonly startMs: number; readonly endMs: number }[] = []
  readonly #observer = new PerformanceObserver((list) => this.#collected(list.getEntries()))
  readonly #timer: NodeJS.Timeout
  #lastMs = performance.now()
  #last = this.#times.read()
  #count = 0
  #countOwn = 0

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#timer = setInterval(() => this.#look(), TICK_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#observer.disconnect()
    this.#times.close()
  }

  /** The newest stalls, oldest first. */
  stalls(): readonly Stall[] {
    return this.#stalls.map(({ startMs, endMs, ...stall }) => ({
      ...stall,
      collectedMs: this.#collectedMs(startMs, endMs),
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
    if (lateMs > STALL_MS) {
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
    this.#count += 1
    if (!isOfTheMachine(stall)) this.#countOwn += 1
    if (this.#stalls.length === STALLS_MAX) this.#stalls.shift()
    this.#stalls.push(stall)
  }

  #collected(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of entries) {
      if (this.#collections.length === COLLECTIONS_MAX) this.#collections.shift()
      this.#collections.push({ startMs: startTime, endMs: startTime + duration })
    }
  }

  #collectedMs(startMs: number, endMs: number): number {
    return this.#collections.reduce((sum, collection) => {
      const from = Math.max(startMs, collection.startMs)
      return sum + Math.max(0, Math.min(endMs, collection.endMs) - from)
    }, 0)
  }
}
