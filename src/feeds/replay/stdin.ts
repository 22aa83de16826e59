import type { Readable } from 'node:stream'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import type { FeedCounters } from '../feed-counters.ts'
import type { ReportLine } from '../lines/line-splitter.ts'
import { Pacer } from '../lines/pacer.ts'
import { LineRun } from './line-run.ts'

interface StdinOptions {
  readonly report: ReportLine
  readonly counters: FeedCounters
  /** Told of events that no layout knows. */
  readonly forms?: NewForms
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
    const { report, counters, forms } = this.#options
    const { signal } = this.#stopping
    if (signal.aborted) return
    const input = this.#options.input ?? process.stdin
    const destroy = () => input.destroy()
    signal.addEventListener('abort', destroy)
    const pacer = new Pacer('max')
    const run = new LineRun(sink, {
      counters,
      forms,
      report,
      pacer,
      signal,
      progress: null,
      documentCharactersMax: 0,
    })
    try {
      await run.read(input)
    } finally {
      signal.removeEventListener('abort', destroy)
    }
  }

  stop(): void {
    this.#stopping.abort()
  }
}
