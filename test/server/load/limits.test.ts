import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ServerOptions } from '../../../src/server/server.ts'
import { type FakeService, startFake } from '../fake-service.ts'
import { PAST_THE_KERNEL_BYTES } from '../kernel-buffers.ts'
import { LiveClient } from '../live-client.ts'
import { BEFORE_IDLE_MS, exchange, rawConnect, waitUntil } from '../raw-http.ts'

/** Limits of the server, private to their files. */
const TURN_MS = 4

let fake: FakeService
const start = async (changes: Partial<ServerOptions> = {}) => {
  fake = await startFake(changes)
}
afterEach(() => fake?.server.stop())

const figures = async (): Promise<Record<string, number>> =>
  (await (await fetch(`${fake.server.url}/readyz`)).json()) as Record<string, number>

/** A machine that does other things too needs longer than the usual second. */
const LOOKED_FOR = { timeout: 30_000 }

const from = (address: string, id = 'me') =>
  LiveClient.open(`${fake.server.wsUrl}?id=${id}`, { headers: { 'X-Forwarded-For': address } })

test('one socket more than allowed is closed, and there is room again when one leaves', async () => {
  await start({ limits: { sockets: 3 } })
  const three = await Promise.all([1, 2, 3].map(() => rawConnect(fake.server.port)))
  const fourth = await rawConnect(fake.server.port)
  await waitUntil(() => fourth.isEnded, BEFORE_IDLE_MS)
  expect(fourth.isEnded).toBe(true)
  expect(three.map((raw) => raw.isEnded)).toEqual([false, false, false])
  three[0].socket.destroy()
  await waitUntil(() => three[0].isEnded, BEFORE_IDLE_MS)
  const answer = await exchange(
    fake.server.port,
    'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    (text) => text.includes('ok'),
  )
  expect(answer).toContain('"status":"ok"')
  for (const raw of three) raw.socket.destroy()
})

test('a client that was answered makes room while less than an eighth of all sockets is free', async () => {
  await start({ limits: { sockets: 16 } })
  const ask = async () => {
    const raw = await rawConnect(fake.server.port)
    raw.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await waitUntil(() => raw.received.includes('"status":"ok"'), BEFORE_IDLE_MS)
    return raw
  }
  const idle = await Promise.all(Array.from({ length: 13 }, () => rawConnect(fake.server.port)))
  const open = await ask()
  const last = await ask()
  await waitUntil(() => last.isEnded, BEFORE_IDLE_MS)
  expect([open.isEnded, last.isEnded]).toEqual([false, true])
  for (const raw of [...idle, open]) raw.socket.destroy()
})

test('live connections count as sockets until they close', async () => {
  await start()
  const clients = await Promise.all([1, 2, 3].map(() => from('1.1.1.1')))
  // The reader of the figures is a socket itself.
  expect(await figures()).toMatchObject({ sockets: 4, live_connections: 3 })
  for (const client of clients) client.close()
  await Promise.all(clients.map((client) => client.closed))
  await expect.poll(figures, LOOKED_FOR).toMatchObject({ sockets: 1, live_connections: 0 })
})

test('an address may have so many live connections, others are not held back by it', async () => {
  await start({ limits: { connectionsPerAddress: 2 }, trustProxy: ['127.0.0.1'] })
  const clients = [await from('9.9.9.9'), await from('9.9.9.9')]
  await expect(from('9.9.9.9')).rejects.toThrow('429')
  clients.push(await from('9.9.9.8'))
  clients[0].close()
  await clients[0].closed
  clients.push(await from('9.9.9.9'))
  for (const client of clients) client.close()
})

test('the addresses of one /64 are one client', async () => {
  await start({ limits: { connectionsPerAddress: 1 }, trustProxy: ['127.0.0.1'] })
  const client = await from('2001:db8::1')
  await expect(from('2001:db8::2')).rejects.toThrow('429')
  client.close()
})

test('programs of this machine are not counted by address', async () => {
  await start({ limits: { connectionsPerAddress: 1 } })
  const clients = [await from('9.9.9.9'), await from('9.9.9.9')]
  for (const client of clients) client.close()
})

test('more messages in a second than allowed close the connection with 4010', async () => {
  await start({ limits: { messagesPerSecond: 50 } })
  const quiet = await from('1.1.1.1')
  const flood = await from('1.1.1.1')
  for (let index = 0; index < 60; index++) flood.socket.send('{"type":"ping"}')
  expect((await flood.closed).code).toBe(4010)
  expect(flood.received.length).toBeLessThanOrEqual(50)
  expect(await quiet.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  quiet.close()
})

test('what hundreds of connections followed is let go when they close at once', async () => {
  await start()
  const clients = await Promise.all(Array.from({ length: 300 }, () => from('1.1.1.1')))
  const asked = clients.map((client, index) => client.ask(follow(mintsOf(index % 10))))
  await Promise.all(asked)
  expect(await figures()).toMatchObject({ live_connections: 300, live_followed_mints: 200 })
  for (const { socket } of clients) socket.terminate()
  const none = { live_connections: 0, live_followed_mints: 0, live_departures: 0 }
  await expect.poll(figures, LOOKED_FOR).toMatchObject(none)
})

const countedFrom = (limits: NonNullable<ServerOptions['limits']>) =>
  start({ limits, trustProxy: ['127.0.0.1'] })

test('the connections of one address share a limit: the flooding ones go, a quiet one stays', async () => {
  await countedFrom({ messagesPerSecondPerAddress: 100 })
  const quiet = await from('9.9.9.9')
  const floods = await Promise.all([1, 2, 3].map(() => from('9.9.9.9')))
  const neighbour = await from('9.9.9.8')
  for (const { socket } of floods)
    for (let index = 0; index < 70; index++) socket.send('{"type":"ping"}')
  const closed = await Promise.race(floods.map((flood) => flood.closed))
  expect(closed).toEqual({ code: 4010, reason: 'too many messages of one address in one second' })
  expect(await quiet.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  expect(await neighbour.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  for (const client of [quiet, neighbour, ...floods]) client.close()
})

const mintsOf = (index: number) =>
  Array.from({ length: 20 }, (_, mint) => `mint${index}x${mint}`.padEnd(44, 'x'))
const follow = (mints: readonly string[]) => ({
  event: 'update_mint_info',
  data: { action: 'subscribe', id: 'me', mints },
})

test('subscriptions of one address are counted, also on connections that replace each other', async () => {
  await countedFrom({ subscriptionsPerSecondPerAddress: 50 })
  for (const index of [0, 1]) {
    const client = await from('9.9.9.9')
    expect(await client.ask(follow(mintsOf(index)))).toMatchObject({ type: 'subscribed' })
    client.close()
    await client.closed
  }
  const third = await from('9.9.9.9')
  third.socket.send(JSON.stringify(follow([...mintsOf(2), ...mintsOf(3), ...mintsOf(4)])))
  const reason = 'too many subscriptions of one address in one second'
  expect(await third.closed).toEqual({ code: 4010, reason })
  expect(third.received).toEqual([])
})

test('messages of this machine are not counted by address', async () => {
  await start({ limits: { messagesPerSecondPerAddress: 1, subscriptionsPerSecondPerAddress: 1 } })
  const client = await from('9.9.9.9')
  expect(await client.ask(follow(mintsOf(0)))).toMatchObject({ type: 'subscribed' })
  expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  client.close()
})

test('pings of the protocol count too, and their answers do not pile up', async () => {
  await start({ limits: { messagesPerSecond: 1_000_000 } })
  const client = await from('1.1.1.1')
  client.socket.pause()
  const payload = Buffer.alloc(125)
  const cut = async () => (await figures()).live_slow_readers_total
  let sentBytes = 0
  while (sentBytes < PAST_THE_KERNEL_BYTES && (await cut()) === 0)
    for (let index = 0; index < 20_000; index++, sentBytes += payload.length)
      client.socket.ping(payload)
  await expect.poll(cut, LOOKED_FOR).toBe(1)
  client.socket.resume()
  expect((await client.closed).code).toBe(4009)
})

test.each([400_000, 40_000])(
  'a client that sends requests and reads no answers of %i bytes is cut off',
  async (bytes) => {
    await start()
    fake.body = () => 'x'.repeat(bytes)
    const path = '/api/v2/search/tokens/detailed?query=a'
    const socket = connect(fake.server.port, '127.0.0.1').pause()
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5000))
    await expect.poll(async () => (await figures()).http_unread_answers_total, LOOKED_FOR).toBe(1)
    // The kernel holds some megabytes; behind them one answer in eight finds it out.
    expect(fake.calls.length).toBeLessThan(1000)
    socket.resume()
    await closed
  },
)

test('requests of one turn that take long wait for the next, and a client that has sent more behind one is cut off', async () => {
  await start()
  fake.body = () => {
    const endMs = performance.now() + 2 * TURN_MS
    while (performance.now() < endMs);
    return '{}'
  }
  const get = 'GET /api/v2/search/tokens/detailed?query=a HTTP/1.1\r\nHost: x\r\n\r\n'
  const head = 'POST /api/v2/meme HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const flood = await rawConnect(fake.server.port)
  const patient = await Promise.all(Array.from({ length: 6 }, () => rawConnect(fake.server.port)))
  flood.socket.write(get.repeat(100))
  for (const [index, { socket }] of patient.entries())
    socket.write(index % 2 === 0 ? get : `${head}Content-Length: 2\r\n\r\n{}`)
  const isAnswered = () => patient.every(({ received }) => received.includes('\r\n\r\n{}'))
  await waitUntil(() => flood.isEnded && isAnswered(), BEFORE_IDLE_MS)
  expect(isAnswered()).toBe(true)
  expect(flood.isEnded).toBe(true)
  expect(fake.calls.length).toBeLessThan(10)
  expect(await figures()).toMatchObject({ turn_waiting: 0 })
  for (const { socket } of patient) socket.destroy()
})

test.each([
  ['HEAD', '/healthz', ''],
  ['OPTIONS', '/api/v2/meme', ''],
  ['GET', '/healthz', 'If-None-Match: *\r\n'],
])('unread answers without a body do not pile up: %s %s', async (method, path, header) => {
  await start()
  const socket = connect(fake.server.port, '127.0.0.1').pause()
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`.repeat(10_000))
  await expect.poll(async () => (await figures()).http_unread_answers_total, LOOKED_FOR).toBe(1)
  socket.resume()
  await closed
})

test('a client that waits for each answer gets all of them, those held back for a moment too', async () => {
  await start()
  const raw = await rawConnect(fake.server.port)
  for (let count = 1; count <= 2000; count++) {
    raw.socket.write('HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    while (!raw.received.includes('\r\n\r\n'))
      await new Promise((resolve) => raw.socket.once('data', resolve))
    expect(raw.received.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n.+\r\n\r\n$/s)
    raw.received = Buffer.alloc(0)
  }
  expect(await figures()).toMatchObject({
    http_unread_answers_total: 0,
    http_unfinished_answers: 0,
  })
  raw.socket.destroy()
})

/** How late a client may be by itself with a request into a connection that is announced as open. */
const LATE_MS = 1_500

test('an idle connection takes a next request for longer than the answer before has said', async () => {
  await start()
  const raw = await rawConnect(fake.server.port)
  const get = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
  raw.socket.write(get)
  await waitUntil(() => raw.received.length > 0)
  const announcedS = /^Keep-Alive: timeout=(\d+)\r$/m.exec(raw.received.toString())?.[1]
  expect(Number(announcedS)).toBeGreaterThan(1)
  const firstLength = raw.received.length
  await new Promise((resolve) => setTimeout(resolve, Number(announcedS) * 1000 + LATE_MS))
  raw.socket.write(get)
  await waitUntil(() => raw.received.length > firstLength)
  expect(raw.received.length).toBeGreaterThan(firstLength)
  expect(raw.isEnded).toBe(false)
  raw.socket.destroy()
})

test('a slow reader gets its answer whole', async () => {
  await start()
  const body = 'abcdefgh'.repeat(1_000_000)
  fake.body = () => body
  const response = await fetch(`${fake.server.url}/api/v2/search/tokens/detailed?query=a`)
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  for (;;) {
    const step = await reader?.read()
    if (step === undefined || step.done) break
    chunks.push(step.value)
    if (chunks.length < 20) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(Buffer.concat(chunks).toString() === body).toBe(true)
  expect(await figures()).toMatchObject({ http_unfinished_answers: 0 })
})

test('answers do not tell what serves them, and a defect is found by its id', async () => {
  await start()
  fake.body = () => {
    throw new Error('secret')
  }
  const response = await fetch(`${fake.server.url}/api/v2/search/tokens/detailed?query=a`)
  expect(response.status).toBe(500)
  const answer = `${JSON.stringify([...response.headers])}${await response.text()}`
  expect(answer).not.toMatch(/secret|uWebSockets|node_modules|\.ts\b/i)
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})
