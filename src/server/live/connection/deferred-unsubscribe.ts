import type { LiveConnection } from './connection.ts'

/** Closed connections are taken out of what they followed for this long at a time. */
const DEPARTURE_SLICE_MS = 2

/** After a slice the removal pauses for this long: while thousands close, their closing needs the loop. */
const DEPARTURE_PAUSE_MS = 20

/** Closed connections that wait for their removal at most; past it one is done for each that closes. */
const MAX_DEPARTED = 50_000

/**
 * Removes closed connections from the topics that they followed, in slices. Thousands may close in one turn of
 * the loop, and to remove one of them from a thousand sets takes as long as to publish a trade. So a close only adds
 * it here, and the slices take a tenth of the time: more would add to the turn that closes others.
 * Until then nothing is sent to it (`isClosed`).
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

  /** Removes all of them at once: before a client is refused because of places that closed connections still take. */
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
