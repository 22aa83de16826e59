import { allRows, serverNow } from '../discover.ts'
import {
  ensure,
  isTimestamp,
  type Json,
  num,
  records,
  same,
  skipUnless,
  steady,
  text,
  unixAt,
} from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { type Http, header } from '../http.ts'
import { searchPath, strangerMint } from '../paths.ts'
import { checkDay, checkShape } from '../shape.ts'
import { tokenSearchDetailed } from '../spec-tables.ts'

const test = about('search')

const find = async (http: Http, query: string): Promise<Json[]> =>
  records(await http.get(searchPath(query)), 'the search answer')

/** Queries that match several tokens: short pieces of names that exist. */
async function broadQueries(world: World): Promise<string[]> {
  const { rows } = await world.known()
  const plain = /^[a-z0-9]{3,}$/i
  const names = allRows(rows).map((row) => text(row, 'symbol'))
  const pieces = names.filter((name) => plain.test(name)).map((name) => name.slice(0, 2))
  return ['pump', ...new Set(pieces)].slice(0, 6)
}

function rankOf(token: Json, query: string): number {
  const wanted = query.toLowerCase()
  const [mint, symbol, name] = ['mint', 'symbol', 'name'].map((key) =>
    text(token, key).toLowerCase(),
  )
  if (mint === wanted) return 0
  if (symbol === wanted) return 1
  if (name.startsWith(wanted) || symbol.startsWith(wanted)) return 2
  return 3
}

function checkToken(token: Json): void {
  const what = text(token, 'mint')
  checkShape(token, tokenSearchDetailed, what)
  checkDay(token, what)
  same(token.timestamp, token.created_on, `${what}: timestamp and created_on`)
  if (token.migration_timestamp !== null) {
    ensure(text(token, 'pool_amm') !== '', `${what} migrated but has no pool_amm`)
    same(token.pct_completion, 100, `${what} migrated: pct_completion`)
    same(token.complete, true, `${what} migrated: complete`)
  }
  const stamped = [token.migration_signature, token.migration_timestamp].map((one) => one === null)
  same(stamped[0], stamped[1], `${what}: migration signature and timestamp are null together`)
  ensure(num(token, 'volume') >= num(token, 'vol_24h') * (1 - 1e-9), `${what}: volume < vol_24h`)
}

async function checkRanks(http: Http, query: string): Promise<void> {
  const found = await find(http, query)
  for (let i = 1; i < found.length; i += 1) {
    const [above, below] = [found[i - 1], found[i]]
    const step = rankOf(below, query) - rankOf(above, query)
    ensure(step >= 0, `${query}: ${text(below, 'mint')} ranks above ${text(above, 'mint')}`)
    const falls = step > 0 || num(above, 'market_cap') >= num(below, 'market_cap')
    ensure(falls, `${query}: market cap rises from place ${i} to ${i + 1} within a rank`)
  }
}

export const searchCases: Case[] = [
  test('every result has exactly the fields of TokenSearchDetailed', async (world) => {
    for (const query of await broadQueries(world)) {
      for (const token of await find(world.http, query)) checkToken(token)
    }
  }),
  test('tokens of each group have the fields too', async (world) => {
    const { rows } = await world.known()
    for (const group of [rows.new, rows.completing, rows.graduated]) {
      for (const row of group.slice(0, 3)) {
        for (const token of await find(world.http, text(row, 'mint'))) checkToken(token)
      }
    }
  }),
  test('an exact mint comes back first', async (world) => {
    for (const mint of (await world.known()).mints.slice(0, 5)) {
      const [first] = await find(world.http, mint)
      same(first?.mint, mint, 'the first result')
    }
  }),
  test('a mint is found without regard to case', async (world) => {
    const [mint] = (await world.known()).mints
    for (const query of [mint.toLowerCase(), mint.toUpperCase()]) {
      const found = await find(world.http, query)
      ensure(
        found.some((token) => token.mint === mint),
        `${query} does not find ${mint}`,
      )
    }
  }),
  test('a part of a mint finds the token', async (world) => {
    const [mint] = (await world.known()).mints
    const part = mint.slice(4, 24)
    const found = await find(world.http, part)
    ensure(
      found.some((token) => token.mint === mint),
      `${part} does not find ${mint}`,
    )
  }),
  test('an exact symbol comes before longer ones', async (world) => {
    const symbols = allRows((await world.known()).rows).map((row) => text(row, 'symbol'))
    const plain = symbols.filter((symbol) => /^[A-Za-z0-9]{2,12}$/.test(symbol)).slice(0, 5)
    skipUnless(plain.length > 0, 'no plain symbol on the server')
    for (const symbol of plain) {
      const [first] = await find(world.http, symbol)
      ensure(first !== undefined, `${symbol} finds nothing`)
      ensure(rankOf(first, symbol) <= 1, `${symbol}: the first result is ${text(first, 'symbol')}`)
    }
  }),
  test('a name finds its token', async (world) => {
    const rows = allRows((await world.known()).rows)
    const named = rows.find((row) => /^[\w ]{5,60}$/.test(text(row, 'name').trim()))
    skipUnless(named !== undefined, 'no plain name on the server')
    const name = text(named, 'name')
    const found = await find(world.http, name)
    const hit = found.some((token) =>
      text(token, 'name').toLowerCase().includes(name.trim().toLowerCase()),
    )
    ensure(hit, `${name} finds no token of that name`)
  }),
  test('every result holds the query in its mint, name or symbol', async (world) => {
    for (const query of await broadQueries(world)) {
      for (const token of await find(world.http, query)) {
        const fields = ['mint', 'name', 'symbol'].map((key) => text(token, key).toLowerCase())
        const holds = fields.some((value) => value.includes(query.toLowerCase()))
        ensure(holds, `${query} is not in ${fields.join(', ')}`)
      }
    }
  }),
  test('results are ordered by rank, within a rank by market cap', async (world) => {
    for (const query of await broadQueries(world)) {
      await steady(() => checkRanks(world.http, query))
    }
  }),
  test('at most 50 results, none twice', async (world) => {
    for (const query of ['a', 'e', 'p', 'pump']) {
      const mints = (await find(world.http, query)).map((token) => text(token, 'mint'))
      ensure(mints.length <= 50, `${query}: ${mints.length} results`)
      same(new Set(mints).size, mints.length, `${query}: distinct mints`)
    }
  }),
  test('case and surrounding blanks of the query do not matter', async (world) => {
    const [query] = (await broadQueries(world)).slice(-1)
    await steady(async () => {
      const plain = (await find(world.http, query)).map((token) => token.mint)
      for (const variant of [query.toLowerCase(), query.toUpperCase(), `  ${query} `]) {
        const found = (await find(world.http, variant)).map((token) => token.mint)
        same(found, plain, `the results of ${JSON.stringify(variant)}`)
      }
    })
  }),
  test('a query nothing matches answers an empty array', async (world) => {
    same(await find(world.http, strangerMint), [], 'the results')
  }),
  test('128 characters are a query, code points counted', async (world) => {
    same(await find(world.http, '§'.repeat(128)), [], 'the results')
    same(await find(world.http, '🜚'.repeat(128)), [], 'the results')
  }),
  test('unknown query parameters are ignored', async (world) => {
    const [mint] = (await world.known()).mints
    const found = records(await world.http.get(`${searchPath(mint)}&colour=red`), 'results')
    same(found[0]?.mint, mint, 'the first result')
  }),
  test('age_seconds and the creation time give the same now for every token', async (world) => {
    await steady(async () => {
      const found = await find(world.http, 'pump')
      const nows = found.map((token) => unixAt(token, 'created_on') + num(token, 'age_seconds'))
      const alive = nows.filter((_, i) => num(found[i], 'age_seconds') > 0)
      const spread = Math.max(...alive, 0) - Math.min(...alive, Number.MAX_VALUE)
      ensure(spread <= 1, `the nows differ by ${spread} s`)
    })
  }),
  test('age_seconds agrees with the Date header where the clock is the wall', async (world) => {
    const [mint] = (await world.known()).mints
    const answer = await world.http.ask(searchPath(mint))
    const wall = Date.parse(header(answer, 'date')) / 1000
    skipUnless(Number.isFinite(wall), 'the server sends no Date header')
    const gap = Math.abs((await serverNow(world.http, mint)) - wall)
    skipUnless(gap < 86_400, 'the server keeps the time of its events')
    ensure(gap <= 3, `the ages are ${gap} s off the Date header`)
  }),
  test('a migration time is a timestamp and not before the creation', async (world) => {
    const graduated = (await world.known()).rows.graduated.slice(0, 5)
    skipUnless(graduated.length > 0, 'no graduated token on the server')
    for (const row of graduated) {
      const [token] = await find(world.http, text(row, 'mint'))
      const moved = token?.migration_timestamp
      if (typeof moved !== 'string') continue
      ensure(isTimestamp(moved), `${moved} is not a timestamp`)
      ensure(moved >= text(token, 'created_on'), `${text(row, 'mint')} migrated before creation`)
    }
  }),
]
