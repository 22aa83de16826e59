import { ROWS_MAX } from './memory/rows.ts'
import type { Tape } from './state/tape.ts'

const FULL =
  `The history holds ${ROWS_MAX} swaps, the most that one can: no events are taken any more, reads ` +
  'go on. Start with an empty DATA_DIR, and keep this one to read in.'

/**
 * Ends the intake of events before swaps would get numbers that are wider than the rows that name them:
 * whatever is read after that would be of another swap. Before the journal, as TokenLimit is.
 */
export class HistoryLimit {
  readonly #tape: Tape
  readonly #onFull: (reason: string) => void
  #isFull = false

  constructor(tape: Tape, onFull: (reason: string) => void) {
    this.#tape = tape
    this.#onFull = onFull
  }

  /** Why nothing is taken, in sentences; null: there was room for all that came. */
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
