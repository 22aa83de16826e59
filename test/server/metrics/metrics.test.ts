import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Budget } from '../../../src/base/budget.ts'
import { textOf } from '../../../src/server/http/reply.ts'
import { HttpCounters, metricsText } from '../../../src/server/metrics/metrics.ts'
import { systemRoutes } from '../../../src/server/routes/system-routes.ts'
import { type FakeService, fakeAnswers, NO_CALLER, startFake } from '../fake-service.ts'

let fake: FakeService
afterEach(() => fake?.server.stop())

/** Name and value of every sample line. */
async function samples(): Promise<Map<string, number>> {
  const text = await (await fetch(`${fake.server.url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

test('requests are counted by route and status, with the time they took', async () => {
  fake = await startFake()
  const search = `${fake.server.url}/api/v2/search/tokens/detailed`
  for (let index = 0; index < 3; index++) await fetch(`${search}?query=a`)
  await fetch(search)
  await fetch(`${fake.server.url}/nowhere`)
  const found = await samples()
  const name = 'mintfeed_http_request_duration_seconds'
  expect(found.get('mintfeed_http_requests_total{route="search",status="200"}')).toBe(3)
  expect(found.get('mintfeed_http_requests_total{route="search",status="400"}')).toBe(1)
  expect(found.get('mintfeed_http_requests_total{route="none",status="404"}')).toBe(1)
  expect(found.get(`${name}_count{route="search"}`)).toBe(4)
  expect(found.get(`${name}_bucket{route="search",le="+Inf"}`)).toBe(4)
  expect(found.get(`${name}_sum{route="search"}`)).toBeGreaterThan(0)
})

test('the buckets of a histogram never fall, and every value is a number', async () => {
  fake = await startFake()
  for (let index = 0; index < 20; index++) await fetch(`${fake.server.url}/healthz`)
  const found = await samples()
  const buckets = [...found].filter(([name]) => name.includes('_bucket{route="healthz"'))
  const counts = buckets.map(([, value]) => value)
  expect(counts).toEqual([...counts].sort((a, b) => a - b))
  expect(counts.at(-1)).toBe(20)
  for (const [name, value] of found) expect([name, Number.isFinite(value)]).toEqual([name, true])
})

test('an answer is in the first bucket whose bound it does not pass, one above all bounds only in the last', async () => {
  const http = new HttpCounters()
  for (const durationMs of [0, 0.05, 0.051, 1, 2.6, 10_000, 10_001])
    http.count('a', 200, durationMs)
  http.count('b', 404, 1)
  const text = await metricsText(http, {})
  const name = 'mintfeed_http_request_duration_seconds'
  const counts = [...text.matchAll(/_bucket\{route="a",le="([^"]+)"\} (\d+)/g)].map(
    ([, bound, count]) => [Number(bound.replace('+Inf', 'Infinity')), Number(count)],
  )
  expect(counts).toEqual([
    ...[
      [0.00005, 2],
      [0.0001, 3],
      [0.00025, 3],
      [0.0005, 3],
      [0.001, 4],
      [0.0025, 4],
    ],
    ...[
      [0.005, 5],
      [0.01, 5],
      [0.025, 5],
      [0.1, 5],
      [1, 5],
      [10, 6],
      [Infinity, 7],
    ],
  ])
  expect(text).toContain(`${name}_sum{route="a"} 20.004701\n`)
  expect(text).toContain(`${name}_count{route="a"} 7\n`)
  expect(text).toContain(`${name}_count{route="b"} 1\n`)
})

test('a figure that only grows is a counter, the cache tells its hits', async () => {
  const body = `"${'x'.repeat(5000)}"`
  fake = await startFake({ answers: { ...fakeAnswers([], () => body), version: () => 0 } })
  for (let index = 0; index < 3; index++)
    await fetch(`${fake.server.url}/api/v2/search/tokens/detailed?query=a`)
  const text = await (await fetch(`${fake.server.url}/metrics`)).text()
  expect(text).toContain('# TYPE mintfeed_answer_cache_hits_total counter')
  expect(text).toContain('# TYPE mintfeed_sockets gauge')
  expect((await samples()).get('mintfeed_answer_cache_hits_total')).toBe(2)
})

test('a defect is counted by itself, from 0 on: the first one is a growth', async () => {
  const answers = fakeAnswers([], () => {
    throw new Error('a defect')
  })
  fake = await startFake({ answers })
  const name = 'mintfeed_http_defects_total'
  expect((await samples()).get(name)).toBe(0)
  await fetch(`${fake.server.url}/api/v2/search/tokens/detailed?query=a`)
  expect((await samples()).get(name)).toBe(1)
})

test('hundreds of requests for the metrics at a time get one text, a later one a new text', async () => {
  let made = 0
  const ready = { statusCode: 200, fields: {} } as const
  const routes = systemRoutes(
    () => ready,
    async () => {
      made += 1
      await nextTurn()
      return `text ${made}`
    },
  )
  const route = routes.find(({ name }) => name === 'metrics')
  const ask = async () => {
    const answer = await route?.answer({
      word: '',
      parameters: new Map(),
      body: '',
      minSeq: 0,
      budget: Budget.unlimited,
      caller: NO_CALLER,
    })
    if (answer === undefined || !answer.ok) throw new Error('no answer')
    return answer.value
  }
  const replies = await Promise.all(Array.from({ length: 300 }, ask))
  expect(made).toBe(1)
  // Compressed once for all of them, too.
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
  expect(textOf(replies[0])).toBe('text 1')
  expect(textOf(await ask())).toBe('text 2')
})
