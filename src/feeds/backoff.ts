/** First wait after a connection was lost, before jitter. */
const FIRST_MS = 250
/** Longest wait between two attempts, before jitter. */
const LONGEST_MS = 30_000

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
