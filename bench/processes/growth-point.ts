/**
 * Costs in a market of some size, printed as JSON: of a swap, of a swap with a reader, of a query.
 * Arguments: tokens, seed.
 */
import { performance } from 'node:perf_hooks'
import type { RecordBatch } from '../../src/events/swap-record.ts'
import { eventFrame } from '../../src/protocol/wire.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { EngineLive } from '../../src/query/json/engine-live.ts'
import { queryOf, TABLE_BODIES } from '../bodies.ts'
import { SERIAL_MARK } from '../drivers/request-source.ts'
import { serviceAndLive } from '../live-recorder.ts'
import { median } from '../medians.ts'
import { randomBodies } from '../random-filters.ts'

const DAY_SECONDS = 86_400
/** The same at every size, so that only the number of tokens differs. */
const SWAPS_PER_TOKEN = 1
const LIVE_SWAPS = 120_000
const LIVE_RATE = 1_000
const QUERIES = 100
/** Parts that the live swaps are cut in; the first warms up, the last are folded with a reader. */
const STRETCHES = 12
const WARM_STRETCHES = 4
const READER_STRETCHES = 4
const MEBIBYTE = 2 ** 20

const [tokens, seed] = process.argv.slice(2).map(Number)
const historyRate = (tokens * SWAPS_PER_TOKEN) / DAY_SECONDS
const { service, parts } = serviceAndLive({
  tokens,
  historyRate,
  liveSwaps: LIVE_SWAPS,
  liveRate: LIVE_RATE,
})

/** Microseconds of CPU a swap. */
function cost(stretch: readonly RecordBatch[]): number {
  const startCpu = process.cpuUsage()
  for (const part of stretch) service.records(part)
  const { user, system } = process.cpuUsage(startCpu)
  return (user + system) / stretch.reduce((sum, part) => sum + part.count, 0)
}

const perStretch = Math.ceil(parts.length / STRETCHES)
const stretches = Array.from({ length: STRETCHES }, (_, i) =>
  parts.slice(i * perStretch, (i + 1) * perStretch),
)
for (const stretch of stretches.slice(0, WARM_STRETCHES)) cost(stretch)
const swapMicros = median(stretches.slice(WARM_STRETCHES, -READER_STRETCHES).map(cost))
const live = new EngineLive(service.engine)
live.onTrade((trade) => eventFrame('update_mint_info', trade))
live.attach()
const readMicros = median(stretches.slice(-READER_STRETCHES).map(cost))

const answers = new EngineQueries(service.engine, () => service.tick())
const bodies = [...randomBodies(seed, QUERIES), ...Object.values(TABLE_BODIES)]
const queryMicros = bodies.map((body, i) => {
  const times = [0, 1, 2].map((attempt) => {
    const serial = String(i * 3 + attempt + 1).padStart(SERIAL_MARK.length, '0')
    const query = queryOf(body.replaceAll(SERIAL_MARK, serial))
    const startMs = performance.now()
    answers.tables(query)
    return (performance.now() - startMs) * 1000
  })
  return Math.min(...times)
})
process.stdout.write(
  JSON.stringify({
    ...{ swapMicros, readMicros: readMicros - swapMicros },
    ...{ queryMicros: median(queryMicros), worstQueryMicros: Math.max(...queryMicros) },
    residentMiB: process.memoryUsage.rss() / MEBIBYTE,
  }),
)
