import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { eventLineText, type FeedEvent, type Gap } from '../../../src/events/event.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { ReplayFeed, StdinFeed } from '../../../src/feeds/replay/replay.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { EngineStreams } from '../../../src/query/engine-streams.ts'
import { newFolder } from '../../new-folder.ts'
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

test('a recording goes on at its pace behind a gap that was filled ten minutes later', async () => {
  const now = START_SECOND + 600
  const behind = (slot: number) => swap({ slot, signature: `b${slot}`, timestamp: now })
  const lines = [behind(3_000), gap('open'), gap('filling'), ...trades('a', [900]), gap('filled')]
  const events = [...lines, behind(3_001)]
  const file = join(newFolder(), 'recording.ndjson')
  writeFileSync(file, events.map((event) => `${eventLineText(event)}\n`).join(''))
  const sink = new CollectingSink()
  const about = { file, speed: 1, report: () => {}, counters: newFeedCounters(), progress: null }
  await new ReplayFeed(about).start(sink)
  expect(sink.all).toHaveLength(events.length)
})
