import { HELD_STREAMS_LOOK_MS } from '../load/limits.ts'
import type { LiveConnection } from './connection/connection.ts'

/**
 * Streams of server-sent events that came before the state is there. They are open and get comments: an
 * `EventSource` that is answered 503 ends for good, and so would every page that was open over a restart.
 * As many as there may be streams.
 */
export class HeldStreams {
  readonly #isOver: () => boolean
  readonly #waiting = new Map<LiveConnection, () => void>()
  #timer: NodeJS.Timeout | null = null

  /** `isOver`: is the state there now? */
  constructor(isOver: () => boolean) {
    this.#isOver = isOver
  }

  /** Calls `begin` once the state is there, unless the connection is dropped before. */
  hold(connection: LiveConnection, begin: () => void): void {
    this.#waiting.set(connection, begin)
    this.#timer ??= setInterval(() => this.#look(), HELD_STREAMS_LOOK_MS)
  }

  drop(connection: LiveConnection): void {
    this.#waiting.delete(connection)
    if (this.#waiting.size === 0) this.stop()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #look(): void {
    if (!this.#isOver()) return
    this.stop()
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const begin of all) begin()
  }
}
