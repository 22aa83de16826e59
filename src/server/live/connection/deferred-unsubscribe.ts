import { DEPARTURE_PAUSE_MS, DEPARTURE_SLICE_MS, MAX_DEPARTED } from '../../load/limits.ts'
import type { LiveConnection } from './connection.ts'

/**
 * Connections that have closed and are still listed among the followers of what they followed.
 * Thousands may close in one turn of the loop, and taking one out of a thousand sets takes as long
 * as a trade: so a close only notes it here, and the work is done in slices, a tenth of the time:
 * whatever more it took while others still close would add to the turn that closes them.
 * Meanwhile nothing is sent to them (`isClosed`); at most they are looked at in vain.
 */
export class DeferredUnsubscribe {
  readonly #departed: LiveConnection[] = []
  readonly #drop: (connection: LiveConnection) => void
  #timer: NodeJS.Timeout | null = null

  /** `drop` takes a connection out of everything. */
  constructor(drop: (connection: LiveConnection) => void) {
    this.#drop = drop
  }

  /** Connections whose work is still to be done; at most MAX_DEPARTED. */
  get size(): number {
    return this.#departed.length
  }

  /** Notes a closed connection. When too many wait, another one is done at once for it. */
  add(connection: LiveConnection): void {
    if (this.#departed.length >= MAX_DEPARTED) this.#dropOne()
    this.#departed.push(connection)
    this.#timer ??= setTimeout(this.#slice, DEPARTURE_PAUSE_MS)
  }

  /** Does everything at once: for who is refused because of places that nobody needs any more. */
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
