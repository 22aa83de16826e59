import type { Log } from '../server/http/options.ts'
import { type ClockStep, heldSentence } from './wall-clock.ts'

/** Log lines about the machine's clock. A market that goes by the times of events has no part in it. */
export class ClockReports {
  readonly #log: Log
  readonly #isEventClock: boolean
  /** The log has said that the market's clock lies ahead of the machine's. */
  #isAheadTold = false

  constructor(log: Log, isEventClock: boolean) {
    this.#log = log
    this.#isEventClock = isEventClock
  }

  /** A step forward that the market's clock did not take at once. */
  step(step: ClockStep, aheadSeconds: number): void {
    if (this.#isEventClock) return
    if (step === 'held') this.#log.warn({ aheadSeconds }, heldSentence(aheadSeconds))
    else if (step === 'undone')
      this.#log.info({}, 'the clock of this machine was set back: nothing of its step was taken')
    else
      this.#log.warn(
        { aheadSeconds },
        "the step of this machine's clock has lasted: the market takes it",
      )
  }

  /** Told again and again why windows stand still, or null: says it once when they begin to, and once when that ends. */
  standStill(reason: string | null): void {
    if ((reason !== null) === this.#isAheadTold) return
    this.#isAheadTold = reason !== null
    if (reason !== null) this.#log.warn({}, reason)
    else this.#log.info({}, "the machine's clock has reached that of the market: windows go on")
  }
}
