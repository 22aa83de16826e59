import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { LiveGate } from '../../../../src/server/live/connection/live-gate.ts'
import { startFake } from '../../fake-service.ts'
import { LiveClient } from '../../live-client.ts'

/** Limits of the server, private to their files. */
const MAX_RESTING_LOADS = 10_000

const LOOPBACK = '127.0.0.1'
/** As clients of IPv6 are told apart. */
const V6_LOOPBACK = '0'.repeat(16)
const MANY = { connections: 1_000_000, connectionsPerAddress: 1_000_000 }

test('all places together are bounded, those of this machine too, and one that leaves gives its place back', () => {
  const gate = new LiveGate({ connections: 3, connectionsPerAddress: 3 }, 'streams of events')
  for (const client of ['9.9.9.9', LOOPBACK, '9.9.9.8']) {
    expect(gate.refusal('9.9.9.7')).toBe(null)
    gate.entered(client, 0)
  }
  for (const client of ['9.9.9.9', '9.9.9.7', LOOPBACK])
    expect(gate.refusal(client)).toMatchObject({
      statusCode: 503,
      code: 'overloaded',
      message: 'All 3 streams of events are taken.',
    })
  for (const client of ['9.9.9.9', LOOPBACK]) {
    gate.left(client)
    expect(gate.refusal('9.9.9.7')).toBe(null)
    gate.entered(client, 0)
    expect(gate.refusal('9.9.9.7')).not.toBe(null)
  }
})

test('an address has so many places, and each that leaves gives one back', () => {
  const gate = new LiveGate({ connections: 100, connectionsPerAddress: 2 })
  for (let round = 0; round < 5; round++) {
    for (const client of ['9.9.9.9', '9.9.9.8', LOOPBACK, LOOPBACK, LOOPBACK]) {
      expect(gate.refusal(client)).toBe(null)
      gate.entered(client, round)
    }
    expect(gate.refusal('9.9.9.9')).toBe(null)
    gate.entered('9.9.9.9', round)
    expect(gate.refusal('9.9.9.9')).toMatchObject({
      statusCode: 429,
      code: 'too_many_connections',
      message: 'Your address has 2 live connections, which is the most allowed.',
    })
    expect(gate.refusal('9.9.9.8')).toBe(null)
    for (const client of ['9.9.9.9', '9.9.9.9', '9.9.9.8', LOOPBACK, LOOPBACK, LOOPBACK])
      gate.left(client)
  }
})

test('programs of this machine have nine tenths of the places together, and the rest stays for others', () => {
  const gate = new LiveGate({ connections: 20, connectionsPerAddress: 2 })
  const local = Array.from({ length: 18 }, (_, n) => ['127.0.0.1', '127.0.0.2', V6_LOOPBACK][n % 3])
  for (const client of local) {
    expect(gate.refusal(client)).toBe(null)
    gate.entered(client, 0)
  }
  for (const client of ['127.0.0.1', '127.9.9.9', V6_LOOPBACK])
    expect(gate.refusal(client)).toMatchObject({
      statusCode: 429,
      code: 'too_many_connections',
      message:
        'Programs of this machine have 18 live connections together, which is the most allowed.',
    })
  for (const client of ['9.9.9.9', '9.9.9.8']) {
    expect(gate.refusal(client)).toBe(null)
    gate.entered(client, 0)
  }
  for (const client of local) gate.left(client)
  expect(gate.refusal('127.0.0.1')).toBe(null)
})

test('a program of this machine that has all that loopback may have is answered 429', async () => {
  const { server } = await startFake({ limits: { connections: 20 } })
  const open = () => LiveClient.open(`${server.wsUrl}?id=me`)
  const clients = await Promise.all(Array.from({ length: 18 }, open))
  await expect(open()).rejects.toThrow('429')
  clients[0].close()
  await clients[0].closed
  clients.push(await open())
  await expect(open()).rejects.toThrow('429')
  for (const client of clients) client.close()
  await server.stop()
})

test('what an address sent in the present second counts for all of its connections, also after the last one', () => {
  const gate = new LiveGate(MANY)
  const first = gate.entered('9.9.9.9', 0)
  first?.rate.tookMessage(10, 0)
  expect(gate.entered('9.9.9.9', 1)).toBe(first)
  expect(first?.connections).toBe(2)
  gate.left('9.9.9.9')
  expect(gate.entered('9.9.9.9', 2)).toBe(first)
  for (const _ of [1, 2]) gate.left('9.9.9.9')
  expect(first?.connections).toBe(0)
  expect(gate.entered('9.9.9.8', 3)).not.toBe(first)
  expect(gate.entered('9.9.9.9', 4)).toBe(first)
  gate.left('9.9.9.9')
  // Another address comes when its second is over: it is forgotten.
  gate.entered('9.9.9.7', 1_000)
  expect(gate.entered('9.9.9.9', 1_000)).not.toBe(first)
})

test('of addresses that left the last ones are remembered, so many and no more', () => {
  const gate = new LiveGate(MANY)
  const came = (client: string) => gate.entered(client, 0)
  const clients = Array.from({ length: MAX_RESTING_LOADS + 1 }, (_, n) => `9.9.${n}.9`)
  const loads = clients.map((client) => {
    const load = came(client)
    load?.rate.tookMessage(1, 0)
    gate.left(client)
    return load
  })
  expect(came(clients[0])).not.toBe(loads[0])
  expect(came(clients[1])).toBe(loads[1])
  expect(came(clients[MAX_RESTING_LOADS])).toBe(loads[MAX_RESTING_LOADS])
})

test('where all live connections are taken a handshake is answered 503 until one of them closes', async () => {
  const { server } = await startFake({ limits: { connections: 2 } })
  const open = () => LiveClient.open(`${server.wsUrl}?id=me`)
  const clients = await Promise.all([open(), open()])
  await expect(open()).rejects.toThrow('503')
  expect(await retryAfterOf(`${server.wsUrl}?id=me`)).toBe('5')
  clients[0].close()
  await clients[0].closed
  const again = await open()
  await expect(open()).rejects.toThrow('503')
  for (const client of [clients[1], again]) client.close()
  await server.stop()
})

test('an address that has all of its live connections is answered 429, and told when to come back', async () => {
  const { server } = await startFake({
    limits: { connectionsPerAddress: 1 },
    trustProxy: ['127.0.0.1'],
  })
  const url = `${server.wsUrl}?id=me`
  const options = { headers: { 'X-Forwarded-For': '9.9.9.9' } }
  const client = await LiveClient.open(url, options)
  await expect(LiveClient.open(url, options)).rejects.toThrow('429')
  expect(await retryAfterOf(url, options)).toBe('5')
  client.close()
  await server.stop()
})

/** Of a handshake that is refused. */
function retryAfterOf(url: string, options: WebSocket.ClientOptions = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, options)
    socket.once('open', () => reject(new Error('The handshake was not refused.')))
    socket.once('unexpected-response', (request, response) => {
      resolve(response.headers['retry-after'])
      request.destroy()
    })
    socket.on('error', () => {})
  })
}
