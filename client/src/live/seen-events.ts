/** Identities that are remembered; the oldest is forgotten. Some minutes of a busy mint. */
const SEEN_MAX = 16_384

/**
 * Identities of the newest events of a subscription. Numbers begin anew when the epoch changes; a
 * swap that the feed brings again then is known by its identity.
 */
export class SeenEvents {
  readonly #seen = new Set<string>()

  /** False when it was there already. */
  add(identity: string): boolean {
    if (this.#seen.has(identity)) return false
    this.#seen.add(identity)
    if (this.#seen.size > SEEN_MAX) {
      const [oldest] = this.#seen
      this.#seen.delete(oldest)
    }
    return true
  }
}
