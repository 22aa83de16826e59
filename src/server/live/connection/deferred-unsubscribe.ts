import { DEPARTURE_PAUSE_MS, DEPARTURE_SLICE_MS, MAX_DEPARTED } from '../../load/limits.ts'
import type { LiveConnection } from './connection.ts'

/**
 * Removes closed connections from the topics that they followed, in slices. Thousands may close in one turn of
 * the loop, and to remove one of them from a thousand sets takes as long as to publish a trade. So a close only adds
 * it here, and the slices take a tenth of the time: more would delay the turn that closes others.
 * Nothing is sent to it any more (`isClosed`).
 */
export class DeferredUnsubscribe {
  readonly #departed: LiveConnection[] = []
  readonly #drop: (connection: LiveConnection) => void
  #timer: NodeJS.Timeout | null = null

  /** `drop` takes a connection out of everything. */
  constructor(drop: (connection: LiveConnection) => void) {
    this.#drop = drop
  }

  /** Connections that are still to be removed; at most MAX_DEPARTED. */
  get size(): number {
    return this.#departed.length
  }

  /** Adds a closed connection. When too many wait, another one is removed at once. */
  add(connection: LiveConnection): void {
    if (this.#departed.length >= MAX_DEPARTED) this.#dropOne()
    this.#departed.push(connection)
    this.#timer ??= setTimeout(this.#slice, DEPARTURE_PAUSE_MS)
  }

  /** Removes all of them at once: before a client is refused because closed connections still count. */
  finish(): void {
    while (this.#departed.length > 0) this.#dropOne()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.finish()
  }

  readonly #slice = (): void => {
    this.#timer = null
    const endMs = performance.now() + DEPARTURE_SLICE_MS
    while (this.#departed.length > 0 && performance.now() < endMs) this.#dropOne()
    if (this.#departed.length > 0) this.#timer = setTimeout(this.#slice, DEPARTURE_PAUSE_MS)
  }

  #dropOne(): void {
    const connection = this.#departed.pop()
    if (connection !== undefined) this.#drop(connection)
  }
}
