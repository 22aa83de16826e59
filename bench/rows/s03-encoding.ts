import { performance } from 'node:perf_hooks'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { type Line, ratioAtLeast } from '../line.ts'
import { median, spreadPercent } from '../medians.ts'
import { PAIRS, settings } from '../settings.ts'
import { marketWithTrades } from '../trade-maker.ts'

const SIZE = { tokens: 2_000, historyRate: 50, liveSwaps: 0, liveRate: 1 }
const ROWS = 50
const CALLS = 300
const WARM_CALLS = 3_000
const GOAL = ratioAtLeast(50)

/** S3: an answer of 50 rows, nearly all of them as before, next to JSON.stringify of the rows. */
export async function run(): Promise<readonly Line[]> {
  return [measure(3), measure(0)]
}

function measure(changedRows: number): Line {
  const { service, trades } = marketWithTrades(SIZE)
  const answers = new EngineQueries(service.engine, () => service.tick())
  const newest = service.engine.order.new.tokens.slice(-ROWS)
  let calls = 0
  const change = () => {
    for (let i = 0; i < changedRows; i++) trades.fold(1, newest[(calls * 7 + i * 17) % ROWS])
  }
  const ours = () => {
    calls++
    change()
    // A filter that all pass and that nobody asked before: nothing but the rows can be kept.
    const filters = { new: { mCapUsd: { min: -calls } } }
    const query: TablesQuery = { type: 'new', filters, limit: ROWS }
    return timed(() => answers.tableAnswer(query))
  }
  const query: TablesQuery = { type: 'new', filters: {}, limit: ROWS }
  const rows: unknown = JSON.parse(answers.tableAnswer(query).bytes.toString())
  const peer = () => {
    change()
    return timed(() => JSON.stringify(rows))
  }
  for (let i = 0; i < WARM_CALLS; i++) {
    ours()
    peer()
  }
  const count = Math.ceil(CALLS * settings.timeScale)
  const many = (one: () => number) => median(Array.from({ length: count }, one))
  const pairs = Array.from({ length: PAIRS }, () => [many(ours), many(peer)] as const)
  const ratios = pairs.map(([own, other]) => other / own)
  return {
    what: `answer of ${ROWS} rows, ${changedRows} changed since, times faster than JSON.stringify`,
    unit: 'µs',
    ours: median(pairs.map(([own]) => own)),
    peer: { name: 'JSON.stringify', value: median(pairs.map(([, other]) => other)) },
    ratio: median(ratios),
    spreadPercent: spreadPercent(ratios),
    goal: GOAL,
    saturated: 'one core; ours finds the rows as well',
  }
}

/** Microseconds. */
function timed(work: () => unknown): number {
  const startMs = performance.now()
  work()
  return (performance.now() - startMs) * 1000
}
