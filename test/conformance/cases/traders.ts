import { ensure, type Json, num, same, steady, text } from '../expect.ts'
import { about, type Case } from '../harness.ts'
import type { Http } from '../http.ts'
import { strangerMint, tradersPath, walletPath } from '../paths.ts'
import { traderOrders } from '../spec-tables.ts'
import { checkPartition, getPage } from '../walk.ts'

const test = about('traders')

type Side = { name: string; path: (query: string) => string; key: 'wallet' | 'mint' }

async function sides(known: () => Promise<{ walkable: { mint: string }; collector: string }>) {
  const { walkable, collector } = await known()
  const byMint: Side = {
    name: 'traders of a token',
    path: (query) => tradersPath(walkable.mint, query),
    key: 'wallet',
  }
  const byWallet: Side = {
    name: 'tokens of a trader',
    path: (query) => walletPath(collector, query),
    key: 'mint',
  }
  return [byMint, byWallet]
}

function checkOrder(items: Json[], order: string, direction: string, key: string): void {
  const sign = direction === 'asc' ? 1 : -1
  for (let i = 1; i < items.length; i += 1) {
    const [above, below] = [items[i - 1], items[i]]
    const step = (num(below, order) - num(above, order)) * sign
    ensure(step >= 0, `${order} ${direction}: item ${i} is out of order`)
    const tied = step === 0
    ensure(!tied || text(above, key) < text(below, key), `${order} ${direction}: tie at item ${i}`)
  }
}

async function checkDefaultOrder(http: Http, side: Side): Promise<void> {
  const keys = async (query: string): Promise<unknown[]> =>
    (await getPage(http, side.path(query))).items.map((item) => item[side.key])
  const plain = await keys('')
  same(plain, await keys('order_by=pnl&order_direction=desc'), `${side.name}: the default order`)
  same(plain, await keys('order_by=pnl'), `${side.name}: the default direction`)
  const rising = await keys('order_direction=asc')
  const pnlRising = await keys('order_by=pnl&order_direction=asc')
  same(rising, pnlRising, `${side.name}: the direction alone`)
}

const orderCases = traderOrders.flatMap((order) =>
  ['asc', 'desc'].map((direction) =>
    test(`${order} ${direction} orders both lists, ties by key ascending`, async (world) => {
      for (const side of await sides(world.known)) {
        const query = `order_by=${order}&order_direction=${direction}&limit=200`
        const { items } = await getPage(world.http, side.path(query))
        checkOrder(items, order, direction, side.key)
      }
    }),
  ),
)

export const traderCases: Case[] = [
  test('without page and limit both lists answer page 1 of 50', async ({ http, known }) => {
    for (const side of await sides(known)) {
      const page = await getPage(http, side.path(''))
      same([page.page, page.limit], [1, 50], `${side.name}: page and limit`)
    }
  }),
  ...orderCases,
  test('the default order is pnl desc and a direction alone applies to it', async (world) => {
    for (const side of await sides(world.known)) {
      await steady(() => checkDefaultOrder(world.http, side))
    }
  }),
  test('pages of a token hold every trader once, whatever their size', async (world) => {
    const { quiet } = await world.known()
    const path = (query: string) => tradersPath(quiet.mint, `order_by=bought_tokens&${query}`)
    const identity = (item: Json): string => text(item, 'wallet')
    await steady(() => checkPartition(world.http, path, identity, [200, 50, 7]))
  }),
  test('pages of a wallet hold every token once, whatever their size', async (world) => {
    const { collector } = await world.known()
    const path = (query: string) => walletPath(collector, `order_by=bought_tokens&${query}`)
    const identity = (item: Json): string => text(item, 'mint')
    await steady(() => checkPartition(world.http, path, identity, [200, 50, 13]))
  }),
  test('both directions hold the same traders', async ({ http, known }) => {
    const { quiet } = await known()
    await steady(async () => {
      const path = (direction: string) =>
        tradersPath(quiet.mint, `limit=200&order_by=sold_tokens&order_direction=${direction}`)
      const [up, down] = [await getPage(http, path('asc')), await getPage(http, path('desc'))]
      same(up.total, down.total, 'totals')
      if (up.total > 200) return
      const wallets = (items: Json[]) => items.map((item) => text(item, 'wallet')).sort()
      same(wallets(up.items), wallets(down.items), 'wallets')
    })
  }),
  test('an unknown mint and an unknown wallet have empty pages', async ({ http }) => {
    const empty = { total: 0, page: 1, limit: 50, items: [] }
    same(await getPage(http, tradersPath(strangerMint)), empty, 'traders')
    same(await getPage(http, walletPath(strangerMint)), empty, 'tokens')
  }),
  test('a page past the end is empty with the right total', async ({ http, known }) => {
    for (const side of await sides(known)) {
      await steady(async () => {
        const { total } = await getPage(http, side.path(''))
        const far = await getPage(http, side.path('page=1000000'))
        same([far.items, far.total], [[], total], `${side.name}: items and total`)
      })
    }
  }),
]
