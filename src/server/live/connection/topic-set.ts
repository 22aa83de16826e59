/** Topics, counted by their channel: the text before the first slash. */
export class TopicSet implements Iterable<string> {
  readonly #topics = new Set<string>()
  readonly #counts = new Map<string, number>()

  has(topic: string): boolean {
    return this.#topics.has(topic)
  }

  /** Topics of a channel. */
  countOf(channel: string): number {
    return this.#counts.get(channel) ?? 0
  }

  add(topic: string): void {
    if (this.#topics.has(topic)) return
    this.#topics.add(topic)
    this.#count(topic, 1)
  }

  delete(topic: string): void {
    if (this.#topics.delete(topic)) this.#count(topic, -1)
  }

  clear(): void {
    this.#topics.clear()
    this.#counts.clear()
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#topics.values()
  }

  #count(topic: string, by: number): void {
    const channel = topic.slice(0, topic.indexOf('/'))
    this.#counts.set(channel, this.countOf(channel) + by)
  }
}
