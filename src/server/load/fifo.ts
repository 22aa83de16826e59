/** Taken places in front are given back once there are so many of them and they are half of all. */
const TAKEN_MIN = 32

/** First in, first out: taking one costs the same however many wait. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #next = 0

  get size(): number {
    return this.#items.length - this.#next
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The one that `take` would give. */
  first(): T | undefined {
    return this.#items[this.#next]
  }

  take(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#next]
    // What was taken must not stay in memory.
    this.#items[this.#next++] = undefined
    if (this.size === 0) this.clear()
    else if (this.#next >= TAKEN_MIN && this.#next * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#next)
      this.#next = 0
    }
    return item
  }

  clear(): void {
    this.#items = []
    this.#next = 0
  }
}
