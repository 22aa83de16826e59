import { tablesOf } from '../discover.ts'
import { ensure, type Json, near, num, record, records, same, steady, text } from '../expect.ts'
import { about, type Case } from '../harness.ts'
import type { Http } from '../http.ts'
import { marketPath, searchPath, strangerMint, strangerMints } from '../paths.ts'
import { checkDay, checkShape } from '../shape.ts'
import { tokenMarketData } from '../spec-tables.ts'

const test = about('market data')

const ask = async (http: Http, mint: string, mints?: string): Promise<Json[]> =>
  records(await http.get(marketPath(mint, mints)), 'the market data')

const mintsOf = (tokens: Json[]): unknown[] => tokens.map((token) => token.mint)

/** The fields of both resources whose names agree. */
const shared = [
  ...['name', 'symbol', 'creator', 'timestamp', 'mint', 'pct_completion', 'market_cap'],
  ...['liquidity', 'token_price_sol', 'token_price_usd', 'tx_24h', 'tx_24h_buy', 'tx_24h_sell'],
  ...['vol_24h', 'vol_24_buy', 'vol_24_sell', 'holders', 'top_10_percent', 'bundle_holding'],
  ...['creator_holding_pct', 'insiders_holding', 'snipers_holding', 'pro_traders'],
  'fresh_wallet_holding',
]

const texts = ['image', 'video', 'twitter', 'website', 'discord', 'telegram', 'description']

function agreeWithSearch(token: Json, found: Json): void {
  for (const name of shared) same(token[name], found[name], `${text(token, 'mint')}: ${name}`)
  for (const name of texts) same(token[name] ?? '', found[name], `${text(token, 'mint')}: ${name}`)
  const pool = found.pool_amm === '' ? found.bonding_curve : found.pool_amm
  same(token.pool, pool, `${text(token, 'mint')}: pool`)
}

/** Table row field by market data field. */
const rowFields: Record<string, string> = {
  liquidity: 'liqudity',
  creator_holding_pct: 'creator_holding',
  fresh_wallet_holding: 'fresh_wallets_holding',
  market_cap: 'market_cap',
  holders: 'holders',
  tx_24h: 'tx_24h',
  vol_24h: 'vol_24h',
  top_10_percent: 'top_10_percent',
  insiders_holding: 'insiders_holding',
  bundle_holding: 'bundle_holding',
  snipers_holding: 'snipers_holding',
  pct_completion: 'pct_completion',
  pool: 'pool',
  name: 'name',
  timestamp: 'timestamp',
}

export const marketDataCases: Case[] = [
  test('every token has exactly the fields of TokenMarketData', async ({ http, known }) => {
    const mints = (await known()).mints.slice(0, 50)
    for (const token of await ask(http, 'many', mints.join(','))) {
      checkShape(token, tokenMarketData, text(token, 'mint'))
      checkDay(token, text(token, 'mint'))
      for (const name of texts) ensure(token[name] !== '', `a missing ${name} must be null`)
    }
  }),
  test('one mint in the path answers an array of one', async ({ http, known }) => {
    const [mint] = (await known()).mints
    same(mintsOf(await ask(http, mint)), [mint], 'the mints')
  }),
  test('several mints come back in the order asked', async ({ http, known }) => {
    const mints = (await known()).mints.slice(0, 7)
    for (const order of [mints, [...mints].reverse()]) {
      same(mintsOf(await ask(http, 'many', order.join(','))), order, 'the mints')
    }
  }),
  test('with mints the path word is ignored', async ({ http, known }) => {
    const [one, two] = (await known()).mints
    same(mintsOf(await ask(http, one, two ?? one)), [two ?? one], 'the mints')
  }),
  test('unknown mints are left out', async ({ http, known }) => {
    const [mint] = (await known()).mints
    same(mintsOf(await ask(http, 'x', `${strangerMint},${mint}`)), [mint], 'the mints')
  }),
  test('an unknown mint in the path answers an empty array', async ({ http }) => {
    same(await ask(http, strangerMint), [], 'the market data')
  }),
  test('blanks and repeats in mints are dropped', async ({ http, known }) => {
    const [one, two = one] = (await known()).mints
    const asked = `, ${one} ,,${two},${one}, `
    same(mintsOf(await ask(http, 'x', asked)), [...new Set([one, two])], 'the mints')
  }),
  test('when all of mints is blank the path word counts', async ({ http, known }) => {
    const [mint] = (await known()).mints
    for (const blank of ['', ',', ' , ,']) {
      same(mintsOf(await ask(http, mint, blank)), [mint], `the mints for ${JSON.stringify(blank)}`)
    }
  }),
  test('100 distinct mints are answered, repeats of them too', async ({ http, known }) => {
    const [mint] = (await known()).mints
    const others = strangerMints(99)
    const asked = [mint, ...others, mint, others[5]]
    same(mintsOf(await ask(http, 'x', asked.join(','))), [mint], 'the mints')
  }),
  test('100 mints of full length fit into a request', async ({ http }) => {
    const long = strangerMints(100)
    same(await ask(http, 'x', long.join(',')), [], 'the market data')
    same(await http.get(`${marketPath('x')}?mints=${long.join(',')}`), [], 'with plain commas')
  }),
  test('it agrees with the search answer of the same token', async ({ http, known }) => {
    const { quiet, walkable, rows } = await known()
    const moved = rows.graduated.slice(0, 2).map((row) => text(row, 'mint'))
    for (const mint of [quiet.mint, walkable.mint, ...moved]) {
      await steady(async () => {
        const [token] = await ask(http, mint)
        const [found] = records(await http.get(searchPath(mint)), 'the search answer')
        agreeWithSearch(record(token, 'the token'), record(found, 'the result'))
      })
    }
  }),
  test('it agrees with the table rows', async ({ http }) => {
    await steady(async () => {
      for (const [group, rows] of Object.entries(tablesOf(await http.table({ limit: 8 })))) {
        // A group may have no row at the moment, and an empty `mints` is as none: the path's mint.
        if (rows.length === 0) continue
        const tokens = await ask(http, 'x', rows.map((row) => row.mint).join(','))
        rows.forEach((row, i) => {
          const [token, what] = [record(tokens[i], `${group}[${i}]`), text(row, 'mint')]
          for (const [mine, theirs] of Object.entries(rowFields)) {
            same(token[mine], row[theirs], `${what}: ${mine}`)
          }
        })
      }
    }, 8)
  }),
  test('the USD price is the SOL price at the current rate', async ({ http, known }) => {
    const mints = (await known()).mints.slice(0, 5)
    for (const mint of mints) {
      const [found] = records(await http.get(searchPath(mint)), 'the search answer')
      const expected = num(found, 'token_price_sol') * num(found, 'sol_price_usd')
      const usd = num(found, 'token_price_usd')
      const slack = Math.max(1e-9, expected * 1e-4)
      if (usd > 0 && expected > 0) near(usd, expected, `${mint}: token_price_usd`, slack)
    }
  }),
  test('the largest shares do not pass the whole', async ({ http, known }) => {
    const mints = (await known()).mints.slice(0, 50)
    for (const token of await ask(http, 'x', mints.join(','))) {
      const [holders, share] = [num(token, 'holders'), num(token, 'top_10_percent')]
      ensure(holders > 0 || share === 0, `${text(token, 'mint')}: no holders but ${share} %`)
      ensure(num(token, 'pro_traders') <= holders, `${text(token, 'mint')}: more pros than holders`)
    }
  }),
]
