import { performance } from 'node:perf_hooks'
import { messageOf } from '../../src/base/errors.ts'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { popularBody, queryOf, TABLE_BODIES } from '../bodies.ts'
import { postTables } from '../drivers/http-load.ts'
import { SERIAL_MARK } from '../drivers/request-source.ts'
import { compareWithBare, withServed } from '../http-comparison.ts'
import { atMost, type Goal, type Line, ratioAtLeast } from '../line.ts'
import { median } from '../medians.ts'
import { DuckdbTables } from '../peers/duckdb-tables.ts'
import { SqliteTables } from '../peers/sqlite-tables.ts'
import { type TableRow, tableRows } from '../peers/table-rows.ts'
import { randomBodies } from '../random-filters.ts'
import { type MarketSize, RecordedMarket } from '../recorded-market.ts'
import { Served, send } from '../served.ts'
import { settings } from '../settings.ts'

const TOKENS = 100_000
const SIZE: MarketSize = { tokens: TOKENS, historyRate: 12, liveSwaps: 0, liveRate: 1_000 }
const SWAPS_PER_SECOND = 1_000
/** Different filters, each with bounds that change every time it is sent. */
const FILTERS = 500
/** Of these, the ones that the databases answer too. */
const DATABASE_FILTERS = 40
/**
 * The best of some rounds tells what a filter costs, and not what else the machine did; all others come
 * between two tries of one, since what was never seen does not lie in the caches of the machine either.
 */
const ROUNDS = 3
const WORST_MS = 0.5
/** Characters of the worst body in the table. */
const SHOWN = 70

/** S2: filters never seen before. */
export async function run(): Promise<readonly Line[]> {
  const bodies = [...randomBodies(settings.seed, FILTERS), ...Object.values(TABLE_BODIES)]
  const costs = await inProcess(bodies)
  const answered = await withServed(
    Served.start(TOKENS, SWAPS_PER_SECOND),
    async (load, served) => {
      let bytes = 0
      const sample = bodies.slice(0, DATABASE_FILTERS)
      for (const body of sample)
        bytes += (await send(served.port, 'POST', '/api/v2/meme', body)).length
      return compareWithBare(load, served, {
        what: 'POST tables, filter never seen',
        requests: bodies.filter((body) => body.includes(SERIAL_MARK)).map(postTables),
        peerRequest: postTables(popularBody),
        body: Buffer.alloc(Math.round(bytes / sample.length), ' '),
        goal: ratioAtLeast(0.45),
        // These hold a turn of the loop, and who pipelines behind a request that waits is cut off.
        pipelined: 1,
      })
    },
  )
  return [answered, ...costs]
}

/** What a filter costs without HTTP, and what databases need for the same answer. */
async function inProcess(bodies: readonly string[]): Promise<Line[]> {
  const service = new RecordedMarket(SIZE).warmService()
  const answers = new EngineQueries(service.engine, () => service.tick())
  let serial = 0
  const ours = (body: string) => {
    serial++
    const fresh = body.replaceAll(SERIAL_MARK, String(serial).padStart(SERIAL_MARK.length, '0'))
    const startMs = performance.now()
    answers.tableAnswer(queryOf(fresh))
    return performance.now() - startMs
  }
  for (const body of bodies) ours(body)
  const costs = await leastOfRounds(bodies, ours)
  const worst = Math.max(...costs)
  const lines: Line[] = [
    { what: `${bodies.length} filters never seen, median`, unit: 'ms', ours: median(costs) },
    {
      what: `worst of them: ${bodies[costs.indexOf(worst)].replaceAll(`.${SERIAL_MARK}`, '').slice(0, SHOWN)}…`,
      ...{ unit: 'ms', ours: worst, goal: atMost(WORST_MS) },
    },
  ]
  const rows = tableRows(service)
  const shared = bodies.slice(0, DATABASE_FILTERS)
  const expected = shared.map((body) => answers.tableAnswer(queryOf(body)).bytes.toString())
  const compare = (name: string, answer: (query: TablesQuery) => unknown, goal?: Goal) =>
    databaseLine({ name, answer, bodies: shared, expected, costs, goal })
  const scan = new SqliteTables(rows, false)
  lines.push(await compare('SQLite', (query) => scan.answer(query), ratioAtLeast(40)))
  scan.close()
  const indexed = new SqliteTables(rows, true)
  lines.push(await compare('SQLite, index in table order', (query) => indexed.answer(query)))
  indexed.close()
  const duckdb = await openDuckdb(rows)
  if (typeof duckdb === 'string') lines.push({ what: 'DuckDB', unit: 'ms', ours: 0, late: duckdb })
  else {
    lines.push(await compare('DuckDB', (query) => duckdb.answer(query), ratioAtLeast(15)))
    duckdb.close()
  }
  return lines
}

/** A sentence where it is not installed. */
async function openDuckdb(rows: readonly TableRow[]): Promise<DuckdbTables | string> {
  try {
    return await DuckdbTables.open(rows)
  } catch (error) {
    return `not measured: ${messageOf(error)}`
  }
}

interface Comparison {
  readonly name: string
  readonly answer: (query: TablesQuery) => unknown
  readonly bodies: readonly string[]
  readonly expected: readonly string[]
  /** Our milliseconds for each body. */
  readonly costs: readonly number[]
  readonly goal: Goal | undefined
}

/** The same filters over the same tokens; the answers have to be equal byte for byte. */
async function databaseLine(comparison: Comparison): Promise<Line> {
  const { name, answer, bodies, expected, costs, goal } = comparison
  for (const [i, body] of bodies.entries())
    if ((await answer(queryOf(body))) !== expected[i])
      throw new Error(`${name} answers ${body} differently`)
  const times = await leastOfRounds(bodies, async (body) => {
    const query = queryOf(body)
    const startMs = performance.now()
    await answer(query)
    return performance.now() - startMs
  })
  const ratios = times.map((ms, i) => ms / costs[i])
  return {
    what: `${bodies.length} of them, times faster than ${name}`,
    unit: 'ms',
    ours: median(costs.slice(0, bodies.length)),
    peer: { name, value: median(times) },
    ratio: median(ratios),
    ...(goal === undefined ? {} : { goal }),
    saturated: 'one core',
  }
}

/** The least milliseconds of each. */
async function leastOfRounds(
  bodies: readonly string[],
  measure: (body: string) => number | Promise<number>,
): Promise<number[]> {
  const least = bodies.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, body] of bodies.entries()) least[i] = Math.min(least[i], await measure(body))
  return least
}
