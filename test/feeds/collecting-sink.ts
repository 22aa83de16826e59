import type { FeedEvent, Swap } from '../../src/events/event.ts'
import type { EventSink } from '../../src/events/event-sink.ts'

/** A sink that keeps what it is given. */
export class CollectingSink implements EventSink {
  readonly batches: FeedEvent[][] = []

  events(batch: readonly FeedEvent[]): void {
    this.batches.push([...batch])
  }

  records(): void {
    throw new Error('these feeds hand over events')
  }

  get all(): FeedEvent[] {
    return this.batches.flat()
  }

  get swaps(): Swap[] {
    return this.all.filter((event) => event.type === 'swap')
  }
}
