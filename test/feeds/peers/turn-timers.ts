import type { Timers } from '../../../src/feeds/timers.ts'

/** How much time passes in one turn of the event loop, a millisecond apart at least. */
const TURN_MS = 25

/**
 * Time that is counted in turns of the event loop, so that waits of seconds take milliseconds. A peer
 * in the same process gets as many turns as the feed: on a slow machine both are slow, and no wait
 * ends before what it waits for could have come.
 */
export class TurnTimers implements Timers {
  readonly #appointments = new Map<() => void, number>()
  readonly #interval = setInterval(() => this.#turn(), 1)
  #nowMs = 0

  nowMs(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return Date.now()
  }

  after(delayMs: number, call: () => void): () => void {
    const appointment = () => call()
    this.#appointments.set(appointment, this.#nowMs + delayMs)
    return () => this.#appointments.delete(appointment)
  }

  stop(): void {
    clearInterval(this.#interval)
  }

  #turn(): void {
    this.#nowMs += TURN_MS
    for (const [appointment, atMs] of [...this.#appointments]) {
      if (atMs > this.#nowMs || !this.#appointments.delete(appointment)) continue
      appointment()
    }
  }
}
