import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'
import { UdfClient, type UdfSymbolInfo } from './udf-client.ts'

const MINT = 'So1ChartMintWithBothCasesPump'
const BARS_MAX = 5_000
const MINUTE = 60
/** Bars of a page of a chart. */
const COUNT_BACK = 2_999
/** Trades in every second, with a pause in the middle. */
const SECONDS = 13_000
const PAUSE = 3_600
const TIMES = Array.from(
  { length: SECONDS },
  (_, i) => START_SECOND + i + (i < SECONDS / 2 ? 0 : PAUSE),
)
const FIRST = START_SECOND
const END = START_SECOND + SECONDS + PAUSE

let service: EngineServer
let udf: UdfClient
let symbol: UdfSymbolInfo

beforeAll(async () => {
  service = await EngineServer.start()
  udf = new UdfClient(`${service.server.url}/udf`)
  service.feed([price(100), created({ slot: 1, mint: MINT, symbol: 'ChArT', name: 'A chart' })])
  service.feed(
    TIMES.map((timestamp, i) => swap({ mint: MINT, slot: 10 + i, txIndex: 0, timestamp })),
  )
  symbol = await udf.symbol(MINT)
})

afterAll(() => service.server.stop())

const timesOf = (bars: readonly { readonly time: number }[]) => bars.map(({ time }) => time)

describe('as the adapter asks', () => {
  // Of 10,000 the second answer is as long as can be too, and what it asks for then is no bar.
  test.each([
    [7_000, [7_000, 2_000]],
    [10_000, [10_000, 5_000, 0]],
    [12_000, [12_000, 7_000, 2_000]],
  ])('%i bars come, none twice and none missing', async (count, countBacks) => {
    const period = { from: 0, to: END, countBack: count }
    const { bars, requests } = await udf.barsInPages(symbol, '1S', period, BARS_MAX)
    expect(timesOf(bars)).toEqual(TIMES.slice(-count))
    expect(requests.map(({ countBack }) => countBack)).toEqual(countBacks)
  })

  test('more bars than there are end at the first one', async () => {
    const period = { from: 0, to: END, countBack: 20_000 }
    const { bars } = await udf.barsInPages(symbol, '1S', period, BARS_MAX)
    expect(timesOf(bars)).toEqual(TIMES)
  })

  test.each([
    ['1S', 1],
    ['1', MINUTE],
    ['60', 60 * MINUTE],
  ])(
    'a chart of %s that pages back by its first bar ends where nothing is before',
    async (resolution, width) => {
      const opened = new Set(TIMES.map((time) => time - (time % width)))
      const told: number[] = []
      let to = END
      let end: unknown = null
      for (let page = 0; page <= SECONDS / COUNT_BACK + 1 && end === null; page++) {
        const answer = await udf.bars(symbol, resolution, {
          from: to - width,
          to,
          countBack: COUNT_BACK,
        })
        told.unshift(...timesOf(answer.bars))
        if (answer.noData) end = answer
        else to = answer.bars[0].time
      }
      expect(end).toEqual({ bars: [], noData: true, nextTime: undefined })
      expect(told).toEqual([...opened])
    },
  )
})

describe('the end of a span', () => {
  test('is not in it, as UDF has it; in that of the chart it is', async () => {
    const bars = await udf.bars(symbol, '1S', { from: FIRST, to: FIRST + 3 })
    expect(timesOf(bars.bars)).toEqual([FIRST, FIRST + 1, FIRST + 2])
    const span = `mint=${MINT}&resolution=1S&from=${FIRST}&to=${FIRST + 3}`
    expect(await service.json(`/api/v2/meme/chart/ohlcv?${span}&udf=1`)).toMatchObject({
      t: [FIRST, FIRST + 1, FIRST + 2, FIRST + 3],
    })
  })

  test('at a bar’s opening leaves that bar out at every width', async () => {
    const minute = FIRST - (FIRST % MINUTE)
    const period = { from: 0, to: minute + 2 * MINUTE, countBack: 2 }
    const { bars } = await udf.bars(symbol, '1', period)
    expect(timesOf(bars)).toEqual([minute, minute + MINUTE])
    const later = await udf.bars(symbol, '1', { ...period, to: period.to + 1 })
    expect(timesOf(later.bars)).toEqual([minute + MINUTE, minute + 2 * MINUTE])
  })

  test('and its begin at one second hold nothing, and that is no error', async () => {
    const span = { from: FIRST, to: FIRST }
    expect(await udf.bars(symbol, '1S', span)).toEqual({
      bars: [],
      noData: true,
      nextTime: undefined,
    })
  })
})

describe('a span in the pause', () => {
  const before = TIMES[SECONDS / 2 - 1]
  const inPause = before + 10 * MINUTE

  test('names the bar before it', async () => {
    const span = { from: inPause, to: inPause + MINUTE }
    expect(await udf.bars(symbol, '1S', span)).toMatchObject({ noData: true, nextTime: before })
    // Behind that bar up to it there is none, and before it there is one.
    const none = { from: before - 1, to: before - 1 }
    expect(await udf.bars(symbol, '1S', none)).toMatchObject({ nextTime: before - 2 })
  })

  test('has the bars before it where they are counted back', async () => {
    const { bars } = await udf.bars(symbol, '1S', { from: inPause, to: END, countBack: 6_502 })
    expect(timesOf(bars)).toEqual(TIMES.slice(-BARS_MAX))
    const back = await udf.bars(symbol, '1S', { from: inPause, to: inPause + 5, countBack: 2 })
    expect(timesOf(back.bars)).toEqual([before - 1, before])
  })
})

describe('where bars are counted back', () => {
  const query = `symbol=${MINT}&resolution=1S&to=${FIRST + 10}&countback=2`
  const wanted = { s: 'ok', t: [FIRST + 8, FIRST + 9] }

  test.each([
    ['none', ''],
    ['one after the end', `&from=${END}`],
    // 10 days of 5 minutes as the adapter's pulse counts them are no whole number.
    ['one of a fraction', `&from=${FIRST}.0000001`],
    ['one in milliseconds', `&from=${FIRST}000`],
    ['one of no number', '&from=NaN'],
    ['two', '&from=1&from=2'],
  ])('the begin does not count: %s', async (_, from) => {
    expect(await service.json(`/udf/history?${query}${from}`)).toMatchObject(wanted)
  })

  test('none are none, and the bar before is named', async () => {
    for (const resolution of ['1S', '1', '240', '1D', '1W', '1M'])
      for (const to of [FIRST + 1, FIRST + 2 * MINUTE]) {
        const answer = await udf.bars(symbol, resolution, { from: 0, to, countBack: 0 })
        expect(answer).toMatchObject({ bars: [], noData: true })
        const { bars } = await udf.bars(symbol, resolution, { from: 0, to, countBack: 1 })
        expect(answer.nextTime).toBe(bars[0].time)
      }
  })

  test('without a count the begin is needed, and stands before the end', async () => {
    const span = `symbol=${MINT}&resolution=1S&to=${FIRST}`
    for (const from of ['', `&from=${FIRST + 1}`, '&from=x', '&from=1&from=2']) {
      const answer = await service.json(`/udf/history?${span}${from}`)
      expect(answer).toMatchObject({ s: 'error' })
      expect(isRecord(answer) && answer.errmsg).toContain('from')
    }
  })
})
