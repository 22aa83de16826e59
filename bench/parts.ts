import { Bench, type Task } from 'tinybench'
import type { Service } from '../src/app/service.ts'
import { decodeBase58, encodeBase58 } from '../src/base/base58.ts'
import { TokenReader } from '../src/engine/read/token-reader.ts'
import { parseEventLine } from '../src/events/event-lines.ts'
import { parseTables } from '../src/protocol/requests/tables.ts'
import { EngineQueries } from '../src/query/engine-queries.ts'
import { SwapReader, swapJson } from '../src/query/json/swap-reader.ts'
import { tokenJson } from '../src/query/json/token-json.ts'
import { popularBody, queryOf, TABLE_BODIES } from './bodies.ts'
import { swapLine } from './example-line.ts'
import type { Line } from './line.ts'
import { type MarketSize, RecordedMarket } from './recorded-market.ts'

const ROWS = 50
const TIME_MS = 300
const SMALL: MarketSize = { tokens: 2_000, historyRate: 50, liveSwaps: 0, liveRate: 1_000 }
const LARGE: MarketSize = { ...SMALL, tokens: 100_000, historyRate: 3 }

const ROWS_SPLICED = `${ROWS} table rows: tokenJson and join`
const ROWS_STRINGIFIED = `${ROWS} table rows: JSON.stringify of objects`
const LINE_PARSED = 'event line: parseEventLine of a swap'
const LINE_JSON = 'event line: JSON.parse of the same'
/** Parts that have a peer in the same run; the ratio is how many times faster ours is. */
const PEERS: Readonly<Record<string, string>> = {
  [ROWS_SPLICED]: ROWS_STRINGIFIED,
  [LINE_PARSED]: LINE_JSON,
}

/** Parts by themselves; tinybench is closed-loop, so these are costs and no latencies. */
export async function run(): Promise<readonly Line[]> {
  const bench = new Bench({ time: TIME_MS, warmupTime: TIME_MS / 3 })
  addSmall(bench, new RecordedMarket(SMALL).warmService())
  addLarge(bench, new RecordedMarket(LARGE).warmService())
  await bench.run()
  const costs = new Map(bench.tasks.map((task) => [task.name, costOf(task)]))
  return [...costs].map(([what, cost]): Line => {
    const name = PEERS[what] ?? ''
    const value = costs.get(name)?.ours
    if (value === undefined) return { what, ...cost }
    return { what, ...cost, peer: { name, value }, ratio: value / cost.ours }
  })
}

function costOf({ result }: Task): Pick<Line, 'ours' | 'unit' | 'spreadPercent'> {
  if (result.state === 'errored') throw result.error
  if (result.state !== 'completed') throw new Error(`a part is ${result.state}`)
  const { p50, rme } = result.latency
  return { ours: p50 * 1000, unit: 'µs', spreadPercent: rme }
}

function addSmall(bench: Bench, service: Service): void {
  const { engine } = service
  const { state, order } = engine
  const reader = new TokenReader(state, engine.top, engine.links)
  const swap = new SwapReader(state)
  const newest = order.new.tokens.slice(-ROWS)
  const rows = (): string =>
    `[${newest.map((token) => tokenJson(reader.at(token), 'table')).join(',')}]`
  const parsed: unknown = JSON.parse(rows())
  const last = state.tape.count - 1
  const line = swapLine(0)
  const signature = new Uint8Array(64).map((_, i) => i * 37 + 11)
  const address = encodeBase58(signature.subarray(0, 32))
  bench
    .add('table row: tokenJson', () => void tokenJson(reader.at(newest[0]), 'table'))
    .add(ROWS_SPLICED, () => void rows())
    .add(ROWS_STRINGIFIED, () => void JSON.stringify(parsed))
    .add('swapJson', () => void swapJson(swap.at(last)))
    .add('base58: encode 64 bytes', () => void encodeBase58(signature))
    .add('base58: encode 32 bytes', () => void encodeBase58(signature.subarray(0, 32)))
    .add('base58: decode 44 characters', () => void decodeBase58(address))
    .add(LINE_PARSED, () => void parseEventLine(line))
    .add(LINE_JSON, () => void JSON.parse(line))
    .add('tables: parse of a body', () => void parseTables(popularBody))
}

function addLarge(bench: Bench, service: Service): void {
  const answers = new EngineQueries(service.engine, () => service.tick())
  for (const [name, body] of Object.entries(TABLE_BODIES)) {
    const query = queryOf(body)
    bench.add(`tables of ${LARGE.tokens} tokens: ${name}`, () => void answers.tableAnswer(query))
  }
  for (const word of ['a', 'pepe', 'turbo shark 7', 'no such token'])
    bench.add(`search of ${LARGE.tokens} tokens: "${word}"`, () => void answers.search(word))
}
