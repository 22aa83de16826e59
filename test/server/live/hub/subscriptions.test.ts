import { expect, onTestFinished, test } from 'vitest'
import { OutOfTime } from '../../../../src/base/budget.ts'
import { TapeDamage } from '../../../../src/base/errors.ts'
import type { StreamSource } from '../../../../src/protocol/queries.ts'
import {
  type LiveConnection,
  newConnection,
} from '../../../../src/server/live/connection/connection.ts'
import { CatchUps } from '../../../../src/server/live/hub/catch-ups.ts'
import { LastTables } from '../../../../src/server/live/hub/last-tables.ts'
import {
  MAX_CONNECTION_KEYS,
  Subscriptions,
} from '../../../../src/server/live/hub/subscriptions.ts'
import { Topics } from '../../../../src/server/live/hub/topics.ts'
import { fakeStreams } from '../../fake-service.ts'
import { SILENT_OUTLET } from '../../silent-outlet.ts'

/** Limits of the server, private to their files. */
const MAX_CATCH_UPS = 50_000
const MAX_REPLAYED_TOGETHER = 50_000

const CHANNEL = 'update_mint_info'
/** Snapshots that lie on a disk which never answers: all who ask for one stay on their way. */
const UNANSWERED: StreamSource = {
  head: () => 0,
  since: () => [],
  snapshot: () => {
    throw new OutOfTime()
  },
}
const nothing = () => {}

function newClient(): LiveConnection {
  const about = { id: '', isLocal: false, client: '9.9.9.9', isSocket: true, load: null }
  return newConnection({ ...about, socket: SILENT_OUTLET }, 0, 1)
}

function started(source: StreamSource = UNANSWERED) {
  const streams = fakeStreams(source, true)
  const frames: string[] = []
  const failures: unknown[] = []
  const send = (_: LiveConnection, frame: string) => void frames.push(frame)
  const failed = (_: LiveConnection, error: unknown) => void failures.push(error)
  const actions = { send, sendSnapshot: send, join: nothing, giveUp: nothing, failed }
  const catchUps = new CatchUps(streams, actions)
  onTestFinished(() => catchUps.stop())
  const topics = new Topics({ publish: nothing }, nothing, send)
  const lastTables = new LastTables()
  const parts = { streams, topics, catchUps, lastTables, send, sendSnapshot: send }
  const subscriptions = new Subscriptions(parts)
  /** Follows so many mints from one on; the answer. */
  const follow = (connection: LiveConnection, first: number, count: number, from?: number) => {
    const keys = Array.from({ length: count }, (_, n) => `mint ${first + n}`)
    const request = { kind: 'stream', action: 'subscribe', channel: CHANNEL, many: true } as const
    const after = from === undefined ? [] : keys.map((key): [string, number] => [key, from])
    const options = { from: new Map(after), epoch: null, form: 'numbered' } as const
    const wantsSnapshot = from === undefined
    subscriptions.serve(connection, { ...request, ...options, wantsSnapshot, keys })
    return JSON.parse(frames.at(-1) ?? '')
  }
  return { catchUps, failures, follow, frames }
}

test('mints whose snapshots are on their way count towards what a connection may follow', () => {
  const { follow } = started()
  const client = newClient()
  const most = MAX_CONNECTION_KEYS.mint
  expect(follow(client, 0, most - 10)).toMatchObject({ type: 'subscribed' })
  // Those that it follows already take no place.
  expect(follow(client, most - 20, 20)).toMatchObject({ type: 'subscribed' })
  expect(follow(client, most - 5, 6)).toMatchObject({ type: 'error', code: 'too_many_mints' })
  expect(follow(newClient(), 0, 1)).toMatchObject({ type: 'subscribed' })
})

test('while too many streams are on their way no further one begins', () => {
  const { catchUps, follow } = started()
  const about = { channel: CHANNEL, after: null, orSnapshot: true, form: 'numbered' } as const
  const others = Array.from({ length: 50 }, newClient)
  for (const connection of others)
    for (let n = 0; n < MAX_CATCH_UPS / others.length; n++)
      catchUps.add({ ...about, connection, key: `mint ${n}`, topic: `${CHANNEL}/mint ${n}` })
  const client = newClient()
  expect(follow(client, 0, 1)).toMatchObject({ type: 'error', code: 'busy' })
  catchUps.drop(others[0])
  expect(follow(client, 0, MAX_CATCH_UPS / others.length)).toMatchObject({ type: 'subscribed' })
  expect(follow(newClient(), 0, 1)).toMatchObject({ type: 'error', code: 'busy' })
})

test('mints that missed too much by themselves break off alone: the others of the message are resumed', () => {
  const heads = [MAX_REPLAYED_TOGETHER, 5, MAX_REPLAYED_TOGETHER, 3]
  const head = (key: string) => heads[Number(key.slice(-1))] ?? 0
  const { follow, frames } = started({ ...UNANSWERED, head })
  const answer = follow(newClient(), 0, heads.length, 3)
  expect(answer).toMatchObject({ type: 'subscribed', seqs: { 'mint 1': 3, 'mint 3': 3 } })
  expect(answer.mints).toEqual(['mint 1', 'mint 3'])
  expect(frames.slice(0, -1).map((frame) => JSON.parse(frame))).toMatchObject([
    { type: 'resync', mint: 'mint 0', reason: 'too_old' },
    { type: 'resync', mint: 'mint 2', reason: 'too_old' },
  ])
})

test('what a stream lacks by a fault of the program is not told as history that cannot be read', () => {
  const defect = new Error('a defect')
  const throwing = (isThrowing: (max: number) => boolean, error: Error): StreamSource => ({
    ...UNANSWERED,
    head: () => 5,
    since: (_, __, max) => {
      if (isThrowing(max)) throw error
      return []
    },
  })
  const atOnce = started(throwing(() => true, defect))
  expect(() => atOnce.follow(newClient(), 0, 1, 2)).toThrow(defect)
  const onItsWay = started(throwing((max) => max > 0, defect))
  expect(onItsWay.follow(newClient(), 0, 1, 2)).toMatchObject({ type: 'subscribed' })
  expect(onItsWay.failures).toEqual([defect])
  for (const isThrowing of [() => true, (max: number) => max > 0]) {
    const damaged = started(throwing(isThrowing, new TapeDamage('it is gone')))
    const told = damaged.follow(newClient(), 0, 1, 2)
    expect(told).toMatchObject({ type: 'resync', reason: 'history_unreadable' })
    expect(damaged.failures).toEqual([])
  }
})
