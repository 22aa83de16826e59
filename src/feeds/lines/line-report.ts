import type { Timers } from '../timers.ts'

/** Bad lines that are reported one by one when they come at once. */
export const REPORTED_LINES_MAX = 20
/** After so long another line may be reported by itself: six a minute. */
const REFILL_MS = 10_000
/** The lines between are summed up once in so long. */
const SUMMARY_MS = 60_000

export type ReportLine = (lineNumber: number, reason: string) => void

/** Bad lines that were not reported one by one. */
export interface HeldLines {
  readonly count: number
  readonly lastLine: number
  readonly lastReason: string
}

/**
 * Reports bad lines at a bounded rate, so that a wrong file does not flood a log, and sums up those
 * that were held back: each minute with bad lines says something, however long the feed goes on.
 */
export class LineReport {
  readonly #line: ReportLine
  readonly #held: (held: HeldLines) => void
  readonly #timers: Timers
  #left = REPORTED_LINES_MAX
  #refilledMs: number
  #heldBack: HeldLines | null = null
  #cancelSummary = () => {}

  /** @param line told of one bad line, `held` of those that it was not told of */
  constructor(line: ReportLine, held: (held: HeldLines) => void, timers: Timers) {
    this.#line = line
    this.#held = held
    this.#timers = timers
    this.#refilledMs = timers.nowMs()
  }

  readonly report: ReportLine = (lineNumber, reason) => {
    this.#refill()
    if (this.#left > 0) {
      this.#left -= 1
      this.#line(lineNumber, reason)
      return
    }
    const before = this.#heldBack
    if (before === null) this.#cancelSummary = this.#timers.after(SUMMARY_MS, () => this.sumUp())
    this.#heldBack = { count: (before?.count ?? 0) + 1, lastLine: lineNumber, lastReason: reason }
  }

  /** Tells what was held back now; to be called when the feeds have ended. */
  sumUp(): void {
    const held = this.#heldBack
    if (held === null) return
    this.#cancelSummary()
    this.#heldBack = null
    this.#held(held)
  }

  #refill(): void {
    const nowMs = this.#timers.nowMs()
    const came = Math.floor((nowMs - this.#refilledMs) / REFILL_MS)
    this.#refilledMs += came * REFILL_MS
    this.#left = Math.min(REPORTED_LINES_MAX, this.#left + came)
  }
}
