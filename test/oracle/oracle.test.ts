/** The oracle against figures worked out by hand; the working is in the comments. */
import { describe, expect, test } from 'vitest'
import type { Swap } from '../../src/events/event.ts'
import {
  chart,
  created,
  oracleOf,
  price,
  START_SECOND,
  swap,
  TRADERS,
  twitter,
} from './fixtures.ts'

const alone = (item: object) => ({ total: 1, items: [item] })
const ALL = { type: 'all', filters: {}, limit: 50 } as const

describe('values of a token', () => {
  test('price, market cap, liquidity and completion come from the reserves', () => {
    // 30 SOL / 1e9 tokens = 3e-8 SOL; * 150 = 4.5e-6 USD; * 1e9 = 4,500; 2 * 30 * 150 = 9,000.
    // 793.1e12 * 0.6 = 475.86e12 left: 40 % done, which is `completing`.
    const oracle = oracleOf(price(150), created(), swap({ realBaseRaw: 475_860_000_000_000n }))
    expect(oracle.marketData(['mint'])).toMatchObject([
      {
        token_price_sol: 3e-8,
        market_cap: expect.closeTo(4500, 9),
        liquidity: 9000,
        pct_completion: 40,
      },
    ])
    expect(oracle.tables(ALL)).toMatchObject({ new: [], completing: [{ mint: 'mint' }] })
  })

  test('a swap is worth micro-USD rounded half up, at its own price first', () => {
    // 5 lamports * 100 USD / 1e3 = 0.5 micro-USD -> 1; * 99.9 = 0.4995 -> 0.
    const up = oracleOf(price(1), swap({ quoteRaw: 5n, solPriceUsd: 100 }))
    expect(up.swaps('mint', null, 1, 1)).toMatchObject(alone({ volume_usd: 0.000001 }))
    const down = oracleOf(price(99.9), swap({ quoteRaw: 5n }))
    expect(down.swaps('mint', null, 1, 1)).toMatchObject(alone({ volume_usd: 0 }))
  })

  test('a USDC token has its price in USD and its SOL values through the SOL price', () => {
    // 4,000 USDC / 1e9 tokens = 4e-6 USD = 4e-8 SOL at 100. 10 USDC = 0.1 SOL. Fee 1 USDC.
    const quoteMint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
    const virtualQuoteRaw = 4_000_000_000n
    const fees = { platformFeeRaw: 600_000n, creatorFeeRaw: 400_000n, chainFeeRaw: 5000n }
    const oracle = oracleOf(
      price(100),
      created({ quoteMint, virtualQuoteRaw }),
      swap({ virtualQuoteRaw, quoteRaw: 10_000_000n, ...fees }),
    )
    expect(oracle.swaps('mint', null, 1, 1)).toMatchObject(
      alone({ quote_mint_amount: 10, volume_usd: 10, platform_fee: 0.6, liquidity_usd: 8000 }),
    )
    // Fees: 1 USDC = 0.01 SOL, and 5,000 lamports.
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject(
      alone({ token_price_usd: 4e-6, token_price_sol: 4e-8, bought_sol: 0.1, fees_sol: 0.010005 }),
    )
  })

  test('with a zero among the amounts the swap counts and the price stays', () => {
    const zero = swap({ baseRaw: 0n, virtualQuoteRaw: 90_000_000_000n })
    const oracle = oracleOf(price(100), created(), swap(), zero)
    expect(oracle.marketData(['mint'])).toMatchObject([{ tx_24h: 2, token_price_sol: 3e-8 }])
  })

  test('24 hours are exact to the second', () => {
    // At + 86,404 the swap of + 4 is out, a second before it is in.
    const last = { type: 'sol_price', usd: 100 } as const
    const oracle = oracleOf(price(100), created(), swap())
    oracle.apply({ ...last, timestamp: START_SECOND + 86_403 })
    expect(oracle.marketData(['mint'])).toMatchObject([{ tx_24h_buy: 1, vol_24h: 100 }])
    oracle.apply({ ...last, timestamp: START_SECOND + 86_404 })
    expect(oracle.marketData(['mint'])).toMatchObject([{ tx_24h_buy: 0, vol_24h: 0 }])
  })
})

describe('bars', () => {
  // Prices of 3e-8 and 6e-8 SOL in the first minute, 3e-8 in the third; 1 SOL each.
  const double = { virtualQuoteRaw: 60_000_000_000n }
  const bars = oracleOf(
    created(),
    swap(),
    swap(double),
    swap({ slot: 400, timestamp: START_SECOND + 125 }),
  )

  test('hold the trades of their minute, and nothing where none was', () => {
    expect(bars.chart(chart())).toMatchObject({
      t: [START_SECOND, START_SECOND + 120],
      o_sol: [3e-8, 3e-8],
      h_sol: [6e-8, 3e-8],
      c_sol: [6e-8, 3e-8],
      v_sol: [2, 1],
      c: [0, 0],
    })
  })

  test('may open at the close before, and be filled', () => {
    expect(bars.chart(chart({ continuous: true, fill: 'previous' }))).toMatchObject({
      t: [START_SECOND, START_SECOND + 60, START_SECOND + 120],
      o_sol: [3e-8, 6e-8, 6e-8],
      h_sol: [6e-8, 6e-8, 6e-8],
      l_sol: [3e-8, 6e-8, 3e-8],
      v_sol: [2, 0, 1],
    })
  })

  test('are counted back from `to`, and say where older ones are', () => {
    const later = { from: START_SECOND + 600, to: START_SECOND + 700, udf: true }
    expect(bars.chart(chart(later))).toMatchObject({
      s: 'no_data',
      t: [],
      nextTime: START_SECOND + 120,
    })
    const back = bars.chart(chart({ ...later, countback: 1 }))
    expect(back).toMatchObject({ s: 'ok', t: [START_SECOND + 120] })
  })

  test('are as many as counted back, filled ones among them', () => {
    const later = { from: START_SECOND + 600, to: START_SECOND + 179 }
    const back = bars.chart(chart({ ...later, fill: 'previous', countback: 2 }))
    expect(back).toMatchObject({ t: [START_SECOND + 60, START_SECOND + 120], v_sol: [0, 1] })
  })

  test('fill a range from its beginning, at the close of the last one before it', () => {
    const quiet = { from: START_SECOND + 70, to: START_SECOND + 119, udf: true }
    expect(bars.chart(chart(quiet))).toMatchObject({ s: 'no_data', nextTime: START_SECOND })
    const flat = { o_sol: [6e-8], h_sol: [6e-8], l_sol: [6e-8], c_sol: [6e-8], v_sol: [0] }
    expect(bars.chart(chart({ ...quiet, fill: 'previous' }))).toMatchObject({
      ...{ s: 'ok', t: [START_SECOND + 60], ...flat },
    })
    const traded = { ...quiet, to: START_SECOND + 200, fill: 'previous' } as const
    expect(bars.chart(chart(traded))).toMatchObject({
      ...{ t: [START_SECOND + 60, START_SECOND + 120], v_sol: [0, 1] },
    })
    const first = chart({ from: 0, to: START_SECOND, fill: 'previous' })
    expect(bars.chart(first)).toMatchObject({ t: [START_SECOND] })
  })

  test('of a week open on Monday', () => {
    // START_SECOND is 2023-11-14, a Tuesday.
    const week = bars.chart(chart({ resolution: '1W' }))
    expect(week).toMatchObject({ t: [START_SECOND - 86_400] })
  })
})

describe('classes', () => {
  test('three slots after the creation snipe, four do not; two in a slot are a bundle', () => {
    // Slot 101: bob 0.05 SOL and the creator 1 SOL, carol 0.049: bob alone is flagged.
    const small = { slot: 101, quoteRaw: 50_000_000n }
    const oracle = oracleOf(
      created(),
      swap({ ...small, signer: 'bob', baseRaw: 30_000_000_000_000n }),
      swap({ ...small, signer: 'carol', quoteRaw: 49_999_999n }),
      swap({ slot: 101, signer: 'creator' }),
      swap({ slot: 103, signer: 'dave', baseRaw: 10_000_000_000_000n }),
      swap({ slot: 104, signer: 'erin' }),
    )
    // Of 1e9 tokens: bob 3e7, dave 1e7, carol 100: snipers 4.00001 %, bundlers 3 %.
    const [row] = oracle.marketData(['mint'])
    expect(row).toMatchObject({ bundle_holding: 3, insiders_holding: 0, holders: 5 })
    expect(row).toHaveProperty('snipers_holding', 4.00001)
  })

  test('a sell as the first swap makes an insider, the curve is nobody', () => {
    const oracle = oracleOf(
      created(),
      swap({ direction: 'sell', baseBalanceAfterRaw: 10_000_000_000_000n }),
      swap({ signer: 'curve' }),
    )
    expect(oracle.marketData(['mint'])).toMatchObject([{ insiders_holding: 1, holders: 1 }])
  })

  test('a creator who traded has held, and sold all when nothing is known to be left', () => {
    const devSoldAll = { type: 'new', filters: { new: { devSoldAll: true } }, limit: 1 } as const
    const sale = { signer: 'creator', direction: 'sell' } as const
    const tableAfter = (over: Partial<Swap>) =>
      oracleOf(created(), swap({ ...sale, ...over })).tables(devSoldAll)
    const listed = { new: [{ mint: 'mint' }] }
    expect(tableAfter({})).toMatchObject(listed)
    // A millionth of a token is nothing, two are something; who sells nothing may never have held.
    expect(tableAfter({ baseBalanceAfterRaw: 1n })).toMatchObject(listed)
    expect(tableAfter({ baseBalanceAfterRaw: 2n })).toEqual({ new: [] })
    expect(tableAfter({ baseRaw: 0n })).toEqual({ new: [] })
    // Bought and sold again in one transaction: before and after it there was nothing.
    const nothing = {
      ...{ baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: 0n },
      ...{ signer: 'creator', signature: 'both', txIndex: 9_999 },
    }
    const both = [swap(nothing), swap({ ...nothing, direction: 'sell', ordinal: 1 })]
    expect(oracleOf(created(), ...both).tables(devSoldAll)).toMatchObject(listed)
    // Bought alone: what is not there any more was handed on.
    expect(tableAfter({ direction: 'buy', ...nothing })).toEqual({ new: [] })
  })

  test('a creation heard of later judges the positions again, not the swaps', () => {
    const late = created({ slot: null, txIndex: null, timestamp: START_SECOND + 2 })
    const oracle = oracleOf(swap(), late)
    expect(oracle.swaps('mint', null, 1, 1)).toMatchObject(alone({ sniper_wallet: false }))
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject(alone({ sniper_wallet: true }))
  })
})

describe('order', () => {
  test('copies, latecomers and second creations are counted', () => {
    const first = swap({ slot: 200 })
    const oracle = oracleOf(
      created(),
      first,
      { ...first, baseRaw: 1n },
      swap({ slot: 168 }),
      swap({ slot: 167 }),
      created({ name: 'Other' }),
    )
    expect(oracle.counts).toMatchObject({ duplicates: 1, lateRefused: 1, secondCreations: 1 })
    expect(oracle.swaps('mint', null, 1, 2)).toMatchObject({
      total: 2,
      items: [{ slot: 200, base_mint_amount: 100 }, { slot: 168 }],
    })
  })

  test('an unknown index follows its signature, else the highest of the slot', () => {
    const oracle = oracleOf(
      swap({ txIndex: 7 }),
      swap({ txIndex: null, signature: 's', ordinal: 1 }),
      swap({ txIndex: null, signature: 's', ordinal: 0 }),
      swap({ slot: null, txIndex: null }),
    )
    expect(oracle.swaps('mint', null, 1, 9)).toMatchObject({
      items: [{ slot: 0 }, { tx_index: 8 }, { tx_index: 8 }, { tx_index: 7 }],
    })
  })
})

test('the original of an X link has no reuses, its copies do, in whatever spelling', () => {
  const oracle = oracleOf(
    created({ mint: 'b' }),
    created({ mint: 'a', slot: 101 }),
    twitter('a', 'https://x.com/Dog'),
    twitter('b', 'http://www.twitter.com/dOG/?s=1'),
    { ...created(), type: 'migrated', mint: 'b', poolAmm: 'amm', slot: 105 },
  )
  const reused = { xReuses: { min: 1 }, devMigrations: { min: 1, max: 1 } }
  const tables = oracle.tables({ type: 'new', filters: { new: reused }, limit: 50 })
  expect(tables).toMatchObject({
    new: [{ mint: 'a', creator_completed_pools: 1, creator_completing_pools: 1 }],
  })
  expect(oracle.migrationMessage('b')).toMatchObject({ data: { mint: 'b', pool_amm: 'amm' } })
})
