/** Finds mints and wallets to ask about, through the service itself. */
import { ensure, type Json, num, record, records, text, unixAt } from './expect.ts'
import type { Http } from './http.ts'
import { searchPath, swapsPath, tradersPath, walletPath } from './paths.ts'
import { type Group, groups } from './spec-tables.ts'

export interface Traded {
  mint: string
  total: number
  /** Time of the newest swap. */
  last: number
}

export interface Known {
  rows: Record<Group, Json[]>
  mints: string[]
  /** Most transactions of the last 24 hours first. */
  busiest: string[]
  /** A token whose whole history can be walked in a few pages. */
  walkable: Traded
  /** The token of a short history that has been still for longest. */
  quiet: Traded
  /** A wallet that traded the walkable token. */
  wallet: string
  /** Of the wallets looked at, the one with the most tokens. */
  collector: string
}

export type Tables = Record<Group, Json[]>

export function tablesOf(body: unknown): Tables {
  const answer = record(body, 'the table answer')
  const rows = (group: Group): Json[] => records(answer[group] ?? [], group)
  return { new: rows('new'), completing: rows('completing'), graduated: rows('graduated') }
}

export const allRows = (tables: Tables): Json[] => groups.flatMap((group) => tables[group])

async function look(http: Http, mint: string): Promise<Traded> {
  const page = record(await http.get(swapsPath(mint, 'limit=1')), 'a page of swaps')
  const [newest] = records(page.items, 'items')
  return { mint, total: num(page, 'total'), last: newest ? unixAt(newest, 'timestamp') : 0 }
}

/** Tokens with some trades but not too many, a spread of them. */
function candidates(rows: Json[]): string[] {
  const middle = rows.filter((row) => num(row, 'tx_24h') >= 8 && num(row, 'tx_24h') <= 400)
  const pool = middle.length >= 3 ? middle : rows.filter((row) => num(row, 'tx_24h') > 0)
  const usable = pool.length > 0 ? pool : rows
  const step = Math.max(1, Math.floor(usable.length / 16))
  return usable
    .filter((_, i) => i % step === 0)
    .slice(0, 20)
    .map((row) => text(row, 'mint'))
}

async function pickWallets(
  http: Http,
  mint: string,
): Promise<{ wallet: string; collector: string }> {
  const page = record(await http.get(tradersPath(mint, 'limit=20')), 'a page of traders')
  const traders = records(page.items, 'items').sort((a, b) => num(b, 'trades') - num(a, 'trades'))
  ensure(traders.length > 0, `the traded token ${mint} has no traders`)
  const wallet = text(traders[0], 'wallet')
  let best = { wallet, total: 0 }
  for (const trader of traders.slice(0, 8)) {
    const found = record(await http.get(walletPath(text(trader, 'wallet'), 'limit=1')), 'a page')
    const total = num(found, 'total')
    if (total > best.total) best = { wallet: text(trader, 'wallet'), total }
  }
  return { wallet, collector: best.wallet }
}

export async function discover(http: Http): Promise<Known> {
  const rows = tablesOf(await http.table({ limit: 200 }))
  const byTrades = allRows(rows).sort((a, b) => num(b, 'tx_24h') - num(a, 'tx_24h'))
  ensure(byTrades.length > 0, 'the server knows no tokens: the suite needs a populated one')
  const looked: Traded[] = []
  for (const mint of candidates(byTrades)) looked.push(await look(http, mint))
  const traded = looked.filter((one) => one.total > 0)
  ensure(traded.length > 0, 'no token with swaps was found: the suite needs a populated server')
  const short = traded.filter((one) => one.total <= 400)
  const walkable = [...(short.length > 0 ? short : traded)].sort((a, b) => b.total - a.total)[0]
  const small = traded.filter((one) => one.total <= 200 && one.total > 2)
  const quiet = [...(small.length > 0 ? small : traded)].sort((a, b) => a.last - b.last)[0]
  const busiest = byTrades.map((row) => text(row, 'mint'))
  const wallets = await pickWallets(http, walkable.mint)
  return { rows, mints: [...new Set(busiest)], busiest, walkable, quiet, ...wallets }
}

/** The server's own time, which may be that of its events: creation plus age of a token. */
export async function serverNow(http: Http, mint: string): Promise<number> {
  const [token] = records(await http.get(searchPath(mint)), 'the search answer')
  ensure(token !== undefined, `search does not find ${mint}`)
  return unixAt(token, 'created_on') + num(token, 'age_seconds')
}
