import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Service } from '../../../src/app/service.ts'
import { type FeedEvent, type Gap, gapEvent } from '../../../src/events/event.ts'
import { RecordBatch } from '../../../src/events/swap-record.ts'
import { fixedPrice, PricedSink, readPriceFile } from '../../../src/feeds/sol-price/priced-sink.ts'
import { newFolder } from '../../new-folder.ts'
import { START_SECOND } from '../../oracle/fixtures.ts'
import { CollectingSink } from '../collecting-sink.ts'

const SERIES = [
  { timestamp: 1_000, usd: 150 },
  { timestamp: 2_000, usd: 160 },
  { timestamp: 3_000, usd: 170 },
]

function at(timestamp: number): FeedEvent {
  return { type: 'metadata', timestamp, mint: 'mint' }
}

/** What comes out, prices as numbers and other events as their times in text. */
function passed(series: typeof SERIES, batches: readonly (readonly FeedEvent[])[]): unknown[] {
  const sink = new CollectingSink()
  const priced = new PricedSink(sink, series)
  for (const batch of batches) priced.events(batch)
  return sink.all.map((event) => (event.type === 'sol_price' ? event.usd : `${event.timestamp}`))
}

test('a price comes before the first event of its time', () => {
  expect(
    passed(SERIES, [
      [at(1_500), at(1_999), at(2_000)],
      [at(2_500), at(9_000)],
    ]),
  ).toEqual([150, '1500', '1999', 160, '2000', '2500', 170, '9000'])
})

test('the first price holds before its time too, and changes in a gap are not told one by one', () => {
  expect(passed(SERIES, [[at(10), at(3_500)]])).toEqual([150, '10', 170, '3500'])
})

test('a late event does not bring an old price back, another recording does', () => {
  expect(passed(SERIES, [[at(2_001), at(1_990), at(2_002), at(1_100)]])).toEqual([
    160,
    '2001',
    '1990',
    '2002',
    150,
    '1100',
  ])
})

function gap(state: Gap['state'], timestamp: number): FeedEvent {
  return gapEvent(state, { from: 11, to: 12, seconds: timestamp })
}

test('what fills an old gap has the prices of its own time, and what comes behind the present one', () => {
  const fill = [gap('filling', 1_400), at(1_300), at(2_100), gap('filled', 1_400)]
  expect(passed(SERIES, [[at(3_001)], fill, [at(3_002)]])).toEqual([
    ...[170, '3001', '1400', 150, '1300', 160, '2100', 170, '1400', '3002'],
  ])
})

test('a gap that is told open or lost long after brings no old price back', () => {
  const told = [gap('open', 1_400), gap('lost', 1_400), gap('filled', 1_400)]
  expect(passed(SERIES, [[at(3_001), ...told]])).toEqual([170, '3001', '1400', '1400', '1400'])
})

test('a fill that never ends keeps the price of no later time back', () => {
  const behind = [at(3_001), gap('filled', 1_400)]
  expect(passed(SERIES, [[at(2_001), gap('filling', 1_400)], behind])).toEqual([
    ...[160, '2001', '1400', 170, '3001', '1400'],
  ])
})

test('a price is not told with an event that is refused as too far ahead, but with the first one that is not', () => {
  let now = START_SECOND
  const service = new Service({ clock: 'wall', lateSlots: 32 }, undefined, () => now * 1_000)
  const { engine } = service
  const isAhead = (timestamp: number) => service.isAhead(timestamp)
  const priced = new PricedSink(service, fixedPrice(150), isAhead)
  // A feed that goes by the right time, on a machine whose clock is not set yet.
  priced.events([at(now + 3_600), at(now + 3_601)])
  expect([engine.state.solPriceUsd, engine.counts.aheadRefused]).toEqual([0, 2])
  now += 3_600
  priced.events([at(now + 3_600), at(now)])
  expect([engine.state.solPriceUsd, engine.counts.aheadRefused]).toEqual([150, 3])
})

test('a price of a later time is not told with an event that is refused', () => {
  const sink = new CollectingSink()
  const priced = new PricedSink(sink, SERIES, (timestamp) => timestamp > 2_030)
  priced.events([at(2_960), at(1_950), at(3_000), at(1_960)])
  const usd = sink.all.flatMap((event) => (event.type === 'sol_price' ? [event.usd] : []))
  expect(usd).toEqual([150])
})

test('prices that the feed brings itself are left out', () => {
  const own: FeedEvent = { type: 'sol_price', timestamp: 5, usd: 1 }
  const sink = new CollectingSink()
  const priced = new PricedSink(sink, fixedPrice(123.5))
  priced.events([own])
  expect(sink.batches).toEqual([])
  priced.events([own, at(7), own, at(8)])
  expect(sink.all).toEqual([{ type: 'sol_price', timestamp: 7, usd: 123.5 }, at(7), at(8)])
})

test('prices come before the events between records, and those of the feed are left out', () => {
  const batch = new RecordBatch(3)
  batch.addOther({ type: 'metadata', timestamp: 1_500, mint: 'mint' })
  batch.next()
  batch.addOther({ type: 'sol_price', timestamp: 1_600, usd: 1 })
  batch.addOther({ type: 'metadata', timestamp: 1_700, mint: 'mint' })
  batch.next()
  batch.next()
  batch.addOther({ type: 'metadata', timestamp: 2_000, mint: 'mint' })
  const passed: unknown[] = []
  const sink = {
    events: () => {},
    records: (given: RecordBatch) =>
      given.walk(
        (from, to) => passed.push([from, to]),
        (event) => passed.push(event.type === 'sol_price' ? event.usd : `${event.timestamp}`),
      ),
  }
  new PricedSink(sink, SERIES).records(batch)
  expect(passed).toEqual([150, '1500', [0, 1], '1700', [1, 3], 160, '2000'])
})

test('a price file is read in any order, and a wrong line is named', () => {
  const folder = newFolder()
  const path = join(folder, 'prices.txt')
  writeFileSync(path, '# hourly\n2000 160\n\n1000,150.5\r\n')
  expect(readPriceFile(path)).toEqual([
    { timestamp: 1_000, usd: 150.5 },
    { timestamp: 2_000, usd: 160 },
  ])
  for (const [text, reason] of [
    ['1000 150\n1001 x\n', 'line 2 of'],
    ['1000 0\n', 'line 1 of'],
    ['# nothing\n', '0 prices'],
  ]) {
    writeFileSync(path, text)
    expect(() => readPriceFile(path)).toThrow(reason)
  }
  expect(() => readPriceFile(join(folder, 'none'))).toThrow('cannot be read')
})
