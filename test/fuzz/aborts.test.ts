import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { type FakeService, startFake } from '../server/fake-service.ts'
import { LiveClient } from '../server/live-client.ts'
import { rawConnect, waitUntil } from '../server/raw-http.ts'
import { MANNERS, send } from './http-fuzz.ts'

const GETS = [
  '/api/v2/search/tokens/detailed?query=a',
  '/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/market-data',
  '/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/swaps',
  '/api/v2/search/traders/tokens/Stranger1111111111111111111111111111111pump',
  '/api/v2/search/traders/w/tokens',
  '/api/v2/meme/chart/ohlcv?mint=m&from=0&to=1&resolution=1',
  '/healthz',
  '/readyz',
  '/metrics',
  '/nowhere',
  '/ws',
]
const POST =
  'POST /api/v2/meme HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
const REQUESTS = [...GETS.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`), POST]
const CHANNELS = ['mint_migration', 'new_launched_pool', 'update_pools_info', 'update_mint_info']

let fake: FakeService
beforeAll(async () => {
  fake = await startFake({ limits: { bodyDeadlineMs: 200 } })
})
beforeEach(() => {
  fake.body = () => `"${'x'.repeat(50_000)}"`
})
afterAll(() => fake.server.stop())

/** The server answers, and nothing of the clients before is left. */
async function isWell(): Promise<void> {
  const figures = async () =>
    (await (await fetch(`${fake.server.url}/readyz`)).json()) as Record<string, number>
  await expect
    .poll(figures, { timeout: 5000 })
    .toMatchObject({ live_connections: 0, http_unfinished_answers: 0 })
  await expect
    .poll(async () => (await figures()).sockets, { timeout: 15_000 })
    .toBeLessThanOrEqual(2)
}

test.each(MANNERS)('every route outlives a client of the manner "%s"', async (manner) => {
  const random = new Random(7)
  for (const request of REQUESTS)
    for (let round = 0; round < 5; round++)
      expect(await send(fake.server.port, Buffer.from(request), manner, random)).not.toMatch(
        /^50[0-4]/,
      )
  await isWell()
})

test('a route that throws is a 500 for its client and nothing for the next', async () => {
  fake.body = () => {
    throw new Error('defect')
  }
  const random = new Random(7)
  for (const manner of MANNERS)
    for (const request of REQUESTS)
      await send(fake.server.port, Buffer.from(request), manner, random)
  // Clients of these manners wait for a moment only; the next one waits for as long as it takes.
  const next = async () => (await fetch(fake.server.url + GETS[0])).status
  expect(await next()).toBe(500)
  await isWell()
  fake.body = () => '[]'
  expect(await next()).toBe(200)
})

test.each(CHANNELS)('channel %s outlives clients that leave at any time', async (event) => {
  const data = {
    action: 'subscribe',
    id: 'me',
    ...(event === 'update_mint_info' ? { mint: 'A' } : {}),
  }
  const publish = () => {
    fake.live.trade('A', { n: 1, padding: 'x'.repeat(5000) })
    fake.live.migrate({ n: 1 })
    fake.live.launch({ n: 1 })
  }
  const leaving = await Promise.all(
    [1, 2, 3, 4].map(() => LiveClient.open(`${fake.server.wsUrl}?id=me`)),
  )
  for (const client of leaving) await client.ask({ event, data })
  leaving[0].socket.terminate()
  publish()
  leaving[1].socket.close()
  publish()
  leaving[2].socket.pause()
  publish()
  leaving[2].socket.terminate()
  leaving[3].socket.send(JSON.stringify({ event, data }))
  leaving[3].socket.terminate()
  publish()
  await Promise.all(leaving.map((client) => client.closed))
  await isWell()
})

test('a handshake that is torn at any byte leaves nothing behind', async () => {
  const handshake =
    'GET /ws?id=me HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
  for (let at = 0; at <= handshake.length; at += 9) {
    const raw = await rawConnect(fake.server.port)
    raw.socket.write(handshake.slice(0, at))
    await waitUntil(() => false, 2)
    raw.socket.resetAndDestroy()
  }
  await isWell()
})
