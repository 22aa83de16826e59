const SHOW_EVERY_MS = 500

/** The part of a terminal that progress needs; `process.stderr` is one. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Shows rows, rate and time left on a terminal; says nothing anywhere else. */
export class Progress {
  readonly #output: ProgressOutput | null
  readonly #fraction: () => number
  readonly #startMs = performance.now()
  #shownMs = this.#startMs
  #hasShown = false

  /** `output` null: nobody is shown it; `fraction` is the part of the input that was read, 0 to 1. */
  constructor(output: ProgressOutput | null, fraction: () => number) {
    this.#output = output?.isTTY === true ? output : null
    this.#fraction = fraction
  }

  update(rows: number): void {
    const now = performance.now()
    if (this.#output === null || now - this.#shownMs < SHOW_EVERY_MS) return
    this.#shownMs = now
    this.#hasShown = true
    const elapsedSeconds = (now - this.#startMs) / 1000
    this.#output.write(`\r\x1b[K${progressText(rows, elapsedSeconds, this.#fraction())}`)
  }

  /** Clears the line. */
  end(): void {
    if (this.#hasShown) this.#output?.write('\r\x1b[K')
  }
}

/** As `120000 rows, 40000 rows/s, 63 %, 12 s left`. */
export function progressText(rows: number, elapsedSeconds: number, fraction: number): string {
  const rate = Math.round(rows / Math.max(elapsedSeconds, 0.001))
  const percent = Math.min(Math.floor(fraction * 100), 100)
  const left = fraction > 0 ? Math.ceil((elapsedSeconds * (1 - fraction)) / fraction) : null
  const tail = left === null ? '' : `, ${Math.max(left, 0)} s left`
  return `${rows} rows, ${rate} rows/s, ${percent} %${tail}`
}
