/**
 * feeds/replay: FEED=replay:<file> and FEED=stdin. In: lines of JSON, each an event line, a transaction or a recorded frame of a
 * live feed. Out: batches of events. `LineRun` reads lines, `RecordedValues` makes events of a value and chooses between feeds
 * that recorded the same trade.
 */

import type { Readable } from 'node:stream'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import { checkInputFile, openInputFile } from '../lines/input-file.ts'
import { Pacer } from '../lines/pacer.ts'
import { Progress, type ProgressOutput } from '../lines/progress.ts'
import { DOCUMENT_CHARACTERS_MAX, LineRun, type LineRunOptions } from './line-run.ts'

type LineFeedOptions = Pick<LineRunOptions, 'report' | 'counters' | 'forms'>

interface ReplayOptions extends LineFeedOptions {
  /** Plain, `.gz` or `.zst`. */
  readonly file: string
  /** Factor of real time above 0, or as fast as the engine takes it. */
  readonly speed: number | 'max'
  /** Where a terminal shows how far it is; null: nowhere, as between lines of JSON. */
  readonly progress?: ProgressOutput | null
}

/**
 * Feed `replay:<file>`: event lines and recorded chain data, paced by event time.
 * Ends at the end of the file; a file that tears is reported and ends there.
 */
export class ReplayFeed implements Feed {
  readonly name: string
  readonly #options: ReplayOptions
  readonly #stopping = new AbortController()

  constructor(options: ReplayOptions) {
    this.#options = options
    this.name = `replay:${options.file}`
  }

  /** @throws when the file cannot be opened or the sink fails */
  async start(sink: EventSink): Promise<void> {
    const { file, speed, progress: output = process.stderr } = this.#options
    const { signal } = this.#stopping
    if (signal.aborted) return
    const reason = checkInputFile(file)
    if (reason !== null) throw new Error(reason)
    const { bytes, sizeBytes, bytesRead } = openInputFile(file)
    const progress = new Progress(output, () => bytesRead() / Math.max(sizeBytes, 1))
    const run = new LineRun(sink, {
      ...this.#options,
      pacer: new Pacer(speed),
      signal,
      progress,
      documentCharactersMax: DOCUMENT_CHARACTERS_MAX,
    })
    try {
      await readUntilAborted(run, bytes, signal)
    } finally {
      bytes.destroy()
      progress.end()
    }
  }

  stop(): void {
    this.#stopping.abort()
  }
}

interface StdinOptions extends LineFeedOptions {
  /** Another stream of bytes than the standard input. */
  readonly input?: Readable
}

/**
 * Feed `stdin`: event lines or recorded chain data, one JSON object a line, taken as they come.
 * While the engine is busy the pipe fills and the writer waits. Ends at the end of the input.
 */
export class StdinFeed implements Feed {
  readonly name = 'stdin'
  readonly #options: StdinOptions
  readonly #stopping = new AbortController()

  constructor(options: StdinOptions) {
    this.#options = options
  }

  /** @throws when the sink fails */
  async start(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping
    if (signal.aborted) return
    const run = new LineRun(sink, {
      ...this.#options,
      pacer: new Pacer('max'),
      signal,
      progress: null,
      documentCharactersMax: 0,
    })
    await readUntilAborted(run, this.#options.input ?? process.stdin, signal)
  }

  stop(): void {
    this.#stopping.abort()
  }
}

/** Reads a stream to its end; an abort destroys it. */
async function readUntilAborted(run: LineRun, bytes: Readable, signal: AbortSignal): Promise<void> {
  const destroy = () => bytes.destroy()
  signal.addEventListener('abort', destroy)
  try {
    await run.read(bytes)
  } finally {
    signal.removeEventListener('abort', destroy)
  }
}
