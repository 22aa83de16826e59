import type { FeedEvent } from '../../events/event.ts'
import type { EventSink } from '../../events/event-sink.ts'
import type { RecordBatch } from '../../events/record-batch.ts'

/** Shows events to somebody once the sink has taken them. */
export class ObservedSink implements EventSink {
  readonly #sink: EventSink
  readonly #observe: (events: readonly FeedEvent[]) => void

  constructor(sink: EventSink, observe: (events: readonly FeedEvent[]) => void) {
    this.#sink = sink
    this.#observe = observe
  }

  events(batch: readonly FeedEvent[]): void {
    this.#sink.events(batch)
    this.#observe(batch)
  }

  records(batch: RecordBatch): void {
    this.#sink.records(batch)
  }
}
