import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { TRADER_ORDERS } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { byLength } from '../lengths.ts'
import { START_SECOND, swap } from '../oracle/fixtures.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'

interface Page {
  readonly total: number
  readonly items: readonly Readonly<Record<string, unknown>>[]
}

const SHARES = [
  'top_10_percent',
  'creator_holding_pct',
  'bundle_holding',
  'insiders_holding',
  'snipers_holding',
  'fresh_wallet_holding',
  'pct_completion',
] as const

test('shares and completion lie in 0 to 100', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 120 }), (seed, count) => {
      const { answers, mints } = market(seed, count)
      const rows: Record<string, unknown>[] = JSON.parse(answers.marketData(mints))
      for (const row of rows)
        for (const name of SHARES) {
          expect(row[name], name).toBeGreaterThanOrEqual(0)
          expect(row[name], name).toBeLessThanOrEqual(100)
        }
    }),
    { numRuns: byLength(30, 300) },
  )
})

test('the pages of swaps hold every swap once, in the order of the whole', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 40 }), (seed, limit) => {
      const { answers, mints } = market(seed, 120)
      for (const mint of mints) {
        const whole = pageOf(answers.swaps(mint, null, { page: 1, limit: 200 }))
        const read = (page: number) => pageOf(answers.swaps(mint, null, { page, limit }))
        expect(allPages(read, limit)).toEqual(whole.items)
      }
    }),
    { numRuns: byLength(10, 100) },
  )
})

test('the pages of traders hold every trader once, sorted in either direction', () => {
  const order = fc.constantFrom(...TRADER_ORDERS)
  const direction = fc.constantFrom('asc' as const, 'desc' as const)
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 70 }),
      order,
      direction,
      (seed, limit, orderBy, to) => {
        const answers = crowd(seed, 180)
        const query = { orderBy, direction: to }
        const whole = pageOf(answers.tokenTraders('mint', { page: 1, limit: 200, ...query }))
        const read = (page: number) =>
          pageOf(answers.tokenTraders('mint', { page, limit, ...query }))
        expect(allPages(read, limit)).toEqual(whole.items)
        expect(new Set(whole.items.map(({ wallet }) => wallet)).size).toBe(whole.total)
        const values = whole.items.map((item) => Number(item[orderBy]))
        expect(values).toEqual(values.toSorted((a, b) => (to === 'asc' ? a - b : b - a)))
      },
    ),
    { numRuns: byLength(6, 60) },
  )
})

test('the top ten are the ten largest balances, as a sort finds them', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 90 }), (seed, wallets) => {
      const random = new Random(seed)
      const engine = new Engine({ clock: 'event', identities: 1 << 12 })
      const answers = new EngineQueries(engine, () => {})
      const balances = new Map<string, bigint>()
      for (let i = 0; i < 400; i += 1) {
        const signer = `wallet ${random.integer(1, wallets)}`
        const empties = random.chance(0.3)
        const balance = empties ? 0n : BigInt(random.integer(1, 9 * 10 ** 12))
        balances.set(signer, balance)
        engine.accept(holdingSwap(i, signer, balance))
        if (random.chance(0.5)) continue
        const ten = [...balances.values()].sort((a, b) => (a > b ? -1 : 1)).slice(0, 10)
        const sum = ten.reduce((total, one) => total + one, 0n)
        const [row] = JSON.parse(answers.marketData(['mint']))
        expect(row.top_10_percent).toBe(Math.min(100, (Number(sum) * 100) / 1e15))
        expect(row.holders).toBe([...balances.values()].filter((one) => one > 0n).length)
      }
    }),
    { numRuns: byLength(6, 60) },
  )
})

function holdingSwap(index: number, signer: string, balance: bigint) {
  return swap({
    slot: 1_000 + index,
    timestamp: START_SECOND + index,
    signature: `swap-${index}`,
    signer,
    baseBalanceAfterRaw: balance,
  })
}

function market(seed: number, count: number): { answers: EngineQueries; mints: string[] } {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const mints = new Set<string>()
  for (const event of history(seed, count)) {
    engine.accept(event)
    if ('mint' in event) mints.add(event.mint)
  }
  return { answers: new EngineQueries(engine, () => {}), mints: [...mints] }
}

/** Many wallets in one mint, many of them alike, so that ties are there to be broken. */
function crowd(seed: number, wallets: number): EngineQueries {
  const random = new Random(seed)
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  for (let i = 0; i < 400; i += 1) {
    const signer = `wallet ${random.integer(1, wallets)}`
    const baseRaw = BigInt(random.pick([1, 1, 2, 50]) * 1_000_000)
    const timestamp = START_SECOND + Math.floor(i / 20)
    engine.accept(
      swap({ slot: 1_000 + i, timestamp, signature: `s-${i}`, signer, baseRaw, solPriceUsd: 100 }),
    )
  }
  return new EngineQueries(engine, () => {})
}

function pageOf(text: string): Page {
  return JSON.parse(text)
}

function allPages(read: (page: number) => Page, limit: number): object[] {
  const { total } = read(1)
  const items: object[] = []
  const pages = Math.ceil(total / limit)
  for (let page = 1; page <= pages; page += 1) items.push(...read(page).items)
  expect(items).toHaveLength(total)
  expect(read(pages + 1)).toMatchObject({ total, items: [] })
  return items
}
