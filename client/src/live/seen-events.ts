/** Identities that are remembered at least, some minutes of a busy mint; at most twice as many. */
const SEEN_MAX = 16_384

/**
 * Identities of the newest events of a subscription. Numbers begin anew when the epoch changes; a
 * swap that the feed brings again then is known by its identity. They are forgotten many at a time: to
 * find the oldest of a set is to pass all that were taken out before it.
 */
export class SeenEvents {
  #newer = new Set<string>()
  #older = new Set<string>()

  /** False when it was there already. */
  add(identity: string): boolean {
    if (this.#newer.has(identity) || this.#older.has(identity)) return false
    this.#newer.add(identity)
    if (this.#newer.size < SEEN_MAX) return true
    this.#older = this.#newer
    this.#newer = new Set()
    return true
  }
}
