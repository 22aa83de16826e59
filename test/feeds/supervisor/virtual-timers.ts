import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timers } from '../../../src/feeds/timers.ts'

interface Appointment {
  readonly atMs: number
  readonly call: () => void
}

/** Time that passes only when told to. */
export class VirtualTimers implements Timers {
  readonly #appointments = new Set<Appointment>()
  #nowMs = 0
  /** How far somebody has set the clock. */
  setMs = 0

  nowMs(): number {
    return this.#nowMs
  }

  /** Calls that are due some time. */
  get waiting(): number {
    return this.#appointments.size
  }

  wallMs(): number {
    return 1_790_000_000_000 + this.setMs + this.#nowMs
  }

  after(delayMs: number, call: () => void): () => void {
    const appointment = { atMs: this.#nowMs + delayMs, call }
    this.#appointments.add(appointment)
    return () => this.#appointments.delete(appointment)
  }

  /** Lets time pass, with everything that falls due and what follows from it. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await nextTurn()
    for (let due = this.#next(endMs); due !== null; due = this.#next(endMs)) {
      this.#appointments.delete(due)
      this.#nowMs = due.atMs
      due.call()
      await nextTurn()
    }
    this.#nowMs = endMs
  }

  #next(endMs: number): Appointment | null {
    let next: Appointment | null = null
    for (const appointment of this.#appointments)
      if (appointment.atMs <= endMs && (next === null || appointment.atMs < next.atMs))
        next = appointment
    return next
  }
}
