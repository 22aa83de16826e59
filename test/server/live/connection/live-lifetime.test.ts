import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { LiveTimes } from '../../../../src/server/live/feed.ts'
import { type FakeService, startFake } from '../../fake-service.ts'
import { PAST_THE_KERNEL_BYTES } from '../../kernel-buffers.ts'
import { LiveClient } from '../../live-client.ts'
import { BEFORE_IDLE_MS, exchange, rawConnect, waitUntil } from '../../raw-http.ts'

let fake: FakeService
afterEach(() => fake?.server.stop())

const start = async (liveTimes: LiveTimes = { pingMs: 30_000, silenceMs: 60_000 }) => {
  fake = await startFake({ liveTimes })
}
const open = (id = 'me', options = {}) => LiveClient.open(`${fake.server.wsUrl}?id=${id}`, options)
const follow = (mint: string, id = 'me') => ({
  event: 'update_mint_info',
  data: { action: 'subscribe', id, mint },
})

test('pings come on their own and a silent client is closed with 4008', async () => {
  await start({ pingMs: 40, silenceMs: 200 })
  const client = await open('me', { autoPong: false })
  const startedMs = performance.now()
  expect(await client.next()).toEqual({ type: 'ping' })
  const { code, reason } = await client.closed
  expect(code).toBe(4008)
  expect(reason).not.toBe('')
  expect(performance.now() - startedMs).toBeGreaterThan(150)
  expect(client.received.every((message) => JSON.stringify(message) === '{"type":"ping"}')).toBe(
    true,
  )
  expect(client.received.length).toBeGreaterThan(2)
})

test.each([
  ['pong text', (client: LiveClient) => client.socket.send('{"type":"pong"}')],
  ['garbage', (client: LiveClient) => client.socket.send('garbage')],
  ['a binary frame', (client: LiveClient) => client.socket.send(Buffer.of(1))],
  ['a ws-level ping', (client: LiveClient) => client.socket.ping()],
  ['a ws-level pong', (client: LiveClient) => client.socket.pong()],
])('%s keeps a connection alive', async (_, beat) => {
  // Far apart, so that a machine with much else to do beats in time.
  await start({ pingMs: 10_000, silenceMs: 600 })
  const client = await open()
  for (let round = 0; round < 12; round++) {
    beat(client)
    await sleep(60)
  }
  expect(client.socket.readyState).toBe(client.socket.OPEN)
  expect((await client.closed).code).toBe(4008)
})

test('a program that stood still closes nobody for what it could not hear meanwhile', async () => {
  const silenceMs = 400
  await start({ pingMs: 100, silenceMs })
  const answering = await open('answering')
  const silent = await open('silent')
  answering.socket.on('message', () => answering.socket.send('{"type":"pong"}'))
  for (let round = 0; round < 3; round++) {
    standStill(2 * silenceMs)
    await sleep(silenceMs / 4)
  }
  expect([answering, silent].map(({ socket }) => socket.readyState)).toEqual([1, 1])
  expect((await silent.closed).code).toBe(4008)
  expect(answering.socket.readyState).toBe(1)
})

function standStill(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs)
}

/** Looks, 5 ms apart, that a message may take: none passes while the machine stands still. */
const LOOKS_MAX = 200

test('a slow reader is closed with 4009 while another gets everything in order', async () => {
  await start()
  const slow = await open('slow')
  const quick = await open('quick')
  await slow.ask(follow('A', 'slow'))
  await quick.ask(follow('A', 'quick'))
  slow.socket.pause()
  const padding = 'x'.repeat(5000)
  let sent = 0
  let mostLooks = 0
  while (sent * padding.length < PAST_THE_KERNEL_BYTES) {
    for (let index = 0; index < 50; index++) fake.live.trade('A', { n: sent++, padding })
    let looks = 0
    // The first message is the acknowledgement.
    await waitUntil(() => ++looks > LOOKS_MAX || quick.received.length > sent)
    mostLooks = Math.max(mostLooks, looks)
  }
  const trades = quick.received.slice(1) as { data: { n: number } }[]
  expect(trades.map((trade) => trade.data.n)).toEqual(Array.from({ length: sent }, (_, n) => n))
  expect(mostLooks).toBeLessThanOrEqual(LOOKS_MAX)
  slow.socket.resume()
  const { code, reason } = await slow.closed
  expect(code).toBe(4009)
  expect(reason).toContain('slow reader')
  const got = slow.received.slice(1) as { data: { n: number } }[]
  expect(got.length).toBeLessThan(sent)
  // No gap: what came is the beginning of the stream.
  expect(got.map((trade) => trade.data.n)).toEqual(Array.from({ length: got.length }, (_, n) => n))
  quick.close()
})

test('one burst in a single turn keeps a reader within its megabyte or closes it', async () => {
  await start()
  const client = await open()
  await client.ask(follow('A'))
  client.socket.pause()
  for (let n = 0; n < 20_000; n++) fake.live.trade('A', { n, padding: 'x'.repeat(1000) })
  client.socket.resume()
  expect((await client.closed).code).toBe(4009)
  const got = client.received.slice(1) as { data: { n: number } }[]
  expect(got.map((trade) => trade.data.n)).toEqual(Array.from({ length: got.length }, (_, n) => n))
  expect(fake.live.wanted('A')).toBe(false)
})

test.each([
  ['mint_migration', () => fake.live.migrate({ padding: 'x'.repeat(1000) })],
  ['new_launched_pool', () => fake.live.launch({ padding: 'x'.repeat(1000) })],
])('one burst of %s closes a reader that does not read', async (event, tell) => {
  await start()
  const client = await open()
  await client.ask({ event, data: { action: 'subscribe', id: 'me' } })
  client.socket.pause()
  for (let n = 0; n < 20_000; n++) tell()
  client.socket.resume()
  expect((await client.closed).code).toBe(4009)
})

test('a client that asks and never reads the answers is closed too', async () => {
  await start()
  const client = await open()
  client.socket.pause()
  const mints = Array.from({ length: 1000 }, (_, n) => `${n}`.padStart(44, 'm'))
  const message = JSON.stringify({
    event: 'update_mint_info',
    data: { action: 'subscribe', id: 'me', mints },
  })
  for (let round = 0; round < 200; round++) client.socket.send(message)
  await waitUntil(() => fake.live.wanted(mints[0]))
  await waitUntil(() => !fake.live.wanted(mints[0]))
  client.socket.resume()
  expect((await client.closed).code).toBe(4009)
})

test('stop closes live connections with 1012, and a second stop is the first', async () => {
  await start()
  const clients = await Promise.all([open('a'), open('b'), open('c')])
  await clients[0].ask(follow('A', 'a'))
  const stopped = fake.server.stop()
  expect(fake.server.stop()).toBe(stopped)
  for (const client of clients) expect((await client.closed).code).toBe(1012)
  await stopped
  expect(fake.live.wanted('A')).toBe(false)
  fake.live.migrate({})
  await expect(fetch(`${fake.server.url}/healthz`)).rejects.toThrow()
})

test('stop lets a running request finish and closes idle sockets', async () => {
  await start()
  const idle = await rawConnect(fake.server.port)
  const running = await rawConnect(fake.server.port)
  const head = 'POST /api/v2/meme HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  running.socket.write(`${head}Content-Length: 2\r\n\r\n{`)
  await sleep(50)
  const stopped = fake.server.stop()
  await sleep(50)
  // Whoever comes now goes to another one at once.
  await expect(fetch(`${fake.server.url}/healthz`)).rejects.toThrow('fetch failed')
  expect(running.isEnded).toBe(false)
  running.socket.write('}')
  await stopped
  await waitUntil(() => idle.isEnded && running.isEnded, BEFORE_IDLE_MS)
  expect(running.received.toString()).toContain('{"made":true}')
  expect(running.received.toString()).toContain('Connection: close')
  expect(idle.isEnded).toBe(true)
})

test('an answer that is longer than the kernel takes is read to its end while the service goes down', async () => {
  await start()
  fake.body = () => 'x'.repeat(PAST_THE_KERNEL_BYTES)
  const { socket } = await rawConnect(fake.server.port)
  const head = 'POST /api/v2/meme HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  socket.write(`${head}Content-Length: 2\r\n\r\n{`)
  await sleep(50)
  const stopped = fake.server.stop()
  let received = 0
  socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.pause().write('}')
  await sleep(300)
  socket.resume()
  await Promise.all([stopped, closed])
  expect(received).toBeGreaterThan(PAST_THE_KERNEL_BYTES)
})

test('a port in use is an error of one sentence that says what to do', async () => {
  await start()
  const { port } = fake.server
  await expect(startFake({ port })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${port}: the port is in use: stop what uses it, or give another PORT.`,
  )
  await expect(startFake({ host: '203.0.113.7' })).rejects.toThrow(/address is not one of this/)
  expect((await fetch(`${fake.server.url}/healthz`)).status).toBe(200)
})

test('a server listens on IPv6 and names itself so', async () => {
  fake = await startFake({ host: '::1', rateLimit: { limit: 9, windowMs: 1000 } })
  expect(fake.server.url).toBe(`http://[::1]:${fake.server.port}`)
  const response = await fetch(`${fake.server.url}/api/v2/search/tokens/detailed?query=a`)
  expect(response.headers.get('x-ratelimit-remaining')).toBe('8')
})

test('the handshake of HTTP garbage does not hurt the process', async () => {
  await start()
  const requests = [
    '\r\n\r\n',
    'GET\r\n\r\n',
    '\0'.repeat(100),
    `GET /${'a'.repeat(20_000)} HTTP/1.1`,
  ]
  for (const request of requests) await exchange(fake.server.port, `${request}\r\n\r\n`, () => true)
  expect((await fetch(`${fake.server.url}/healthz`)).status).toBe(200)
})
