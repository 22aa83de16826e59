import { ensure, type Json, near, num, record, same, steady, text, unixAt } from '../expect.ts'
import { about, type Case } from '../harness.ts'
import type { Http } from '../http.ts'
import { swapsPath, tradersPath, walletPath } from '../paths.ts'
import { isQuotedInCoin } from '../quote.ts'
import { checkShape } from '../shape.ts'
import { traderRecord } from '../spec-tables.ts'
import { getPage, walk } from '../walk.ts'

const test = about('trader record')

const stamps = (row: Json, names: string[]): number[] =>
  names.flatMap((name) => (typeof row[name] === 'number' ? [num(row, name)] : []))

function checkSums(row: Json, what: string): void {
  const sum = (a: string, b: string): number => num(row, a) + num(row, b)
  same(num(row, 'trades'), sum('buys', 'sells'), `${what}: trades`)
  near(num(row, 'volume_usd'), sum('bought_usd', 'sold_usd'), `${what}: volume_usd`, 1e-5)
  near(num(row, 'volume_sol'), sum('bought_sol', 'sold_sol'), `${what}: volume_sol`)
  near(num(row, 'pnl'), sum('realized_pnl_usd', 'unrealized_pnl_usd'), `${what}: pnl`, 1e-5)
  near(num(row, 'pnl_sol'), sum('realized_pnl_sol', 'unrealized_pnl_sol'), `${what}: pnl_sol`)
  const holding = num(row, 'holding_amount')
  same(row.is_open, holding > 0, `${what}: is_open`)
  const bought = num(row, 'bought_usd')
  const percent = bought > 0 ? (num(row, 'pnl') / bought) * 100 : 0
  const slack = Math.max(1e-3, bought > 0 ? 1e-3 / bought : 0)
  near(num(row, 'pnl_pct'), percent, `${what}: pnl_pct`, slack)
}

function checkPrices(row: Json, what: string): void {
  const holding = num(row, 'holding_amount')
  const pairs: [string, string, string, number][] = [
    ['avg_buy_price_usd', 'bought_usd', 'bought_tokens', 1e-6],
    ['avg_sell_price_usd', 'sold_usd', 'sold_tokens', 1e-6],
    ['avg_buy_price_sol', 'bought_sol', 'bought_tokens', 1e-9],
    ['avg_sell_price_sol', 'sold_sol', 'sold_tokens', 1e-9],
  ]
  for (const [price, value, amount, unit] of pairs) {
    const tokens = num(row, amount)
    const expected = tokens > 0 ? num(row, value) / tokens : 0
    near(num(row, price), expected, `${what}: ${price}`, Math.max(unit, expected * 1e-4))
  }
  const usd = holding * num(row, 'token_price_usd')
  near(num(row, 'holding_usd'), usd, `${what}: holding_usd`, Math.max(1e-3, usd * 1e-3))
  const sol = holding * num(row, 'token_price_sol')
  near(num(row, 'holding_sol'), sol, `${what}: holding_sol`, Math.max(1e-5, sol * 1e-3))
}

function checkTimes(row: Json, what: string): void {
  const trades = stamps(row, ['first_buy_ts', 'last_buy_ts', 'first_sell_ts', 'last_sell_ts'])
  same(row.first_buy_ts === null, num(row, 'buys') === 0, `${what}: first_buy_ts null`)
  same(row.last_buy_ts === null, num(row, 'buys') === 0, `${what}: last_buy_ts null`)
  same(row.first_sell_ts === null, num(row, 'sells') === 0, `${what}: first_sell_ts null`)
  same(row.last_sell_ts === null, num(row, 'sells') === 0, `${what}: last_sell_ts null`)
  if (trades.length === 0) return
  same(num(row, 'first_active_ts'), Math.min(...trades), `${what}: first_active_ts`)
  same(num(row, 'last_active_ts'), Math.max(...trades), `${what}: last_active_ts`)
  if (row.is_open === true || row.first_buy_ts === null || row.last_sell_ts === null) return
  const held = Math.max(0, num(row, 'last_sell_ts') - num(row, 'first_buy_ts'))
  same(num(row, 'hold_time_seconds'), held, `${what}: hold_time_seconds of a closed position`)
}

async function eachRecord(http: Http, path: string, check: (row: Json, what: string) => void) {
  const { items } = await getPage(http, path)
  for (const row of items) check(row, `${text(row, 'wallet')} in ${text(row, 'mint')}`)
}

const overBoth = (sentence: string, check: (row: Json, what: string) => void): Case =>
  test(sentence, async ({ http, known }) => {
    const { walkable, busiest, rows, collector } = await known()
    const moved = rows.graduated.slice(0, 1).map((row) => text(row, 'mint'))
    for (const mint of [walkable.mint, busiest[0], ...moved]) {
      await eachRecord(http, tradersPath(mint, 'limit=200'), check)
      await eachRecord(http, tradersPath(mint, 'limit=50&order_direction=asc'), check)
    }
    await eachRecord(http, walletPath(collector, 'limit=200'), check)
  })

/**
 * What the history says about a wallet, held against its record. `isInCoin`: the currency hops of routes tell its
 * costs and proceeds, and they are in the history of another token.
 */
function checkHistory(row: Json, swaps: Json[], isInCoin: boolean): void {
  const what = `${text(row, 'wallet')} against the history`
  const side = (direction: string): Json[] => swaps.filter((item) => item.direction === direction)
  const sum = (items: Json[], name: string): number =>
    items.reduce((total, item) => total + num(item, name), 0)
  const [buys, sells] = [side('buy'), side('sell')]
  same([row.buys, row.sells], [buys.length, sells.length], `${what}: buys and sells`)
  const base = 'base_mint_amount'
  near(num(row, 'bought_tokens'), sum(buys, base), `${what}: bought_tokens`, 1e-3)
  near(num(row, 'sold_tokens'), sum(sells, base), `${what}: sold_tokens`, 1e-3)
  if (!isInCoin) {
    near(num(row, 'bought_usd'), sum(buys, 'volume_usd'), `${what}: bought_usd`, 1e-4)
    near(num(row, 'sold_usd'), sum(sells, 'volume_usd'), `${what}: sold_usd`, 1e-4)
  }
  const times = swaps.map((item) => unixAt(item, 'timestamp'))
  same(num(row, 'last_active_ts'), Math.max(...times), `${what}: last_active_ts`)
  same(num(row, 'first_active_ts'), Math.min(...times), `${what}: first_active_ts`)
}

/** Moved nobody's balance: maybe a hop of a route, whose coin only passed through and has no position. */
const mayHavePassed = (item: Json): boolean =>
  num(item, 'base_mint_amount') > 0 && item.base_balance_before === item.base_balance_after

/** Fields of a record that only a trade of the wallet itself changes. */
const own = [
  ...['wallet', 'mint', 'name', 'symbol', 'bought_tokens', 'sold_tokens', 'last_active_ts'],
  ...['bought_usd', 'sold_usd', 'bought_sol', 'sold_sol', 'buys', 'sells', 'trades', 'fees_sol'],
  ...['first_active_ts', 'first_buy_ts', 'last_buy_ts', 'first_sell_ts', 'last_sell_ts'],
  ...['untracked_tokens', 'sniper_wallet', 'creator_wallet', 'realized_pnl_usd'],
]

export const traderRecordCases: Case[] = [
  overBoth('every record has exactly the fields of the contract', (row, what) =>
    checkShape(row, traderRecord, what),
  ),
  overBoth('trades, volumes and PnL are the sums of their parts', checkSums),
  overBoth('average prices and holding values follow from the amounts', checkPrices),
  overBoth('first and last times agree with the buys and sells', checkTimes),
  test('the list of a wallet holds only its records', async ({ http, known }) => {
    const { collector } = await known()
    for (const row of (await getPage(http, walletPath(collector, 'limit=200'))).items) {
      same(row.wallet, collector, 'wallet')
    }
  }),
  test('the list of a token holds only its records', async ({ http, known }) => {
    const { walkable } = await known()
    for (const row of (await getPage(http, tradersPath(walkable.mint))).items) {
      same(row.mint, walkable.mint, 'mint')
    }
  }),
  test('a record is the same through the token and through the wallet', async (world) => {
    const { quiet } = await world.known()
    await steady(async () => {
      const { items } = await getPage(world.http, tradersPath(quiet.mint, 'limit=5'))
      for (const row of items) {
        const path = (query: string) => walletPath(text(row, 'wallet'), query)
        const mine = (await walk(world.http, path, 200, 20)).items
        const twin = mine.find((one) => one.mint === quiet.mint)
        const found = record(twin, `the record of ${text(row, 'wallet')} for ${quiet.mint}`)
        for (const name of own) same(found[name], row[name], `${text(row, 'wallet')}: ${name}`)
      }
    })
  }),
  test('the records of a short history are the sums of its swaps', async ({ http, known }) => {
    const { quiet } = await known()
    const isInCoin = await isQuotedInCoin(http, quiet.mint)
    await steady(async () => {
      const swaps = await walk(http, (query) => swapsPath(quiet.mint, query), 200)
      const traders = await walk(http, (query) => tradersPath(quiet.mint, query), 200)
      ensure(swaps.still && traders.still, 'totals moved')
      const signers = new Set(swaps.items.map((item) => text(item, 'signer')))
      for (const signer of signers) {
        const mine = swaps.items.filter((item) => item.signer === signer)
        if (mine.some(mayHavePassed)) continue
        const row = traders.items.find((one) => one.wallet === signer)
        checkHistory(record(row, `the trader ${signer}`), mine, isInCoin)
      }
    })
  }),
]
