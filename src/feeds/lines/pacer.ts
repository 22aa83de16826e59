/** Events this far before the newest are another recording; closer ones are only out of order. */
export const RECORDING_GAP_SECONDS = 60

/**
 * Paces recorded events: the time between two is that of their timestamps divided by the speed.
 * Gaps backwards are not waited for.
 */
export class Pacer {
  readonly #speed: number | 'max'
  readonly #nowMs: () => number
  #anchorSeconds = 0
  #anchorMs: number | null = null
  #newestSeconds = 0

  /** `speed` is a factor above 0, `max` never waits. */
  constructor(speed: number | 'max', nowMs: () => number = () => performance.now()) {
    this.#speed = speed
    this.#nowMs = nowMs
  }

  /** Milliseconds until an event of this time is due; 0 or less: now. */
  delayMs(timestamp: number): number {
    if (this.#speed === 'max') return 0
    const now = this.#nowMs()
    if (this.#anchorMs === null || timestamp < this.#newestSeconds - RECORDING_GAP_SECONDS) {
      this.#anchorMs = now
      this.#anchorSeconds = timestamp
      this.#newestSeconds = timestamp
    }
    this.#newestSeconds = Math.max(this.#newestSeconds, timestamp)
    return this.#anchorMs + ((timestamp - this.#anchorSeconds) * 1000) / this.#speed - now
  }
}
