/** Alerts a minute at most, of all lists together: what sounds more often is switched off, and tells nothing then. */
export const ALERTS_A_MINUTE = 6
const MINUTE_MS = 60_000

/** Lets so many alerts through, and counts the tokens of those that it does not. */
export class AlertPace {
  #givenMs: number[] = []
  #untold = 0

  /**
   * Tokens entered: may that be told now? Null when it may not. Else the number of tokens that entered since the
   * last alert and were not told.
   */
  take(tokens: number, nowMs: number): { readonly untold: number } | null {
    this.#givenMs = this.#givenMs.filter((givenMs) => nowMs - givenMs < MINUTE_MS)
    if (this.#givenMs.length >= ALERTS_A_MINUTE) {
      this.#untold += tokens
      return null
    }
    this.#givenMs.push(nowMs)
    const untold = this.#untold
    this.#untold = 0
    return { untold }
  }
}
