/** Something that has to be done within a time. */
export interface Awaited {
  /** Its time is over. */
  late(): void
}

/** What waits for equally long, the one that is late first in front. */
interface Line {
  /** With the moment its time is over, monotonic ms. */
  readonly ends: Map<Awaited, number>
  timer: NodeJS.Timeout | null
}

/**
 * Deadlines of which nearly all are met: a timer for all that wait equally long costs each a place in
 * a map, where one of its own would cost every request a microsecond. There is one line for each
 * length, which are the program's own, and one place for each socket.
 */
export class Deadlines {
  readonly #lines = new Map<number, Line>()

  /** How many wait. */
  get size(): number {
    let size = 0
    for (const { ends } of this.#lines.values()) size += ends.size
    return size
  }

  /** Calls `late` after `durationMs`, unless it is deleted before; the same one must not wait already. */
  add(awaited: Awaited, durationMs: number): void {
    let line = this.#lines.get(durationMs)
    if (line === undefined) {
      line = { ends: new Map(), timer: null }
      this.#lines.set(durationMs, line)
    }
    line.ends.set(awaited, performance.now() + durationMs)
    if (line.timer === null) this.#start(line, durationMs)
  }

  /** Idempotent. */
  delete(awaited: Awaited, durationMs: number): void {
    this.#lines.get(durationMs)?.ends.delete(awaited)
  }

  #start(line: Line, durationMs: number): void {
    // Who waits has a socket, which keeps the process alive; what is left of a timer must not.
    line.timer = setTimeout(() => this.#look(line), durationMs).unref()
  }

  #look(line: Line): void {
    line.timer = null
    const nowMs = performance.now()
    for (const [awaited, endMs] of line.ends) {
      if (endMs > nowMs) {
        this.#start(line, Math.ceil(endMs - nowMs))
        return
      }
      line.ends.delete(awaited)
      awaited.late()
    }
  }
}
