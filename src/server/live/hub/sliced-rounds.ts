import { STATE_SLICE_MS } from '../../load/limits.ts'

/**
 * Goes through what has to be done every so often, in slices that let the loop breathe. A round
 * that takes longer than its time delays the next one; nothing piles up.
 */
export class SlicedRounds {
  readonly #everyMs: number
  readonly #due: () => Iterable<string>
  readonly #work: (name: string) => void
  #timer: NodeJS.Timeout | null = null
  #immediate: NodeJS.Immediate | null = null
  #left: string[] = []

  constructor(everyMs: number, due: () => Iterable<string>, work: (name: string) => void) {
    this.#everyMs = everyMs
    this.#due = due
    this.#work = work
  }

  /** Idempotent. */
  start(): void {
    this.#timer ??= setInterval(() => this.#round(), this.#everyMs)
  }

  /** Idempotent; `start` goes on. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    if (this.#immediate !== null) clearImmediate(this.#immediate)
    this.#timer = null
    this.#immediate = null
    this.#left = []
  }

  #round(): void {
    if (this.#left.length > 0) return
    this.#left = [...this.#due()].reverse()
    this.#slice()
  }

  #slice(): void {
    this.#immediate = null
    const endMs = performance.now() + STATE_SLICE_MS
    while (performance.now() < endMs) {
      const name = this.#left.pop()
      if (name === undefined) return
      this.#work(name)
    }
    if (this.#left.length > 0) this.#immediate = setImmediate(() => this.#slice())
  }
}
