import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { CANDLE_VENUES, priceHistory } from '../../../src/feeds/sol-price/price-history.ts'
import { listening } from '../../process/free-port.ts'

const FROM = 1_790_000_040
const TO = FROM + 12 * 3_600
const NEVER = new AbortController().signal

/** Minutes of which each one's price is its own. */
const priceAt = (second: number) => 100 + ((second / 60) % 50)

/** A server that tells candles as the venue of this name does, and notes what it is asked for. */
async function venue(name: string, answer: (url: URL) => unknown) {
  const asked: URL[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://venue')
    asked.push(url)
    const body = answer(url)
    response.writeHead(body === null ? 500 : 200).end(JSON.stringify(body))
  })
  const port = await listening(server)
  onTestFinished(() => void server.close())
  const found = CANDLE_VENUES.find((one) => one.name === name)
  if (found === undefined) throw new Error(name)
  return { asked, venue: { ...found, origin: `http://127.0.0.1:${port}` } }
}

function minutes(from: number, to: number): number[] {
  const first = Math.ceil(from / 60) * 60
  return Array.from({ length: Math.max(0, Math.ceil((to - first) / 60)) }, (_, i) => first + i * 60)
}

const ANSWERS: Readonly<Record<string, (url: URL) => unknown>> = {
  coinbase: ({ searchParams }) => {
    const [from, to] = ['start', 'end'].map(
      (key) => Date.parse(searchParams.get(key) ?? '') / 1_000,
    )
    return minutes(from ?? 0, (to ?? 0) + 1)
      .map((second) => [second, 1, 2, 3, priceAt(second), 9])
      .reverse()
  },
  binance: ({ searchParams }) => {
    const [from, to] = ['startTime', 'endTime'].map((key) => Number(searchParams.get(key)) / 1_000)
    return minutes(from ?? 0, to ?? 0)
      .slice(0, 1_000)
      .map((second) => [second * 1_000, '1', '2', '3', String(priceAt(second)), '9'])
  },
  kraken: ({ searchParams }) => ({
    error: [],
    result: {
      SOLUSD: minutes(Number(searchParams.get('since')), TO + 60)
        .filter((second) => second % (60 * Number(searchParams.get('interval'))) === 0)
        .slice(-720)
        .map((second) => [second, '1', '2', '3', String(priceAt(second)), '4', '9', 1]),
      last: TO,
    },
  }),
}

test.each(Object.keys(ANSWERS))(
  'the prices of half a day by %s are those of its minutes, from their ends on',
  async (name) => {
    const { asked, venue: one } = await venue(name, (url) => ANSWERS[name]?.(url))
    const series = await priceHistory([one], { from: FROM, to: TO }, NEVER, () => {})
    expect(series?.length).toBeGreaterThanOrEqual(719)
    for (const { timestamp, usd } of series ?? []) expect(usd).toBe(priceAt(timestamp - 60))
    const times = series?.map(({ timestamp }) => timestamp) ?? []
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(asked.length).toBe(Math.ceil(720 / one.pageCandles))
  },
)

test('a day by kraken, which tells its newest 720 candles alone, has wider ones and none that are missing', async () => {
  const { venue: one } = await venue('kraken', (url) => ANSWERS.kraken?.(url))
  const from = TO - 86_400
  const series = await priceHistory([one], { from, to: TO }, NEVER, () => {})
  expect(series?.[0]?.timestamp).toBeLessThanOrEqual(from + 2 * 300)
  for (const { timestamp, usd } of series ?? []) expect(usd).toBe(priceAt(timestamp - 300))
})

test('a venue that fails, or answers something else, gives way to the next', async () => {
  const broken = await venue('coinbase', () => null)
  const strange = await venue('binance', () => ({ message: 'no' }))
  const empty = await venue('binance', () => [['when', 'x'], 7, [FROM * 1_000, 1, 2, 3, -5]])
  const good = await venue('kraken', (url) => ANSWERS.kraken?.(url))
  const reports: string[] = []
  const venues = [broken, strange, empty, good].map(({ venue }) => venue)
  const report = (reason: string) => reports.push(reason)
  const series = await priceHistory(venues, { from: FROM, to: TO }, NEVER, report)
  expect(series?.length).toBeGreaterThan(700)
  expect(reports).toHaveLength(3)
  expect(await priceHistory([broken.venue], { from: FROM, to: TO }, NEVER, report)).toBe(null)
})

test('of a month the candles are wider, and no more are asked for', async () => {
  const { asked, venue: one } = await venue('binance', () => [])
  await priceHistory([one], { from: FROM, to: FROM + 30 * 86_400 }, NEVER, () => {})
  expect(asked.length).toBeLessThanOrEqual(2)
  expect(asked[0]?.searchParams.get('interval')).toBe('1h')
})
