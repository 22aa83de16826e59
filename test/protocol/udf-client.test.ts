import { afterAll, beforeAll, expect, test } from 'vitest'
import { RESOLUTIONS } from '../../src/protocol/queries.ts'
import { udfSymbolJson } from '../../src/protocol/udf-json.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from '../server/engine-server.ts'
import { startFake } from '../server/fake-service.ts'
import { UdfClient, UdfRefusal, type UdfSymbolInfo } from '../server/udf-client.ts'

const MINT = 'So1ChartMintWithBothCasesPump'
const MINUTE = 60
const DAY = 86_400
/** A trade each second. */
const SECONDS = 600
const END = START_SECOND + SECONDS

let service: EngineServer
let udf: UdfClient
let symbol: UdfSymbolInfo

beforeAll(async () => {
  service = await EngineServer.start()
  udf = new UdfClient(`${service.server.url}/udf`)
  service.feed([price(100), created({ slot: 1, mint: MINT, symbol: 'ChArT', name: 'A chart' })])
  service.feed(
    Array.from({ length: SECONDS }, (_, i) =>
      swap({ mint: MINT, slot: 10 + i, txIndex: 0, timestamp: START_SECOND + i }),
    ),
  )
  symbol = await udf.symbol(MINT)
})

afterAll(() => service.server.stop())

test('the configuration asks for search, and for no groups, marks or quotes', async () => {
  const config = await udf.config()
  expect(config.supported_resolutions).toEqual(RESOLUTIONS)
  expect(config.exchanges.map(({ value }) => value)).toEqual([symbol.exchange])
  expect(config.symbols_types.map(({ value }) => value)).toEqual([symbol.type])
  expect(await udf.time()).toBe(service.engine.state.now)
})

test('a search in capitals finds a symbol that can be resolved by each of its names', async () => {
  const { exchanges, symbols_types } = await udf.config()
  for (const typed of ['chart', MINT])
    for (const [exchange, type] of [
      ['', ''],
      [exchanges[0].value, symbols_types[0].value],
    ]) {
      const found = await udf.search(typed, exchange, type)
      expect(found).toHaveLength(1)
      const [{ ticker, full_name }] = found
      expect(ticker).toBe(MINT)
      expect(await udf.symbol(ticker)).toEqual(symbol)
      expect(await udf.symbol(full_name, { currencyCode: 'USD' })).toEqual(symbol)
      // The box of a chart writes what is typed in capitals.
      expect(await udf.symbol(full_name.toUpperCase())).toEqual(symbol)
    }
  expect(await udf.search('', '', '')).toEqual([])
  expect(await udf.search('chart', 'NYSE', '')).toEqual([])
  expect(await udf.search('chart', '', 'stock')).toEqual([])
})

test.each([
  ['1S', 1],
  ['1', MINUTE],
  ['60', 60 * MINUTE],
  ['1D', DAY],
  ['D', DAY],
])('history of resolution %s has so many bars as are counted back', async (resolution, width) => {
  const first = START_SECOND - (START_SECOND % width)
  const count = Math.min(3, Math.ceil(SECONDS / width))
  // As the pulse of the adapter: two bars, of ten widths.
  for (const countBack of [2, 3]) {
    const period = { from: END - 10 * width, to: END, countBack }
    const { bars, noData } = await udf.bars(symbol, resolution, period)
    expect(noData).toBe(false)
    const wanted = Math.min(countBack, count)
    const last = END - 1 - ((END - 1) % width)
    expect(bars.map(({ time }) => time)).toEqual(
      Array.from({ length: wanted }, (_, i) => last - (wanted - 1 - i) * width),
    )
    for (const { time, open, high, low, close, volume } of bars) {
      expect(time).toBeGreaterThanOrEqual(first)
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close))
      expect(low).toBeLessThanOrEqual(Math.min(open, close))
      expect(low).toBeGreaterThan(0)
      expect(volume).toBeGreaterThan(0)
    }
  }
})

test('history without a count is the span; before the epoch is no error', async () => {
  const from = START_SECOND + 60
  const { bars } = await udf.bars(symbol, '1', { from, to: from + 120 })
  expect(bars.map(({ time }) => time)).toEqual([from, from + 60])
  const all = await udf.bars(symbol, '1M', { from: -9_000_000_000, to: END, countBack: 300 })
  expect(all.bars).toHaveLength(1)
})

test('a span without bars has no data, and tells the bar before it', async () => {
  const gap = { from: END + DAY, to: END + DAY + 600 }
  expect(await udf.bars(symbol, '1', gap)).toEqual({
    bars: [],
    noData: true,
    nextTime: END - 1 - ((END - 1) % MINUTE),
  })
  const before = { from: START_SECOND - 2 * DAY, to: START_SECOND - DAY }
  const none = { bars: [], noData: true, nextTime: undefined }
  expect(await udf.bars(symbol, '1', before)).toEqual(none)
  expect(await udf.bars(symbol, '1', { ...before, countBack: 329 })).toEqual(none)
})

test('whatever is refused has the shape of UDF, and a sentence', async () => {
  const refused = async (asked: Promise<unknown>) => {
    await expect(asked).rejects.toThrow(UdfRefusal)
  }
  await expect(udf.symbol('nobody')).rejects.toThrow(new UdfRefusal('unknown_symbol'))
  const span = { from: START_SECOND, to: END }
  await refused(udf.bars(symbol, '7', span))
  await refused(udf.bars(symbol, '1', { from: END, to: START_SECOND }))
  await refused(udf.bars(symbol, '1', { from: END * 1000, to: END * 1000 }))
  await refused(udf.bars(symbol, '1', { ...span, countBack: -1 }))
  await refused(udf.bars({ ...symbol, ticker: '' }, '1', span))
  for (const path of ['history', 'symbols', 'symbols?symbol=%ff', 'search?query=a&query=b'])
    await refused(udf.raw(path))
  // What the configuration says is not there.
  for (const path of ['symbol_info?group=mintfeed', 'marks', 'timescale_marks'])
    await refused(udf.raw(path))
})

test('a service that starts, or has had enough of a client, says so in the shape of UDF', async () => {
  const fake = await startFake({ rateLimit: { limit: 2, windowMs: 60_000 } })
  const asked = new UdfClient(`${fake.server.url}/udf`)
  fake.starting = true
  await expect(asked.symbol('A')).rejects.toThrow(UdfRefusal)
  fake.starting = false
  fake.body = () => {
    throw new Error('a defect')
  }
  await expect(asked.bars(symbol, '1', { from: 1, to: 2 })).rejects.toThrow(UdfRefusal)
  await expect(asked.symbol('A')).rejects.toThrow(UdfRefusal)
  await expect(asked.symbol('A')).rejects.toThrow(/requests/)
  const plain = await fetch(`${fake.server.url}/api/v2/nothing`)
  expect(Object.keys(Object(await plain.json()))).not.toContain('errmsg')
  await fake.server.stop()
})

test.each([
  [0, 9],
  [1e-30, 16],
  [0.000_004_2, 10],
  [0.5, 5],
  [1, 4],
  [63.2, 3],
  [5_000_000, 2],
])('a price of %d is shown with %i digits behind the point', (priceUsd, digits) => {
  const told: unknown = JSON.parse(udfSymbolJson('A', { name: 'n', symbol: 's', priceUsd }))
  expect(told).toMatchObject({ pricescale: 10 ** digits, minmov: 1 })
})
