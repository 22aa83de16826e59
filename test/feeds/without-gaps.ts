import type { EventSink } from '../../src/events/event-sink.ts'

/** Hands on all but what is said of gaps, for tests of what was delivered. */
export function withoutGaps(sink: EventSink): EventSink {
  return {
    events: (batch) => sink.events(batch.filter(({ type }) => type !== 'gap')),
    records: (batch) => sink.records(batch),
  }
}
