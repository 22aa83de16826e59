import type { FeedEvent } from '../events/event.ts'
import { ROWS_MAX } from './memory/rows.ts'
import type { State } from './state/state.ts'
import type { Tape } from './state/tape.ts'

const FULL =
  `The history holds ${ROWS_MAX} swaps, the most that one can: no events are taken any more, reads ` +
  'go on. Start with an empty DATA_DIR, and keep this one to read in.'

/**
 * Refuses tokens past MAX_TOKENS, before the journal: what is not in it cannot come back in a replay,
 * so that every restart, snapshot and export shows the same tokens. A token that was refused stays
 * refused while the process runs, with all of its events; those that are held go on as ever.
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

  /** Why tokens are refused, in one sentence; null: none was yet. */
  get reason(): string | null {
    if (this.refusedEvents === 0) return null
    return `New tokens are refused: MAX_TOKENS=${this.#maxTokens} are held. Raise it, with memory for them, and start anew.`
  }

  /** The events that may be taken; the batch itself as long as the limit is far. */
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
