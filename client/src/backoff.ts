export interface BackoffOptions {
  /** First wait, before jitter. */
  readonly firstMs: number
  /** Longest wait, before jitter. */
  readonly longestMs: number
}

/**
 * How long to wait before the next attempt: doubled each time, half of it by chance, so that many
 * clients of one server do not come back together.
 */
export class Backoff {
  readonly #options: BackoffOptions
  readonly #random: () => number
  #attempts = 0

  constructor(options: BackoffOptions, random: () => number) {
    this.#options = options
    this.#random = random
  }

  nextMs(): number {
    const { firstMs, longestMs } = this.#options
    const fullMs = Math.min(longestMs, firstMs * 2 ** this.#attempts)
    this.#attempts = Math.min(this.#attempts + 1, 32)
    return fullMs / 2 + (fullMs / 2) * this.#random()
  }

  /** It works: the next failure begins with a short wait again. */
  succeeded(): void {
    this.#attempts = 0
  }
}
