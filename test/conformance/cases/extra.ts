import { allRows, tablesOf } from '../discover.ts'
import { checkNamed } from '../errors.ts'
import { ensure, type Json, records, same, skipUnless, text } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { marketPath, searchPath, swapsPath, tradersPath, walletPath } from '../paths.ts'
import { checkShape } from '../shape.ts'
import {
  type Field,
  historyFields,
  memeTablePool,
  quoteFields,
  swap,
  swapExtras,
  tokenMarketData,
  tokenSearchDetailed,
  traderRecord,
} from '../spec-tables.ts'
import { getPage } from '../walk.ts'

const test = about('additive fields')

/** A path without and with them. */
const more = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}extra=1`

/** A service that does not have them takes the parameter for an unknown one, and leaves it alone. */
async function skipWithout({ http, known }: World): Promise<void> {
  const path = more(marketPath((await known()).walkable.mint))
  const [token] = records(await http.get(path), 'the market data')
  skipUnless(token !== undefined && 'quote_mint' in token, 'the service has no additive fields')
}

function checkAll(rows: Json[], table: Field[], what: string): void {
  ensure(rows.length > 0, `${what}: no rows`)
  for (const row of rows) checkShape(row, [...table, ...quoteFields], what)
}

export const extraCases: Case[] = [
  test('extra=1 names the quote of tokens, and changes nothing else', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { walkable, mints } = await known()
    const market = marketPath('many', mints.slice(0, 20).join(','))
    checkAll(
      records(await http.get(more(market)), 'market'),
      [...tokenMarketData, ...historyFields],
      'market data',
    )
    const found = more(searchPath(walkable.mint))
    const searched = [...tokenSearchDetailed, ...historyFields]
    checkAll(records(await http.get(found), 'found'), searched, 'search')
    for (const token of records(await http.get(market), 'market'))
      checkShape(token, tokenMarketData, 'market data without extra')
  }),
  test('extra=1 names the quote in trader records', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { walkable, wallet } = await known()
    for (const path of [tradersPath(walkable.mint, 'extra=1'), walletPath(wallet, 'extra=1')])
      checkAll((await getPage(http, path)).items, traderRecord, 'trader record')
  }),
  test('extra=1 tells the other fees of swaps, by page and by cursor', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { mint } = (await known()).walkable
    const { items } = await getPage(http, swapsPath(mint, 'limit=200&extra=1'))
    checkAll(items, [...swap, ...swapExtras], 'swap')
    for (const item of items)
      ensure(item.source === 'pump_amm' || item.lp_fee === 0, 'a curve has no liquidity providers')
  }),
  test('"extra": true in the body names the quotes of the rows', async (world) => {
    await skipWithout(world)
    const rows = allRows(tablesOf(await world.http.table({ limit: 20, extra: true })))
    checkAll(rows, [...memeTablePool, ...historyFields], 'table row')
    const plain = allRows(tablesOf(await world.http.table({ limit: 20, extra: false })))
    for (const row of plain) checkShape(row, memeTablePool, 'table row without extra')
  }),
  test('a token has one quote wherever it is named', async (world) => {
    await skipWithout(world)
    const { http } = world
    const rows = allRows(tablesOf(await http.table({ limit: 10, extra: true })))
    const byMint = new Map(rows.map((row) => [row.mint, row.quote_mint]))
    const path = more(marketPath('many', [...byMint.keys()].join(',')))
    for (const token of records(await http.get(path), 'market data'))
      same(token.quote_mint, byMint.get(token.mint), `${text(token, 'mint')}: quote_mint`)
  }),
  test('any other value of extra is a 400 that names it', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { mint } = (await known()).walkable
    for (const value of ['2', '', 'yes', '1&extra=1']) {
      const answer = await http.ask(swapsPath(mint, `extra=${value}`))
      checkNamed(answer, 400, 'extra', `extra=${value}`)
    }
    const headers = { 'content-type': 'application/json' }
    const body = '{"extra":1}'
    const answer = await http.ask('/api/v2/meme', { method: 'POST', headers, body })
    checkNamed(answer, 400, 'extra', body)
  }),
]
