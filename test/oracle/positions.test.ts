/** Costs, results and fees of positions, worked out by hand. */
import { describe, expect, test } from 'vitest'
import { created, oracleOf, price, swap, TRADERS } from './fixtures.ts'

const alone = (item: object) => ({ total: 1, items: [item] })

describe('positions', () => {
  const twoBuys = [price(100), created(), swap(), swap({ quoteRaw: 2_000_000_000n })]
  const sell = { direction: 'sell', baseRaw: 50_000_000n } as const

  test('cost is averaged, and a sell realises against it', () => {
    // 200 tokens cost 300 USD, 1.5 each; 50 sold for 100 realise 100 - 75 = 25. 150 stay at 225.
    // Reserves of 100 tokens and 2 SOL: 0.02 SOL = 2 USD each, 300 - 225 = 75. 100 / 300 = 33.3 %.
    const reserves = { virtualBaseRaw: 100_000_000n, virtualQuoteRaw: 2_000_000_000n }
    const oracle = oracleOf(...twoBuys, swap({ ...sell, ...reserves }))
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject(
      alone({
        realized_pnl_usd: 25,
        realized_pnl_sol: 0.25,
        cost_basis_usd: 225,
        unrealized_pnl_usd: 75,
        pnl: 100,
        pnl_pct: (100 * 100) / 300,
        holding_amount: 150,
        avg_buy_price_usd: 1.5,
        avg_sell_price_usd: 2,
      }),
    )
  })

  test('what was sold beyond the inventory is untracked', () => {
    // 400 sold for 4 SOL: 200 of them tracked, proceeds 200 - cost 300 = -100 USD.
    const oracle = oracleOf(
      ...twoBuys,
      swap({ direction: 'sell', baseRaw: 400_000_000n, quoteRaw: 4_000_000_000n }),
    )
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject(
      alone({ realized_pnl_usd: -100, untracked_tokens: 200, holding_amount: 0, is_open: false }),
    )
  })

  test('the inventory is clamped to the balance after the transaction', () => {
    // One transaction sells 50 and 50; both carry its last balance, 100. Clamped for good after
    // the first, the second would sell from 100 at 1.5; it must sell from 150: 100 stay at 150.
    const after = { baseBalanceAfterRaw: 100_000_000n, signature: 'both', txIndex: 9_999 }
    const oracle = oracleOf(
      ...twoBuys,
      swap({ ...sell, ...after, ordinal: 0 }),
      swap({ ...sell, ...after, ordinal: 1 }),
    )
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject(
      alone({ realized_pnl_usd: 50, cost_basis_usd: 150, holding_amount: 100 }),
    )
    // A transfer of 80 then shows with the next swap: of 110 tokens 30 are there. The cost is
    // 150 + 10 * 0.1 SOL * 100 = 160, and 160 * 30 / 110 = 43.636364 USD.
    const tenth = { baseRaw: 10_000_000n, quoteRaw: 100_000_000n }
    oracle.apply(swap({ slot: 111, ...tenth, baseBalanceAfterRaw: 30_000_000n }))
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject(
      alone({ cost_basis_usd: 43.636364, holding_amount: 30 }),
    )
  })

  test('the chain fee belongs to the first swap of a transaction', () => {
    const both = { signature: 'one', txIndex: 9_999, chainFeeRaw: 5000n }
    const oracle = oracleOf(
      swap({ ...both, ordinal: 0 }),
      swap({ ...both, ordinal: 1, signer: 'bob' }),
    )
    const traders = oracle.tokenTraders('mint', { ...TRADERS, orderBy: 'last_active_ts' })
    expect(traders).toMatchObject({
      items: [
        { wallet: 'alice', fees_sol: 0.000005 },
        { wallet: 'bob', fees_sol: 0 },
      ],
    })
  })
})
