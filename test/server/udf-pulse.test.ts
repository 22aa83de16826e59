import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { ROOT } from '../tidy/source-files.ts'
import { EngineServer } from './engine-server.ts'
import { UdfClient } from './udf-client.ts'

const MINTS = ['A', 'B', 'C']
const SECONDS = 600
const END = START_SECOND + SECONDS
const MINUTE_MS = 60_000

let service: EngineServer

beforeAll(async () => {
  const { rateLimit } = readConfig([], {})
  service = await EngineServer.start('e1', undefined, { rateLimit })
  service.feed([price(100)])
  for (const [place, mint] of MINTS.entries())
    service.feed([
      created({ slot: 1, txIndex: place, mint }),
      ...Array.from({ length: SECONDS }, (_, i) =>
        swap({ mint, slot: 10 + i, txIndex: place, timestamp: START_SECOND + i }),
      ),
    ])
})

afterAll(() => service.server.stop())

/** The pulse that the documents recommend. */
function pulseMs(): number {
  const text = readFileSync(join(ROOT, 'docs/live.md'), 'utf8')
  return Number(/UDFCompatibleDatafeed\(url, (\d+),/.exec(text)?.[1])
}

test('a page of three charts at the recommended pulse stays under the default rate limit, with room for as many again', async () => {
  const udf = new UdfClient(`${service.server.url}/udf`)
  await udf.config()
  const charts = await Promise.all(MINTS.map((mint) => udf.symbol(mint)))
  // What each shows at first, and a page further back of each.
  for (const chart of charts)
    for (const to of [END, END - 300])
      await udf.bars(chart, '1S', { from: to - 300, to, countBack: 300 })
  // All within one window, as the server's clock has it.
  const pulses = MINUTE_MS / pulseMs()
  expect(pulses).toBeGreaterThan(0)
  for (let pulse = 0; pulse < 2 * pulses; pulse++) {
    const to = END - 2 * pulses + pulse
    for (const chart of charts) await udf.bars(chart, '1S', { from: to - 10, to, countBack: 2 })
  }
})

test('what the history may be asked for more often than the other endpoints is told, and bounded', async () => {
  const told = async (path: string) => {
    const { headers, status } = await fetch(service.server.url + path)
    return { status, limit: Number(headers.get('x-ratelimit-limit')) }
  }
  const plain = await told(`/udf/symbols?symbol=${MINTS[0]}`)
  const history = `/udf/history?symbol=${MINTS[0]}&resolution=1S&to=${END}&countback=2`
  const { limit } = await told(history)
  expect(limit).toBe(5 * plain.limit)
  const chart = `/api/v2/meme/chart/ohlcv?mint=${MINTS[0]}&resolution=1S&from=${END}&to=${END}`
  expect(await told(chart)).toEqual({ status: 200, limit: plain.limit })
  const statuses = new Set<number>()
  for (let asked = 0; asked < limit; asked++) statuses.add((await told(history)).status)
  expect([...statuses]).toEqual([200, 429])
})
