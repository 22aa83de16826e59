import { afterEach, beforeEach, expect, test } from 'vitest'
import { Mintfeed, type Trending, type TrendingUpdate } from '../../client/src/mintfeed.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { EngineServer } from '../server/engine-server.ts'
import { waitUntil } from '../server/raw-http.ts'
import { CuttingProxy } from './cutting-proxy.ts'
import { gathered } from './gathered.ts'

const QUICK = { backoff: { firstMs: 1, longestMs: 8 } }
const MINTS = ['A', 'B', 'C', 'D', 'E'] as const
/** Lists that the service lets a connection follow. */
const LISTS_MAX = 10

let service: EngineServer
let client: Mintfeed
let proxy: CuttingProxy | null = null
beforeEach(async () => {
  service = await EngineServer.start()
  service.feed(MINTS.map((mint, i) => created({ mint, txIndex: i, signature: `create ${mint}` })))
})
afterEach(async () => {
  client.close()
  await proxy?.stop()
  proxy = null
  await service.server.stop()
})

let trades = 0
const trade = (mint: string) => {
  trades += 1
  return swap({ mint, slot: 10 + trades, timestamp: START_SECOND + trades })
}

/** What is listed by now. */
function listed(updates: readonly TrendingUpdate[]): Trending | null {
  const update = updates.at(-1)
  return update?.kind === 'trending' ? update.trending : null
}

const mintsOf = (trending: Trending | null) => trending?.items.map(({ mint }) => mint) ?? []

test('what trends equals the read after any cuts, and moves as tokens pass each other', async () => {
  const random = new Random(11)
  proxy = await CuttingProxy.start(random, service.server.url)
  client = new Mintfeed(proxy.url, QUICK)
  const query = { window: '24h', by: 'trades', limit: 3 } as const
  const updates = gathered(client.live.trending(query))
  const orders = () => new Set(updates.map((update) => mintsOf(listed([update])).join()))
  // On a busy machine many trades come in one update.
  await waitUntil(() => {
    if (random.chance(0.5)) service.feed([trade(random.pick(MINTS))])
    return client.live.status.disconnects >= 40 && orders().size > 3
  })
  proxy.isCutting = false
  service.feed(MINTS.map((mint) => trade(mint)))
  const read = await new Mintfeed(service.server.url).read.trending(query)
  await waitUntil(() => {
    const update = updates.at(-1)
    return update?.kind === 'trending' && update.seq === service.engine.seq
  })
  expect(listed(updates)).toEqual(read.ok && read.data)
  expect(listed(updates)).toMatchObject({ window: '24h', by: 'trades' })
})

test('a list and a table beside it end each for itself, and leave their places to others', async () => {
  client = new Mintfeed(service.server.url, QUICK)
  service.feed([trade('A')])
  const lists = Array.from({ length: LISTS_MAX - 1 }, (_, i) =>
    client.live.trending({ limit: i + 1, window: '24h' }),
  )
  const table = gathered(client.live.tables({}))
  for (const list of lists)
    expect((await list.next()).value).toMatchObject({ trending: { items: [{ mint: 'A' }] } })
  expect(client.live.status.connections).toBe(1)
  // The place of the first is free once the answer to the one before the last is there.
  const asked = client.live.trending({ limit: LISTS_MAX, window: '24h' })
  await Promise.resolve()
  lists[0].close()
  const last = client.live.trending({ limit: LISTS_MAX + 1, window: '24h' })
  expect((await last.next()).value).toMatchObject({ kind: 'trending' })
  expect((await asked.next()).value).toMatchObject({ kind: 'trending' })
  expect(client.live.status.connections).toBe(1)
  const seen = table.length
  service.feed([trade('B')])
  expect(mintsOf(listed([(await last.next()).value]))).toEqual(['B', 'A'])
  await waitUntil(() => table.length > seen)
  expect(table.at(-1)).toMatchObject({ kind: 'tables' })
})

test('a list in other words goes on when its equal is closed, and rows that stay are the same', async () => {
  client = new Mintfeed(service.server.url, QUICK)
  service.feed([trade('A'), trade('B'), trade('B')])
  const updates = gathered(client.live.trending({ by: 'trades' }))
  const equal = client.live.trending({ window: '5m', by: 'trades' })
  await equal.next()
  equal.close()
  await waitUntil(() => updates.length > 0)
  const before = listed(updates)
  service.feed([trade('C')])
  await waitUntil(() => mintsOf(listed(updates)).length === 3)
  expect(mintsOf(listed(updates))).toEqual(['B', 'C', 'A'])
  expect(listed(updates)?.items[0]).toBe(before?.items[0])
})

test('what the service does not take is refused with its sentence', async () => {
  client = new Mintfeed(service.server.url, QUICK)
  const list = client.live.trending({ limit: 0 })
  expect((await list.next()).value).toMatchObject({
    kind: 'refused',
    problem: { code: 'invalid_filter', message: expect.stringContaining('limit') },
  })
  expect((await list.next()).done).toBe(true)
})
