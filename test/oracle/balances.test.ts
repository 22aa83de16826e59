/** `balance` events and what they make of holders, classes and costs, worked out by hand. */
import { describe, expect, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { balance, created, migrated, oracleOf, price, reserves, swap, TRADERS } from './fixtures.ts'

const PERCENT = 10_000_000_000_000n
const INCINERATOR = '1nc1nerator11111111111111111111111111111111'

describe('holders', () => {
  test('a wallet that was handed tokens holds them, is an insider and never traded', () => {
    const oracle = oracleOf(price(100), created(), balance({ balanceRaw: PERCENT }))
    expect(oracle.marketData(['mint'])).toMatchObject([
      { holders: 1, top_10_percent: 1, insiders_holding: 1, tx_24h: 0 },
    ])
    // 1e7 tokens at 3e-6 USD.
    const record = {
      ...{ wallet: 'alice', trades: 0, holding_amount: 1e7, holding_usd: expect.closeTo(30, 9) },
      ...{ insider_wallet: true, fresh_wallet: false, pro_trader: false, is_open: true },
      ...{ pnl: 0, cost_basis_usd: 0, first_active_ts: null, last_buy_ts: null },
    }
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({ total: 1, items: [record] })
    expect(oracle.walletTokens('alice', TRADERS)).toMatchObject({ items: [{ mint: 'mint' }] })
    expect(oracle.traders('mint')).toBe(0)
    oracle.apply(balance({ slot: 111, balanceRaw: 0n }))
    expect(oracle.marketData(['mint'])).toMatchObject([{ holders: 0 }])
    // Who held some stays in the list, and an insider.
    const gone = { holding_amount: 0, is_open: false, insider_wallet: true }
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({ total: 1, items: [gone] })
  })

  test('a balance of 0 is nothing to a wallet that nobody named', () => {
    const oracle = oracleOf(created(), balance({ balanceRaw: 0n }))
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({ total: 0 })
    expect(oracle.walletTokens('alice', TRADERS)).toMatchObject({ total: 0 })
  })

  test('curve, pool and the like never hold by it', () => {
    const never = ['curve', 'pool amm', INCINERATOR].map((wallet) =>
      balance({ slot: 1_001, wallet }),
    )
    const oracle = oracleOf(created(), migrated(), ...never)
    expect(oracle.marketData(['mint'])).toMatchObject([{ holders: 0 }])
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({ total: 0 })
  })

  test('a balance above the supply is refused, where one was told', () => {
    const above = balance({ balanceRaw: 101n * PERCENT })
    const told = oracleOf(created({ supplyRaw: 100n * PERCENT }), above)
    expect(told.marketData(['mint'])).toMatchObject([{ holders: 0 }])
    expect(told.refusedBalances).toBe(1)
    const untold = oracleOf(created(), above)
    expect(untold.marketData(['mint'])).toMatchObject([{ holders: 1, top_10_percent: 100 }])
    expect(untold.refusedBalances).toBe(0)
  })

  test('a balance that is told is what the next swap counts from', () => {
    const oracle = oracleOf(created(), swap(), balance({ balanceRaw: 30_000_000n }), swap())
    expect(oracle.swaps('mint', null, 1, 1)).toMatchObject({
      items: [{ base_balance_before: 30, base_balance_after: 130 }],
    })
  })
})

describe('insiders', () => {
  test('are those who held before their first swap, where the creation is known', () => {
    const cases: readonly [boolean, readonly FeedEvent[]][] = [
      [true, [created(), swap({ baseBalanceBeforeRaw: 1n })]],
      [true, [created(), swap({ direction: 'sell' })]],
      [true, [created(), balance(), swap()]],
      [false, [created(), swap(), balance({ slot: 111, balanceRaw: PERCENT })]],
      [false, [swap({ baseBalanceBeforeRaw: 1n })]],
      [false, [swap({ direction: 'sell' })]],
      [false, [swap({ signer: 'bob' }), balance()]],
      [true, [swap({ insider: true })]],
      // Told behind them, the creation judges anew.
      [true, [swap({ direction: 'sell' }), created({ slot: 111 })]],
      [true, [swap({ signer: 'bob' }), balance(), created({ slot: 111 })]],
      [false, [created({ creator: 'alice' }), balance()]],
      [false, [created(), swap({ insider: false })]],
    ]
    for (const [insider_wallet, events] of cases) {
      const { items } = listOf(oracleOf(...events).tokenTraders('mint', TRADERS))
      expect(items.find(({ wallet }) => wallet === 'alice')).toMatchObject({ insider_wallet })
    }
  })
})

describe('a creator has sold all', () => {
  const devSoldAll = { type: 'new', filters: { new: { devSoldAll: true } }, limit: 1 } as const
  const listed = (...events: readonly FeedEvent[]) =>
    oracleOf(created(), ...events).tables(devSoldAll)
  const yes = { new: [{ mint: 'mint' }] }
  const no = { new: [] }
  const bought = swap({ signer: 'creator', slot: 101 })
  const told = (balanceRaw: bigint) => balance({ wallet: 'creator', balanceRaw, signature: 'tx' })
  const sold = (over: object) => swap({ signer: 'creator', slot: 120, direction: 'sell', ...over })

  test('by selling, not by handing on', () => {
    expect(listed(bought, sold({}))).toMatchObject(yes)
    expect(listed(bought, told(0n))).toEqual(no)
    // Sold 40 of 100 and handed 60 on, in the same transaction or before it.
    const forty = { baseRaw: 40_000_000n }
    expect(listed(bought, sold({ ...forty, baseBalanceAfterRaw: 0n }))).toEqual(no)
    const before = { baseBalanceBeforeRaw: 40_000_000n, baseBalanceAfterRaw: 0n }
    expect(listed(bought, sold({ ...forty, ...before }))).toEqual(no)
    // A millionth of a token is nothing.
    expect(listed(bought, told(99_999_999n), sold({}))).toMatchObject(yes)
    expect(listed(bought, told(99_999_998n), sold({}))).toEqual(no)
    // Spread at launch: bought 100, of which the same transaction left 0.
    const launch = { baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: 0n }
    expect(listed(swap({ signer: 'creator', ...launch }))).toEqual(no)
    // Tokens that came back do not make it a sale, and tokens that were given to it are sold.
    expect(listed(told(100_000_000n), sold({}))).toMatchObject(yes)
  })

  test('or by burning, as far as the supply fell by it', () => {
    const burn = (supplyRaw: bigint, over = {}) =>
      reserves({ reason: 'burn', supplyRaw, signature: 'tx', slot: 110, ...over })
    const all = 1_000_000_000_000_000n
    expect(listed(bought, burn(all - 100_000_000n), told(0n))).toMatchObject(yes)
    expect(listed(bought, burn(all - 99_999_999n), told(0n))).toEqual(no)
    expect(listed(bought, burn(all - 100_000_000n, { signature: 'x' }), told(0n))).toEqual(no)
    const other = { reason: 'boost' }
    expect(listed(bought, burn(all - 100_000_000n, other), told(0n))).toEqual(no)
    // Told behind the balance that it explains, it comes too late (decision 24).
    const behind = { txIndex: 9_999, ordinal: 9_999 }
    expect(listed(bought, told(0n), burn(all - 100_000_000n, behind))).toEqual(no)
    // A swap may be in it: 40 sold, 60 burned.
    const rest = sold({
      ...{ slot: 110, txIndex: 9_998, ordinal: 1 },
      ...{ signature: 'tx', baseRaw: 40_000_000n },
      ...{ baseBalanceBeforeRaw: 100_000_000n, baseBalanceAfterRaw: 0n },
    })
    const index = { txIndex: 9_998, ordinal: 0 }
    expect(listed(bought, burn(all - 60_000_000n, index), rest)).toMatchObject(yes)
    expect(listed(bought, burn(all - 59_999_999n, index), rest)).toEqual(no)
  })
})

describe('costs', () => {
  const units = (usd: bigint) => usd * 10_000_000n

  test('what was given away before a purchase is out of the inventory before it', () => {
    // SOL at 100: 1 USD is 0.01 SOL. 100 at 1; 90 given away; 100 at 10; 110 sold at 10. The ten that
    // were left cost 10, so all 110 cost 1,010 and brought 1,100: 90.
    const hundred = { baseRaw: 100_000_000n }
    const buys = [
      swap({ ...hundred, quoteRaw: units(100n), baseBalanceAfterRaw: 100_000_000n }),
      swap({
        ...{ ...hundred, quoteRaw: units(1000n), slot: 111 },
        ...{ baseBalanceBeforeRaw: 10_000_000n, baseBalanceAfterRaw: 110_000_000n },
      }),
    ]
    const sale = swap({
      ...{ direction: 'sell', baseRaw: 110_000_000n, quoteRaw: units(1100n), slot: 112 },
    })
    const made = { realized_pnl_usd: 90, cost_basis_usd: 0, untracked_tokens: 0 }
    const oracle = oracleOf(price(100), created(), ...buys, sale)
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({ items: [made] })
    // The same by a balance that was told between the two.
    const [first, { baseBalanceBeforeRaw: _, ...second }] = buys
    const given = balance({ balanceRaw: 10_000_000n })
    const told = oracleOf(price(100), created(), first, given, second, sale)
    expect(told.tokenTraders('mint', TRADERS)).toMatchObject({ items: [made] })
  })

  test('it is clamped before the first swap of a transaction only, and never up', () => {
    // 100 at 1 USD. Then 50 and 50 sold for 100 USD each in one transaction, each with its own
    // balance before: 100 and 50. 200 - 100 = 100 USD.
    const one = { signature: 'one', txIndex: 9_999, slot: 120, direction: 'sell' } as const
    const part = { ...one, baseRaw: 50_000_000n, quoteRaw: units(100n) }
    const oracle = oracleOf(
      ...[price(100), created(), swap({ quoteRaw: units(100n) })],
      swap({ ...part, ordinal: 0, baseBalanceBeforeRaw: 900_000_000n }),
      swap({ ...part, ordinal: 1, baseBalanceBeforeRaw: 10_000_000n }),
    )
    expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({
      items: [{ realized_pnl_usd: 100, untracked_tokens: 0 }],
    })
    const up = oracleOf(price(100), created(), swap(), balance({ balanceRaw: PERCENT }))
    expect(up.tokenTraders('mint', TRADERS)).toMatchObject({
      items: [{ holding_amount: 1e7, cost_basis_usd: 100 }],
    })
  })
})

function listOf(page: object): { readonly items: readonly { readonly wallet: string }[] } {
  return { items: [], ...page }
}
