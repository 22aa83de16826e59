import os from 'node:os'
import type { Log } from '../server/http/exchange.ts'

/**
 * A larger step forward of the wall clock has to last before it is taken. Time services make smaller ones every day,
 * and those cost no more than an event may lie ahead of the clock.
 */
const STEP_MS_MAX = 60_000
/**
 * How long it has to last, by the monotonic clock. A time service that set the clock wrong notices at its next poll,
 * after 32 or 64 s. The market's clock never goes back: after a wrong step windows of 24 hours would stay empty until
 * that time comes.
 */
const STEP_LASTS_MS = 90_000

/** A smaller step is drift, not sleep. */
const SLEPT_MS_MIN = 1_000

interface MachineClocks {
  /** Unix milliseconds; anybody may set it. */
  readonly wallMs: () => number
  /** Milliseconds that never jump and stand still while the machine sleeps. */
  readonly steadyMs: () => number
  /** As `steadyMs`, but they go on while the machine sleeps. */
  readonly upMs: () => number
}

const MACHINE: MachineClocks = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  upMs: () => os.uptime() * 1000,
}

/** What became of a step forward that the other clocks contradict. */
type ClockStep = 'held' | 'taken' | 'undone'

interface HeldStep {
  /** What the wall clock is ahead of the monotonic one. */
  readonly offsetMs: number
  readonly sinceMs: number
}

/**
 * The wall clock of the machine without single steps ahead: a step of more than STEP_MS_MAX that the monotonic clock
 * contradicts is taken after STEP_LASTS_MS. Until then time goes on as if there had been none. Steps back are passed on
 * at once, and so is the time that the machine slept.
 */
export class WallClock {
  readonly #clocks: MachineClocks
  readonly #onStep: (step: ClockStep, aheadSeconds: number) => void
  /** The most that the wall clock was ahead of the monotonic one when it was taken. */
  #offsetMs: number
  /** What the machine had slept when that was. */
  #sleptMs: number
  #held: HeldStep | null = null

  constructor(
    onStep: (step: ClockStep, aheadSeconds: number) => void = () => {},
    clocks: MachineClocks = MACHINE,
  ) {
    this.#clocks = clocks
    this.#onStep = onStep
    this.#offsetMs = clocks.wallMs() - clocks.steadyMs()
    this.#sleptMs = this.#slept()
  }

  /** Unix milliseconds. */
  nowMs(): number {
    const wallMs = this.#clocks.wallMs()
    const steadyMs = this.#clocks.steadyMs()
    const offsetMs = wallMs - steadyMs
    const aheadMs = offsetMs - this.#offsetMs
    if (aheadMs <= STEP_MS_MAX) {
      if (this.#held !== null) this.#end('undone', aheadMs)
      if (aheadMs > 0) this.#offsetMs = offsetMs
      // Short sleeps end here: added up they would confirm a wrong step.
      if (aheadMs > SLEPT_MS_MIN) this.#sleptMs = this.#slept()
      return wallMs
    }
    if (aheadMs <= this.#slept() - this.#sleptMs + STEP_MS_MAX) return this.#take(offsetMs, aheadMs)
    // A step that changes meanwhile starts again.
    if (this.#held === null || Math.abs(offsetMs - this.#held.offsetMs) > STEP_MS_MAX) {
      const isFirst = this.#held === null
      this.#held = { offsetMs, sinceMs: steadyMs }
      if (isFirst) this.#onStep('held', Math.round(aheadMs / 1000))
    }
    if (steadyMs - this.#held.sinceMs >= STEP_LASTS_MS) return this.#take(offsetMs, aheadMs)
    return steadyMs + this.#offsetMs
  }

  /** Why the machine's clock is not followed now, in one sentence; null: it is. */
  get heldReason(): string | null {
    if (this.#held === null) return null
    return heldSentence(Math.round((this.#held.offsetMs - this.#offsetMs) / 1000))
  }

  #take(offsetMs: number, aheadMs: number): number {
    if (this.#held !== null) this.#end('taken', aheadMs)
    this.#offsetMs = offsetMs
    this.#sleptMs = this.#slept()
    return offsetMs + this.#clocks.steadyMs()
  }

  #end(step: ClockStep, aheadMs: number): void {
    this.#held = null
    this.#onStep(step, Math.round(aheadMs / 1000))
  }

  #slept(): number {
    try {
      return this.#clocks.upMs() - this.#clocks.steadyMs()
    } catch {
      // Without an uptime every step has to last.
      return 0
    }
  }
}

/** One sentence for the log and for `/readyz`. */
function heldSentence(aheadSeconds: number): string {
  return (
    `The clock of this machine went ${aheadSeconds} s ahead at once, which no other clock of it bears out: ` +
    `this is taken once it has lasted ${STEP_LASTS_MS / 1000} s, and until then feeds with slots wait, PumpPortal's trades ` +
    'have the time before, and lines of the new time are refused. If it is wrong, set the clock before anything is started anew.'
  )
}

/** Log lines about the machine's clock, which a market by the times of events does not follow. */
export class ClockReports {
  readonly #log: Log
  readonly #isEventClock: boolean
  /** The log has said that the market's clock lies ahead of the machine's. */
  #isAheadLogged = false

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

  /** Takes the reason why windows stand still, or null, each second; logs the first reason and the first null. */
  standStill(reason: string | null): void {
    if ((reason !== null) === this.#isAheadLogged) return
    this.#isAheadLogged = reason !== null
    if (reason !== null) this.#log.warn({}, reason)
    else this.#log.info({}, "the machine's clock has reached that of the market: windows go on")
  }
}
