import type { EventSink } from '../src/engine/event-sink.ts'
import { RecordBatch } from '../src/engine/record-batch.ts'

/** Hands swaps on in small batches, as a feed that sees a few at a time does. */
export class SmallBatches implements EventSink {
  readonly #sink: EventSink
  readonly #batch: RecordBatch

  constructor(sink: EventSink, swaps: number) {
    this.#sink = sink
    this.#batch = new RecordBatch(swaps)
  }

  events(batch: Parameters<EventSink['events']>[0]): void {
    this.#sink.events(batch)
  }

  records(batch: RecordBatch): void {
    const part = this.#batch
    const lanes = part.u32.length / part.capacity
    for (let from = 0; from < batch.count; from += part.capacity) {
      const to = Math.min(batch.count, from + part.capacity)
      part.u32.set(batch.u32.subarray(from * lanes, to * lanes))
      part.count = to - from
      this.#sink.records(part)
    }
  }
}
