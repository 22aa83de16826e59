/**
 * Updates between the connection and one reader. It never holds more than `max` + 1: whoever puts
 * one in asks for room first, and stops when there is none.
 */
export class Mailbox<T> {
  readonly #max: number
  #sources: number
  #items: T[] = []
  #first = 0
  #reader: ((result: IteratorResult<T>) => void) | null = null
  #isClosed = false
  /** Called when half of a mailbox that was full is empty again, unless it is closed. */
  onRoom: () => void = () => {}
  /** Called once, when it is closed: by its reader, or with the last of its sources. */
  onClosed: () => void = () => {}
  #wasFull = false

  /** @param sources how many put something in; when each has put its last, the end comes */
  constructor(max: number, sources: number = 1) {
    this.#max = max
    this.#sources = sources
    this.#isClosed = sources === 0
  }

  get size(): number {
    return this.#items.length - this.#first
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Is there room for so many? When not, `onRoom` is called later. */
  hasRoom(count: number): boolean {
    const has = this.size + count <= this.#max
    if (!has) this.#wasFull = true
    return has
  }

  put(item: T): void {
    if (this.#isClosed) return
    const reader = this.#reader
    if (reader === null) {
      this.#items.push(item)
      return
    }
    this.#reader = null
    reader({ done: false, value: item })
  }

  /** The last of one source. */
  putLast(item: T): void {
    this.put(item)
    this.#sources -= 1
    if (this.#sources === 0) this.close()
  }

  /** The newest that nobody took yet goes out for another. */
  takeBackLast(): T | undefined {
    return this.size === 0 ? undefined : this.#items.pop()
  }

  /** The next one; waits for it. Only one reader waits: a second one ends the wait of the first. */
  next(): Promise<IteratorResult<T>> {
    if (this.size > 0) return Promise.resolve({ done: false, value: this.#take() })
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined })
    this.#reader?.({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#reader = resolve
    })
  }

  /** What is still in it can be read; then the end comes. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#reader?.({ done: true, value: undefined })
    this.#reader = null
    this.onClosed()
  }

  #take(): T {
    const item = this.#items[this.#first]
    this.#first += 1
    if (this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first)
      this.#first = 0
    }
    if (this.#wasFull && !this.#isClosed && this.size * 2 <= this.#max) {
      this.#wasFull = false
      queueMicrotask(() => {
        // It may be closed in the very turn in which it was read.
        if (!this.#isClosed) this.onRoom()
      })
    }
    return item
  }
}
