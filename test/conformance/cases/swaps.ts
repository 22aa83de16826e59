import { tablesOf } from '../discover.ts'
import { ensure, type Json, near, num, same, skipUnless, steady, text } from '../expect.ts'
import { about, type Case } from '../harness.ts'
import { strangerMint, swapsPath } from '../paths.ts'
import { isQuotedInCoin } from '../quote.ts'
import { checkShape } from '../shape.ts'
import { swap } from '../spec-tables.ts'
import { checkPartition, getPage, walk } from '../walk.ts'

const test = about('swaps')

/** A transaction may hold several swaps: the ordinal is not on the wire, the balances are. */
const identity = (item: Json): string =>
  [
    ...[item.slot, item.tx_index, item.signature, item.signer, item.direction],
    ...[item.base_mint_amount, item.quote_mint_amount, item.base_balance_after],
    ...[item.liquidity_usd, item.bonding_curve_progress],
  ].join(' ')

/** `isInCoin`: dollars come through the price of another coin. */
function checkSwap(item: Json, mint: string, isInCoin: boolean): void {
  const what = `swap ${text(item, 'signature').slice(0, 12)}`
  checkShape(item, swap, what)
  same(item.mint, mint, `${what}: mint`)
  ensure(['buy', 'sell'].includes(text(item, 'direction')), `${what}: ${item.direction}`)
  ensure(['pump', 'pump_amm'].includes(text(item, 'source')), `${what}: ${item.source}`)
  if (isInCoin) return
  const [quote, usd] = [num(item, 'quote_mint_amount'), num(item, 'volume_usd')]
  const inSol = quote * num(item, 'sol_price_usd')
  const fits = [inSol, quote].some((value) => Math.abs(usd - value) <= 2e-6 + value * 1e-6)
  ensure(fits || num(item, 'sol_price_usd') === 0, `${what}: volume_usd ${usd} of ${quote}`)
}

function newestFirst(items: Json[]): void {
  for (let i = 1; i < items.length; i += 1) {
    const [above, below] = [items[i - 1], items[i]]
    const slots = num(above, 'slot') - num(below, 'slot')
    const step = slots || num(above, 'tx_index') - num(below, 'tx_index')
    ensure(step >= 0, `swap ${i} is newer than swap ${i - 1}`)
  }
}

export const swapCases: Case[] = [
  test('every swap has exactly the fields of Swap and sound values', async ({ http, known }) => {
    const { busiest, walkable, quiet, rows } = await known()
    const moved = rows.graduated.slice(0, 3).map((row) => text(row, 'mint'))
    for (const mint of [...busiest.slice(0, 3), walkable.mint, quiet.mint, ...moved]) {
      const { items } = await getPage(http, swapsPath(mint, 'limit=200'))
      const isInCoin = await isQuotedInCoin(http, mint)
      for (const item of items) checkSwap(item, mint, isInCoin)
    }
  }),
  test('without page and limit it answers page 1 of 50', async ({ http, known }) => {
    const page = await getPage(http, swapsPath((await known()).busiest[0]))
    same([page.page, page.limit], [1, 50], 'page and limit')
  }),
  test('limits 1 and 200 are allowed', async ({ http, known }) => {
    const { walkable } = await known()
    for (const limit of [1, 200]) {
      same((await getPage(http, swapsPath(walkable.mint, `limit=${limit}`))).limit, limit, 'limit')
    }
  }),
  test('the newest come first, also deep in a long history', async ({ http, known }) => {
    const { busiest, walkable } = await known()
    for (const mint of [busiest[0], walkable.mint]) {
      const first = await getPage(http, swapsPath(mint, 'limit=200'))
      newestFirst(first.items)
      const middle = Math.max(1, Math.floor(first.total / 400))
      newestFirst((await getPage(http, swapsPath(mint, `limit=200&page=${middle}`))).items)
    }
  }),
  test('pages hold the whole history once, whatever their size', async ({ http, known }) => {
    const { walkable, quiet } = await known()
    const path = (mint: string) => (query: string) => swapsPath(mint, query)
    await steady(() => checkPartition(http, path(walkable.mint), identity, [200, 50, 37]))
    await steady(() => checkPartition(http, path(quiet.mint), identity, [200, 50, 11]))
  }),
  test('the whole walk is newest first across pages', async ({ http, known }) => {
    const { walkable } = await known()
    await steady(async () => {
      const { items, still } = await walk(http, (query) => swapsPath(walkable.mint, query), 29)
      ensure(still, 'total moved')
      newestFirst(items)
    })
  }),
  test('a page past the end is empty with the right total', async ({ http, known }) => {
    const { walkable } = await known()
    await steady(async () => {
      const first = await getPage(http, swapsPath(walkable.mint))
      const far = await getPage(http, swapsPath(walkable.mint, 'page=99999999'))
      same([far.items, far.total], [[], first.total], 'items and total')
    })
  }),
  test('an unknown mint has an empty page', async ({ http }) => {
    const page = await getPage(http, swapsPath(strangerMint))
    same(page, { total: 0, page: 1, limit: 50, items: [] }, 'the page')
  }),
  test('a wallet gives exactly its part of the history, in order', async ({ http, known }) => {
    const { walkable, wallet } = await known()
    await steady(async () => {
      const all = await walk(http, (query) => swapsPath(walkable.mint, query), 200)
      const path = (query: string) => swapsPath(walkable.mint, `wallet=${wallet}&${query}`)
      const mine = await walk(http, path, 50)
      ensure(mine.total > 0, `${wallet} has no swaps`)
      const expected = all.items.filter((item) => item.signer === wallet)
      same(mine.items.map(identity), expected.map(identity), 'the swaps of the wallet')
      same(mine.total, expected.length, 'total')
    })
  }),
  test('the parts of all wallets add up to the whole', async ({ http, known }) => {
    const { quiet } = await known()
    await steady(async () => {
      const { items, total } = await walk(http, (query) => swapsPath(quiet.mint, query), 200)
      const wallets = [...new Set(items.map((item) => text(item, 'signer')))]
      skipUnless(wallets.length <= 200, 'too many wallets to ask one by one')
      let sum = 0
      for (const wallet of wallets) {
        sum += (await getPage(http, swapsPath(quiet.mint, `wallet=${wallet}&limit=1`))).total
      }
      same(sum, total, 'the sum of the totals')
    })
  }),
  test('a wallet that never traded the token has an empty page', async ({ http, known }) => {
    const { walkable } = await known()
    const page = await getPage(http, swapsPath(walkable.mint, `wallet=${strangerMint}`))
    same([page.total, page.items], [0, []], 'total and items')
  }),
  test('balances move by the amount of a swap alone in its transaction', async (world) => {
    const { walkable } = await world.known()
    const { items } = await getPage(world.http, swapsPath(walkable.mint, 'limit=200'))
    const times = new Map<unknown, number>()
    for (const item of items) times.set(item.signature, (times.get(item.signature) ?? 0) + 1)
    for (const item of items.slice(0, -5)) {
      if (times.get(item.signature) !== 1) continue
      const sign = item.direction === 'buy' ? 1 : -1
      const moved = num(item, 'base_balance_after') - num(item, 'base_balance_before')
      const right = moved * sign >= -1e-6
      ensure(right, `${text(item, 'signature')}: a ${item.direction} moved the balance by ${moved}`)
    }
  }),
  test('swaps on the curve are sourced pump, after migration pump_amm', async (world) => {
    // What was new when the suite began may have migrated since.
    const newRows = async () => tablesOf(await world.http.table({ type: 'new', limit: 200 })).new
    const fresh = (await newRows()).find((row) => num(row, 'tx_24h') > 0)
    skipUnless(fresh !== undefined, 'no traded new token')
    const { items } = await getPage(world.http, swapsPath(text(fresh, 'mint')))
    const isNew = (await newRows()).some(({ mint }) => mint === fresh.mint)
    skipUnless(isNew, 'the new token is new no longer')
    for (const item of items.slice(1)) same(item.source, 'pump', 'source of a swap of a new token')
  }),
  test('market cap over price is one supply for the whole page', async ({ http, known }) => {
    const { walkable } = await known()
    const { items } = await getPage(http, swapsPath(walkable.mint, 'limit=50'))
    const priced = items.filter((item) => num(item, 'base_mint_price_usd') > 1e-9)
    const supply = (item: Json): number => num(item, 'm_cap_usd') / num(item, 'base_mint_price_usd')
    for (const item of priced) {
      near(supply(item), supply(priced[0]), 'the supply', supply(priced[0]) * 0.01)
    }
  }),
]
