/** Coins quoted in coins: prices through the quote, decimals, circles, what is stored. */
import { describe, expect, test } from 'vitest'
import type { Swap } from '../../src/events/event.ts'
import {
  balance,
  chart,
  created,
  migrated,
  oracleOf,
  price,
  START_SECOND,
  swap,
  TRADERS,
} from './fixtures.ts'
import { USDC } from './market.ts'

const SOL_MINT = 'So11111111111111111111111111111111111111112'
/** The quote: 1e9 tokens and 30 SOL, 3e-8 SOL each. */
const A = created({ mint: 'A', symbol: 'QUOTE', slot: 90, signature: 'A' })
/** 1e9 tokens and 2e9 A: 2 A each. */
const IN_A = { virtualBaseRaw: 10n ** 15n, virtualQuoteRaw: 2n * 10n ** 15n }
const B = created({ mint: 'B', symbol: 'FAR', signature: 'B', quoteMint: 'A', ...IN_A })
/** 100 B for 200 A, which are 200 * 3e-8 = 6e-6 SOL. */
const buyB = (over: Partial<Swap> = {}) =>
  swap({ mint: 'B', pool: 'curve B', quoteRaw: 200_000_000n, ...IN_A, ...over })

describe('a coin quoted in a coin', () => {
  test('is worth what its quote is worth at that moment', () => {
    // 2 A = 6e-8 SOL = 6e-6 USD at 100; 1e9 of them 6,000; 2 * 2e9 A = 4e9 * 3e-6 USD of liquidity.
    const fees = { platformFeeRaw: 20_000_000n, creatorFeeRaw: 10_000_000n }
    const oracle = oracleOf(price(100), A, B, buyB({ ...fees, chainFeeRaw: 5_000n }))
    expect(oracle.swaps('B', null, 1, 9)).toMatchObject({
      items: [
        {
          quote_mint_amount: 200,
          platform_fee: 20,
          volume_usd: 0.0006,
          base_mint_price_usd: expect.closeTo(6e-6, 15),
          m_cap_usd: expect.closeTo(6000, 6),
          liquidity_usd: expect.closeTo(12_000, 6),
        },
      ],
    })
    expect(oracle.marketData(['B'])).toMatchObject([
      {
        token_price_sol: expect.closeTo(6e-8, 18),
        market_cap: expect.closeTo(6000, 6),
        liquidity: expect.closeTo(12_000, 6),
        vol_24h: 0.0006,
      },
    ])
    // 30 A of fees are 900 lamports, and 5,000 of the chain.
    expect(oracle.tokenTraders('B', TRADERS)).toMatchObject({
      items: [{ bought_usd: 0.0006, bought_sol: 0.000006, fees_sol: 0.0000059 }],
    })
    expect(oracle.chart({ ...chart(), mint: 'B' })).toMatchObject({
      v: [0.0006],
      v_sol: [0.000006],
    })
  })

  test('keeps what a trade was worth, and follows its quote with what it is worth', () => {
    // A doubles: B is worth twice as much, its trade what it was.
    const double = { mint: 'A', slot: 120, virtualQuoteRaw: 60_000_000_000n }
    const oracle = oracleOf(price(100), A, B, buyB(), swap(double))
    const stored = { volume_usd: 0.0006, base_mint_price_usd: expect.closeTo(6e-6, 15) }
    expect(oracle.swaps('B', null, 1, 9)).toMatchObject({ items: [stored] })
    expect(oracle.marketData(['B'])).toMatchObject([
      { token_price_usd: expect.closeTo(1.2e-5, 15), vol_24h: 0.0006 },
    ])
    // A trade of A that comes late and stands before makes it another one.
    oracle.apply(swap({ ...double, slot: 105 }))
    expect(oracle.swaps('B', null, 1, 9)).toMatchObject({ items: [{ volume_usd: 0.0012 }] })
    // Through the migration of the quote, too.
    const pool = { slot: 130, source: 'pump_amm', mint: 'A', pool: 'pool amm' } as const
    oracle.apply(migrated({ mint: 'A', slot: 129 }))
    oracle.apply(swap({ ...pool, virtualQuoteRaw: 90_000_000_000n }))
    expect(oracle.marketData(['B'])).toMatchObject([
      { token_price_sol: expect.closeTo(1.8e-7, 15) },
    ])
  })

  test('has a price through four coins, not five', () => {
    const [one, two, three, four, five] = ['B', 'C', 'D', 'E', 'F'].map((mint, index) =>
      created({ ...IN_A, mint, signature: mint, quoteMint: 'ABCDE'[index] }),
    )
    const oracle = oracleOf(price(100), A, one, two, three, four, five)
    // C is 2 B = 4 A, 1.2e-7 SOL; E is quoted in D, C, B, A: 16 * 3e-8.
    expect(oracle.marketData(['C', 'E', 'F'])).toMatchObject([
      { token_price_sol: expect.closeTo(1.2e-7, 15) },
      { token_price_sol: expect.closeTo(4.8e-7, 15) },
      { token_price_sol: 0, token_price_usd: 0, market_cap: 0, liquidity: 0 },
    ])
    expect(oracle.quote('E')).toMatchObject({ priced: true })
    expect(oracle.quote('F')).toMatchObject({ priced: false })
  })

  test('has none in a circle, in itself, or in what nobody knows', () => {
    const circle = created({ ...IN_A, mint: 'A', quoteMint: 'B', signature: 'A' })
    const self = created({ ...IN_A, mint: 'S', quoteMint: 'S', signature: 'S' })
    const unknown = created({ ...IN_A, mint: 'U', quoteMint: 'nobody', signature: 'U' })
    const oracle = oracleOf(price(100), circle, B, self, unknown, buyB())
    const nothing = { token_price_usd: 0, token_price_sol: 0, liquidity: 0, market_cap: 0 }
    expect(oracle.marketData(['A', 'B', 'S', 'U'])).toMatchObject(Array(4).fill(nothing))
    expect(oracle.swaps('B', null, 1, 9)).toMatchObject({
      items: [{ quote_mint_amount: 200, volume_usd: 0, base_mint_price_usd: 0 }],
    })
    expect(oracle.quote('U')).toEqual({ quote_mint: 'nobody', quote_symbol: '', priced: false })
  })

  test('may be rooted in USDC, with SOL values through the SOL price', () => {
    // 4,000 USDC / 1e9 tokens: A is 4e-6 USD, B 8e-6 USD, 8e-8 SOL at 100.
    const usdc = { ...A, quoteMint: USDC, virtualQuoteRaw: 4_000_000_000n }
    const oracle = oracleOf(price(100), usdc, B, buyB())
    expect(oracle.marketData(['B'])).toMatchObject([
      { token_price_usd: expect.closeTo(8e-6, 15), token_price_sol: expect.closeTo(8e-8, 17) },
    ])
    expect(oracle.swaps('B', null, 1, 9)).toMatchObject({ items: [{ volume_usd: 0.0008 }] })
    const unpriced = oracleOf(usdc, B)
    expect(unpriced.marketData(['B'])).toMatchObject([
      { token_price_usd: expect.closeTo(8e-6, 15), token_price_sol: 0 },
    ])
    expect(unpriced.quote('B')).toMatchObject({ priced: true })
  })
})

describe('the quote', () => {
  test('is named by mint and symbol, and says whether it has a price', () => {
    const oracle = oracleOf(A, B, created({ mint: 'U', quoteMint: USDC, signature: 'U' }))
    expect(oracle.quote('A')).toEqual({ quote_mint: SOL_MINT, quote_symbol: 'SOL', priced: false })
    expect(oracle.quote('B')).toEqual({ quote_mint: 'A', quote_symbol: 'QUOTE', priced: false })
    expect(oracle.quote('U')).toEqual({ quote_mint: USDC, quote_symbol: 'USDC', priced: true })
    oracle.apply(price(100))
    expect(oracle.quote('A')).toMatchObject({ priced: true })
    expect(oracle.quote('B')).toMatchObject({ priced: true })
    expect(oracle.quote('nobody')).toBe(null)
  })

  test('has the decimals of its token, else those told, else what its mint looks like', () => {
    const PUMP = 'pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn'
    const amountIn = (quoteMint: string, quoteDecimals?: number, ...before: (typeof A)[]) => {
      const told = quoteDecimals === undefined ? {} : { quoteDecimals }
      const oracle = oracleOf(...before, buyB({ quoteMint, ...told }))
      return expect(oracle.swaps('B', null, 1, 1))
    }
    const shows = (quote_mint_amount: number) => ({ items: [{ quote_mint_amount }] })
    amountIn('nobody').toMatchObject(shows(0.2))
    amountIn(PUMP).toMatchObject(shows(200))
    amountIn('nobody pump').toMatchObject(shows(200))
    amountIn('nobody pump', 4).toMatchObject(shows(20_000))
    amountIn('A', 4, A).toMatchObject(shows(200))
    amountIn('A', 4, { ...A, decimals: 9 }).toMatchObject(shows(0.2))
  })

  test('is of the kind that the first swap in order tells, and the coin that came first', () => {
    const far = created({ mint: 'Z', slot: 90, signature: 'Z', virtualQuoteRaw: 60_000_000_000n })
    const [second, first] = [
      buyB({ slot: 111, quoteMint: 'Z' }),
      buyB({ slot: 110, quoteMint: 'A' }),
    ]
    const oracle = oracleOf(A, far, second, first)
    expect(oracle.quote('B')).toMatchObject({ quote_mint: 'Z' })
    const sol = oracleOf(A, far, second, buyB({ slot: 110, quoteMint: SOL_MINT }))
    expect(sol.quote('B')).toMatchObject({ quote_mint: SOL_MINT })
  })

  test('does not depend on its decimals for what a trade is worth', () => {
    // 9 decimals: 2e15 raw are 2e6 A, so one B is 0.002 A, and A 1e12 tokens of 6 decimals.
    const nine = { ...A, decimals: 9 }
    const oracle = oracleOf(price(100), nine, B, buyB())
    // A: 30 SOL / 1e6 tokens = 3e-5; 0.2 A = 6e-6 SOL.
    expect(oracle.swaps('B', null, 1, 9)).toMatchObject({
      items: [{ quote_mint_amount: 0.2, volume_usd: 0.0006 }],
    })
  })

  test('that is told too late leaves what was stored without it', () => {
    // Folded as 0.2 SOL, 20 USD; as A nothing of the price was stored.
    const oracle = oracleOf(price(100), A, buyB({ slot: 200 }), swap({ slot: 232, mint: 'A' }))
    oracle.apply({ ...B, slot: 199 })
    expect(oracle.swaps('B', null, 1, 9)).toMatchObject({
      items: [{ quote_mint_amount: 200, volume_usd: 20, base_mint_price_usd: 0 }],
    })
    expect(oracle.marketData(['B'])).toMatchObject([{ token_price_sol: expect.closeTo(6e-8, 15) }])
  })
})

describe('fees', () => {
  const fees = { platformFeeRaw: 1n, creatorFeeRaw: 20n, lpFeeRaw: 300n, cashbackRaw: 4_000n }

  test('of liquidity providers and cashback count in what a trader paid', () => {
    const amm = swap({ ...fees, source: 'pump_amm', chainFeeRaw: 50_000n })
    const oracle = oracleOf(created(), amm)
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({
      items: [{ fees_sol: 0.000054321 }],
    })
    expect(oracle.fees('mint', amm.signature, 0)).toEqual({ lp_fee: 3e-7, cashback: 0.000004 })
    expect(oracle.swaps('mint', null, 1, 1)).toMatchObject({ items: [{ platform_fee: 1e-9 }] })
  })

  test('of liquidity providers are the platform fee of a curve, which has none', () => {
    const curve = swap(fees)
    const oracle = oracleOf(created(), curve)
    expect(oracle.fees('mint', curve.signature, 0)).toEqual({ lp_fee: 0, cashback: 0.000004 })
    expect(oracle.swaps('mint', null, 1, 1)).toMatchObject({ items: [{ platform_fee: 3.01e-7 }] })
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({
      items: [{ fees_sol: 0.000004321 }],
    })
    expect(oracle.fees('mint', 'none', 0)).toBe(null)
  })
})

describe('bars', () => {
  test('are made of trades with a price where there are any, each series for itself', () => {
    // Without a SOL price, then at 100: 3e-6, 6e-6 USD. The SOL series has all three.
    const at = (second: number) => ({ timestamp: START_SECOND + second })
    const first = swap({ ...at(1), virtualQuoteRaw: 90_000_000_000n })
    const oracle = oracleOf(created(), first, price(100), swap(at(2)))
    oracle.apply(swap({ ...at(3), virtualQuoteRaw: 60_000_000_000n }))
    expect(oracle.chart(chart())).toMatchObject({
      ...{ o: [expect.closeTo(3e-6, 15)], h: [expect.closeTo(6e-6, 15)] },
      ...{ l: [expect.closeTo(3e-6, 15)], c: [expect.closeTo(6e-6, 15)] },
      ...{ o_sol: [9e-8], h_sol: [9e-8], l_sol: [3e-8], c_sol: [6e-8], v_sol: [3], v: [200] },
    })
    const alone = oracleOf(created(), first).chart(chart())
    expect(alone).toMatchObject({ o: [0], h: [0], l: [0], c: [0], c_sol: [9e-8], v_sol: [1] })
  })

  test('open at the close before only where both have a price', () => {
    const minute = (index: number) => ({ slot: 110 + index, timestamp: START_SECOND + index * 60 })
    const oracle = oracleOf(created(), swap(minute(0)), price(100), swap(minute(1)))
    oracle.apply(swap({ ...minute(2), virtualQuoteRaw: 60_000_000_000n }))
    const [low, high] = [expect.closeTo(3e-6, 15), expect.closeTo(6e-6, 15)]
    expect(oracle.chart(chart({ continuous: true }))).toMatchObject({
      ...{ o: [0, low, low], h: [0, low, high], l: [0, low, low], c: [0, low, high] },
    })
  })
})

test('a balance of the quote coin moves no price', () => {
  const oracle = oracleOf(price(100), A, B, buyB(), balance({ mint: 'A', balanceRaw: 5n }))
  expect(oracle.swaps('B', null, 1, 9)).toMatchObject({ items: [{ volume_usd: 0.0006 }] })
})
