import type { RecordSink } from '../src/events/event-sink.ts'
import { RecordBatch } from '../src/events/swap-record.ts'

/** Hands swaps on in small batches, as a feed that sees a few at a time does. */
export class SmallBatches implements RecordSink {
  readonly #sink: RecordSink
  readonly #batch: RecordBatch

  constructor(sink: RecordSink, swaps: number) {
    this.#sink = sink
    this.#batch = new RecordBatch(swaps)
  }

  records(batch: RecordBatch): void {
    const part = this.#batch
    batch.walk(
      (from, to) => {
        for (let next = from; next < to; ) {
          const end = Math.min(to, next + part.capacity - part.count)
          this.#copy(batch, next, end)
          next = end
          if (part.isFull) this.#handOn()
        }
      },
      (event) => {
        if (event.type !== 'swap') part.addOther(event)
      },
    )
    if (part.events > 0) this.#handOn()
  }

  #copy(batch: RecordBatch, from: number, to: number): void {
    const part = this.#batch
    const lanes = batch.u32.subarray(RecordBatch.u32At(from), RecordBatch.u32At(to))
    part.u32.set(lanes, RecordBatch.u32At(part.count))
    part.count += to - from
  }

  #handOn(): void {
    this.#sink.records(this.#batch)
    this.#batch.clear()
  }
}
