/** Shorter steps are not remembered, in ms. */
const LONG_STEP_MS = 5
/** Steps that are remembered; the oldest go. */
const STEPS_MAX = 1024

interface Step {
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

/** Steps of the program that took long, by name: what a stall of the loop was made of. */
export class LongSteps {
  readonly #steps: Step[] = []

  /** Notes a step that began at `startMs`, if it was long; times are those of `performance.now`. */
  note(name: string, startMs: number, endMs = performance.now()): void {
    if (endMs - startMs < LONG_STEP_MS) return
    if (this.#steps.length === STEPS_MAX) this.#steps.shift()
    this.#steps.push({ name, startMs, endMs })
  }

  /** Milliseconds of each name within a time; one step may lie within another. */
  within(fromMs: number, toMs: number): Readonly<Record<string, number>> {
    const found: Record<string, number> = {}
    for (const { name, startMs, endMs } of this.#steps) {
      const sharedMs = Math.min(toMs, endMs) - Math.max(fromMs, startMs)
      if (sharedMs > 0) found[name] = (found[name] ?? 0) + sharedMs
    }
    return found
  }
}
