/**
 * Whose places the topics of a channel take: those of the client that was the first to follow them. Who
 * follows what others follow already takes none.
 */
export class Places {
  readonly #takers = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** Places of a client. */
  countOf(client: string): number {
    return this.#counts.get(client) ?? 0
  }

  take(topic: string, client: string): void {
    this.giveBack(topic)
    this.#takers.set(topic, client)
    this.#counts.set(client, this.countOf(client) + 1)
  }

  /** Idempotent. */
  giveBack(topic: string): void {
    const client = this.#takers.get(topic)
    if (client === undefined) return
    this.#takers.delete(topic)
    const left = this.countOf(client) - 1
    if (left > 0) this.#counts.set(client, left)
    else this.#counts.delete(client)
  }
}
