/** Shorter steps are not remembered, in ms. */
const LONG_STEP_MS = 5
/** Steps that are remembered; the oldest go. */
const STEPS_MAX = 1024

interface Step {
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

/** Milliseconds by name. */
export type Steps = Readonly<Record<string, number>>

const NO_STEPS: Steps = {}

/**
 * Steps of the program that took long, by name: what a stall of the loop was made of. Of the others their sum
 * by name is told: hundreds of short ones in one turn hold the loop as a long one does.
 */
export class LongSteps {
  readonly #steps: Step[] = []
  /** Sums of the short ones since they were taken. */
  readonly #short = new Map<string, number>()

  /** Notes a step that began at `startMs`; times are those of `performance.now`. */
  note(name: string, startMs: number, endMs = performance.now()): void {
    if (endMs - startMs < LONG_STEP_MS) {
      this.#short.set(name, (this.#short.get(name) ?? 0) + endMs - startMs)
      return
    }
    if (this.#steps.length === STEPS_MAX) this.#steps.shift()
    this.#steps.push({ name, startMs, endMs })
  }

  /** What short steps came to since this was asked before: of names of which they are as much as a long one. */
  takeShort(): Steps {
    if (this.#short.size === 0) return NO_STEPS
    const long = [...this.#short].filter(([, ms]) => ms >= LONG_STEP_MS)
    this.#short.clear()
    return Object.fromEntries(long)
  }

  /** Milliseconds of each name within a time; one step may lie within another. */
  within(fromMs: number, toMs: number): Steps {
    const found: Record<string, number> = {}
    for (const { name, startMs, endMs } of this.#steps) {
      const sharedMs = Math.min(toMs, endMs) - Math.max(fromMs, startMs)
      if (sharedMs > 0) found[name] = (found[name] ?? 0) + sharedMs
    }
    return found
  }
}
