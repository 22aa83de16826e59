import type { Writable } from 'node:stream'
import cliProgress from 'cli-progress'

/** Shows how far a command has come. */
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
  return stream.isTTY === true ? barOn(stream) : linesOn(stream)
}

function barOn(stream: Writable): Progress {
  const bar = new cliProgress.SingleBar({
    stream,
    format: '{what} {bar} {percentage}%  {eta_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    // A handler for Ctrl-C would wait for the end of the work; without one the process ends.
    gracefulExit: false,
  })
  return {
    begin: (what, total) => bar.start(total, 0, { what }),
    to: (done) => bar.update(done),
    end: () => bar.stop(),
  }
}

function linesOn(stream: Writable): Progress {
  let work = { what: '', total: 0 }
  let nextMs = 0
  return {
    begin(what, total) {
      work = { what, total }
      nextMs = performance.now() + LINE_MS
    },
    to(done) {
      const nowMs = performance.now()
      if (nowMs < nextMs) return
      nextMs = nowMs + LINE_MS
      const percent = work.total === 0 ? 100 : Math.floor((done / work.total) * 100)
      stream.write(`${work.what}: ${percent} %\n`)
    },
    end() {},
  }
}
