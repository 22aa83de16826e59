import { problem } from '../problem.ts'
import type { Follow, Line } from './follow.ts'

/** First wait before a replica is asked again, doubled each time. */
const FIRST_MS = 50
/** So often on one connection, 1.6 s together; then it is given up for the next url. */
const ASKS_MAX = 5
/** After so much waiting it is believed that there is no more than it tells. */
export const BEHIND_MAX_MS = 15_000

/** A replica that has not what its reader was told already: it is asked again until it has. */
export class Behind {
  #waitedMs = 0
  #asks = 0

  /** Is it too early to believe it? */
  get isPatient(): boolean {
    return this.#waitedMs < BEHIND_MAX_MS
  }

  /** Calls `ask` later, or goes on to another connection. */
  wait(follow: Follow, line: Line | null, ask: () => void): void {
    if (this.#asks < ASKS_MAX) {
      const waitMs = FIRST_MS * 2 ** this.#asks
      this.#asks += 1
      this.#waitedMs += waitMs
      line?.askLater(follow, waitMs, ask)
      return
    }
    this.#asks = 0
    const message = `The service tells less of ${follow.channel} than was read already: it is behind.`
    line?.fail(problem('behind', message))
  }

  ended(): void {
    this.#waitedMs = 0
    this.#asks = 0
  }
}
