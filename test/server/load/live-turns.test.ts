import { connect } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { AdjustableLimits } from '../../../src/config/surface.ts'
import { LoopScheduler } from '../../../src/server/load/loop-scheduler.ts'
import { handshake } from '../../attacks/raw-sockets.ts'
import { type FakeService, startFake } from '../fake-service.ts'
import { LiveClient } from '../live-client.ts'
import { type RawConnection, rawConnect, waitUntil } from '../raw-http.ts'

/** Limits of the server, private to their files. */
const TURN_MS = 4

let fake: FakeService
const start = async (limits: Partial<AdjustableLimits> = {}) => {
  fake = await startFake({
    trustProxy: ['127.0.0.1'],
    limits: { subscriptionsPerSecondPerAddress: 1e9, ...limits },
  })
}
afterEach(() => fake?.server.stop())

const figures = async (): Promise<Record<string, number>> =>
  (await (await fetch(`${fake.server.url}/readyz`)).json()) as Record<string, number>
const LOOKED_FOR = { timeout: 30_000 }

const from = (address: string) =>
  LiveClient.open(`${fake.server.wsUrl}?id=me`, { headers: { 'X-Forwarded-For': address } })

/** A message that takes a good part of a turn: a thousand mints. */
const costly = (action: string, round: number) => {
  const mints = Array.from({ length: 1000 }, (_, n) => `${round}/${n}`.padStart(44, 'm'))
  return JSON.stringify({ event: 'update_mint_info', data: { action, id: 'me', mints } })
}

interface Told {
  readonly type: string
  readonly mints?: readonly string[]
}

test('where a turn of the loop takes long, what waits has a share of it', async () => {
  let nowMs = 0
  let served = 0
  const turns = new LoopScheduler(() => nowMs)
  for (let index = 0; index < 60; index++)
    turns.later(`client ${index}`, {
      run() {
        nowMs += 1
        served += 1
        return false
      },
    })
  nowMs += 400
  await nextTurn()
  expect(served).toBe(60)
})

test('time that a turn gave to something else is counted for no client', () => {
  let nowMs = 0
  const turns = new LoopScheduler(() => nowMs)
  let begun = 0
  const ask = (takesMs: number) => {
    if (turns.isOverBudget({ client: `client ${begun}` }, TURN_MS)) return false
    nowMs += takesMs
    turns.done()
    begun++
    return true
  }
  expect(ask(TURN_MS / 4)).toBe(true)
  // Thousands of connections close.
  for (let round = 0; round < 3; round++) {
    nowMs += 200
    expect(ask(TURN_MS / 8)).toBe(true)
  }
  // What is done behind each request counts for it, and so does what a request itself takes.
  while (begun < 100 && ask(TURN_MS / 40)) nowMs += TURN_MS / 80
  expect(begun).toBeGreaterThan(4 + 5)
  expect(begun).toBeLessThan(4 + 11)
})

test('messages that are too many for a turn are served in later ones, in the order of their connection', async () => {
  await start()
  const client = await from('9.9.9.9')
  for (let round = 0; round < 40; round++) {
    client.socket.send(costly('subscribe', round))
    client.socket.send('{"type":"ping"}')
    client.socket.send(costly('unsubscribe', round))
  }
  await expect.poll(() => client.received.length, LOOKED_FOR).toBe(120)
  const messages = client.received as Told[]
  expect(messages.map(({ type }) => type)).toEqual(
    Array.from({ length: 40 }, () => ['subscribed', 'pong', 'unsubscribed']).flat(),
  )
  const firsts = messages.flatMap(({ mints }) => (mints === undefined ? [] : [mints[0]]))
  expect(firsts).toEqual(
    Array.from({ length: 80 }, (_, n) => `${Math.floor(n / 2)}/0`.padStart(44, 'm')),
  )
  const after = await figures()
  expect(after.live_deferred_messages_total).toBeGreaterThan(0)
  expect(after).toMatchObject({
    live_followed_mints: 0,
    live_waiting_messages: 0,
    live_waiting_bytes: 0,
  })
  client.close()
})

test('a client that sends one request does not wait for all that another has sent', async () => {
  await start()
  const [flood, second, quiet] = await Promise.all([
    from('9.9.9.9'),
    from('9.9.9.9'),
    from('9.9.9.8'),
  ])
  for (let round = 0; round < 150; round++)
    for (const { socket } of [flood, second]) socket.send(costly('subscribe', 0))
  expect(await quiet.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  const response = await fetch(`${fake.server.url}/healthz`, {
    headers: { 'X-Forwarded-For': '9.9.9.7' },
  })
  expect(response.status).toBe(200)
  expect(flood.received.length + second.received.length).toBeLessThan(200)
  await expect.poll(() => flood.received.length, LOOKED_FOR).toBe(150)
  // Its connections have shared the time.
  expect(second.received.length).toBeGreaterThan(50)
  for (const client of [flood, second, quiet]) client.close()
})

test('what waits of a connection goes with it', async () => {
  await start()
  const client = await from('9.9.9.9')
  for (let round = 0; round < 150; round++) client.socket.send(costly('subscribe', round))
  await client.next()
  client.socket.terminate()
  const nothing = { live_connections: 0, live_followed_mints: 0, live_waiting_messages: 0 }
  await expect.poll(figures, LOOKED_FOR).toMatchObject({ ...nothing, turn_waiting: 0 })
})

test('a stop with messages and requests that wait, and handshakes on their way, ends in time and answers none of the messages', async () => {
  await start()
  const client = await from('9.9.9.9')
  const sockets = await Promise.all([1, 2, 3, 4].map(() => rawConnect(fake.server.port)))
  for (let round = 0; round < 150; round++) client.socket.send(costly('subscribe', round))
  await client.next()
  const got = client.received.length
  for (const [index, { socket }] of sockets.entries())
    socket.write(index % 2 === 0 ? handshake('me') : 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  const stopped = fake.server.stop()
  expect((await client.closed).code).toBe(1012)
  await stopped
  expect(client.received.length).toBeLessThan(got + 100)
  for (const { socket } of sockets) socket.destroy()
})

/** Requests that take long, so that what comes with them has to wait. */
function busyAnswers(): void {
  fake.body = () => {
    const endMs = performance.now() + 2 * TURN_MS
    while (performance.now() < endMs);
    return '{}'
  }
}
const STREAM = 'GET /api/v2/stream?channel=mint_migration HTTP/1.1\r\nHost: x\r\n\r\n'
const SLOW = 'GET /api/v2/search/tokens/detailed?query=a HTTP/1.1\r\nHost: x\r\n\r\n'

test('hundreds of handshakes in one turn are all answered, also with a refusal', async () => {
  await start()
  busyAnswers()
  const sockets = await Promise.all(Array.from({ length: 40 }, () => rawConnect(fake.server.port)))
  for (const [index, { socket }] of sockets.entries()) {
    if (index % 8 === 0) socket.write(SLOW)
    else socket.write(handshake(index % 8 === 1 ? '' : `h${index}`))
  }
  const answerOf = (index: number) => sockets[index].received.toString().split('\r\n')[0]
  await waitUntil(() => sockets.every(({ received }) => received.length > 0))
  for (const index of sockets.keys())
    expect(answerOf(index)).toBe(
      ['HTTP/1.1 200 OK', 'HTTP/1.1 400 Bad Request'][index % 8] ??
        'HTTP/1.1 101 Switching Protocols',
    )
  expect((await figures()).live_connections).toBe(30)
  expect((await figures()).turn_deferred_total).toBeGreaterThan(0)
  for (const { socket } of sockets) socket.destroy()
  await expect.poll(figures, LOOKED_FOR).toMatchObject({ live_connections: 0, turn_waiting: 0 })
})

test.each([
  ['streams of events that are refused', 'GET /api/v2/stream HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['handshakes that are refused', handshake('')],
])(
  'a client that sends thousands of %s in one piece is cut off behind the first that has to wait',
  async (_, request) => {
    await start()
    const flood = await rawConnect(fake.server.port)
    flood.socket.write(request.repeat(4000))
    await waitUntil(() => flood.isEnded)
    expect(flood.isEnded).toBe(true)
    const answers = flood.received.toString().split('HTTP/1.1 400').length - 1
    expect(answers).toBeLessThan(4000)
    expect((await figures()).turn_deferred_total).toBeGreaterThan(0)
    await expect.poll(figures, LOOKED_FOR).toMatchObject({ turn_waiting: 0, sockets: 1 })
    expect(fake.logged).toEqual([])
  },
)

test('a stream of events that has to wait for its turn begins in a later one, and goes on past the time of an answer', async () => {
  const routeDeadlineMs = 300
  await start({ routeDeadlineMs })
  busyAnswers()
  const sockets = await Promise.all(Array.from({ length: 40 }, () => rawConnect(fake.server.port)))
  for (const [index, { socket }] of sockets.entries()) socket.write(index % 8 === 0 ? SLOW : STREAM)
  const streams = sockets.filter((_, index) => index % 8 !== 0)
  const hasBegun = ({ received }: RawConnection) => received.includes('data: ')
  await waitUntil(() => streams.every(hasBegun))
  expect(streams.every(hasBegun)).toBe(true)
  expect((await figures()).turn_deferred_total).toBeGreaterThan(0)
  await sleep(2 * routeDeadlineMs)
  expect(streams.filter(({ isEnded }) => isEnded)).toEqual([])
  expect(streams.filter(({ received }) => received.includes('deadline'))).toEqual([])
  expect(await figures()).toMatchObject({ live_connections: 35, turn_waiting: 0 })
  for (const { socket } of sockets) socket.destroy()
  await expect.poll(figures, LOOKED_FOR).toMatchObject({ live_connections: 0, sockets: 1 })
})

test('handshakes and requests that are torn hurt no other client', async () => {
  await start()
  busyAnswers()
  for (let round = 0; round < 10; round++) {
    const slow = await rawConnect(fake.server.port)
    slow.socket.write(SLOW)
    for (let index = 0; index < 20; index++) {
      const socket = connect(fake.server.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.on('connect', () => {
        socket.write(index % 2 === 0 ? handshake(`h${index}`) : SLOW)
        setImmediate(() => socket.resetAndDestroy())
      })
    }
    await waitUntil(() => slow.received.length > 0)
    slow.socket.destroy()
  }
  const nothing = { live_connections: 0, turn_waiting: 0, sockets: 1 }
  await expect.poll(figures, LOOKED_FOR).toMatchObject(nothing)
  expect(fake.logged).toEqual([])
})
