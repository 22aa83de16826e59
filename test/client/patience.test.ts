import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ClientOptions, Mintfeed } from '../../client/src/mintfeed.ts'
import { LateSocket } from './late-socket.ts'

const PING = '{"type":"ping"}'

const sockets: LateSocket[] = []
let client: Mintfeed

function follow(options: ClientOptions): LateSocket {
  const openSocket = () => {
    const socket = new LateSocket()
    sockets.push(socket)
    return socket
  }
  client = new Mintfeed('http://127.0.0.1:1', { openSocket, ...options })
  void client.live.trades('A', { snapshot: false })
  return sockets[0]
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
})

afterEach(() => {
  client.close()
  sockets.length = 0
  vi.useRealTimers()
})

test('a connection that takes long to open is waited for', async () => {
  const socket = follow({ requestTimeoutMs: 10_000, silenceMs: 45_000 })
  await vi.advanceTimersByTimeAsync(9_500)
  expect(socket.isClosed).toBe(false)
  socket.open()
  await vi.advanceTimersByTimeAsync(0)
  expect(socket.sent.map((text) => JSON.parse(text))).toMatchObject([
    { type: 'ping' },
    { event: 'update_mint_info', data: { action: 'subscribe', mint: 'A' } },
  ])
  expect(sockets.length).toBe(1)
})

test('silence counts from the moment a connection opened', async () => {
  const socket = follow({ requestTimeoutMs: 10_000, silenceMs: 10_000 })
  await vi.advanceTimersByTimeAsync(9_500)
  socket.open()
  await vi.advanceTimersByTimeAsync(9_500)
  expect(socket.isClosed).toBe(false)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(socket.isClosed).toBe(true)
})

test('one that does not open within the time of a request is given up', async () => {
  const socket = follow({ requestTimeoutMs: 3_000, silenceMs: 45_000 })
  await vi.advanceTimersByTimeAsync(4_100)
  expect(socket.isClosed).toBe(true)
  await vi.advanceTimersByTimeAsync(300)
  expect(sockets.length).toBe(2)
})

test('a client that is closed between two attempts opens no connection any more', async () => {
  const socket = follow({ requestTimeoutMs: 3_000, silenceMs: 45_000 })
  socket.fail()
  client.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sockets.length).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('what a connection that was given up still does changes nothing for the one behind it', async () => {
  const first = follow({ requestTimeoutMs: 3_000, silenceMs: 45_000 })
  await vi.advanceTimersByTimeAsync(4_500)
  expect(first.isClosed).toBe(true)
  const [, second] = sockets
  second.open()
  await vi.advanceTimersByTimeAsync(0)
  const sent = [...second.sent]
  for (const late of [() => first.open(), () => first.say('{'), first.fail, first.breakOff]) {
    late()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(second.isClosed).toBe(false)
  expect(client.live.status).toMatchObject({ open: 1, disconnects: 0, unreadable: 0 })
  expect(second.sent).toEqual(sent)
})

test('a connection on which nothing is heard is kept until its silence is over', async () => {
  const socket = follow({ requestTimeoutMs: 3_000, silenceMs: 45_000 })
  socket.open()
  await vi.advanceTimersByTimeAsync(0)
  // What was asked for is answered: a request may wait as long as a silence, too.
  socket.say(JSON.stringify({ type: 'subscribed', event: 'update_mint_info', seq: 0, epoch: 'e1' }))
  await vi.advanceTimersByTimeAsync(44_000)
  expect(socket.isClosed).toBe(false)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(socket.isClosed).toBe(true)
})

test('a connection is pinged three times within the silence that ends it, however short a request may take', async () => {
  const socket = follow({ requestTimeoutMs: 3_000, silenceMs: 45_000 })
  socket.open()
  for (let second = 0; second < 60; second += 1) {
    socket.say('{"type":"pong"}')
    await vi.advanceTimersByTimeAsync(1_000)
  }
  const pings = socket.sent.filter((text) => text === PING).length
  expect(pings).toBeGreaterThanOrEqual(4)
  expect(pings).toBeLessThanOrEqual(5)
})

test('a ping goes as soon as a third of the silence is over, not with the next look behind it', () => {
  const socket = follow({ silenceMs: 30_000 })
  vi.advanceTimersByTime(20)
  socket.open()
  for (const pings of [1, 2, 3, 4]) {
    expect(socket.sent.filter((text) => text === PING)).toHaveLength(pings)
    socket.say('{"type":"pong"}')
    vi.advanceTimersByTime(10_000)
  }
})

test('a connection that stayed makes the next wait short again, one that broke off at once does not', async () => {
  follow({ backoff: { firstMs: 100, longestMs: 10_000 }, random: () => 1 })
  const newest = () => sockets[sockets.length - 1]
  const waitMs = async () => {
    const before = sockets.length
    newest().breakOff()
    let ms = 0
    for (; sockets.length === before && ms < 20_000; ms += 10) await vi.advanceTimersByTimeAsync(10)
    return ms
  }
  const waitsMs: number[] = []
  for (let i = 0; i < 8; i += 1) waitsMs.push(await waitMs())
  expect(waitsMs).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000])
  newest().open()
  await vi.advanceTimersByTimeAsync(6_000)
  expect(await waitMs()).toBe(100)
  newest().open()
  expect(newest().sent).toContain(PING)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await waitMs()).toBe(200)
})

test('what is answered one by one, as over a slow line, is waited for as long as answers come', async () => {
  const socket = follow({ silenceMs: 9_000 })
  const mints = ['A', 'B', 'C', 'D']
  for (const mint of mints) void client.live.candles(mint, '1S', { countback: 5_000 })
  socket.open()
  await vi.advanceTimersByTimeAsync(6_000)
  socket.say('{"type":"subscribed","event":"update_mint_info","mint":"A","seq":1,"epoch":"e"}')
  for (const mint of mints.slice(0, 3)) {
    await vi.advanceTimersByTimeAsync(6_000)
    expect(socket.isClosed).toBe(false)
    const about = { mint, resolution: '1S', step: 1, seq: 1, epoch: 'e' }
    socket.say(JSON.stringify({ type: 'subscribed', event: 'candles', ...about }))
  }
  // The service lives, and has forgotten the last one.
  for (let i = 0; i < 5; i += 1) {
    expect(socket.isClosed).toBe(i === 4)
    socket.say('{"type":"ping"}')
    await vi.advanceTimersByTimeAsync(3_000)
  }
})

test('the round trip is as long as the ping under way has waited: what comes before its answer is late by that', () => {
  const socket = follow({ silenceMs: 30_000, requestTimeoutMs: 3_000 })
  socket.open()
  vi.advanceTimersByTime(40)
  socket.say('{"type":"pong"}')
  expect(client.live.status.roundTripMs).toBe(40)
  vi.advanceTimersByTime(9_960)
  expect(socket.sent.filter((text) => text === PING)).toHaveLength(2)
  vi.advanceTimersByTime(7_000)
  socket.say('{"type":"ping"}')
  expect(client.live.status.roundTripMs).toBe(7_000)
  vi.advanceTimersByTime(1_000)
  socket.say('{"type":"pong"}')
  expect(client.live.status.roundTripMs).toBe(8_000)
})
