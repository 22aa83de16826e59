import { afterAll, beforeAll, expect, test } from 'vitest'
import { created, price, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'
import { UdfClient, UdfRefusal } from './udf-client.ts'

const DAY = 86_400
/** Begins a day. */
const TODAY = 1_764_028_800
const [TRADED, QUIET, NEW, UNPRICED] = ['A', 'B', 'C', 'D']

let service: EngineServer
let udf: UdfClient

/** A trade at a price: so many lamports a raw unit, in 1/1000 of those of the fixtures. */
let slot = 10
const trade = (mint: string, timestamp: number, thousandths: number) => {
  slot += 1
  const quoteRaw = 30_000_000n * BigInt(thousandths)
  return swap({ mint, slot, txIndex: 0, timestamp, virtualQuoteRaw: quoteRaw })
}

beforeAll(async () => {
  service = await EngineServer.start()
  udf = new UdfClient(`${service.server.url}/udf`)
  service.feed([
    created({ slot: 2, txIndex: 0, mint: UNPRICED, timestamp: TODAY - DAY }),
    trade(UNPRICED, TODAY - DAY, 1_000),
    price(100),
    created({
      slot,
      txIndex: 1,
      mint: TRADED,
      symbol: 'TRD',
      name: 'Traded',
      timestamp: TODAY - DAY,
    }),
    created({ slot, txIndex: 2, mint: QUIET, symbol: '', name: 'Quiet', timestamp: TODAY - DAY }),
    trade(TRADED, TODAY - 60, 900),
    trade(TRADED, TODAY - 1, 1_000),
    trade(QUIET, TODAY - 1, 2_000),
    trade(TRADED, TODAY, 1_500),
    trade(TRADED, TODAY + 3, 800),
    trade(TRADED, TODAY + 7_200, 2_000),
    trade(TRADED, TODAY + 10_000, 1_200),
    created({
      slot: 900,
      txIndex: 0,
      mint: NEW,
      symbol: 'NEW',
      name: 'New',
      timestamp: TODAY + 10_000,
    }),
  ])
})

afterAll(() => service.server.stop())

/** The bar of a day as a chart has it. */
async function day(mint: string, time: number) {
  const chart = await udf.symbol(mint)
  const { bars } = await udf.bars(chart, '1D', { from: time, to: time + 1 })
  return bars[0]
}

test('a quote is the last price, and the day as its chart has it', async () => {
  const today = await day(TRADED, TODAY)
  const yesterday = await day(TRADED, TODAY - DAY)
  const change = today.close - yesterday.close
  expect(change / yesterday.close).toBeCloseTo(0.2, 6)
  expect(await udf.quotes([TRADED])).toEqual({
    s: 'ok',
    d: [
      {
        s: 'ok',
        n: TRADED,
        v: {
          ch: change,
          chp: (change / yesterday.close) * 100,
          short_name: 'TRD',
          exchange: 'mintfeed',
          original_name: `mintfeed:${TRADED}`,
          description: 'Traded',
          lp: today.close,
          open_price: today.open,
          high_price: today.high,
          low_price: today.low,
          prev_close_price: yesterday.close,
          volume: today.volume,
        },
      },
    ],
  })
})

test('a token that nobody traded today stands at its last price, unchanged', async () => {
  const { close } = await day(QUIET, TODAY - DAY)
  const flat = { lp: close, open_price: close, high_price: close, low_price: close }
  const { d } = await udf.quotes([QUIET])
  expect(d).toMatchObject([
    { v: { ...flat, prev_close_price: close, ch: 0, chp: 0, volume: 0, short_name: QUIET } },
  ])
})

test('a token without a trade has the price of its curve, one without a known price has 0', async () => {
  const { d } = await udf.quotes([NEW, UNPRICED])
  const [born, unpriced] = d.map(({ v }) => v)
  // The reserves of the fixtures make 3e-8 SOL, at 100 dollars each.
  const lp = expect.closeTo(3e-6, 12)
  expect(born).toMatchObject({ lp, open_price: lp, prev_close_price: lp, ch: 0, chp: 0, volume: 0 })
  expect(unpriced).toMatchObject({ lp: 0, prev_close_price: 0, ch: 0, chp: 0 })
})

test('quotes come as they were asked for, by the name that was asked for', async () => {
  const asked = [`mintfeed:${QUIET}`, 'nobody', TRADED, 'MINTFEED:nobody']
  const { d } = await udf.quotes(asked)
  expect(d.map(({ n, s }) => [n, s])).toEqual([
    [asked[0], 'ok'],
    [asked[1], 'error'],
    [asked[2], 'ok'],
    [asked[3], 'error'],
  ])
  // A watch list without a symbol of those that it shows at once asks for none of them.
  expect(await udf.quotes([])).toEqual({ s: 'ok', d: [] })
  expect((await udf.quotes([TRADED, '', ` ${TRADED}`])).d).toHaveLength(1)
})

test('a hundred symbols are answered, one more is refused, and so is no list', async () => {
  const symbols = Array.from({ length: 101 }, (_, i) => `mint-${i}`)
  const many = [TRADED, ...symbols.slice(0, 98), QUIET]
  const { d } = await udf.quotes(many)
  expect(d.map(({ n }) => n)).toEqual(many)
  await expect(udf.quotes(symbols)).rejects.toThrow(/101 distinct.*at most 100/)
  for (const path of ['quotes', 'quotes?symbols=A&symbols=B'])
    await expect(udf.raw(path)).rejects.toThrow(UdfRefusal)
})
