import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { SolPrice } from '../../../src/events/event.ts'
import { Backoff } from '../../../src/feeds/backoff.ts'
import {
  PRICE_RULES,
  PRICE_VENUES,
  SolPriceFeed,
} from '../../../src/feeds/sol-price/sol-price-feed.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { MockSocketServer } from '../mock-socket-server.ts'
import { until } from '../until.ts'

const EVERY_MS = 20
const START_MS = 1_790_000_000_000

let venues: MockSocketServer[] = []
let feed: SolPriceFeed
let sink: CollectingSink
let running: Promise<void>
let nowMs = START_MS
let reported: string[] = []

beforeEach(async () => {
  nowMs = START_MS
  reported = []
  await begin(60_000)
})

afterEach(end)

/** Starts a feed with venues of its own; one that says nothing for so long is connected to anew. */
async function begin(
  silenceMs: number,
  given: { clockMs?: () => number; stallMs?: number; everyMs?: number } = { clockMs: () => nowMs },
): Promise<void> {
  venues = await Promise.all(PRICE_VENUES.map(() => MockSocketServer.listen()))
  feed = new SolPriceFeed({
    venues: PRICE_VENUES.map((venue, index) => ({ ...venue, url: venues[index].url })),
    report: (sentence) => reported.push(sentence),
    everyMs: EVERY_MS,
    silenceMs,
    newBackoff: () => new Backoff(() => 0),
    ...given,
  })
  sink = new CollectingSink()
  running = feed.start(sink)
  await Promise.all(venues.map((venue) => venue.until(() => venue.connections >= 1)))
}

async function end(): Promise<void> {
  feed.stop()
  await running
  await Promise.all(venues.map((venue) => venue.close()))
}

function coinbase(usd: number): void {
  venues[0].say({ type: 'ticker', product_id: 'SOL-USD', price: String(usd) })
}

function binance(usd: number): void {
  venues[1].say({ s: 'SOLUSDT', b: String(usd), a: String(usd) })
}

function kraken(usd: number): void {
  venues[2].say({ channel: 'ticker', type: 'update', data: [{ symbol: 'SOL/USD', last: usd }] })
}

function prices(): number[] {
  return sink.all.map((event) => (event as SolPrice).usd)
}

test('subscribes in the words of each venue', async () => {
  await venues[0].until(() => venues[0].received.length === 1)
  await venues[2].until(() => venues[2].received.length === 1)
  expect(JSON.parse(venues[0].received[0])).toMatchObject({ product_ids: ['SOL-USD'] })
  expect(JSON.parse(venues[2].received[0])).toMatchObject({ params: { channel: 'ticker' } })
  expect(venues[1].received).toEqual([])
})

test('the first price is told at once, then one an interval and only when it changed', async () => {
  const priced = feed.whenPriced(10_000)
  coinbase(150)
  kraken(150)
  await priced
  expect(sink.all).toEqual([{ type: 'sol_price', timestamp: START_MS / 1000, usd: 150 }])
  const startMs = performance.now()
  for (let step = 1; step <= 300; step++) {
    coinbase(150 + step / 100)
    kraken(150 + step / 100)
    if (step % 30 === 0) await sleep(EVERY_MS)
  }
  await until(() => prices().at(-1) === 153)
  const intervals = (performance.now() - startMs) / EVERY_MS
  expect(prices().length).toBeLessThanOrEqual(intervals + 2)
  const told = prices().length
  for (let step = 0; step < 20; step++) {
    coinbase(153)
    kraken(153)
    await sleep(EVERY_MS / 4)
  }
  expect(prices().length).toBe(told)
})

test('the first price waits for no interval, and is that of this second to the nearest ten-thousandth', async () => {
  await end()
  nowMs += 750
  await begin(60_000, { clockMs: () => nowMs, everyMs: 600_000 })
  coinbase(150.00009)
  kraken(150.00009)
  await until(() => prices().length === 1)
  expect(sink.all).toEqual([{ type: 'sol_price', timestamp: START_MS / 1000, usd: 150.0001 }])
  expect(feed.figures().sol_price_events_total).toBe(1)
})

test('garbage and a jump of one venue never reach the price', async () => {
  coinbase(150)
  kraken(150)
  binance(150)
  await until(() => prices().length === 1)
  for (const price of ['-5', 'x', '1e9'])
    venues[0].say({ type: 'ticker', product_id: 'SOL-USD', price })
  venues[2].say('{"channel":"ticker","data":[{"symbol":"SOL/USD","last":"__proto__"}]}')
  venues[2].say('not json')
  kraken(15)
  binance(150.5)
  await until(() => prices().length === 2)
  expect(feed.figures().sol_price_garbage_total).toBe(5)
  expect(Math.min(...prices())).toBe(150)
  expect(prices().at(-1)).toBe(150.25)
})

test('venues that say nothing make the price stale, and it stays', async () => {
  expect(feed.figures().sol_price_stale).toBe(1)
  coinbase(150)
  kraken(150)
  await until(() => prices().length === 1)
  expect(feed.figures()).toMatchObject({ sol_price_stale: 0, sol_price_fresh_venues: 2 })
  nowMs += PRICE_RULES.freshMs + 1
  expect(feed.figures()).toMatchObject({ sol_price_stale: 1, sol_price_fresh_venues: 0 })
  await until(() => reported.length === 1)
  coinbase(151)
  await until(() => prices().at(-1) === 151 && reported.length === 2)
  expect(reported).toEqual([
    'no venue has told the price of SOL for 15 s, $150 stays',
    'the price of SOL is fresh again',
  ])
  expect(feed.figures().sol_price_stale).toBe(0)
})

test('a clock of the machine that is set back makes no old price fresh again', async () => {
  await end()
  await begin(60_000, {})
  coinbase(150)
  kraken(150)
  await until(() => feed.figures().sol_price_fresh_venues === 2)
  const [steady, wall] = [performance.now.bind(performance), Date.now]
  vi.spyOn(performance, 'now').mockImplementation(() => steady() + PRICE_RULES.freshMs + 1)
  vi.spyOn(Date, 'now').mockImplementation(() => wall() - 3_600_000)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(feed.figures()).toMatchObject({ sol_price_stale: 1, sol_price_fresh_venues: 0 })
})

test('messages without a price of SOL are neither quotes nor garbage', async () => {
  venues[0].say({ type: 'subscriptions', channels: [] })
  venues[0].say({ type: 'heartbeat', product_id: 'SOL-USD', sequence: 90 })
  venues[0].say({ type: 'ticker', product_id: 'BTC-USD', price: '60000' })
  venues[1].say({ s: 'BTCUSDT', b: '60000', a: '60000' })
  venues[2].say({ channel: 'heartbeat' })
  venues[2].say({ channel: 'ticker', data: [{ symbol: 'BTC/USD', last: 60_000 }] })
  await Promise.all(venues.map((venue) => venue.heard()))
  expect(feed.figures()).toMatchObject({ sol_price_fresh_venues: 0, sol_price_garbage_total: 0 })
  coinbase(150)
  kraken(150)
  await until(() => prices().length === 1)
  expect(prices()).toEqual([150])
})

test('venues that never said anything are reported too', async () => {
  nowMs += PRICE_RULES.freshMs
  await sleep(EVERY_MS * 5)
  expect(reported).toEqual([])
  nowMs = START_MS
  nowMs += PRICE_RULES.freshMs + 1
  await until(() => reported.length === 1)
  expect(reported).toEqual([
    'no venue has told the price of SOL for 15 s, the last known one stays',
  ])
})

test('a venue that is cut is connected to and subscribed anew', async () => {
  await venues[0].until(() => venues[0].received.length === 1)
  venues[0].cut()
  await venues[0].until(() => venues[0].received.length === 2)
  expect(feed.figures().sol_price_connections_lost_total).toBe(1)
  await until(() => feed.figures().sol_price_venues_connected === 3)
  coinbase(149)
  kraken(149)
  await until(() => prices().length === 1)
})

test('a venue that falls silent is connected to and subscribed anew', async () => {
  await end()
  await begin(100)
  await venues[2].until(() => venues[2].received.length >= 2)
  expect(feed.figures().sol_price_connections_lost_total).toBeGreaterThanOrEqual(1)
})

test('a venue that sends heartbeats and no price any more is connected to and subscribed anew, the others are not', async () => {
  await end()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await begin(60_000, { stallMs: 1_000 })
  const quotes = setInterval(() => {
    coinbase(150)
    binance(150)
    venues[2].say({ channel: 'heartbeat' })
    // Time passes with the quotes: they are late on a machine that stands still, and are no silence.
    vi.advanceTimersByTime(20)
  }, 20)
  onTestFinished(() => clearInterval(quotes))
  await venues[2].until(() => venues[2].received.length >= 2)
  expect(venues[2].connections).toBe(2)
  expect([venues[0].connections, venues[1].connections]).toEqual([1, 1])
})

test('a message of megabytes ends the connection and nothing else', async () => {
  venues[0].say(`{"type":"ticker","pad":"${'x'.repeat(2 * 1024 * 1024)}"}`)
  await venues[0].until(() => venues[0].connections === 2)
  kraken(150)
  binance(150)
  await until(() => prices().length === 1)
})

test('waiting for the first price ends by itself, and when the feed is stopped', async () => {
  await feed.whenPriced(5)
  const waiting = feed.whenPriced(600_000)
  feed.stop()
  await waiting
  expect(prices()).toEqual([])
})
