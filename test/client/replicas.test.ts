import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type ClientOptions, Mintfeed, type Move } from '../../client/src/mintfeed.ts'
import { byLength } from '../lengths.ts'
import { Random } from '../oracle/random.ts'
import { waitUntil } from '../server/raw-http.ts'
import { CheckedReader } from './checked-reader.ts'
import { ReplicaSet } from './replica-set.ts'
import { MINTS, market } from './witness.ts'

let set: ReplicaSet
let reader: CheckedReader | null = null
let moves: Move[] = []
afterEach(async () => {
  await reader?.close()
  reader = null
  moves = []
  await set.stop()
})

const SEED = 48
const EVENTS = byLength(100, 200)
/** One that is waited for would be seen: a move to another url waits for none. */
const NO_WAIT = { backoff: { firstMs: 60_000, longestMs: 60_000 } }
const QUICK = { backoff: { firstMs: 1, longestMs: 8 } }
/** No look comes while a test runs. */
const UNWATCHED = { lookEveryMs: 2 ** 30 }
const WATCHED = { lookEveryMs: 100 }

/** A reader of replicas of these epochs that has read the first events of their stream. */
async function reading(options: ClientOptions, epochs: readonly string[] = ['e1', 'e1']) {
  const random = new Random(SEED)
  set = await ReplicaSet.start(market(random), epochs)
  const client = new Mintfeed(set.urls, options)
  client.live.onMove((move) => moves.push(move))
  reader = new CheckedReader(client, set.witness, { random, isSlow: false })
  const [first, second] = set.replicas
  await flow(EVENTS, () => {
    first.catchUp()
    second.catchUp()
  })
  await allRead(reader)
  expect(client.replica).toBe(first.url)
  return { client, reader, first, second }
}

/** So many events of the stream, in small parts; `then` hands each to replicas. */
async function flow(count: number, then: () => void): Promise<void> {
  for (let told = 0; told < count; told += 10) {
    set.append(10)
    then()
    await pause(1)
  }
}

async function allRead(whole: CheckedReader): Promise<void> {
  await waitUntil(() => whole.isWhole || whole.faults.length > 0)
  expect(whole.faults).toEqual([])
  expect(whole.isWhole).toBe(true)
  const { repeats, gaps, losses, unreadable } = whole.client.live.status
  expect({ repeats, gaps, losses, unreadable }).toEqual({
    ...{ repeats: 0, gaps: 0, losses: 0, unreadable: 0 },
  })
}

test.each(['stopped', 'killed'] as const)(
  'a replica that is %s in the middle of a stream is left at once, and nothing is missed or told twice',
  async (how) => {
    const { client, reader, first, second } = await reading({ ...NO_WAIT, ...UNWATCHED })
    let told = 0
    await flow(EVENTS, () => {
      told += 10
      if (told <= EVENTS / 2) first.catchUp()
      if (told === EVENTS / 2 && how === 'killed') first.proxy.mode = 'dead'
      if (told === EVENTS / 2 && how === 'stopped') void first.stop()
      second.catchUp()
    })
    await allRead(reader)
    expect(moves).toMatchObject([{ from: first.url, to: second.url, reason: { code: 'network' } }])
    expect(client.replica).toBe(second.url)
    // Reads go there too, and begin there.
    expect(await client.read.token(MINTS[0])).toMatchObject({ ok: true, epoch: 'e1' })
  },
)

test('a replica that is behind is waited for: its reader never goes back in time', async () => {
  const { client, reader, first, second } = await reading({ ...QUICK, ...UNWATCHED })
  set.append(60)
  first.catchUp()
  await allRead(reader)
  const read = await client.read.tables()
  first.proxy.mode = 'dead'
  await waitUntil(() => client.replica === second.url)
  const asked = client.read.token(MINTS[0])
  await pause(300)
  expect(reader.faults).toEqual([])
  second.catchUp(30)
  await pause(100)
  second.catchUp()
  await flow(EVENTS, () => second.catchUp())
  await allRead(reader)
  const before = read.ok ? (read.position ?? 0) : 0
  expect(before).toBeGreaterThan(0)
  const after = await asked
  // It may be refused, but is never older.
  expect(after.ok ? after.position : before).toBeGreaterThanOrEqual(before)
  expect(await client.read.token(MINTS[0])).toMatchObject({ ok: true })
})

test('a replica that lags behind another one is left for it', async () => {
  const { client, reader, first, second } = await reading({ ...QUICK, ...WATCHED })
  await flow(EVENTS, () => second.catchUp())
  await waitUntil(() => client.replica === second.url)
  await flow(EVENTS, () => second.catchUp())
  await allRead(reader)
  expect(moves).toMatchObject([{ from: first.url, to: second.url, reason: { code: 'lagging' } }])
  first.catchUp()
})

test('a replica that says that it is not ready is left for one that is, and not for another such one', async () => {
  const { client, reader, first, second } = await reading({ ...QUICK, ...WATCHED })
  first.reason = 'The stream cannot be reached.'
  second.reason = 'The stream cannot be reached.'
  await pause(400)
  expect(moves).toEqual([])
  second.reason = null
  await waitUntil(() => client.replica === second.url)
  await flow(EVENTS, () => second.catchUp())
  await allRead(reader)
  expect(moves).toMatchObject([{ reason: { code: 'not_ready' } }])
})

test('a replica that is silent, its connections open, is left for one that speaks', async () => {
  const { client, reader, first, second } = await reading({ ...QUICK, ...WATCHED })
  first.proxy.mode = 'silent'
  await flow(EVENTS, () => {
    first.catchUp()
    second.catchUp()
  })
  await allRead(reader)
  expect(client.replica).toBe(second.url)
  expect(moves).toMatchObject([{ reason: { code: 'silent' } }])
}, 15_000)

test('replicas that are equal are never changed', async () => {
  const { reader, first, second } = await reading({ ...QUICK, ...WATCHED })
  // The other one is a little ahead all the time.
  await flow(EVENTS * 2, () => {
    second.catchUp()
    first.catchUp()
  })
  await allRead(reader)
  expect(moves).toEqual([])
  expect(reader.client.live.status.disconnects).toBe(0)
})

test('readers of replicas that are all gone go on with the first that is back', async () => {
  const { client, reader, first, second } = await reading({ ...QUICK, ...UNWATCHED })
  for (const { proxy } of [first, second]) proxy.mode = 'dead'
  await waitUntil(() => client.live.status.open === 0)
  await flow(EVENTS, () => {
    first.catchUp()
    second.catchUp()
  })
  await second.restart()
  second.proxy.mode = 'open'
  await flow(EVENTS, () => second.catchUp())
  await waitUntil(() => reader.isWhole || reader.faults.length > 0)
  expect(reader.faults).toEqual([])
  expect(client.replica).toBe(second.url)
})

test('a replica of another epoch begins its streams anew, and says so', async () => {
  const { client, first, second } = await reading({ ...QUICK, ...UNWATCHED }, ['e1', 'e2'])
  const from = new Map([[MINTS[0], { seq: 1, epoch: 'e1' }]])
  const trades = client.live.trades(MINTS[0], { from })
  expect(await trades.next()).toMatchObject({ value: { kind: 'event', seq: 2, epoch: 'e1' } })
  first.proxy.mode = 'dead'
  await waitUntil(() => client.replica === second.url)
  for (;;) {
    const { value } = await trades.next()
    if (value.kind === 'event') expect(value.epoch).toBe('e1')
    else {
      expect(value).toMatchObject({ kind: 'lost', reason: 'epoch_changed' })
      break
    }
  }
  expect(await trades.next()).toMatchObject({ value: { kind: 'snapshot', epoch: 'e2' } })
  expect(await client.read.token(MINTS[0])).toMatchObject({ ok: true, epoch: 'e2' })
  await reader?.close()
  reader = null
})

test('a table never shows an older state of a replica that is behind', async () => {
  const { client, first, second } = await reading({ ...QUICK, ...UNWATCHED })
  const tables = client.live.tables({ type: 'new', limit: 200 })
  const positions: number[] = []
  const reading_ = (async () => {
    for await (const update of tables) if (update.kind === 'tables') positions.push(update.seq)
  })()
  set.append(60)
  first.catchUp()
  await waitUntil(() => (positions.at(-1) ?? 0) >= EVENTS + 60)
  first.proxy.mode = 'dead'
  await waitUntil(() => client.replica === second.url)
  await pause(300)
  second.catchUp()
  await flow(EVENTS, () => second.catchUp())
  await waitUntil(() => (positions.at(-1) ?? 0) >= EVENTS * 2)
  tables.close()
  await reading_
  expect(positions).toEqual([...positions].sort((a, b) => a - b))
})
