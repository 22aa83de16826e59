import { expect, test } from 'vitest'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { RecordedValues } from '../../../src/feeds/replay/recorded-value.ts'
import { dataLines, hasData, withData } from '../data-folder.ts'
import { SeededRandom } from '../seeded-random.ts'
import { portalMarket } from './portal-market.ts'
import { digestOf, PortalRun } from './portal-run.ts'

/** Sends frames through a server and replays the same ones as lines of a recording. */
async function bothWays(frames: readonly string[]) {
  const run = await PortalRun.start()
  try {
    for (const frame of frames) run.send(frame)
    await run.settled()
    const counters = newFeedCounters()
    const values = new RecordedValues(counters)
    const replayed = run.sent.flatMap(({ text, seconds }) => {
      const events = values.eventsOf({ t_wall: seconds + 0.75, raw: text })
      if ('error' in events) throw new Error(events.error)
      return events
    })
    return { live: run.sink.all, replayed, counters }
  } finally {
    await run.end()
  }
}

test('frames of a recording replay to the state that they made live', async () => {
  const frames = portalMarket(new SeededRandom(11)).map(({ text }) => text)
  const { live, replayed, counters } = await bothWays([
    '{"message":"Successfully subscribed to token creation events."}',
    ...frames,
  ])
  expect(replayed.length).toBeGreaterThan(frames.length - 1)
  expect(digestOf(replayed)).toBe(digestOf(live))
  expect(counters.ignoredLines).toBe(1)
})

test.each([undefined, null, -1, 2 ** 32, '1790000000'])(
  'a frame of which the time of its arrival is %j is a bad line',
  (t_wall) => {
    const values = new RecordedValues(newFeedCounters())
    const [{ text }] = portalMarket(new SeededRandom(12))
    expect(values.eventsOf({ t_wall, raw: text })).toMatchObject({
      error: expect.stringContaining('t_wall'),
    })
  },
)

test('a frame may stand in a recording as it is, and what answers a subscription is neither event nor bad', () => {
  const counters = newFeedCounters()
  const [{ text }] = portalMarket(new SeededRandom(12))
  const eventsOf = (raw: unknown) =>
    new RecordedValues(counters).eventsOf({ t_wall: 1_790_000_000, raw })
  expect(eventsOf(JSON.parse(text))).toEqual(eventsOf(text))
  expect(eventsOf(text)).not.toEqual([])
  for (const answer of ['{"message":"Successfully subscribed"}', '{"errors":"no funds"}'])
    expect(eventsOf(answer)).toEqual([])
  expect(counters.ignoredLines).toBe(2)
})

test.skipIf(!hasData)(
  `a recorded session through a server makes the state of its file${withData}`,
  async () => {
    const lines = dataLines('jouleka-memecoin-bot', 'session1.jsonl')
    const { live, replayed } = await bothWays(lines.map((line) => String(JSON.parse(line).raw)))
    expect(live.filter(({ type }) => type === 'token_created')).toHaveLength(187)
    expect(digestOf(replayed)).toBe(digestOf(live))
  },
)
