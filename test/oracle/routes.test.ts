/** Routes: SOL to A to B in one transaction and back, worked out by hand. */
import { describe, expect, test } from 'vitest'
import type { Swap } from '../../src/events/event.ts'
import { created, oracleOf, price, swap, TRADERS } from './fixtures.ts'
import { Oracle } from './oracle.ts'

const A = created({ mint: 'A', slot: 90, signature: 'A', bondingCurve: 'curve A' })
/** 2 A each. */
const IN_A = { virtualBaseRaw: 10n ** 15n, virtualQuoteRaw: 2n * 10n ** 15n }
const B = created({ mint: 'B', signature: 'B', quoteMint: 'A', bondingCurve: 'curve B', ...IN_A })
const BEFORE = [price(100), A, B]

let transactions = 0
const transaction = (slot = 120) => {
  transactions += 1
  return { signature: `route ${transactions}`, slot, txIndex: 10_000 + transactions }
}

/** 1 SOL for 1e7 A, 1e7 A for 4e6 B (at the price after it 8e6 A). */
const bought = (at: object, hops: readonly [number, number] = [1, 2]): [Swap, Swap] => [
  swap({
    ...{ ...at, ordinal: 0, mint: 'A', baseRaw: 10n ** 13n, quoteRaw: 10n ** 9n, route: hops[0] },
    ...{ platformFeeRaw: 9_500_000n, chainFeeRaw: 5_000n, baseBalanceAfterRaw: 0n },
  }),
  swap({
    ...{ ...at, ordinal: 1, mint: 'B', baseRaw: 4n * 10n ** 12n, quoteRaw: 10n ** 13n, ...IN_A },
    ...{ creatorFeeRaw: 10n ** 10n, chainFeeRaw: 5_000n, route: hops[1] },
  }),
]

/** 4e6 B for 1e7 A, 1e7 A for 2 SOL. */
const sold = (at: object, over: Partial<Swap> = {}): [Swap, Swap] => {
  const [ofA, ofB] = bought(at)
  const sale = { direction: 'sell', chainFeeRaw: 0n } as const
  return [
    { ...ofB, ...sale, ordinal: 0, route: 1, creatorFeeRaw: 0n },
    { ...ofA, ...sale, ordinal: 1, route: 2, quoteRaw: 2n * 10n ** 9n, ...over },
  ]
}

describe('a route into a coin', () => {
  test('is a trade of both, and a position in the last one at what the currency hop paid', () => {
    const oracle = oracleOf(...BEFORE, ...bought(transaction()))
    // The middle coin traded 1 SOL, and nobody has it.
    expect(oracle.marketData(['A'])).toMatchObject([{ vol_24h: 100, tx_24h: 1, holders: 0 }])
    expect(oracle.tokenTraders('A', TRADERS)).toMatchObject({ total: 0 })
    expect(oracle.swaps('A', 'alice', 1, 9)).toMatchObject({ total: 1 })
    expect(oracle.traders('A')).toBe(0)
    // 1e7 A are 0.3 SOL, 30 USD: the volume of B, but not what alice paid.
    expect(oracle.marketData(['B'])).toMatchObject([{ vol_24h: 30, holders: 1 }])
    // Fees: 0.0095 SOL, 1e4 A = 0.0003 SOL, 5,000 lamports once.
    expect(oracle.tokenTraders('B', TRADERS)).toMatchObject({
      items: [
        {
          ...{ bought_usd: 100, bought_sol: 1, cost_basis_usd: 100, volume_usd: 100 },
          ...{ avg_buy_price_usd: 0.000025, holding_amount: 4e6, fees_sol: 0.009805, trades: 1 },
        },
      ],
    })
    expect(oracle.walletTokens('alice', TRADERS)).toMatchObject({ items: [{ mint: 'B' }] })
  })

  test('counts as trades of the wallet, and in one mint', () => {
    const oracle = new Oracle({ clock: 'event', proRule: { trades: 3, mints: 1 } })
    const profit = [
      swap({ mint: 'X' }),
      swap({ mint: 'X', direction: 'sell', quoteRaw: 10n ** 10n }),
    ]
    const events = [...BEFORE, ...profit, ...bought(transaction())]
    for (const event of events) oracle.apply(event)
    // Two trades before hop 1, three before hop 2.
    expect(oracle.swaps('A', null, 1, 1)).toMatchObject({ items: [{ pro_trader: false }] })
    expect(oracle.swaps('B', null, 1, 1)).toMatchObject({ items: [{ pro_trader: true }] })
    const mints = new Oracle({ clock: 'event', proRule: { trades: 3, mints: 2 } })
    for (const event of events) mints.apply(event)
    expect(mints.swaps('B', null, 1, 1)).toMatchObject({ items: [{ pro_trader: false }] })
  })

  test('makes neither sniper nor bundler of the middle coin', () => {
    const at = { ...transaction(91), txIndex: 1 }
    const [hop] = bought(at)
    const small = { mint: 'A', slot: 91, signer: 'bob' }
    const oracle = oracleOf(price(100), A, hop, swap(small))
    expect(oracle.swaps('A', 'alice', 1, 1)).toMatchObject({ items: [{ sniper_wallet: false }] })
    expect(oracle.marketData(['A'])).toMatchObject([{ bundle_holding: 0, holders: 1 }])
  })

  test('leaves what the wallet has of the middle coin anyway', () => {
    const [hop, last] = bought(transaction())
    const own = swap({ mint: 'A', slot: 110 })
    const oracle = oracleOf(...BEFORE, own, hop, last)
    expect(oracle.tokenTraders('A', TRADERS)).toMatchObject({
      items: [{ holding_amount: 100, trades: 1, bought_usd: 100 }],
    })
  })
})

describe('a route out of a coin', () => {
  const before = [...BEFORE, ...bought(transaction(110))]

  test('brings what the last hop did', () => {
    const [first, second] = sold(transaction(), { platformFeeRaw: 20_000_000n })
    const oracle = oracleOf(...before, first)
    // At A's own price: 30 USD for what cost 100.
    expect(oracle.tokenTraders('B', TRADERS)).toMatchObject({
      items: [{ sold_usd: 30, realized_pnl_usd: -70, realized_pnl_sol: expect.closeTo(-0.7, 9) }],
    })
    oracle.apply(second)
    // 2 SOL, 200 USD. Fees: 0.009805 before, 0.02 now.
    expect(oracle.tokenTraders('B', TRADERS)).toMatchObject({
      items: [
        {
          ...{ sold_usd: 200, sold_sol: 2, realized_pnl_usd: 100, realized_pnl_sol: 1 },
          ...{ fees_sol: 0.029805, sells: 1, is_open: false, untracked_tokens: 0 },
        },
      ],
    })
    expect(oracle.tokenTraders('A', TRADERS)).toMatchObject({ total: 0 })
    expect(oracle.marketData(['A'])).toMatchObject([{ vol_24h: 300, tx_24h_sell: 1 }])
    expect(oracle.marketData(['B'])).toMatchObject([{ vol_24h: 60 }])
  })

  test('realises only the part that was tracked', () => {
    // 8e6 B sold, 4e6 of them known: half of the 200 USD against 100.
    const [first, second] = sold(transaction())
    const oracle = oracleOf(...before, { ...first, baseRaw: 8n * 10n ** 12n }, second)
    expect(oracle.tokenTraders('B', TRADERS)).toMatchObject({
      items: [{ sold_usd: 200, realized_pnl_usd: 0, untracked_tokens: 4e6 }],
    })
  })

  test('may arrive the wrong way round', () => {
    const [first, second] = sold(transaction())
    const inOrder = oracleOf(...before, first, second)
    const late = oracleOf(...before, second, first)
    for (const mint of ['A', 'B'])
      expect(late.tokenTraders(mint, TRADERS)).toEqual(inOrder.tokenTraders(mint, TRADERS))
  })
})

describe('a number that no route has', () => {
  test('is none where the hop before is missing, of another wallet, coin or transaction', () => {
    const at = transaction()
    const [, alone] = bought(at)
    const plain = { bought_usd: 30, trades: 1 }
    const [ofBob, last] = bought(transaction())
    const [ofC, lastOfC] = bought(transaction())
    const cases = [[alone], [{ ...ofBob, signer: 'bob' }, last], [{ ...ofC, mint: 'C' }, lastOfC]]
    for (const events of cases)
      expect(oracleOf(...BEFORE, ...events).tokenTraders('B', TRADERS)).toMatchObject({
        items: [plain],
      })
    const [elsewhere] = bought(transaction(119))
    expect(oracleOf(...BEFORE, elsewhere, alone).tokenTraders('B', TRADERS)).toMatchObject({
      items: [plain],
    })
  })

  test('a sell with hop 2 of another coin is a sell', () => {
    const [first, second] = sold(transaction(), { mint: 'C' })
    const oracle = oracleOf(...BEFORE, ...bought(transaction(110)), first, second)
    expect(oracle.tokenTraders('C', TRADERS)).toMatchObject({ items: [{ sold_usd: 200 }] })
    expect(oracle.tokenTraders('B', TRADERS)).toMatchObject({ items: [{ sold_usd: 30 }] })
    const alone = oracleOf(...BEFORE, sold(transaction())[1])
    expect(alone.tokenTraders('A', TRADERS)).toMatchObject({ items: [{ sold_usd: 200 }] })
  })
})
