import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import type { ServerOptions } from '../../../src/server/server.ts'
import { NewSockets } from '../../../src/server/sockets/apps.ts'
import { ClientAddresses } from '../../../src/server/sockets/client-address.ts'
import { type FakeService, startFake } from '../fake-service.ts'
import { BEFORE_IDLE_MS, exchange, rawConnect, waitUntil } from '../raw-http.ts'

/** Limits of the server, private to their files. */
const NEW_SOCKETS_WINDOW_MS = 10_000

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const MANY = { sockets: 60_000, newSocketsPerAddress: 3 }

/** An address of this machine that is not loopback: who comes from it is counted. */
const OWN = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const withOwn = OWN === undefined ? ' (skipped: this machine has no address but loopback)' : ''

let fake: FakeService
const start = async (changes: Partial<ServerOptions>) => {
  fake = await startFake(changes)
}
const opened: Socket[] = []
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  await fake?.server.stop()
})

function address(...bytes: readonly number[]): ArrayBuffer {
  return Uint8Array.from(bytes).buffer
}

/** How many of so many sockets of one address are let in. */
function letIn(counted: NewSockets, remote: ArrayBuffer, count: number): number {
  let refused = 0
  for (let i = 0; i < count; i++) if (counted.isOneTooMany(remote)) refused++
  return count - refused
}

test('an address begins so many sockets in ten seconds, and as many again in the next ten', () => {
  let nowMs = 0
  const counted = new NewSockets(MANY, new ClientAddresses([]), () => nowMs)
  expect(letIn(counted, address(9, 9, 9, 9), 10)).toBe(3)
  expect(letIn(counted, address(9, 9, 9, 8), 10)).toBe(3)
  nowMs = NEW_SOCKETS_WINDOW_MS - 1
  expect(letIn(counted, address(9, 9, 9, 9), 1)).toBe(0)
  nowMs = NEW_SOCKETS_WINDOW_MS
  expect(letIn(counted, address(9, 9, 9, 9), 10)).toBe(3)
})

test('programs of this machine and trusted proxies stand for others: they are not counted', () => {
  const counted = new NewSockets(MANY, new ClientAddresses(['10.0.0.0/8']))
  expect(letIn(counted, address(127, 0, 0, 1), 10)).toBe(10)
  expect(letIn(counted, address(...Array.from({ length: 15 }, () => 0), 1), 10)).toBe(10)
  expect(letIn(counted, address(10, 1, 2, 3), 10)).toBe(10)
  expect(letIn(counted, address(11, 1, 2, 3), 10)).toBe(3)
})

test('where there are few sockets an address begins an eighth of them, one at least', () => {
  const some = { sockets: 80, newSocketsPerAddress: 2000 }
  expect(letIn(new NewSockets(some, new ClientAddresses([])), address(9, 9, 9, 9), 80)).toBe(10)
  const few = { sockets: 2, newSocketsPerAddress: 2000 }
  expect(letIn(new NewSockets(few, new ClientAddresses([])), address(9, 9, 9, 9), 2)).toBe(1)
})

test.skipIf(OWN === undefined)(
  `one address cannot take every socket: what it opens on top is closed, others come in${withOwn}`,
  async () => {
    await start({ host: '0.0.0.0', limits: { newSocketsPerAddress: 5, sockets: 100 } })
    const { port } = fake.server
    let closed = 0
    for (let i = 0; i < 20; i++) {
      const socket = connect(port, OWN)
      socket.on('error', () => {}).on('close', () => closed++)
      opened.push(socket)
      await new Promise((resolve) => socket.once('connect', resolve))
    }
    await waitUntil(() => closed === 15, BEFORE_IDLE_MS)
    expect(closed).toBe(15)
    expect(await exchange(port, HEALTH, (text) => text.includes('ok'))).toContain('"status":"ok"')
    const figures = await (
      await fetch(`${fake.server.url.replace('0.0.0.0', '127.0.0.1')}/readyz`)
    ).json()
    expect(figures).toMatchObject({
      sockets_refused_total: 0,
      sockets_refused_by_address_total: 15,
    })
  },
)

test('while hardly any socket is free an answer closes its connection, else it stays open', async () => {
  await start({ limits: { sockets: 16 } })
  const { port } = fake.server
  const asker = await rawConnect(port)
  opened.push(asker.socket)
  const ask = async () => {
    asker.received = Buffer.alloc(0)
    asker.socket.write(HEALTH)
    await waitUntil(() => asker.received.includes('ok'))
    return asker.received.toString()
  }
  expect(await ask()).not.toMatch(/^connection: close/im)
  for (let i = 0; i < 14; i++) opened.push((await rawConnect(port)).socket)
  expect(await ask()).toMatch(/^connection: close/im)
  await waitUntil(() => asker.isEnded, BEFORE_IDLE_MS)
  expect(asker.isEnded).toBe(true)
})
