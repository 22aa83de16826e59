/**
 * Folds at a steady rate and answers tables meanwhile, and prints what V8 collected as JSON.
 * Arguments: tokens, swaps a second of the history, swaps a second while watched, seconds.
 */
import { PerformanceObserver, performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { serviceAndLive } from '../live-recorder.ts'

const LIVE_RATE = 1_000
const TABLES_PER_SECOND = 50
const MEBIBYTE = 2 ** 20
const QUERY: TablesQuery = { type: 'all', filters: { new: { holders: { min: 2 } } }, limit: 50 }

const [tokens, historyRate, rate, seconds] = process.argv.slice(2).map(Number)
const liveSwaps = rate * seconds
const { service, parts } = serviceAndLive({ tokens, historyRate, liveSwaps, liveRate: LIVE_RATE })
const answers = new EngineQueries(service.engine, () => service.tick())

globalThis.gc?.()
const pausesMs: number[] = []
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) pausesMs.push(entry.duration)
})
observer.observe({ entryTypes: ['gc'] })
await setImmediate()
pausesMs.length = 0

const startMs = performance.now()
let folded = 0
let answered = 0
for (const part of parts) {
  // Asleep, as the program is: turns without work would be more garbage than all the swaps.
  while (((performance.now() - startMs) * rate) / 1000 < folded) await setTimeout(1)
  service.records(part)
  folded += part.count
  if (((performance.now() - startMs) * TABLES_PER_SECOND) / 1000 < answered) continue
  answers.tables(QUERY)
  answered++
}
const wallMs = performance.now() - startMs
await setImmediate()
await setImmediate()
observer.disconnect()
globalThis.gc?.()
const { heapUsed, rss } = process.memoryUsage()
const { positions, swaps } = service.figures()
process.stdout.write(
  JSON.stringify({
    ...{ collections: pausesMs.length, longestMs: Math.max(0, ...pausesMs) },
    sharePercent: (pausesMs.reduce((sum, ms) => sum + ms, 0) / wallMs) * 100,
    ...{ heapMiB: heapUsed / MEBIBYTE, residentMiB: rss / MEBIBYTE, positions, swaps },
    ...{ reachedPerSecond: (folded / wallMs) * 1000, answered },
  }),
)
