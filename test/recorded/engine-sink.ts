import type { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import type { EventSink } from '../../src/events/event-sink.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { ReplayFeed } from '../../src/feeds/replay/replay.ts'

/** Folds what a feed hands over, and keeps it. */
export class EngineSink implements EventSink {
  readonly taken: FeedEvent[] = []
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  events(batch: readonly FeedEvent[]): void {
    for (const event of batch) this.#engine.accept(event)
    this.taken.push(...batch)
  }

  records(): void {
    throw new Error('a replay hands over events')
  }
}

/** Replays a recorded file into an engine as fast as it goes. */
export async function replayInto(engine: Engine, file: string) {
  const sink = new EngineSink(engine)
  const counters = newFeedCounters()
  const reported: string[] = []
  const report = (line: number, reason: string) => reported.push(`${line}: ${reason}`)
  await new ReplayFeed({ file, speed: 'max', report, counters }).start(sink)
  return { events: sink.taken, counters, reported }
}
