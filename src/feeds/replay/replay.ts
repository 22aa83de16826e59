/**
 * feeds/replay: FEED=replay:<file> and FEED=stdin. In: lines of JSON, each an event line, a transaction or a recorded frame of a
 * live feed; a file may be plain, `.gz` or `.zst` (input-file.ts). Out: batches of events, paced by their times. `LineRun` reads
 * lines, `RecordedValues` makes events of frames and chooses between feeds that recorded the same trade. A line that cannot be
 * read is reported with its number and stops nothing; a file that breaks off is an error after all that it held.
 */

import type { Readable } from 'node:stream'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import { checkInputFile, openInputFile } from './input-file.ts'
import { LineRun, type LineRunOptions } from './line-run.ts'

/** Characters that are buffered of a file that is one JSON value. */
const DOCUMENT_CHARACTERS_MAX = 256 * 1024 * 1024

type LineFeedOptions = Pick<LineRunOptions, 'report' | 'counters' | 'forms' | 'whenRoom'>

interface ReplayOptions extends LineFeedOptions, Pick<LineRunOptions, 'speed'> {
  /** Plain, `.gz` or `.zst`. */
  readonly file: string
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
    const { file, progress: output = process.stderr } = this.#options
    const { signal } = this.#stopping
    if (signal.aborted) return
    const reason = checkInputFile(file)
    if (reason !== null) throw new Error(reason)
    const { bytes, sizeBytes, bytesRead } = openInputFile(file)
    const progress = new Progress(output, () => bytesRead() / Math.max(sizeBytes, 1))
    const run = new LineRun(sink, {
      ...this.#options,
      signal,
      onLines: (lines) => progress.update(lines),
      documentCharactersMax: DOCUMENT_CHARACTERS_MAX,
    })
    try {
      await run.read(bytes)
    } finally {
      bytes.destroy()
      progress.end()
    }
  }

  stop(): void {
    this.#stopping.abort()
  }
}

/**
 * Feed `stdin`: event lines or recorded chain data, one JSON object a line, taken as they come.
 * While the engine is busy the pipe fills and the writer waits. Ends at the end of the input.
 */
export class StdinFeed implements Feed {
  readonly name = 'stdin'
  readonly #options: LineFeedOptions
  readonly #input: Readable | null
  readonly #stopping = new AbortController()

  /** @param options `input` is another stream of bytes than the standard input */
  constructor({ input, ...options }: LineFeedOptions & { readonly input?: Readable }) {
    this.#options = options
    this.#input = input ?? null
  }

  /** @throws when the sink fails */
  async start(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping
    if (signal.aborted) return
    const given = { ...this.#options, speed: 'max', signal, documentCharactersMax: 0 } as const
    await new LineRun(sink, given).read(this.#input ?? process.stdin)
  }

  stop(): void {
    this.#stopping.abort()
  }
}

const SHOW_EVERY_MS = 500

/** The part of a terminal that progress needs; `process.stderr` is one. */
interface ProgressOutput {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Shows rows, rate and time left on a terminal, and nothing anywhere else. */
export class Progress {
  readonly #output: ProgressOutput | null
  readonly #fraction: () => number
  readonly #startMs = performance.now()
  #shownMs = this.#startMs
  #hasShown = false

  /** `output` null: it is shown nowhere; `fraction` is the part of the input that was read, 0 to 1. */
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
function progressText(rows: number, elapsedSeconds: number, fraction: number): string {
  const rate = Math.round(rows / Math.max(elapsedSeconds, 0.001))
  const percent = Math.min(Math.floor(fraction * 100), 100)
  const left = fraction > 0 ? Math.ceil((elapsedSeconds * (1 - fraction)) / fraction) : null
  const tail = left === null ? '' : `, ${Math.max(left, 0)} s left`
  return `${rows} rows, ${rate} rows/s, ${percent} %${tail}`
}
