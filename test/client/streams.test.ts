import { afterEach, expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { addressOf } from '../address-of.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { EngineServer } from '../server/engine-server.ts'
import { waitUntil } from '../server/raw-http.ts'
import { CuttingProxy } from './cutting-proxy.ts'
import { gathered } from './gathered.ts'

let service: EngineServer
let client: Mintfeed
let proxy: CuttingProxy | null = null
afterEach(async () => {
  client.close()
  await proxy?.stop()
  proxy = null
  await service.server.stop()
})

const QUICK = { backoff: { firstMs: 1, longestMs: 8 } }
const born = (mint: string, over: Parameters<typeof created>[0] = {}) =>
  created({ slot: 1, mint, signature: `create ${mint}`, ...over })
/** What a curve still has to sell: nearly all, so that a token is new, and half, so that it is completing. */
const CURVE_FULL = 793_000_000_000_000n
const CURVE_HALF = 396_000_000_000_000n
let trades = 0
const trade = (mint: string, over: Parameters<typeof swap>[0] = {}) => {
  trades += 1
  return swap({ mint, slot: 10 + trades, txIndex: 0, timestamp: START_SECOND + trades, ...over })
}
const migrated = (mint: string, slot: number) => ({
  type: 'migrated' as const,
  ...{ slot, txIndex: 0, ordinal: 0, signature: `migrate ${mint}`, timestamp: START_SECOND },
  ...{ mint, bondingCurve: 'curve', poolAmm: `pool ${mint}` },
})

/** The trades of A, more than the stream keeps, and those of B beside them. */
async function oneHeld() {
  service = await EngineServer.start()
  service.feed([born('A'), born('B', { slot: 60 })])
  client = new Mintfeed(service.server.url, { ...QUICK, bufferMax: 10 })
  const other = client.live.trades('B')
  const held = client.live.trades('A')
  await take(held, 1)
  service.feed(Array.from({ length: 20 }, () => trade('A')))
  await waitUntil(() => client.live.status.holds === 1)
  return { held, other }
}

/** Takes so many updates; a stream that ends before is a failure. */
async function take<T>(stream: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < count) {
    const { done, value } = await stream.next()
    if (done === true) throw new Error('the stream has ended')
    taken.push(value)
  }
  return taken
}

test('streams of trades with extra have the optional keys of swaps and records, beside others without', async () => {
  service = await EngineServer.start()
  service.feed([born('A'), trade('A')])
  client = new Mintfeed(service.server.url, QUICK)
  const { live } = client
  const extra = true
  const [mints, plain] = [live.trades('A', { extra }), live.trades('A')]
  const [wallet, all] = [live.walletTrades('alice', { extra }), live.allTrades({ extra })]
  await Promise.all([take(mints, 1), take(plain, 1), take(all, 1)])
  expect(await take(wallet, 1)).toMatchObject([{ data: { items: [{ quote_symbol: 'SOL' }] } }])
  service.feed([trade('A')])
  for (const taken of await Promise.all([take(mints, 1), take(wallet, 1), take(all, 1)]))
    expect(taken).toMatchObject([{ data: { lp_fee: 0, quote_symbol: 'SOL' } }])
  const [told] = await take(plain, 1)
  expect(told).toMatchObject({ kind: 'event' })
  expect(told).not.toHaveProperty('data.lp_fee')
})

test('every event channel gives a snapshot, then events, with pool, key and lag', async () => {
  service = await EngineServer.start()
  service.feed([born('A'), trade('A')])
  client = new Mintfeed(service.server.url, QUICK)
  const { live } = client
  const mints = live.trades(['A', 'A', addressOf('unknown')])
  const wallet = live.walletTrades('alice')
  const all = live.allTrades()
  const launches = live.launches()
  const migrations = live.migrations()
  const first = await take(mints, 2)
  expect(first).toMatchObject([
    { kind: 'snapshot', key: 'A', seq: 1, position: 2, data: { mint: 'A', swaps: 1 } },
    { kind: 'snapshot', key: addressOf('unknown'), seq: 0, data: null },
  ])
  expect(await take(wallet, 1)).toMatchObject([{ seq: 1, data: { total: 1 } }])
  expect(await take(all, 1)).toMatchObject([{ seq: 1, data: { swaps: 1 } }])
  expect(await take(launches, 1)).toMatchObject([{ seq: 1, data: [{ mint: 'A' }] }])
  expect(await take(migrations, 1)).toMatchObject([{ seq: 0, data: [] }])
  service.feed([trade('A'), born('B', { slot: 60 }), migrated('A', 70)])
  const event = { kind: 'event', epoch: 'e1', seq: 2, ordinal: 0, pool: 'curve' }
  const [told] = await take(mints, 1)
  expect(told).toMatchObject({ ...event, key: 'A', data: { mint: 'A', direction: 'buy' } })
  const nowMs = Date.now()
  expect(told.kind === 'event' ? told.lagMs : null).toBeGreaterThan(
    nowMs - (START_SECOND + 100) * 1000,
  )
  expect(await take(wallet, 1)).toMatchObject([{ ...event, key: 'alice' }])
  expect(await take(all, 1)).toMatchObject([{ ...event, key: '' }])
  expect(await take(launches, 1)).toMatchObject([{ seq: 2, ordinal: null, data: { mint: 'B' } }])
  expect(await take(migrations, 1)).toMatchObject([{ seq: 1, pool: '', data: { mint: 'A' } }])
  expect(live.status).toMatchObject({ connections: 1, open: 1, gaps: 0, repeats: 0 })
})

test('two tokens that migrate in one transaction are told both', async () => {
  service = await EngineServer.start()
  service.feed([born('A'), born('B')])
  client = new Mintfeed(service.server.url, QUICK)
  const migrations = client.live.migrations()
  expect(await take(migrations, 1)).toMatchObject([{ kind: 'snapshot', data: [] }])
  const signature = 'migrate both'
  const other = { ...migrated('B', 70), ordinal: 1, signature }
  service.feed([{ ...migrated('A', 70), signature }, other, migrated('C', 71)])
  expect(await take(migrations, 2)).toMatchObject([
    { seq: 1, data: { mint: 'A', signature } },
    { seq: 2, data: { mint: 'B', signature } },
  ])
  expect(client.live.status.repeats).toBe(0)
})

test('the trades of a table follow it: who enters is heard, who leaves no longer, who stays without a gap', async () => {
  service = await EngineServer.start()
  // The newest two tokens.
  service.feed([born('A', { slot: 1 }), born('B', { slot: 2 }), trade('A')])
  proxy = await CuttingProxy.start(new Random(1), service.server.url)
  proxy.isCutting = false
  client = new Mintfeed(proxy.url, QUICK)
  const stream = client.live.tableTrades({ type: 'new', limit: 2 })
  const updates = gathered(stream)
  const tokens = () => updates.flatMap((update) => (update.kind === 'tokens' ? [update] : []))
  const events = () => updates.flatMap((update) => (update.kind === 'event' ? [update] : []))
  const seqs = (mint: string) => events().flatMap(({ key, seq }) => (key === mint ? [seq] : []))
  // A token is followed once its subscription is answered: trade until one is heard.
  const heard = async (mint: string) => {
    const before = seqs(mint).length
    await waitUntil(() => {
      service.feed([trade(mint)])
      return seqs(mint).length > before
    })
    expect(seqs(mint).length).toBeGreaterThan(before)
  }
  await waitUntil(() => tokens().length === 1)
  expect(tokens()[0]).toMatchObject({ entered: ['B', 'A'], left: [] })
  await heard('A')
  await heard('B')
  service.feed([born('C', { slot: 10 + trades, timestamp: START_SECOND + trades })])
  await waitUntil(() => tokens().length === 2)
  expect(tokens()[1]).toMatchObject({ entered: ['C'], left: ['A'] })
  await heard('C')
  await heard('B')
  const ofLeft = seqs('A').length
  service.feed([trade('A'), trade('B')])
  service = await service.restarted()
  proxy.aim(service.server.url)
  service.feed([trade('C'), trade('A'), trade('B')])
  await heard('C')
  await heard('B')
  expect(seqs('A')).toHaveLength(ofLeft)
  for (const mint of ['B', 'C']) {
    const told = seqs(mint)
    expect(told).toEqual(told.map((_, i) => told[0] + i))
  }
  expect(updates.filter(({ kind }) => kind === 'lost' || kind === 'refused')).toEqual([])
  stream.close()
  expect(client.live.status.connections).toBe(0)
})

test('a token that left a table and comes back is heard again', async () => {
  service = await EngineServer.start()
  service.feed([born('A', { slot: 1 }), trade('A', { realBaseRaw: CURVE_FULL })])
  client = new Mintfeed(service.server.url, QUICK)
  const updates = gathered(client.live.tableTrades({ type: 'completing' }))
  const tokens = () =>
    updates.flatMap((update) =>
      update.kind === 'tokens' ? [{ entered: update.entered, left: update.left }] : [],
    )
  const heard = () => updates.filter(({ kind }) => kind === 'event').length
  const expected: ReturnType<typeof tokens> = [{ entered: [], left: [] }]
  await waitUntil(() => tokens().length === 1)
  for (let round = 0; round < 3; round += 1) {
    service.feed([trade('A', { realBaseRaw: CURVE_HALF })])
    expected.push({ entered: ['A'], left: [] })
    await waitUntil(() => tokens().length === expected.length)
    const before = heard()
    await waitUntil(() => {
      service.feed([trade('A', { realBaseRaw: CURVE_HALF })])
      return heard() > before
    })
    expect(heard(), `round ${round}`).toBeGreaterThan(before)
    service.feed([trade('A', { realBaseRaw: CURVE_FULL })])
    expected.push({ entered: [], left: ['A'] })
    await waitUntil(() => tokens().length === expected.length)
  }
  expect(tokens()).toEqual(expected)
})

test('a slow reader of the trades of a table gets every one of them', async () => {
  service = await EngineServer.start()
  service.feed([born('A')])
  client = new Mintfeed(service.server.url, { ...QUICK, bufferMax: 10 })
  const stream = client.live.tableTrades()
  await take(stream, 1)
  await take(client.live.trades('the last question'), 1)
  service.feed(Array.from({ length: 100 }, () => trade('A')))
  await waitUntil(() => stream.buffered === 10)
  const events = await take(stream, 100)
  expect(events.map((event) => (event.kind === 'event' ? event.seq : 0))).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1),
  )
})

test('a table that the service refuses ends the stream with a sentence', async () => {
  service = await EngineServer.start()
  client = new Mintfeed(service.server.url, QUICK)
  const stream = client.live.tableTrades({ newPools: { holders: { min: 5, max: 1 } } })
  expect(await take(stream, 1)).toMatchObject([{ kind: 'refused', key: '' }])
  expect((await stream.next()).done).toBe(true)
})

test('another epoch is told as a loss with a snapshot, and the stream goes on from there', async () => {
  service = await EngineServer.start()
  service.feed([born('A'), trade('A'), trade('A')])
  proxy = await CuttingProxy.start(new Random(1), service.server.url)
  proxy.isCutting = false
  client = new Mintfeed(proxy.url, QUICK)
  const mints = client.live.trades('A')
  await take(mints, 1)
  service = await service.restarted('e2')
  proxy.aim(service.server.url)
  expect(await take(mints, 2)).toMatchObject([
    { kind: 'lost', key: 'A', reason: 'epoch_changed', fromSeq: 2, toSeq: 2 },
    { kind: 'snapshot', seq: 2, epoch: 'e2' },
  ])
  service.feed([trade('A')])
  expect(await take(mints, 1)).toMatchObject([{ kind: 'event', seq: 3, epoch: 'e2' }])
})

test('a cursor of another epoch is told as a loss to a reader that wants no snapshot at its beginning too', async () => {
  service = await EngineServer.start()
  service.feed([born('A'), trade('A'), trade('A')])
  client = new Mintfeed(service.server.url, QUICK)
  const from = new Map([['A', { seq: 1, epoch: 'of before' }]])
  const mints = client.live.trades('A', { snapshot: false, from })
  expect(await take(mints, 2)).toMatchObject([
    { kind: 'lost', key: 'A', reason: 'epoch_changed', fromSeq: 1, toSeq: 2 },
    { kind: 'snapshot', seq: 2, epoch: 'e1' },
  ])
  service.feed([trade('A')])
  expect(await take(mints, 1)).toMatchObject([{ kind: 'event', seq: 3, epoch: 'e1' }])
})

test('more mints than a connection may have go on several, each with all of its trades', async () => {
  service = await EngineServer.start()
  client = new Mintfeed(service.server.url, QUICK)
  const mints = Array.from({ length: 1_003 }, (_, i) => addressOf(`mint ${i}`))
  const stream = client.live.trades(mints, { snapshot: false })
  const again = client.live.trades(mints[5], { snapshot: false })
  await waitUntil(() => client.live.status.open === 2)
  // Every key was asked for once the connections answer a later question.
  const probe = client.live.candles(mints[0], '1')
  await take(probe, 1)
  await take(client.live.trades(mints.slice(-1)), 1)
  service.feed(mints.map((mint) => trade(mint)))
  const events = await take(stream, mints.length)
  expect(events.map(({ key }) => key).sort()).toEqual([...mints].sort())
  expect(await take(again, 1)).toMatchObject([{ key: mints[5], seq: 1 }])
  stream.close()
  again.close()
  expect((await stream.next()).done).toBe(true)
})

test('a reader that sleeps keeps few updates, and still gets all of them', async () => {
  service = await EngineServer.start()
  client = new Mintfeed(service.server.url, { ...QUICK, bufferMax: 10 })
  const stream = client.live.trades('A', { from: new Map([['A', { seq: 0, epoch: 'e1' }]]) })
  for (let i = 0; i < 100; i += 1) service.feed([trade('A')])
  await waitUntil(() => client.live.status.holds > 0)
  expect(stream.buffered).toBeLessThanOrEqual(10)
  const events = await take(stream, 100)
  expect(events.map((event) => event.kind === 'event' && event.seq)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1),
  )
})

test('a buffer for a single update still gives the snapshots and every event', async () => {
  const mints = ['A', 'B'].map(addressOf)
  service = await EngineServer.start()
  client = new Mintfeed(service.server.url, { ...QUICK, bufferMax: 1 })
  const updates = gathered(client.live.trades(mints))
  await waitUntil(() => updates.length === 2)
  expect(updates.map(({ kind }) => kind)).toEqual(['snapshot', 'snapshot'])
  service.feed([...mints, ...mints].map((mint) => trade(mint)))
  await waitUntil(() => updates.length === 6)
  const seqs = (mint: string) =>
    updates.flatMap((update) => (update.key === mint && 'seq' in update ? [update.seq] : []))
  expect(mints.map(seqs)).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ])
})

test('a refused key is not asked for again when a slow reader has room, and ends nobody else', async () => {
  const mint = addressOf('A')
  service = await EngineServer.start()
  client = new Mintfeed(service.server.url, { ...QUICK, bufferMax: 10 })
  const stream = client.live.trades([mint, 'x'.repeat(200)])
  expect((await take(stream, 2)).map(({ kind }) => kind).sort()).toEqual(['refused', 'snapshot'])
  const seqs: number[] = []
  for (let lot = 0; lot < 5; lot++) {
    service.feed(Array.from({ length: 20 }, () => trade(mint)))
    await waitUntil(() => client.live.status.holds === lot + 1)
    for (const update of await take(stream, 20)) if ('seq' in update) seqs.push(update.seq)
  }
  expect(seqs).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
})

test('a closed subscription is not asked for again when what it holds is read', async () => {
  const { held, other } = await oneHeld()
  held.close()
  await take(held, 10)
  service.feed([trade('B')])
  await take(other, 2)
  // B alone is followed.
  const ready = await fetch(`${service.server.url}/readyz`)
  expect(await ready.json()).toMatchObject({ live_numbered_topics: 1 })
  other.close()
})

test('a subscription that is closed in the turn in which it has room again is not asked for again', async () => {
  const { held, other } = await oneHeld()
  const half = Array.from({ length: 5 }, () => held.next())
  held.close()
  await Promise.all(half)
  service.feed([trade('B')])
  await take(other, 2)
  // What was asked for before it is answered by then.
  await take(client.live.launches(), 1)
  const ready = await fetch(`${service.server.url}/readyz`)
  expect(await ready.json()).toMatchObject({ live_numbered_topics: 2 })
})

test('a refused key ends, the others of its message go on', async () => {
  service = await EngineServer.start()
  service.feed([trade('A')])
  client = new Mintfeed(service.server.url, QUICK)
  const stream = client.live.trades(['A', 'x'.repeat(200)])
  const updates = await take(stream, 2)
  expect(updates.map(({ kind }) => kind).sort()).toEqual(['refused', 'snapshot'])
  const candles = client.live.candles('', '1')
  expect(await take(candles, 1)).toMatchObject([
    { kind: 'refused', problem: { code: 'invalid_mint' } },
  ])
  expect((await candles.next()).done).toBe(true)
  expect((await client.live.trades([]).next()).done).toBe(true)
  candles.close()
  stream.close()
  expect(client.live.status.connections).toBe(0)
})

test.each<[string, (live: Mintfeed['live']) => AsyncIterable<{ readonly kind: string }>]>([
  ['candles', (live) => live.candles('', '1')],
  ['a table', (live) => live.tables({ newPools: { holders: { min: 5, max: 1 } } })],
  ['trades of a table', (live) => live.tableTrades({ newPools: { holders: { min: 5, max: 1 } } })],
  ['trades', (live) => live.trades(['x'.repeat(200), 'y'.repeat(200)])],
])(
  'a refused subscription to %s closes its connection, unless another is on it',
  async (_, follow) => {
    const mint = addressOf('A')
    service = await EngineServer.start()
    client = new Mintfeed(service.server.url, QUICK)
    const { live } = client
    const connections = () => service.server.readiness().fields.live_connections
    for await (const update of follow(live)) expect(update.kind).toBe('refused')
    expect(live.status.connections).toBe(0)
    await waitUntil(() => connections() === 0)
    expect(connections()).toBe(0)
    const other = live.trades(mint)
    await take(other, 1)
    for await (const update of follow(live)) expect(update.kind).toBe('refused')
    service.feed([trade(mint)])
    expect(await take(other, 1)).toMatchObject([{ kind: 'event', key: mint }])
    other.close()
    expect(live.status).toMatchObject({ connections: 0, disconnects: 0 })
  },
)

test('a subscription of a client that is closed is refused with a sentence', async () => {
  service = await EngineServer.start()
  client = new Mintfeed(service.server.url, QUICK)
  client.close()
  const candles = client.live.candles('A', '1')
  expect(await take(candles, 1)).toMatchObject([{ kind: 'refused', problem: { code: 'closed' } }])
  expect((await candles.next()).done).toBe(true)
})

test('tables and candles equal the reads after any cuts', async () => {
  service = await EngineServer.start()
  const mints = ['A', 'B', 'C', 'D']
  service.feed(mints.map((mint, i) => born(mint, { txIndex: i })))
  const random = new Random(7)
  proxy = await CuttingProxy.start(random, service.server.url)
  client = new Mintfeed(proxy.url, QUICK)
  const filter = { newPools: { txsBuys: { min: 3 } } }
  const tables = client.live.tables(filter)
  const candles = client.live.candles('A', '1S')
  let table: unknown = null
  let seq = 0
  const readTables = async () => {
    for await (const update of tables)
      if (update.kind === 'tables') {
        table = update.tables
        seq = update.seq
      }
  }
  const closes = new Map<number, number>()
  const readCandles = async () => {
    for await (const update of candles)
      if (update.kind === 'bars') {
        if (update.isWhole) closes.clear()
        for (const bar of update.bars) closes.set(bar.time, bar.closeSol)
      }
  }
  void readTables()
  void readCandles()
  await waitUntil(() => {
    if (random.chance(0.5)) service.feed([trade(random.pick(['A', 'B', 'C', 'D']))])
    return client.live.status.disconnects >= 60
  })
  proxy.isCutting = false
  service.feed(mints.map((mint) => trade(mint)))
  const read = await new Mintfeed(service.server.url).read.tables(filter)
  const rest = await service.json(
    `/api/v2/meme/chart/ohlcv?mint=A&resolution=1S&from=0&to=${START_SECOND + trades}&countback=300`,
  )
  await waitUntil(() => seq === service.engine.seq)
  await waitUntil(() => closes.has(START_SECOND + trades - 3))
  expect(read.ok && read.data).toEqual(table)
  const { t, c_sol }: { t: number[]; c_sol: number[] } = JSON.parse(JSON.stringify(rest))
  expect([...closes.entries()].slice(-t.length)).toEqual(t.map((time, i) => [time, c_sol[i]]))
})
