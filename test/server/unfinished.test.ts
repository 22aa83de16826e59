import { afterEach, expect, test } from 'vitest'
import { type Budget, OutOfTime } from '../../src/base/budget.ts'
import { readSurface, SURFACE_DEFAULTS } from '../../src/config/surface.ts'
import type { Queries, TokenReads } from '../../src/protocol/queries.ts'
import { ROUTE_SLICE_MS } from '../../src/server/load/loop-scheduler.ts'
import { type FakeService, fakeAnswers, fakeReads, startFake } from './fake-service.ts'
import { rawConnect, waitUntil } from './raw-http.ts'

const DEFAULT_LIMITS = readSurface(SURFACE_DEFAULTS).limits

const PATH = '/api/v2/search/tokens/mint/swaps?page=1000'
const TABLES_PATH = '/api/v2/meme'
const TABLES_REQUEST = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{}',
}

let fake: FakeService
afterEach(() => fake?.server.stop())

/** Reads of so much that it is found in so many goes, each as long as one may be. */
function deepReads(goes: number) {
  const asked = { goes: 0 }
  const deep = (budget: Budget) => {
    asked.goes += 1
    while (asked.goes < goes) budget.throwIfSpent()
    return '{"deep":true}'
  }
  const fakes = fakeAnswers([], () => '{"deep":true}')
  const answers: Queries = {
    ...fakes,
    swaps: (_mint, _wallet, _page, budget) => deep(budget),
    beginChart: (_query, budget) => {
      const text = deep(budget)
      return { write: () => text, column: () => [], isCurrent: () => true }
    },
    marketData: (_mints, _extra, budget) => deep(budget),
    search: (_query, _extra, budget) => deep(budget),
    tableAnswer: (query, budget) => {
      deep(budget)
      return fakes.tableAnswer(query, budget)
    },
    tokenTraders: (_mint, _query, budget) => deep(budget),
  }
  const reads: TokenReads = {
    ...fakeReads,
    detail: (_mint, budget) => deep(budget),
    holders: (_mint, _page, budget) => deep(budget),
    firstBuyers: (_mint, _page, budget) => deep(budget),
    swapsFrom: (_mint, _wallet, _cursor, budget) => deep(budget),
  }
  return { asked, answers, reads }
}

test.each([
  PATH,
  '/api/v2/meme/chart/ohlcv?mint=mint&from=0&to=9&resolution=1S',
  '/udf/history?symbol=mint&from=0&to=9&resolution=1S',
  '/api/v2/tokens/mint',
  '/api/v2/tokens/mint/holders',
  '/api/v2/tokens/mint/first-buyers',
  '/api/v2/search/traders/tokens/mint',
  '/api/v2/search/tokens/mint/swaps?cursor=start',
  '/api/v2/search/tokens/detailed?query=mint',
  '/api/v2/search/tokens/mint/market-data',
  TABLES_PATH,
])(
  'what takes many turns is answered once, and others are answered meanwhile (%s)',
  async (path) => {
    const { asked, answers, reads } = deepReads(300)
    fake = await startFake({ answers, reads })
    let isAnswered = false
    const deep = fetch(fake.server.url + path, path === TABLES_PATH ? TABLES_REQUEST : {}).then(
      async (response) => {
        isAnswered = true
        return [response.status, await response.text()]
      },
    )
    let others = 0
    while (!isAnswered && others < 10_000) {
      const response = await fetch(`${fake.server.url}/healthz`)
      expect(response.status).toBe(200)
      others += 1
    }
    expect(await deep).toEqual([200, '{"deep":true}'])
    expect(asked.goes).toBe(300)
    // A request of others takes at most some slices of the one that goes on.
    expect(others).toBeGreaterThan((300 * ROUTE_SLICE_MS) / 50)
  },
)

test('nobody looks on for a client that has gone', async () => {
  const { asked, answers } = deepReads(Number.POSITIVE_INFINITY)
  fake = await startFake({ answers })
  const raw = await rawConnect(fake.server.port)
  raw.socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await waitUntil(() => asked.goes > 3)
  raw.socket.destroy()
  const figures = async () =>
    (await (await fetch(`${fake.server.url}/readyz`)).json()) as Record<string, number>
  await expect.poll(async () => (await figures()).turn_waiting).toBe(0)
  const { goes } = asked
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked.goes).toBe(goes)
  expect(await figures()).toMatchObject({ http_unread_answers_total: 1 })
})

test('who asks for one deep read does not wait for all those of another client', async () => {
  const goes = new Map([
    ['many', 0],
    ['one', 0],
  ])
  const swaps: Queries['swaps'] = (mint, _wallet, _page, budget) => {
    const count = (goes.get(mint) ?? 0) + 1
    goes.set(mint, count)
    while (budget.hasTime());
    if (mint === 'one' && count >= 20) return '{"deep":true}'
    throw new OutOfTime()
  }
  const answers = { ...fakeAnswers([], () => '{"deep":true}'), swaps }
  fake = await startFake({ answers, trustProxy: ['127.0.0.1'] })
  const ask = (mint: string, client: string, signal: AbortSignal) =>
    fetch(`${fake.server.url}/api/v2/search/tokens/${mint}/swaps`, {
      headers: { 'x-forwarded-for': client },
      signal,
    })
  const gone = new AbortController()
  const many = Array.from({ length: 50 }, () => ask('many', '9.9.9.8', gone.signal))
  const ended = Promise.allSettled(many)
  await waitUntil(() => (goes.get('many') ?? 0) > 100)
  const before = goes.get('many') ?? 0
  const one = await ask('one', '9.9.9.9', AbortSignal.timeout(60_000))
  expect(await one.text()).toBe('{"deep":true}')
  expect((goes.get('many') ?? 0) - before).toBeLessThan(200)
  gone.abort()
  await ended
})

test('who looks for longer than a route may is answered 503', async () => {
  const { answers } = deepReads(Number.POSITIVE_INFINITY)
  fake = await startFake({ answers, limits: { ...DEFAULT_LIMITS, routeDeadlineMs: 200 } })
  const response = await fetch(fake.server.url + PATH)
  expect(response.status).toBe(503)
})
