import type { Timers } from '../timers.ts'

/** Times in a row that a server refuses old slots until they are given up; some two minutes. */
const REFUSALS_MAX = 10
/** A server that has refused nothing for so long may be another one by now. */
const REMEMBERED_MS = 600_000

/**
 * Judges whether a server that refuses to deliver slots again will do so for good. What it refuses from then
 * on is given up at once, or an outage would take minutes for each piece of it.
 */
export class LastingRefusals {
  readonly #timers: Timers
  #count = 0
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** It has delivered some. */
  succeeded(): void {
    this.#count = 0
  }

  /**
   * It has refused; whether that is for good.
   * @param isOfKind it lacks the method or the feature: asked once more, since another machine may be behind its address
   */
  refused(isOfKind = false): boolean {
    const nowMs = this.#timers.nowMs()
    if (nowMs - this.#lastMs > REMEMBERED_MS) this.#count = 0
    this.#lastMs = nowMs
    this.#count += isOfKind ? REFUSALS_MAX / 2 : 1
    return this.#count >= REFUSALS_MAX
  }
}
