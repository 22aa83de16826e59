/** First wait after a connection was lost, before jitter. */
const FIRST_MS = 250
/** Longest wait between two attempts, before jitter. */
const LONGEST_MS = 30_000
/** A wait that a server names is believed up to this; timers take far longer ones for none. */
const WAIT_MS_MAX = 3_600_000

/**
 * How long to wait before the next attempt: doubled each time, half of it by chance, so that many
 * clients of one server do not come back together.
 */
export class Backoff {
  readonly #random: () => number
  /** Since the last success. */
  #attempts = 0

  /** @param random a number in [0, 1) */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Milliseconds to wait before the next attempt. */
  nextMs(): number {
    const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#attempts)
    this.#attempts += 1
    return Math.round(fullMs / 2 + (fullMs / 2) * this.#random())
  }

  /** The connection works: the next loss begins with a short wait again. */
  succeeded(): void {
    this.#attempts = 0
  }
}

/**
 * The ms for which a server wants to be left alone, an hour at most; 0: no wait that can be read. `Retry-After` has
 * seconds or a date (RFC 9110, 10.2.3), which counts from the answer's `Date`: this machine's clock may be wrong.
 */
export function retryAfterMs(retryAfter = '', date = ''): number {
  const seconds = Number(retryAfter)
  const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.parse(date) : seconds * 1_000
  return waitMs > 0 ? Math.min(waitMs, WAIT_MS_MAX) : 0
}
