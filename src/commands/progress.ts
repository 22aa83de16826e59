import type { Writable } from 'node:stream'
import cliProgress from 'cli-progress'

/** How far a command has come, for who waits for it. */
export interface Progress {
  /** Begins a piece of work of so many units. */
  begin(what: string, total: number): void
  /** Units done of it. */
  to(done: number): void
  end(): void
}

/** Nobody watches. */
export const SILENT: Progress = { begin: () => {}, to: () => {}, end: () => {} }

/** Where there is no terminal, a line comes this often. */
const LINE_MS = 3_000

/** A bar on a terminal, else a line every few seconds. */
export function progressOn(stream: Writable & { readonly isTTY?: boolean }): Progress {
  return stream.isTTY === true ? new Bar(stream) : new Lines(stream)
}

class Bar implements Progress {
  readonly #bar: cliProgress.SingleBar

  constructor(stream: Writable) {
    this.#bar = new cliProgress.SingleBar({
      stream,
      format: '{what} {bar} {percentage}%  {eta_formatted}',
      barCompleteChar: '█',
      barIncompleteChar: '░',
      clearOnComplete: true,
      // A handler for Ctrl-C would wait for the end of the work; without one the process ends.
      gracefulExit: false,
    })
  }

  begin(what: string, total: number): void {
    this.#bar.start(total, 0, { what })
  }

  to(done: number): void {
    this.#bar.update(done)
  }

  end(): void {
    this.#bar.stop()
  }
}

class Lines implements Progress {
  readonly #stream: Writable
  #what = ''
  #total = 0
  #nextMs = 0

  constructor(stream: Writable) {
    this.#stream = stream
  }

  begin(what: string, total: number): void {
    this.#what = what
    this.#total = total
    this.#nextMs = performance.now() + LINE_MS
  }

  to(done: number): void {
    const nowMs = performance.now()
    if (nowMs < this.#nextMs) return
    this.#nextMs = nowMs + LINE_MS
    const percent = this.#total === 0 ? 100 : Math.floor((done / this.#total) * 100)
    this.#stream.write(`${this.#what}: ${percent} %\n`)
  }

  end(): void {}
}
