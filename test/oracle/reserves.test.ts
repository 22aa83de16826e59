/** `reserves` events, worked out by hand: what moves a token without a trade. */
import { expect, test } from 'vitest'
import {
  balance,
  chart,
  created,
  migrated,
  oracleOf,
  price,
  reserves,
  START_SECOND,
  swap,
  TRADERS,
} from './fixtures.ts'

const ALL = { type: 'all', filters: {}, limit: 50 } as const
const DOUBLE = { virtualQuoteRaw: 60_000_000_000n }

test('reserves set price, liquidity, completion and supply, and count as nothing', () => {
  // 60 SOL / 1e9 tokens = 6e-8 SOL, 6e-6 USD at 100; of 5e8 tokens 3,000; liquidity 2 * 60 * 100.
  const half = { realBaseRaw: 396_550_000_000_000n, supplyRaw: 500_000_000_000_000n }
  const oracle = oracleOf(price(100), created(), reserves({ ...DOUBLE, ...half }))
  expect(oracle.marketData(['mint'])).toMatchObject([
    {
      token_price_sol: 6e-8,
      market_cap: expect.closeTo(3000, 9),
      liquidity: 12_000,
      pct_completion: 50,
      tx_24h: 0,
      vol_24h: 0,
      holders: 0,
    },
  ])
  expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({ total: 0 })
  expect(oracle.swaps('mint', null, 1, 9)).toMatchObject({ total: 0 })
  expect(oracle.chart(chart())).toMatchObject({ t: [] })
})

test('a zero among the virtual reserves leaves the price, an empty curve is complete', () => {
  const oracle = oracleOf(created(), reserves({ virtualBaseRaw: 0n, ...DOUBLE, realBaseRaw: 0n }))
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 3e-8 }])
  expect(oracle.tables(ALL)).toMatchObject({ completing: [{ pct_completion: 100 }] })
})

test('reserves of the pool graduate nothing, those of the curve are over with the migration', () => {
  const oracle = oracleOf(created(), reserves({ ...DOUBLE, source: 'pump_amm', realBaseRaw: 0n }))
  expect(oracle.tables(ALL)).toMatchObject({ new: [{ pct_completion: 0 }], graduated: [] })
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 6e-8 }])
  oracle.apply(migrated())
  oracle.apply(reserves({ slot: 1_001, virtualQuoteRaw: 90_000_000_000n }))
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 6e-8 }])
  const opened = { source: 'pump_amm', reason: 'pool_opened' } as const
  oracle.apply(reserves({ slot: 1_002, ...opened, virtualQuoteRaw: 85_000_000_000n }))
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 8.5e-8 }])
})

test('reserves of a mint that nobody named have no effect until a creation comes before them', () => {
  const oracle = oracleOf(reserves(DOUBLE), balance())
  expect(oracle.mints()).toEqual([])
  expect(oracle.marketData(['mint'])).toEqual([])
  oracle.apply(created())
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 6e-8, holders: 1 }])
  // One that stands behind them is too late to give them any.
  const behind = oracleOf(reserves(DOUBLE), created({ slot: 111 }))
  expect(behind.marketData(['mint'])).toMatchObject([{ token_price_sol: 3e-8 }])
})

test('a creation that stands behind reserves of its mint leaves them', () => {
  const completed = { ...created(), type: 'completed', slot: 99 } as const
  const pool = { source: 'pump_amm', slot: 99, ...DOUBLE } as const
  const oracle = oracleOf(completed, reserves(pool), created())
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 6e-8, name: 'Name' }])
})

test('a re-priced curve is known as mayhem', () => {
  const oracle = oracleOf(created(), reserves({ reason: 'deposit' }))
  expect(oracle.search('mint')).toMatchObject([{ is_mayhem_mode: false }])
  oracle.apply(reserves())
  expect(oracle.search('mint')).toMatchObject([{ is_mayhem_mode: true }])
})

test('the rest of a completing buy is a trade of the curve at the price of the pool', () => {
  // 3e-8, then 4e-7 out of the pool to be: the token completes and waits for its migration.
  const both = { signature: 'completing', txIndex: 9_999, slot: 120, realBaseRaw: 0n }
  const pool = { virtualBaseRaw: 205_000_000_000_000n, virtualQuoteRaw: 82_000_000_000n }
  const oracle = oracleOf(
    ...[price(100), created(), swap({ ...both })],
    { ...created(), ...both, type: 'completed', ordinal: 1 },
    swap({ ...both, ...pool, ordinal: 2 }),
  )
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 4e-7, tx_24h: 2 }])
  expect(oracle.tables(ALL)).toMatchObject({ completing: [{ pool: 'curve' }], graduated: [] })
  oracle.apply(migrated())
  // Until the pool trades it is worth what the completing buy left: 2 * 82 * 100.
  expect(oracle.marketData(['mint'])).toMatchObject([{ liquidity: 16_400, pool: 'pool amm' }])
})

test('reserves and balances come once, and not too late', () => {
  const [first, held] = [reserves({ slot: 200 }), balance({ slot: 200 })]
  const oracle = oracleOf(
    created(),
    ...[first, { ...first, ...DOUBLE }, { ...first, mint: 'other' }],
    ...[held, { ...held, balanceRaw: 1n }, { ...held, wallet: 'bob' }],
    ...[reserves({ slot: 168 }), reserves({ slot: 167, ...DOUBLE }), balance({ slot: 167 })],
  )
  expect(oracle.counts).toMatchObject({ duplicates: 2, lateRefused: 2 })
  // The creation, three reserves and two balances.
  expect(oracle.taken).toBe(6)
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 3e-8, holders: 2 }])
})

test('reserves have their place in the order, and an index like all events', () => {
  const late = reserves({ slot: 105, ...DOUBLE })
  const oracle = oracleOf(created(), swap({ virtualQuoteRaw: 40_000_000_000n }), late)
  expect(oracle.marketData(['mint'])).toMatchObject([{ token_price_sol: 4e-8 }])
  oracle.apply(reserves({ slot: 111, txIndex: 4 }))
  oracle.apply(swap({ slot: 111, txIndex: null, timestamp: START_SECOND }))
  expect(oracle.swaps('mint', null, 1, 1)).toMatchObject({ items: [{ tx_index: 5 }] })
})
