/** Rows glide to their places only when a column had come to rest for so long, in ms. */
const REST_MS = 1_000

/**
 * How fast a column's order changes. In a quick market rows that glide would never arrive, tell
 * nothing, and have every frame painted anew: there they are simply where they belong.
 */
export class Pace {
  #order = ''
  #changedAtMs = Number.NEGATIVE_INFINITY
  #isQuick = false

  /** Is the order that is drawn now one of many in a short time? */
  isQuick(order: string, nowMs: number): boolean {
    if (order === this.#order) return this.#isQuick
    this.#isQuick = nowMs - this.#changedAtMs < REST_MS
    this.#order = order
    this.#changedAtMs = nowMs
    return this.#isQuick
  }
}
