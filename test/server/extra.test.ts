import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import { USDC_MINT, WRAPPED_SOL_MINT } from '../../src/events/platform.ts'
import { timeText } from '../../src/protocol/wire.ts'
import { created, migrated, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'

/** B is quoted in A, which is quoted in SOL; U in USDC; N in a coin that nobody made. */
const QUOTES = {
  A: { quote_mint: WRAPPED_SOL_MINT, quote_symbol: 'SOL', priced: true },
  B: { quote_mint: 'A', quote_symbol: '"Ä🚀"', priced: true },
  U: { quote_mint: USDC_MINT, quote_symbol: 'USDC', priced: true },
  N: { quote_mint: 'nobody', quote_symbol: '', priced: false },
}
const MINTS = ['A', 'B', 'U', 'N'] as const
type Mint = (typeof MINTS)[number]

const TOLD = {
  A: {},
  B: { quoteMint: 'A' },
  U: { quoteMint: USDC_MINT },
  N: { quoteMint: 'nobody' },
}
const SYMBOLS: Partial<Record<Mint, string>> = { A: '"Ä🚀"' }
const FEES = { lpFeeRaw: 5_000n, cashbackRaw: 3_000n }

let service: EngineServer
afterAll(() => service.server.stop())

beforeAll(async () => {
  service = await EngineServer.start()
  service.feed([{ type: 'sol_price', timestamp: START_SECOND, usd: 100 }])
  for (const [place, mint] of MINTS.entries())
    service.feed([
      created({ mint, slot: place, symbol: SYMBOLS[mint] ?? mint, signature: mint, ...TOLD[mint] }),
      swap({ mint, slot: 5 + place, ...TOLD[mint], ...FEES }),
      migrated({ mint, slot: 10 + place, signature: `m${mint}`, poolAmm: `pool ${mint}` }),
      swap({ mint, slot: 15 + place, source: 'pump_amm', ...TOLD[mint], ...FEES }),
    ])
})

type Fields = Readonly<Record<string, unknown>>

/** Objects of an answer: those of a list, of a page, of all tables. */
function itemsOf(answer: unknown): readonly Fields[] {
  if (Array.isArray(answer)) return answer.filter(isRecord)
  if (!isRecord(answer)) throw new Error('no answer with objects')
  if (Array.isArray(answer.items)) return answer.items.filter(isRecord)
  return Object.values(answer).flatMap(itemsOf)
}

const OF_WALLET = 'tokens of a wallet'
const OF_A_TOKEN: readonly (readonly [string, string])[] = [
  ['search', '/api/v2/search/tokens/detailed?query=name'],
  ['market data', '/api/v2/search/tokens/x/market-data?mints=A,B,U,N'],
  [OF_WALLET, '/api/v2/search/traders/alice/tokens?limit=9'],
]
const OF_ONE_TOKEN: readonly (readonly [string, (mint: Mint) => string])[] = [
  ['traders', (mint) => `/api/v2/search/traders/tokens/${mint}?limit=9`],
  ['holders', (mint) => `/api/v2/tokens/${mint}/holders?limit=9`],
  ['first buyers', (mint) => `/api/v2/tokens/${mint}/first-buyers?limit=9`],
]

/** What tokens say of their history, which other items do not. */
const HISTORY = { history_complete: true, history_from: timeText(START_SECOND) }

function quoteOf(mint: unknown): Fields {
  const known = MINTS.find((one) => one === mint)
  if (known === undefined) throw new Error(`an answer names ${mint}`)
  return QUOTES[known]
}

/** As the detail of the token always has them. */
async function windowsOf(mint: unknown): Promise<Fields> {
  const detail = await service.json(`/api/v2/tokens/${mint}`)
  return { windows: isRecord(detail) ? detail.windows : null }
}

/** With `extra` an item is the plain one, in its order, and these keys behind. */
function expectAdded(plain: readonly Fields[], more: readonly Fields[], added: readonly Fields[]) {
  expect(more).toHaveLength(plain.length)
  for (const [place, item] of more.entries())
    expect(Object.entries(item)).toEqual([
      ...Object.entries(plain[place] ?? {}),
      ...Object.entries(added[place] ?? {}),
    ])
}

test.each(OF_A_TOKEN)(
  '%s names the quotes of its tokens where it is asked to',
  async (what, path) => {
    const plain = itemsOf(await service.json(path))
    const more = itemsOf(await service.json(`${path}&extra=1`))
    expect(plain).toHaveLength(MINTS.length)
    expectAdded(
      plain,
      more,
      await Promise.all(
        plain.map(async ({ mint }) => ({
          ...quoteOf(mint),
          ...(what !== OF_WALLET && { ...HISTORY, ...(await windowsOf(mint)) }),
        })),
      ),
    )
    expect(await service.text(`${path}&extra=0`)).toBe(await service.text(path))
  },
)

test.each(OF_ONE_TOKEN)('%s name the quote of their token where it is asked', async (_, pathOf) => {
  for (const mint of MINTS) {
    const plain = itemsOf(await service.json(pathOf(mint)))
    const more = itemsOf(await service.json(`${pathOf(mint)}&extra=1`))
    expect(plain.length).toBeGreaterThan(0)
    expectAdded(
      plain,
      more,
      plain.map(() => QUOTES[mint]),
    )
  }
})

test('the detail of a token always names its quote', async () => {
  for (const mint of MINTS)
    expect(await service.json(`/api/v2/tokens/${mint}`)).toMatchObject(QUOTES[mint])
})

test('swaps tell their other fees in units of the quote where it is asked', async () => {
  const units = { A: 1e9, B: 1e6, U: 1e6, N: 1e9 }
  for (const mint of MINTS)
    for (const way of ['limit=9', 'cursor=start&limit=9']) {
      const path = `/api/v2/search/tokens/${mint}/swaps?${way}`
      const plain = itemsOf(await service.json(path))
      const more = itemsOf(await service.json(`${path}&extra=1`))
      expect(plain).toMatchObject([{ source: 'pump_amm' }, { source: 'pump' }])
      const cashback = 3_000 / units[mint]
      expectAdded(plain, more, [
        { lp_fee: 5_000 / units[mint], cashback, ...QUOTES[mint] },
        // A curve has no liquidity providers: their fee is the platform's.
        { lp_fee: 0, cashback, ...QUOTES[mint] },
      ])
      expect(await service.text(`${path}&extra=0`)).toBe(await service.text(path))
    }
})

function tables(body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return service.json('/api/v2/meme', { method: 'POST', headers, body: JSON.stringify(body) })
}

test('rows of tables name their quotes where the body asks for it, and are the same without', async () => {
  const plain = await tables({})
  const more = itemsOf(await tables({ extra: true }))
  expectAdded(
    itemsOf(plain),
    more,
    await Promise.all(
      more.map(async ({ mint }) => ({
        ...{ ...quoteOf(mint), ...HISTORY },
        ...(await windowsOf(mint)),
      })),
    ),
  )
  expect(more).toHaveLength(MINTS.length)
  // Kept rows are not touched by it.
  expect(await tables({})).toEqual(plain)
  expect(await tables({ extra: false })).toEqual(plain)
})

test('answers with more keys have an entity tag of their own', async () => {
  const path = `${service.server.url}/api/v2/search/tokens/A/swaps`
  const [plain, more] = await Promise.all([fetch(path), fetch(`${path}?extra=1`)])
  const tag = plain.headers.get('etag') ?? ''
  expect(more.headers.get('etag')).not.toBe(tag)
  const headers = { 'if-none-match': tag }
  const [same, other] = [
    await fetch(path, { headers }),
    await fetch(`${path}?extra=1`, { headers }),
  ]
  expect([same.status, other.status]).toEqual([304, 200])
})

test('a swap from before any price was known was not priced, whatever is known now', async () => {
  const late = await EngineServer.start()
  late.feed([
    created({ mint: 'A', signature: 'A' }),
    created({ mint: 'U', signature: 'U', quoteMint: USDC_MINT }),
    swap({ mint: 'A' }),
    swap({ mint: 'U', quoteMint: USDC_MINT }),
    { type: 'sol_price', timestamp: START_SECOND + 5, usd: 100 },
    swap({ mint: 'A', slot: 111 }),
  ])
  const swaps = async (mint: string) =>
    itemsOf(await late.json(`/api/v2/search/tokens/${mint}/swaps?extra=1`))
  expect(await swaps('A')).toMatchObject([{ priced: true }, { priced: false }])
  expect(await swaps('U')).toMatchObject([{ priced: true }])
  expect(await late.json('/api/v2/tokens/A')).toMatchObject({ priced: true })
  await late.server.stop()
})
