import { MAX_WAITING_REQUESTS, TURN_MS } from './limits.ts'

/**
 * Keeps the requests of one turn from holding the loop. A turn answers what has come on thousands of
 * sockets, and each may bring hundreds of requests in one piece: timers, feeds and everybody else
 * would wait for all of them. Past TURN_MS the rest waits for the next turn, in the order it came.
 * uWebSockets.js closes a socket that has sent another request behind one that waits: so a flood in
 * one piece costs little, and a client that sends one request at a time meets nothing but the wait.
 */
export class Turns {
  #waiting: (() => void)[] = []
  #next = 0
  /** Monotonic ms of the first request of the present turn; null: there was none. */
  #beganMs: number | null = null
  #deferred = 0

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { http_waiting_requests: this.#size, http_deferred_total: this.#deferred }
  }

  get #size(): number {
    return this.#waiting.length - this.#next
  }

  /** At each request: has it to wait? Then `later` is to be called. */
  isOver(): boolean {
    const nowMs = performance.now()
    if (this.#beganMs === null) {
      this.#beganMs = nowMs
      setImmediate(this.#turned)
    }
    // Nobody overtakes those who wait.
    if (this.#size === 0 && nowMs - this.#beganMs < TURN_MS) return false
    return this.#size < MAX_WAITING_REQUESTS
  }

  later(work: () => void): void {
    this.#deferred++
    this.#waiting.push(work)
  }

  readonly #turned = (): void => {
    const endMs = performance.now() + TURN_MS
    while (this.#size > 0 && performance.now() < endMs) {
      const work = this.#waiting[this.#next++]
      work()
    }
    this.#beganMs = null
    if (this.#size > 0) {
      this.#beganMs = performance.now()
      setImmediate(this.#turned)
    } else {
      this.#waiting = []
      this.#next = 0
    }
  }
}
