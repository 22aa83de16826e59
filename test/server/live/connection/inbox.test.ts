import { expect, onTestFinished, test, vi } from 'vitest'
import {
  CATCH_UP_BUFFER_BYTES,
  type LiveConnection,
  newConnection,
} from '../../../../src/server/live/connection/connection.ts'
import { Inboxes } from '../../../../src/server/live/connection/incoming.ts'
import { LoopScheduler } from '../../../../src/server/load/loop-scheduler.ts'
import { waitUntil } from '../../raw-http.ts'
import { SILENT_OUTLET } from '../../silent-outlet.ts'

/** Limits of the server, private to their files. */
const CLIENT_SLICE_MS = 0.5
const INBOX_MESSAGE_BYTES = 256
const MAX_INBOX_BYTES = 16 * 1024 * 1024
const MAX_INBOXES_BYTES = 32 * 1024 * 1024

const NONE = { live_waiting_messages: 0, live_waiting_bytes: 0, live_held_connections: 0 }

const connectionOf = (client: string, socket = SILENT_OUTLET): LiveConnection =>
  newConnection({ id: 'me', isLocal: false, client, isSocket: true, socket, load: null }, 0, 1)

/** Inboxes that tell what was served, as `<client> <first byte>`. */
function someInboxes() {
  const served: string[] = []
  const inboxes = new Inboxes(new LoopScheduler(), ({ client }, { bytes, isBinary }) => {
    served.push(`${client} ${new Uint8Array(bytes).at(0)}${isBinary ? ' binary' : ''}`)
    return true
  })
  return { served, inboxes }
}
const KEPT_BYTES = 64 * 1024
const message = (first: number, isBinary = false) => ({
  bytes: new Uint8Array(KEPT_BYTES).fill(first).buffer,
  isBinary,
  isBegun: false,
})

test('what waits is a copy: the bytes of a message are only lent', async () => {
  const { served, inboxes } = someInboxes()
  const lent = message(1, true)
  const connection = connectionOf('a')
  expect(inboxes.isWaiting(connection)).toBe(false)
  expect(inboxes.push(connection, lent)).toBe(true)
  expect(inboxes.isWaiting(connection)).toBe(true)
  new Uint8Array(lent.bytes).fill(9)
  await waitUntil(() => served.length > 0)
  expect(served).toEqual(['a 1 binary'])
  expect(inboxes.isWaiting(connection)).toBe(false)
})

test('a message that is not finished is served again before those behind it, and judged once', async () => {
  const served: string[] = []
  const inboxes = new Inboxes(new LoopScheduler(), (_, { bytes, isBegun }) => {
    served.push(`${new Uint8Array(bytes).at(0)}${isBegun ? ' begun' : ''}`)
    return new Uint8Array(bytes).at(0) !== 1 || served.length >= 4
  })
  const connection = connectionOf('a')
  for (const first of [1, 2, 3]) inboxes.push(connection, message(first))
  await waitUntil(() => !inboxes.isWaiting(connection))
  expect(served).toEqual(['1', '1 begun', '1 begun', '1 begun', '2', '3'])
  expect(inboxes.figures()).toMatchObject(NONE)
})

test('a connection may have so much waiting and no more, and nothing of a closed one is served', async () => {
  const { served, inboxes } = someInboxes()
  const connection = connectionOf('a')
  const most = Math.floor(MAX_INBOX_BYTES / (KEPT_BYTES + INBOX_MESSAGE_BYTES))
  for (let count = 0; count < most; count++) expect(inboxes.push(connection, message(1))).toBe(true)
  expect(inboxes.push(connection, message(1))).toBe(false)
  expect(inboxes.figures()).toEqual({
    live_waiting_messages: most,
    live_waiting_bytes: most * (KEPT_BYTES + INBOX_MESSAGE_BYTES),
    live_deferred_messages_total: most,
    live_held_connections: 0,
  })
  connection.isClosed = true
  inboxes.drop(connection)
  expect(inboxes.figures()).toMatchObject(NONE)
  expect(inboxes.isWaiting(connection)).toBe(false)
  inboxes.push(connectionOf('b'), message(2))
  await waitUntil(() => served.length > 0)
  expect(served).toEqual(['b 2'])
})

test('when all that waits is too much, those go that have more than an equal part of it waiting', () => {
  const { served, inboxes } = someInboxes()
  const kept = KEPT_BYTES + INBOX_MESSAGE_BYTES
  // Half of what one may have: its own bound is not what is met here.
  const ofOne = Math.floor(MAX_INBOX_BYTES / kept / 2)
  const most = Math.floor(MAX_INBOXES_BYTES / kept)
  const connections = Array.from({ length: Math.ceil(most / ofOne) }, (_, n) =>
    connectionOf(`c${n}`),
  )
  for (let count = 0; count < most; count++)
    expect(inboxes.push(connections[Math.floor(count / ofOne)], message(1))).toBe(true)
  const quiet = Array.from({ length: 3 * most }, (_, n) => connectionOf(`quiet ${n}`))
  expect(quiet.filter((one) => inboxes.push(one, message(2))).length).toBeGreaterThan(most / 2)
  for (const flood of connections.slice(0, 4)) expect(inboxes.push(flood, message(1))).toBe(false)
  expect(inboxes.figures().live_waiting_bytes).toBeLessThanOrEqual(2 * MAX_INBOXES_BYTES)
  expect(served).toEqual([])
  for (const one of [...connections, ...quiet]) {
    one.isClosed = true
    inboxes.drop(one)
  }
  expect(inboxes.figures().live_waiting_bytes).toBe(0)
})

test('messages of no bytes take room as well', () => {
  const { inboxes } = someInboxes()
  const connection = connectionOf('a')
  const empty = { bytes: new ArrayBuffer(0), isBinary: false, isBegun: false }
  for (let count = 0; count < MAX_INBOX_BYTES / INBOX_MESSAGE_BYTES; count++)
    if (!inboxes.push(connection, empty)) throw new Error(`refused at ${count}`)
  expect(inboxes.push(connection, empty)).toBe(false)
})

test.each([true, false])(
  'a connection that is closed for one of its messages is served no more, and nothing of it is left; that one is done: %s',
  async (isDone) => {
    const served: string[] = []
    const inboxes = new Inboxes(new LoopScheduler(), (connection, { bytes }) => {
      served.push(`${connection.client} ${new Uint8Array(bytes).at(0)}`)
      if (connection.client !== 'a') return true
      connection.isClosed = true
      inboxes.drop(connection)
      return isDone
    })
    const [closed, other] = [connectionOf('a'), connectionOf('b')]
    for (const first of [1, 2, 3])
      for (const connection of [closed, other]) inboxes.push(connection, message(first))
    await waitUntil(() => !inboxes.isWaiting(other) && served.includes('a 1'))
    expect(served.toSorted()).toEqual(['a 1', 'b 1', 'b 2', 'b 3'])
    expect(inboxes.figures()).toMatchObject(NONE)
  },
)

test('what brings much to one who has much unread waits until it is read, and that of others does not', async () => {
  const unread = { a: CATCH_UP_BUFFER_BYTES + 1, b: 0 }
  const served: string[] = []
  const turns = new LoopScheduler()
  const inboxes = new Inboxes(turns, ({ client, socket }, { bytes, isBegun }) => {
    served.push(`${client} ${new Uint8Array(bytes).at(0)}${isBegun ? ' begun' : ''}`)
    return socket.getBufferedAmount() <= CATCH_UP_BUFFER_BYTES
  })
  const [slow, quick] = (['a', 'b'] as const).map((client) => {
    const socket = { ...SILENT_OUTLET, getBufferedAmount: () => unread[client] }
    return connectionOf(client, socket)
  })
  for (const first of [1, 2])
    for (const connection of [slow, quick]) inboxes.push(connection, message(first))
  await waitUntil(() => !inboxes.isWaiting(quick) && turns.figures().turn_waiting === 0)
  const before = ['a 1', 'b 1', 'b 2']
  expect(served.toSorted()).toEqual(before)
  expect(inboxes.figures()).toMatchObject({ live_held_connections: 1, live_waiting_messages: 2 })
  for (const connection of [slow, quick]) inboxes.drained(connection)
  expect(turns.figures().turn_waiting).toBe(0)
  unread.a = CATCH_UP_BUFFER_BYTES
  inboxes.drained(slow)
  // It has its turn already.
  inboxes.drained(slow)
  expect(turns.figures().turn_waiting).toBe(1)
  expect(inboxes.figures()).toMatchObject({ live_held_connections: 0, live_waiting_messages: 2 })
  await waitUntil(() => !inboxes.isWaiting(slow))
  expect(served.slice(before.length)).toEqual(['a 1 begun', 'a 2'])
  expect(inboxes.figures()).toMatchObject(NONE)
})

test('one with many costly messages has a slice of a turn, and all of them in their order in later ones', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const served: string[] = []
  const inboxes = new Inboxes(new LoopScheduler(), ({ client }, { bytes }) => {
    vi.advanceTimersByTime(CLIENT_SLICE_MS / 2)
    served.push(`${client} ${new Uint8Array(bytes).at(0)}`)
    return true
  })
  const [flood, quiet] = [connectionOf('a'), connectionOf('b')]
  const numbers = Array.from({ length: 20 }, (_, n) => n)
  for (const n of numbers) inboxes.push(flood, message(n))
  inboxes.push(quiet, message(0))
  await waitUntil(() => !inboxes.isWaiting(flood) && !inboxes.isWaiting(quiet))
  expect(served.filter((one) => one !== 'b 0')).toEqual(numbers.map((n) => `a ${n}`))
  expect(served.indexOf('b 0')).toBeLessThan(numbers.length / 2)
  expect(inboxes.figures()).toMatchObject(NONE)
})
