import type { EventSink, Feed } from '../../events/event-sink.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { checkInputFile, openInputFile } from '../lines/input-file.ts'
import type { ReportLine } from '../lines/line-splitter.ts'
import { Pacer } from '../lines/pacer.ts'
import { Progress, type ProgressOutput } from '../lines/progress.ts'
import { DOCUMENT_CHARACTERS_MAX, LineRun } from './line-run.ts'

interface ReplayOptions {
  /** Plain, `.gz` or `.zst`. */
  readonly file: string
  /** Factor of real time above 0, or as fast as the engine takes it. */
  readonly speed: number | 'max'
  readonly report: ReportLine
  readonly counters: FeedCounters
  /** Where a terminal shows how far it is; null: nowhere, as between lines of JSON. */
  readonly progress?: ProgressOutput | null
  /** Told of events that no layout knows. */
  readonly forms?: NewForms
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
    const {
      file,
      speed,
      report,
      counters,
      forms,
      progress: output = process.stderr,
    } = this.#options
    const { signal } = this.#stopping
    if (signal.aborted) return
    const reason = checkInputFile(file)
    if (reason !== null) throw new Error(reason)
    const { bytes, sizeBytes, bytesRead } = openInputFile(file)
    const progress = new Progress(output, () => bytesRead() / Math.max(sizeBytes, 1))
    const destroy = () => bytes.destroy()
    signal.addEventListener('abort', destroy)
    const pacer = new Pacer(speed)
    const run = new LineRun(sink, {
      counters,
      forms,
      report,
      pacer,
      signal,
      progress,
      documentCharactersMax: DOCUMENT_CHARACTERS_MAX,
    })
    try {
      await run.read(bytes)
    } finally {
      signal.removeEventListener('abort', destroy)
      bytes.destroy()
      progress.end()
    }
  }

  stop(): void {
    this.#stopping.abort()
  }
}
