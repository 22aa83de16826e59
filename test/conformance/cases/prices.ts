import { checkNamed } from '../errors.ts'
import { ensure, records, same, skipUnless, text } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { marketPath, nonsense, strangerMint, strangerMints, swapsPath } from '../paths.ts'
import { checkShape } from '../shape.ts'
import { price, priceAt } from '../spec-tables.ts'
import { getPage } from '../walk.ts'

const test = about('prices')

const pricesPath = (mints: readonly string[]): string =>
  `/api/v2/prices?mints=${encodeURIComponent(mints.join(','))}`
const pricePath = (mint: string, at: number | string): string =>
  `/api/v2/prices/${encodeURIComponent(mint)}?at=${at}`

/** A service without this read answers 404 to the path itself. */
async function skipWithout({ http, known }: World): Promise<void> {
  const { status } = await http.ask(pricesPath((await known()).mints.slice(0, 1)))
  skipUnless(status !== 404, 'the service has no prices')
}

const secondsOf = (timestamp: string): number =>
  Math.floor(Date.parse(`${timestamp.replace(' ', 'T')}Z`) / 1000)

export const priceCases: Case[] = [
  test('prices come in the order asked, unknown mints are left out', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const mints = (await known()).mints.slice(0, 20).toReversed()
    const rows = records(await http.get(pricesPath([strangerMint, ...mints])), 'prices')
    for (const row of rows) checkShape(row, price, 'price')
    same(rows.map(({ mint }) => mint).join(), mints.join(), 'the order of the prices')
  }),
  test('a price is that of the market data', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { mint } = (await known()).walkable
    // A trade may come between two answers.
    for (let tries = 0; tries < 10; tries += 1) {
      const [before] = records(await http.get(pricesPath([mint])), 'prices')
      const [token] = records(await http.get(marketPath(mint)), 'market data')
      const [after] = records(await http.get(pricesPath([mint])), 'prices')
      if (JSON.stringify(before) !== JSON.stringify(after)) continue
      same(before?.price_usd, token?.token_price_usd, 'price_usd')
      same(before?.price_sol, token?.token_price_sol, 'price_sol')
      same(before?.market_cap_usd, token?.market_cap, 'market_cap_usd')
      return
    }
    skipUnless(false, 'the price changed with every answer')
  }),
  test('the price at the second of a swap is that of a swap of this second', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { mint } = (await known()).walkable
    const { items } = await getPage(http, swapsPath(mint, 'limit=50'))
    for (const item of items.slice(-5)) {
      const at = secondsOf(text(item, 'timestamp'))
      const found = await http.get(pricePath(mint, at))
      const [row] = records([found], 'the price')
      ensure(row !== undefined, 'no price')
      checkShape(row, priceAt, 'price at a moment')
      ensure(secondsOf(text(row, 'timestamp')) <= at, 'a trade from behind the moment')
      const swap = items.find(({ signature }) => signature === row.signature)
      if (swap !== undefined) same(row.timestamp, swap.timestamp, 'timestamp of its swap')
    }
  }),
  test('a moment without a trade before is a 404', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { mint } = (await known()).walkable
    for (const path of [pricePath(mint, 1), pricePath(strangerMint, 2_000_000_000)])
      same((await http.ask(path)).status, 404, path)
  }),
  test('bad input is a 400 that names the parameter', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { mint } = (await known()).walkable
    for (const query of ['', '?mints=', '?mints=,', `?mints=${mint}&mints=${mint}`])
      checkNamed(await http.ask(`/api/v2/prices${query}`), 400, 'mints', query)
    for (const word of nonsense)
      checkNamed(await http.ask(pricesPath([mint, word])), 400, 'mints', word)
    checkNamed(await http.ask(pricesPath(strangerMints(101))), 400, 'mints', '101 mints')
    for (const at of ['', '1.5', 'now', '1764000000000', ' 1', '1e9'])
      checkNamed(await http.ask(pricePath(mint, encodeURIComponent(at))), 400, 'at', at)
    checkNamed(await http.ask(`/api/v2/prices/${mint}`), 400, 'at', 'no at')
  }),
]
