import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { StreamSource } from '../../../../src/protocol/queries.ts'
import {
  CATCH_UP_BUFFER_BYTES,
  type LiveConnection,
  MAX_BUFFERED_BYTES,
  newConnection,
} from '../../../../src/server/live/connection/connection.ts'
import { CatchUps } from '../../../../src/server/live/hub/catch-ups.ts'
import { fakeStreams } from '../../fake-service.ts'
import { SILENT_OUTLET } from '../../silent-outlet.ts'

/** Limits of the server, private to their files. */
const MAX_CATCH_UPS = 50_000

const CHANNEL = 'update_mint_info'
const source: StreamSource = {
  head: () => 0,
  since: () => [],
  snapshot: (key) => `snapshot of ${key}`,
}

/** A client that has so much unread, and how often it was looked at. */
function reader(unreadBytes: number) {
  const about = { unreadBytes, looks: 0 }
  const socket = {
    ...SILENT_OUTLET,
    send: (frame: string) => {
      about.unreadBytes += frame.length
    },
    getBufferedAmount: () => {
      about.looks += 1
      return about.unreadBytes
    },
  }
  const client = { id: '', isLocal: false, client: '9.9.9.9', isSocket: true, socket, load: null }
  return { about, connection: newConnection(client, 0, 1) }
}

function started(streams = source) {
  const got = new Map<LiveConnection, string[]>()
  const ended: string[] = []
  const sent = (connection: LiveConnection, frame: string) => {
    got.set(connection, [...(got.get(connection) ?? []), frame])
    connection.socket.send(frame)
  }
  const catchUps = new CatchUps(fakeStreams(streams, true), {
    send: sent,
    sendSnapshot: sent,
    join: (_, topic) => ended.push(`joined ${topic}`),
    giveUp: (_, topic) => ended.push(`gave up ${topic}`),
    failed: () => {},
  })
  const ask = (
    connection: LiveConnection,
    key: string,
    after: number | null = null,
    orSnapshot = true,
  ) =>
    catchUps.add({
      ...{ connection, channel: CHANNEL, key, topic: `${CHANNEL}/${key}` },
      ...{ after, orSnapshot, form: 'numbered' },
    })
  return { catchUps, got, ended, ask }
}

test('streams of clients that do not read take no room of others, and no time', async () => {
  const { catchUps, got, ask } = started()
  const slow = Array.from({ length: 50 }, () => reader(MAX_BUFFERED_BYTES))
  for (const { connection } of slow)
    for (let key = 0; key < MAX_CATCH_UPS / slow.length; key++) ask(connection, `mint ${key}`)
  catchUps.run()
  await expect.poll(() => catchUps.hasRoomFor(MAX_CATCH_UPS), { timeout: 5_000 }).toBe(true)
  expect(catchUps.size).toBe(MAX_CATCH_UPS)
  for (const { about } of slow) about.looks = 0
  await sleep(200)
  const looks = slow.map(({ about }) => about.looks)
  expect(Math.max(...looks)).toBeLessThan(3)
  const { connection } = reader(0)
  ask(connection, 'mint')
  catchUps.run()
  expect(got.get(connection)).toEqual(['snapshot of mint'])
  catchUps.stop()
})

test('a client that has read on gets what waited for it, each once and what it asked for last', async () => {
  const { catchUps, got, ask } = started()
  const { about, connection } = reader(MAX_BUFFERED_BYTES)
  for (let round = 0; round < 3; round++)
    for (const key of ['a', 'b', 'c', 'd']) ask(connection, key)
  catchUps.run()
  for (const key of ['a', 'e']) ask(connection, key)
  catchUps.cancel(connection, `${CHANNEL}/c`)
  catchUps.run()
  expect(catchUps.size).toBe(4)
  catchUps.drained(connection)
  expect(got.size).toBe(0)
  about.unreadBytes = 0
  catchUps.drained(connection)
  await expect.poll(() => catchUps.size).toBe(0)
  expect(got.get(connection)?.toSorted()).toEqual(
    ['a', 'b', 'd', 'e'].map((key) => `snapshot of ${key}`),
  )
  catchUps.stop()
})

test('a client of whose reading nothing is told is served all the same', async () => {
  const { catchUps, got, ask } = started()
  const { about, connection } = reader(MAX_BUFFERED_BYTES)
  ask(connection, 'a')
  catchUps.run()
  about.unreadBytes = 0
  await expect.poll(() => got.get(connection), { timeout: 5_000 }).toEqual(['snapshot of a'])
  catchUps.stop()
})

test('missed messages wait for the client however long each of them is, and come each once', async () => {
  const missed = 50
  const frameOf = (seq: number) => `${seq} ${'x'.repeat(CATCH_UP_BUFFER_BYTES / 10)}`
  const since = (_: string, after: number, max: number) =>
    Array.from({ length: Math.min(max, missed - after) }, (_, index) => frameOf(after + index + 1))
  const { catchUps, got, ask } = started({ ...source, head: () => missed, since })
  const { about, connection } = reader(0)
  ask(connection, 'a', 0)
  let most = 0
  catchUps.run()
  await expect
    .poll(
      () => {
        most = Math.max(most, about.unreadBytes)
        about.unreadBytes = 0
        catchUps.drained(connection)
        return catchUps.size
      },
      { interval: 1 },
    )
    .toBe(0)
  expect(most).toBeLessThan(2 * CATCH_UP_BUFFER_BYTES)
  expect(got.get(connection)?.map((frame) => Number(frame.split(' ')[0]))).toEqual(
    Array.from({ length: missed }, (_, index) => index + 1),
  )
  catchUps.stop()
})

test('whose missed messages turn out not to be there is told so, and gets a snapshot if it wants one, else nothing more', async () => {
  const { catchUps, got, ended, ask } = started({
    ...source,
    head: () => 9,
    since: () => 'too_old',
  })
  const { connection } = reader(0)
  ask(connection, 'a', 3, true)
  ask(connection, 'b', 4, false)
  catchUps.run()
  await expect.poll(() => catchUps.size).toBe(0)
  const resync = (mint: string, from_seq: number) =>
    expect.objectContaining({ type: 'resync', mint, reason: 'too_old', from_seq, seq: 9 })
  const frames = got.get(connection) ?? []
  expect(frames.slice(0, 2).map((frame) => JSON.parse(frame))).toEqual([
    resync('a', 3),
    resync('b', 4),
  ])
  expect(frames.slice(2)).toEqual(['snapshot of a'])
  expect(ended).toEqual([`gave up ${CHANNEL}/b`, `joined ${CHANNEL}/a`])
  catchUps.stop()
})
