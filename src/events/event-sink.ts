import type { FeedEvent } from './event.ts'
import type { RecordBatch } from './swap-record.ts'

/** Takes the events of a feed; behind it are journal and engine. */
export interface EventSink {
  /**
   * Takes events in the order given: journal, fold, publish, all before it returns.
   * A feed hands over what it has decoded since its last call (a frame, a read of a file, a tick).
   */
  events(batch: readonly FeedEvent[]): void
  /** The fast path of feeds that write binary records themselves (the simulator). Same rules. */
  records(batch: RecordBatch): void
}

/** A sink for feeds that put everything into batches of records. */
export type RecordSink = Pick<EventSink, 'records'>

/** One source of events. `start` resolves when the feed has ended by itself or was stopped. */
export interface Feed {
  /** As in `FEED`, for logs and metrics. */
  readonly name: string
  start(sink: EventSink): Promise<void>
  stop(): void
  /** Its counts by name, for metrics. */
  figures?(): Readonly<Record<string, number>>
  /** Why its events are not those of the chain now, in one sentence; null: they are. */
  notLive?(): string | null
}
