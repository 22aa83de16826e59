import { PassThrough, Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { eventLineText, type FeedEvent, type Gap } from '../../../src/events/event.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { StdinFeed } from '../../../src/feeds/replay/replay.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { EngineStreams } from '../../../src/query/engine-streams.ts'
import { START_SECOND, swap } from '../../oracle/fixtures.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { until } from '../until.ts'

const gap = (state: Gap['state']): Gap => ({
  ...{ type: 'gap', fromSlot: 900, toSlot: 950, state, timestamp: START_SECOND },
})
const trades = (mint: string, slots: readonly number[]) =>
  slots.map((slot, i) => swap({ mint, slot, txIndex: i, signature: `${mint} ${slot} ${i}` }))
const TEN = Array.from({ length: 10 }, (_, i) => 1_000 + i)

/** Reads lines into an engine; what a follower of a mint is told as its present seq between two turns. */
async function headsOf(mint: string, events: readonly FeedEvent[]) {
  const engine = new Engine({ clock: 'event' })
  const streams = new EngineStreams(engine, new EngineQueries(engine, () => {}), () => 'epoch')
  streams.attach()
  let told = 0
  engine.facts.on('trade', () => {
    told += 1
  })
  const heads: number[] = []
  const text = events.map((event) => `${eventLineText(event)}\n`).join('')
  const input = Readable.from([Buffer.from(text)])
  await new StdinFeed({ input, report: () => {}, counters: newFeedCounters() }).start({
    events(batch) {
      engine.events(batch)
      heads.push(streams.sources.update_mint_info.head(mint))
    },
    records: (batch) => engine.records(batch),
  })
  return { heads, told }
}

test('lines that fill a gap take nothing back between two turns of the loop', async () => {
  const { heads } = await headsOf('a', [
    ...trades('a', TEN),
    gap('open'),
    ...trades('a', [1_010]),
    gap('filling'),
    ...trades('a', [900]),
    ...trades('b', Array(2_500).fill(901)),
    gap('filled'),
  ])
  expect(Math.min(...heads)).toBeGreaterThanOrEqual(11)
  expect(heads.at(-1)).toBe(12)
})

test('lines that end within what fills a gap leave every trade in its place', async () => {
  const { heads, told } = await headsOf('a', [
    ...trades('a', TEN),
    gap('open'),
    gap('filling'),
    ...trades('a', [900]),
  ])
  expect(heads.at(-1)).toBe(11)
  expect(told).toBe(11)
})

test('trades behind a gap are told though the end of what fills it never comes', () => {
  const engine = new Engine({ clock: 'event' })
  let told = 0
  engine.facts.on('trade', () => {
    told += 1
  })
  const later = Array.from({ length: 100 }, (_, i) => 1_002 + i)
  engine.events([...trades('a', [1_000]), gap('open'), ...trades('a', [1_001])])
  engine.events([gap('filling'), ...trades('a', [900])])
  expect(told).toBe(2)
  for (const event of trades('a', later)) engine.events([event])
  expect(told).toBe(103)
  expect(engine.areFactsWaiting).toBe(false)
})

test('lines behind a gap are taken though the end of what fills it never comes, while the input goes on', async () => {
  const input = new PassThrough()
  const sink = new CollectingSink()
  const feed = new StdinFeed({ input, report: () => {}, counters: newFeedCounters() })
  const ended = feed.start(sink)
  const lines = [gap('open'), gap('filling'), ...trades('a', [900]), ...trades('a', [951, 952])]
  for (const event of lines) input.write(`${eventLineText(event)}\n`)
  await until(() => sink.all.length === lines.length)
  expect(sink.all.map((event) => 'slot' in event && event.slot)).toEqual([
    ...[false, false, 900, 951, 952],
  ])
  input.end()
  await ended
  expect(sink.all).toHaveLength(lines.length)
})
