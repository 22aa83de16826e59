import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { RecordedValues } from '../../../src/feeds/replay/recorded-value.ts'
import type { Source } from '../../../src/feeds/supervisor/source.ts'
import { Supervisor } from '../../../src/feeds/supervisor/supervisor.ts'
import type { Timers } from '../../../src/feeds/timers.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { everyRead } from '../../model/every-read.ts'
import { EngineSink } from '../../recorded/engine-sink.ts'
import { withoutGaps } from '../without-gaps.ts'

/** A run that has not reached the last slot by then has failed. */
const PATIENCE_MS = 150_000

/** Remembers few swaps: making room for a million takes longer than these runs do. */
const IDENTITIES = 1 << 12

function newEngine(): Engine {
  return new Engine({ clock: 'event', identities: IDENTITIES })
}

export interface FeedOutcome {
  /** Of the state; gaps are left out of it, unless later slots go on without them. */
  readonly digest: string
  /** Of all answers: rows of what came behind later events stand elsewhere in the state. */
  readonly answers: () => string
  readonly events: readonly FeedEvent[]
  readonly figures: Readonly<Record<string, number>>
  readonly reports: readonly string[]
}

/** Runs live sources into an engine until `lastSlot` is handed over. */
export async function runFeed(
  sources: readonly Source[],
  timers: Timers,
  lastSlot: number,
  cursor: number | null = null,
  gapWaitMs?: number,
): Promise<FeedOutcome> {
  const engine = newEngine()
  const inner = new EngineSink(engine)
  const sink = gapWaitMs === undefined ? withoutGaps(inner) : inner
  const reports: string[] = []
  const report = (who: string, reason: string) => reports.push(`${who}: ${reason}`)
  const supervisor = new Supervisor({
    ...{ sources, cursor, report, timers, backfillSlotsMax: 9_000 },
    ...(gapWaitMs !== undefined && { gapWaitMs }),
  })
  const ended = supervisor.start(sink)
  const untilMs = performance.now() + PATIENCE_MS
  const isFilled = () => supervisor.figures().feed_gaps_behind === 0
  while ((supervisor.cursor ?? -1) < lastSlot || !isFilled()) {
    if (performance.now() > untilMs) {
      supervisor.stop()
      const figures = JSON.stringify(supervisor.figures())
      throw new Error(`slot ${lastSlot} was not reached: ${figures} ${reports.join('; ')}`)
    }
    await sleep(1)
  }
  supervisor.stop()
  await ended
  const figures = supervisor.figures()
  const events = inner.taken.filter(({ type }) => type !== 'gap')
  const answers = () => answersOf(engine, events)
  return { digest: stateDigest(engine.parts), events, figures, reports, answers }
}

/** What a replay of these lines comes to. */
export function replayOf(
  lines: readonly string[],
): Pick<FeedOutcome, 'digest' | 'events' | 'answers'> {
  const engine = newEngine()
  const values = new RecordedValues(newFeedCounters())
  const events: FeedEvent[] = []
  for (const line of lines) {
    const found = values.eventsOf(JSON.parse(line))
    if ('error' in found) throw new Error(found.error)
    events.push(...found)
  }
  events.push(...values.ended())
  engine.events(events)
  return { digest: stateDigest(engine.parts), events, answers: () => answersOf(engine, events) }
}

export function answersOf(engine: Engine, events: readonly FeedEvent[]): string {
  const hash = createHash('sha256')
  for (const [question, answer] of everyRead(engine, events)) hash.update(`${question} ${answer}\n`)
  return hash.digest('hex')
}

/** Whether reports say of a slot that it is given up. */
export function isGivenUp(reports: readonly string[], slot: number): boolean {
  const given = reports.map((report) => /slots (\d+) to (\d+) are given up/.exec(report))
  return given.some(
    (match) => match !== null && slot >= Number(match[1]) && slot <= Number(match[2]),
  )
}
