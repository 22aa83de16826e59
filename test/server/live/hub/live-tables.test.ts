import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { isRecord } from '../../../../src/base/json-access.ts'
import type { TablesQuery } from '../../../../src/protocol/queries.ts'
import { parseTables } from '../../../../src/protocol/requests/tables.ts'
import { byLength } from '../../../lengths.ts'
import { TableCopy } from '../../../model/live-copies.ts'
import { LiveMarket } from '../../../model/live-market.ts'
import { Random } from '../../../oracle/random.ts'
import { EngineServer } from '../../engine-server.ts'
import { LiveClient } from '../../live-client.ts'
import { born, trade } from '../../told-events.ts'

let service: EngineServer
const clients: LiveClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await service.server.stop()
})

const ask = (data: object, action = 'subscribe') => ({
  event: 'meme_tables',
  data: { action, id: 'me', ...data },
})
async function open(): Promise<LiveClient> {
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  clients.push(client)
  return client
}

const computations = async () => {
  const ready = await service.json('/readyz')
  return isRecord(ready) ? Number(ready.live_table_computations_total) : Number.NaN
}

/** Calls of the computation itself, by whomever. */
function countedTables(): () => number {
  const { answers } = service.wired
  const tables = answers.tableAnswer.bind(answers)
  let calls = 0
  answers.tableAnswer = (query: TablesQuery) => {
    calls += 1
    return tables(query)
  }
  return () => calls
}

test.each([3, 99, 999])(
  'a change costs one computation for each of 3 filters that %i connections follow',
  async (followers) => {
    service = await EngineServer.start()
    service.feed([born('A'), born('B', { txIndex: 1 })])
    const filters = [{}, { type: 'new' }, { type: 'new', newPools: { holders: { min: 1 } } }]
    for (let i = 0; i < followers; i += 1) {
      const client = await open()
      await client.ask(ask({ filter: filters[i % 3] }))
      await client.next()
    }
    const calls = countedTables()
    const before = await computations()
    service.feed([trade({ mint: 'A' })])
    const deltas = await Promise.all(clients.map((client) => client.next()))
    expect(await computations()).toBe(before + filters.length)
    expect(calls()).toBe(filters.length)
    // Some rounds in which nothing happens cost nothing.
    await sleep(600)
    expect(await computations()).toBe(before + filters.length)
    expect(calls()).toBe(filters.length)
    expect(new Set(deltas.map((delta) => JSON.stringify(delta))).size).toBe(filters.length)
  },
)

test('a table is computed no more when the connection of its last follower is gone', async () => {
  service = await EngineServer.start()
  service.feed([born('A')])
  const tables = async () => Object(await service.json('/readyz')).live_tables
  const [client, other] = [await open(), await open()]
  await client.ask(ask({ filter: { type: 'new' } }))
  await other.ask(ask({ filter: { type: 'new' } }))
  await other.ask(ask({ filter: {} }))
  expect(await tables()).toBe(2)
  other.socket.terminate()
  await expect.poll(tables).toBe(1)
  client.socket.terminate()
  await expect.poll(tables).toBe(0)
})

test('a live table begins with the POST answer and tells what enters, changes and leaves', async () => {
  service = await EngineServer.start()
  service.feed([born('A'), trade({ mint: 'A' })])
  const filter = { type: 'new', newPools: { holders: { max: 1 } } }
  const client = await open()
  const subscribed = await client.ask(ask({ filter }))
  const table = isRecord(subscribed) ? subscribed.table : null
  expect(subscribed).toEqual({
    ...{ type: 'subscribed', event: 'meme_tables', table, step: 1, seq: 2, epoch: 'e1' },
  })
  const headers = { 'content-type': 'application/json' }
  const post = { method: 'POST', headers, body: JSON.stringify(filter) }
  const about = { channel: 'meme_tables', table, epoch: 'e1' }
  const time = service.engine.state.now
  expect(await client.next()).toEqual({
    ...about,
    ...{ type: 'snapshot', step: 1, seq: 2, time, data: await service.json('/api/v2/meme', post) },
  })
  service.feed([born('B', { slot: 2 })])
  expect(await client.next()).toMatchObject({
    ...about,
    ...{ type: 'delta', step: 2, seq: 3 },
    data: { new: { leave: [], put: [{ at: 0, row: { mint: 'B' } }] } },
  })
  service.feed([trade({ mint: 'A', signer: 'another' })])
  expect(await client.next()).toMatchObject({
    step: 3,
    data: { new: { leave: ['A'], put: [], change: [] } },
  })
  expect(await client.ask(ask({ table }, 'unsubscribe'))).toEqual({
    ...{ type: 'unsubscribed', event: 'meme_tables', table },
  })
})

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64')
}

/** Tables of one connection at most. */
const TABLES_A_CONNECTION = 10
const FILTERS = 50
/** Frames that are held against the POST answer; long form: FRAMES=10000. */
const FRAMES = Number(process.env.FRAMES ?? byLength(60, 300))
const SEED = Number(process.env.SEED ?? 20_261_121)
/** Instants at which the POST is asked, and how many of the newest are remembered. */
const INSTANT_MS = 20
const INSTANTS_MAX = 1_000
const BOUNDS = ['holders', 'txsBuys', 'txsSells', 'volumeUsd', 'mCapUsd'] as const

test(
  `${FRAMES} frames of 50 tables show what the POST answers at their seq (SEED=${SEED})`,
  async () => {
    service = await EngineServer.start()
    const random = new Random(SEED)
    const market = new LiveMarket(random, 60)
    service.feed(Array.from({ length: 300 }, () => market.next()))
    const followed = Array.from({ length: FILTERS }, (_, i) => {
      const bounds = { [BOUNDS[i % 5]]: { min: Math.floor(i / 5) } }
      const filter = { newPools: bounds, completing: bounds, limit: 50 }
      const query = parseTables(JSON.stringify(filter))
      if (!query.ok) throw new Error(query.error.message)
      return { filter, query: query.value, copy: new TableCopy() }
    })
    /** Digests of the POST answers, by seq and second: those at which a frame may be made. */
    const instants = new Map<string, readonly string[]>()
    const witness = () => {
      const { streams, answers } = service.wired
      const digests = followed.map(({ query }) => digest(answers.tables(query)))
      instants.set(`${streams.position()} ${streams.now()}`, digests)
      const [oldest] = instants.keys()
      if (instants.size > INSTANTS_MAX) instants.delete(oldest)
    }
    witness()
    let frames = 0
    const faults: string[] = []
    for (let at = 0; at < FILTERS; at += TABLES_A_CONNECTION) {
      const client = await open()
      const byTable = new Map<unknown, number>()
      for (let i = at; i < at + TABLES_A_CONNECTION; i += 1) {
        const answer = await client.ask(ask({ filter: followed[i].filter }))
        if (!isRecord(answer)) throw new Error('no answer')
        byTable.set(answer.table, i)
        await client.next()
      }
      const take = (frame: unknown) => {
        if (!isRecord(frame) || frame.channel !== 'meme_tables') return
        const i = byTable.get(frame.table) ?? -1
        const { copy } = followed[i]
        copy.take(JSON.stringify(frame))
        frames += 1
        const told = instants.get(`${String(frame.seq)} ${String(frame.time)}`)?.[i]
        if (digest(copy.json) !== told) faults.push(`table ${i} at ${String(frame.seq)}`)
      }
      for (const frame of client.received) take(frame)
      client.socket.on('message', (data) => take(JSON.parse(data.toString())))
    }
    while (frames < FRAMES) {
      service.feed(Array.from({ length: random.integer(1, 6) }, () => market.next()))
      witness()
      await sleep(INSTANT_MS)
    }
    expect(faults).toEqual([])
  },
  120_000 + FRAMES * 100,
)

test.each([
  ['arrays', '[', ']', 31_000],
  ['groups', '{"newPools":', '}', 4_700],
])(
  'a filter of %s nested as deep as a message is long is refused, and the service goes on',
  async (_, opening, closing, depth) => {
    service = await EngineServer.start()
    const client = await open()
    const filter = `${opening.repeat(depth)}1${closing.repeat(depth)}`
    const text = JSON.stringify(ask({ filter: 0 })).replace('"filter":0', `"filter":${filter}`)
    expect(await client.ask(text)).toMatchObject({ type: 'error', code: 'invalid_filter' })
    expect(await client.ask(ask({ filter: {} }))).toMatchObject({ type: 'subscribed' })
  },
)
