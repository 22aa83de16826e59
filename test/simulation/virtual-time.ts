interface Due {
  readonly atMs: number
  readonly order: number
  readonly run: () => void
}

/** The clock of a simulated machine: it stands still until the simulation moves it. */
export class VirtualTime {
  /** Since the machine was built; never goes back. */
  nowMs = 0
  /** What somebody set the wall clock ahead of the truth; it may jump. */
  skewMs = 0
  readonly #startMs: number
  readonly #due: Due[] = []
  #orders = 0

  constructor(startMs: number) {
    this.#startMs = startMs
  }

  /** Unix milliseconds as the machine's wall clock has them. */
  get wallMs(): number {
    return this.trueWallMs + this.skewMs
  }

  get trueWallMs(): number {
    return this.#startMs + this.nowMs
  }

  /** Runs something this much later. */
  after(delayMs: number, run: () => void): void {
    this.#orders += 1
    const due = { atMs: this.nowMs + delayMs, order: this.#orders, run }
    let place = this.#due.length
    while (place > 0 && this.#due[place - 1].atMs > due.atMs) place -= 1
    this.#due.splice(place, 0, due)
  }

  /** Moves on, running what becomes due at its time. */
  advance(ms: number): void {
    const untilMs = this.nowMs + ms
    while (this.#due.length > 0 && this.#due[0].atMs <= untilMs) {
      const due = this.#due.shift()
      if (due === undefined) break
      this.nowMs = due.atMs
      due.run()
    }
    this.nowMs = untilMs
  }

  /** The machine lost its power: nothing that was under way comes to an end. */
  forget(): void {
    this.#due.length = 0
  }
}
