import type { Log } from './options.ts'

/** Lines of the log about history that the disk does not give: so many at once, and one more after each such time. */
const DAMAGE_LINES = 20

const DAMAGE_LINE_MS = 1_000

/**
 * Lines of the log about history that the disk does not give, at a bounded rate: clients may ask for the
 * same damaged place thousands of times a second.
 */
export class DamageLines {
  readonly #log: Log
  /** Lines that may be written now, as of when, and how many were left out since the last one. */
  #linesLeft = DAMAGE_LINES
  #linesLeftAtMs = performance.now()
  #leftOut = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** Writes a line, with how many were left out before it; false when it is left out itself. */
  tell(facts: Readonly<Record<string, unknown>>, text: string): boolean {
    const nowMs = performance.now()
    const refilled = (nowMs - this.#linesLeftAtMs) / DAMAGE_LINE_MS
    this.#linesLeft = Math.min(DAMAGE_LINES, this.#linesLeft + refilled)
    this.#linesLeftAtMs = nowMs
    if (this.#linesLeft < 1) {
      this.#leftOut++
      return false
    }
    this.#linesLeft--
    this.#log.error(this.#leftOut === 0 ? facts : { ...facts, leftOut: this.#leftOut }, text)
    this.#leftOut = 0
    return true
  }
}
