import type { Mailbox } from './mailbox.ts'

/**
 * What is followed, as an async iterator for one reader. A reader that is slower than the stream
 * costs no memory and loses nothing: when its buffer is full the stream is left, and resumed where
 * it stopped once half of the buffer is read.
 */
export class Subscription<T> implements AsyncIterableIterator<T> {
  readonly #mailbox: Mailbox<T>

  constructor(mailbox: Mailbox<T>) {
    this.#mailbox = mailbox
  }

  /** Updates that were not read yet. */
  get buffered(): number {
    return this.#mailbox.size
  }

  next(): Promise<IteratorResult<T>> {
    return this.#mailbox.next()
  }

  /** Leaves the stream, also when a `for await` is left. */
  return(): Promise<IteratorResult<T>> {
    this.close()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** Leaves the stream; what is buffered can still be read. */
  close(): void {
    this.#mailbox.close()
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
