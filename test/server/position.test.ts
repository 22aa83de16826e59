import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeService, startFake } from './fake-service.ts'
import { rawConnect, waitUntil } from './raw-http.ts'

let fake: FakeService
let seq = 41
beforeAll(async () => {
  fake = await startFake({ position: { epoch: () => 'e1', seq: () => seq } })
})
afterAll(() => fake.server.stop())

const PATHS = [
  '/api/v2/search/tokens/detailed?query=a',
  '/api/v2/nope',
  '/api/v2/stream?channel=mint_migration',
  '/udf/config',
  '/udf/history',
  '/udf/nope',
]

const positionOf = ({ headers }: Response) => [
  headers.get('x-mintfeed-seq'),
  headers.get('x-mintfeed-epoch'),
]

test('an unchanged body is a 304 that tells the newer stream position', async () => {
  const url = `${fake.server.url}/api/v2/search/tokens/detailed?query=a`
  const first = await fetch(url)
  expect(positionOf(first)).toEqual(['41', 'e1'])
  seq = 42
  const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
  expect(positionOf(again)).toEqual(['42', 'e1'])
})

test('errors and POST answers of the API and /readyz tell the stream position, other paths do not', async () => {
  expect(positionOf(await fetch(`${fake.server.url}/api/v2/nope`))).toEqual([String(seq), 'e1'])
  const headers = { 'content-type': 'application/json' }
  const tables = await fetch(`${fake.server.url}/api/v2/meme`, {
    method: 'POST',
    headers,
    body: '{}',
  })
  expect(positionOf(tables)).toEqual([String(seq), 'e1'])
  const ready = await fetch(`${fake.server.url}/readyz`, { method: 'HEAD' })
  expect(positionOf(ready)).toEqual([String(seq), 'e1'])
  expect(positionOf(await fetch(`${fake.server.url}/healthz`))).toEqual([null, null])
})

test.each(PATHS)('%s tells the position with any method', async (path) => {
  for (const method of ['HEAD', 'OPTIONS', 'DELETE']) {
    const response = await fetch(fake.server.url + path, { method })
    expect([method, ...positionOf(response)]).toEqual([method, String(seq), 'e1'])
  }
})

test.each(PATHS)('%s tells no position while the state is being recovered', async (path) => {
  fake.starting = true
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE'])
    expect(positionOf(await fetch(fake.server.url + path, { method }))).toEqual([null, null])
  fake.starting = false
})

test('/readyz of a replica tells its place in the stream, ready or not, and no figure hides it', async () => {
  const replica = { position: 41, lag_events: 3, lag_ms: 20, stream: 'market', server: 'n1:4222' }
  const at = { reason: null as string | null, replica: replica as typeof replica | null }
  const { server } = await startFake({
    state: {
      isStarting: () => false,
      notReady: () => at.reason,
      replica: () => at.replica,
      figures: () => ({ position: 7, tokens: 7 }),
    },
  })
  const ready = async () => {
    const answer = await fetch(`${server.url}/readyz`)
    return [answer.status, Object(await answer.json())]
  }
  expect(await ready()).toEqual([200, expect.objectContaining({ ...replica, tokens: 7 })])
  at.reason = 'It is behind.'
  expect(await ready()).toEqual([503, expect.objectContaining({ ...replica, reason: at.reason })])
  at.replica = null
  const [, fields] = await ready()
  for (const name of ['lag_events', 'lag_ms', 'stream', 'server'])
    expect(fields).not.toHaveProperty(name)
  await server.stop()
})

test('what waited too long for a later turn is refused as its path is', async () => {
  const slow = await startFake({
    position: { epoch: () => 'e1', seq: () => seq },
    limits: { routeDeadlineMs: 1 },
  })
  slow.body = () => {
    const endMs = performance.now() + 20
    while (performance.now() < endMs);
    return '{}'
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const search = '/api/v2/search/tokens/detailed?query='
  const sockets = await Promise.all([0, 1, 2, 3].map(() => rawConnect(slow.server.port)))
  for (const [index, { socket }] of sockets.entries())
    socket.write(get(index < 3 ? search + index : '/udf/search?query=b'))
  await waitUntil(() => sockets.every(({ received }) => received.includes('}')))
  for (const { received, socket } of sockets) {
    expect(received.toString()).toContain(`X-Mintfeed-Seq: ${seq}`)
    socket.destroy()
  }
  const late = sockets[3].received.toString()
  expect(late).toContain(' 503 ')
  expect(late).toContain('{"s":"error"')
  expect(slow.server.readiness().fields).toMatchObject({ http_unread_answers_total: 0 })
  await slow.server.stop()
})
