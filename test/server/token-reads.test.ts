import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import { EngineService } from '../../src/query/engine-service.ts'
import { addressOf } from '../address-of.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { engineOf } from '../store/restoring.ts'
import { EngineServer } from './engine-server.ts'
import { errorOf } from './error-json.ts'

let service: EngineServer
afterAll(() => service.server.stop())

const SWAPS = 120

beforeAll(async () => {
  service = await EngineServer.start()
  service.feed([
    { type: 'sol_price', timestamp: START_SECOND, usd: 100 },
    created({ slot: 1, mint: 'A', creator: 'dev', signature: 'a' }),
    created({ slot: 2, mint: 'B', creator: 'dev', signature: 'b', timestamp: START_SECOND + 1 }),
    created({ slot: 3, mint: 'C', creator: 'other', signature: 'c' }),
  ])
  const random = new Random(7)
  for (let i = 0; i < SWAPS; i += 1)
    service.feed([
      swap({
        mint: 'A',
        slot: 10 + (i >> 2),
        txIndex: i,
        timestamp: START_SECOND + 100 * i,
        signer: `w${random.integer(1, 30)}`,
        direction: random.chance(0.7) ? 'buy' : 'sell',
        baseRaw: BigInt(random.integer(1, 10 ** 9)),
        virtualQuoteRaw: BigInt(i === 50 ? 10 ** 12 : 3 * 10 ** 10),
      }),
    ])
})

type Fields = Readonly<Record<string, unknown>>

async function fields(path: string): Promise<Fields> {
  const body = await service.json(path)
  if (!isRecord(body)) throw new Error(`${path} is no object`)
  return body
}

function rows(body: Fields): Fields[] {
  return Array.isArray(body.items) ? body.items.filter(isRecord) : []
}

test('a detail is the search row and more: highest price, counts, what the creator made', async () => {
  const detail = await fields('/api/v2/tokens/A')
  const found = await service.json('/api/v2/search/tokens/detailed?query=A')
  expect(Array.isArray(found) && found[0]).toMatchObject({ mint: 'A' })
  expect(detail).toMatchObject(Object(Array.isArray(found) && found[0]))
  expect(detail).toMatchObject({
    swaps: SWAPS,
    pool: 'curve',
    ath_price_sol: 1e-6,
    ath_price_usd: expect.closeTo(1e-4, 12),
    ath_market_cap: expect.closeTo(100_000, 3),
    ath_timestamp: '2023-11-14 01:23:00',
    creator_history: { created: 2, migrated: 0, tokens: [{ mint: 'B' }, { mint: 'A' }] },
  })
  expect(await fields('/api/v2/tokens/B')).toMatchObject({
    swaps: 0,
    ath_price_usd: 0,
    ath_timestamp: null,
  })
  service.feed([
    created({ slot: 60, mint: 'D', creator: 'dev', signature: 'd', timestamp: START_SECOND + 99 }),
  ])
  expect(await fields('/api/v2/tokens/A')).toMatchObject({
    creator_history: { created: 3, tokens: [{ mint: 'D' }, { mint: 'B' }, { mint: 'A' }] },
  })
  const unknown = await fetch(`${service.server.url}/api/v2/tokens/${addressOf('nobody')}`)
  expect([unknown.status, Object(await unknown.json()).code]).toEqual([404, 'not_found'])
})

test('a high that was reached again is told with the minute in which it was reached first', async () => {
  const high = 9n * 10n ** 10n
  const minutes = [3, 4, 7, 65]
  service.feed([
    created({ slot: 3, mint: 'H', signature: 'h', timestamp: START_SECOND }),
    ...minutes.map((minute, i) =>
      swap({
        mint: 'H',
        slot: 60 + i,
        txIndex: 0,
        timestamp: START_SECOND + 60 * minute,
        virtualQuoteRaw: minute === 3 ? high / 2n : high,
      }),
    ),
  ])
  expect((await fields('/api/v2/tokens/H')).ath_timestamp).toBe('2023-11-14 00:04:00')
})

test('a high of a trade ahead of the clock is told at once, though its hour has not begun', () => {
  const engine = engineOf('wall')
  const { answers: reads } = new EngineService(
    engine,
    () => {},
    () => 'e1',
  )
  engine.advance(START_SECOND + 3_598)
  engine.accept(swap({ timestamp: START_SECOND + 3_601 }))
  expect(JSON.parse(reads.detail('mint') ?? '')).toMatchObject({
    ath_price_sol: 3e-8,
    ath_timestamp: '2023-11-14 01:00:00',
  })
})

test('holders are the traders who hold, largest first, page by page', async () => {
  const all = rows(await fields('/api/v2/search/traders/tokens/A?limit=200'))
  const holding = all.filter(({ is_open }) => is_open === true)
  const { holders } = await fields('/api/v2/tokens/A')
  const pages = [1, 2, 3].map((page) => fields(`/api/v2/tokens/A/holders?page=${page}&limit=10`))
  const found = (await Promise.all(pages)).flatMap((page) => {
    expect(page.total).toBe(holders)
    return rows(page)
  })
  const expected = holding.toSorted(
    (a, b) =>
      Number(b.holding_amount) - Number(a.holding_amount) ||
      (String(a.wallet) < String(b.wallet) ? -1 : 1),
  )
  expect(found).toEqual(expected)
})

test('first buyers come in the order of their first buy', async () => {
  const swaps = rows(await fields('/api/v2/search/tokens/A/swaps?limit=200')).reverse()
  const buyers = [
    ...new Set(swaps.filter(({ direction }) => direction === 'buy').map(({ signer }) => signer)),
  ]
  const found = rows(await fields('/api/v2/tokens/A/first-buyers?limit=200'))
  expect(found.map(({ wallet }) => wallet)).toEqual(buyers)
})

test('swaps by cursor are all the swaps once, whatever comes in between', async () => {
  let slot = 100
  for (const wallet of ['', '&wallet=w3']) {
    const whole = rows(await fields(`/api/v2/search/tokens/A/swaps?limit=200${wallet}`))
    const found: Fields[] = []
    let cursor: unknown = 'start'
    while (cursor !== null) {
      slot += 1
      const query: string = `limit=7&cursor=${String(cursor)}${wallet}`
      const body = await fields(`/api/v2/search/tokens/A/swaps?${query}`)
      expect(body.limit).toBe(7)
      found.push(...rows(body))
      cursor = body.next_cursor
      service.feed([swap({ mint: 'A', slot, txIndex: 0, signer: 'w3' })])
    }
    expect(found).toEqual(whole)
  }
})

test.each(['x', '1-2', '999-0-0', ''])('the cursor "%s" is a 400', async (cursor) => {
  const response = await fetch(
    `${service.server.url}/api/v2/search/tokens/A/swaps?cursor=${cursor}`,
  )
  expect(response.status).toBe(400)
})

test('a cursor of another wallet is a 400 that says what it has to be of', async () => {
  const path = '/api/v2/search/tokens/A/swaps'
  const { items, next_cursor } = await fields(`${path}?limit=1&cursor=start`)
  const own = Array.isArray(items) ? items.filter(isRecord).map(({ signer }) => signer) : []
  const of = (wallet: unknown) =>
    fetch(`${service.server.url}${path}?cursor=${String(next_cursor)}&wallet=${String(wallet)}`)
  expect((await of(own[0])).status).toBe(200)
  const refused = await of(addressOf('nobody'))
  expect([refused.status, (await errorOf(refused)).message]).toEqual([
    400,
    `cursor came as "${String(next_cursor)}", start or the next_cursor of an answer for the same mint and wallet is allowed.`,
  ])
})

test('a chart client finds the symbol, its bars and the time', async () => {
  expect(await fields('/udf/config')).toMatchObject({ supports_search: true, supports_time: true })
  expect(await service.json('/udf/time')).toBe(service.engine.state.now)
  const symbol = await fields('/udf/symbols?symbol=mintfeed:A')
  expect(symbol).toMatchObject({ ticker: 'A', session: '24x7', timezone: 'Etc/UTC', minmov: 1 })
  expect(Number(symbol.pricescale)).toBeGreaterThan(1e6)
  expect(await service.json('/udf/search?query=sym&type=&exchange=&limit=2')).toHaveLength(2)
  expect(await service.json('/udf/search?query=&limit=10')).toEqual([])
  const span = `from=${START_SECOND}&to=${START_SECOND + 100_000}`
  const day = await fields(`/udf/history?symbol=A&resolution=D&${span}&countback=2`)
  expect(day).toMatchObject({ s: 'ok', t: [START_SECOND] })
  const chart = await fields(`/api/v2/meme/chart/ohlcv?mint=A&resolution=5&${span}`)
  expect(await fields(`/udf/history?symbol=A&resolution=5&${span}`)).toEqual({ s: 'ok', ...chart })
  const before = `from=${START_SECOND - 500}&to=${START_SECOND - 60}`
  expect(await fields(`/udf/history?symbol=A&resolution=1&${before}`)).toMatchObject({
    s: 'no_data',
  })
  expect(await fields('/udf/history?symbol=A&resolution=7&from=1&to=2')).toMatchObject({
    s: 'error',
  })
  const unknown = await fetch(`${service.server.url}/udf/symbols?symbol=nobody`)
  expect(await unknown.json()).toEqual({ s: 'error', errmsg: 'unknown_symbol' })
  expect(unknown.headers.get('x-mintfeed-epoch')).toBe('e1')
})
