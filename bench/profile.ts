import { type Profiler, Session } from 'node:inspector/promises'
import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Line } from './line.ts'
import { type MarketSize, RecordedMarket } from './recorded-market.ts'

const SAMPLE_INTERVAL_MICROSECONDS = 200
const SHOWN_FUNCTIONS = 16
const SIZES: readonly MarketSize[] = [
  { tokens: 2_000, historyRate: 50, liveSwaps: 400_000, liveRate: 1_000 },
  { tokens: 100_000, historyRate: 3, liveSwaps: 200_000, liveRate: 1_000 },
]

/** Where the time of the fold goes: self time by function, collections and their time. */
export async function run(): Promise<readonly Line[]> {
  const rows: Line[] = []
  for (const size of SIZES) rows.push(...(await measureSize(size)))

  return rows
}

async function measureSize(size: MarketSize): Promise<Line[]> {
  const market = new RecordedMarket(size)
  market.playLive(market.warmService())
  const rows = [...(await collectionsOf(market)), ...(await selfTimes(market))]
  return rows.map((row) => ({ ...row, what: `${size.tokens} tokens: ${row.what}` }))
}

async function selfTimes(market: RecordedMarket): Promise<Line[]> {
  const service = market.warmService()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  const interval = SAMPLE_INTERVAL_MICROSECONDS
  await session.post('Profiler.setSamplingInterval', { interval })
  await session.post('Profiler.start')
  market.playLive(service)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return rowsOf(profile)
}

function rowsOf(profile: Profiler.Profile): Line[] {
  const samples = new Map<string, number>()
  let total = 0
  for (const { callFrame, hitCount } of profile.nodes) {
    const file = callFrame.url.split('/').at(-1) ?? ''
    const name = `${callFrame.functionName} ${file}:${callFrame.lineNumber + 1}`
    samples.set(name, (samples.get(name) ?? 0) + (hitCount ?? 0))
    total += hitCount ?? 0
  }
  return [...samples]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN_FUNCTIONS)
    .map(([what, count]) => ({ what, ours: (count / total) * 100, unit: '% self time' }))
}

async function collectionsOf(market: RecordedMarket): Promise<Line[]> {
  const service = market.warmService()
  globalThis.gc?.()
  const durationsMs: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) durationsMs.push(entry.duration)
  })
  await setImmediate()
  observer.observe({ entryTypes: ['gc'] })
  const before = process.memoryUsage().heapUsed
  market.playLive(service)
  const after = process.memoryUsage().heapUsed
  await setImmediate()
  await setImmediate()
  observer.disconnect()
  const sumMs = durationsMs.reduce((sum, ms) => sum + ms, 0)
  return [
    { what: 'collections', ours: durationsMs.length, unit: 'count' },
    { what: 'collections, time', ours: sumMs, unit: 'ms' },
    { what: 'longest collection', ours: Math.max(0, ...durationsMs), unit: 'ms' },
    { what: 'heap growth', ours: (after - before) / market.liveSwaps, unit: 'B/swap' },
  ]
}
