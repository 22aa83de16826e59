/** Reserves and balances as engine and oracle fold them, at edges where random histories seldom come. */
import { expect, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { checkAll } from '../model/full-check.ts'
import { Pair } from '../model/pair.ts'
import { follow } from '../mutants/story.ts'
import { balance, created, migrated, price, reserves, swap } from '../oracle/fixtures.ts'

const OTHER_PRICE = { virtualQuoteRaw: 90_000_000_000n }

/** After all of them; a difference to the oracle fails, whatever is read. */
function told(...events: readonly FeedEvent[]): Pair {
  const pair = new Pair('event')
  expect(follow(pair, [price(100), ...events])).toBeNull()
  expect(checkAll(pair, 1)).toBeNull()
  return pair
}

const marketOf = (pair: Pair) => JSON.parse(pair.answers.marketData(['mint']))[0]

function aliceOf(pair: Pair) {
  const query = { page: 1, limit: 9, orderBy: 'pnl', direction: 'desc' } as const
  const { items } = JSON.parse(pair.answers.tokenTraders('mint', query))
  return items.find(({ wallet }: { wallet: string }) => wallet === 'alice')
}

test('a curve does not move the price of what has graduated, and its pool does', () => {
  const moved = (source: 'pump' | 'pump_amm') =>
    told(created(), migrated({ slot: 120 }), reserves({ ...OTHER_PRICE, slot: 121, source }))
  expect(marketOf(moved('pump')).token_price_sol).toBeCloseTo(3e-8, 15)
  expect(marketOf(moved('pump_amm')).token_price_sol).toBeCloseTo(9e-8, 15)
})

test('the last supply that is told counts, be it nothing', () => {
  const before = created({ supplyRaw: 10n ** 15n })
  expect(marketOf(told(before, swap(), reserves({ supplyRaw: 0n })))).toMatchObject({
    ...{ market_cap: 0, top_10_percent: 0, holders: 1 },
  })
  // Told before the creation, it counts over that of the creation.
  const pair = told(swap(), reserves({ supplyRaw: 5n * 10n ** 14n }), before)
  expect(marketOf(pair).market_cap).toBeCloseTo(1_500, 6)
})

test('a creation that comes far too late leaves the reserves that were told meanwhile', () => {
  const [slot, mint] = [1_000, 'other'] as const
  const pair = told(
    migrated({ slot }),
    reserves({ ...OTHER_PRICE, slot: slot + 1, source: 'pump_amm' }),
    created({ slot: 2_000, mint, signature: mint }),
    created({ slot: slot - 1 }),
  )
  expect(marketOf(pair).token_price_sol).toBeCloseTo(9e-8, 15)
})

test('a balance of nothing takes no room for a wallet that nobody named', () => {
  const pair = told(created(), balance({ balanceRaw: 0n }))
  expect(pair.engine.state.positions.count).toBe(0)
  pair.apply(balance({ slot: 111 }))
  expect(pair.engine.state.positions.count).toBe(1)
})

/** 100 tokens for 1 SOL before, then the swaps of one transaction. */
const inOne = (...swaps: readonly Partial<Parameters<typeof swap>[0]>[]) => [
  created(),
  swap({ slot: 110 }),
  ...swaps.map((over, ordinal) =>
    swap({ ...{ slot: 120, txIndex: 9_999, signature: 'one', ordinal }, ...over }),
  ),
]

test('what is told of the balance before a transaction counts at its first swap alone', () => {
  const half = { direction: 'sell', baseRaw: 50_000_000n } as const
  const later = { ...half, baseBalanceBeforeRaw: 10_000_000n }
  const twice = told(...inOne({ ...half, baseBalanceBeforeRaw: 900_000_000n }, later))
  expect(aliceOf(twice)).toMatchObject({ untracked_tokens: 0, sold_sol: 2, realized_pnl_sol: 1 })
  const once = told(...inOne(later))
  expect(aliceOf(once)).toMatchObject({ untracked_tokens: 40 })
  // Where the first of them only passes the coin on, the next one is the first.
  const behind = told(...inOne({ route: 1, baseRaw: 5n }, later))
  expect(aliceOf(behind)).toMatchObject({ untracked_tokens: 40, buys: 1 })
})

test('a balance between two swaps of a transaction settles what was clamped before it', () => {
  const at = { slot: 120, txIndex: 9_999, signature: 'one' }
  const first = swap({ ...at, ordinal: 0, baseBalanceAfterRaw: 20_000_000n })
  const between = balance({ ...at, ordinal: 1, balanceRaw: 20_000_000n })
  const second = swap({ ...at, ordinal: 2, direction: 'sell', baseRaw: 50_000_000n })
  const pair = told(created(), swap({ slot: 110 }), first, between, second)
  expect(aliceOf(pair)).toMatchObject({ untracked_tokens: 30, holding_amount: 0 })
})

test('what is told of a token at rest wakes it', () => {
  const later = [500, 600, 700].map((slot) => swap({ mint: 'X', pool: 'curve X', slot }))
  const events = [reserves({ ...OTHER_PRICE, slot: 701 }), balance({ slot: 701, balanceRaw: 7n })]
  for (const event of events) {
    const pair = told(created(), swap(), ...later)
    pair.rest()
    expect(pair.engine.state.dormant.tokens).toBe(1)
    expect(follow(pair, [event])).toBeNull()
    expect(checkAll(pair, 1)).toBeNull()
    expect(pair.engine.state.dormant.tokens).toBe(0)
  }
})

test('a creator that is told behind its trades, or behind what it was handed, is no insider', () => {
  for (const first of [swap({ direction: 'sell' }), swap({ baseBalanceBeforeRaw: 5n }), balance()])
    for (const [creator, insider_wallet] of [
      ['alice', false],
      ['bob', true],
    ] as const) {
      const known = swap({ signer: 'carol', slot: 109 })
      const pair = told(known, first, created({ slot: 111, creator }))
      expect(aliceOf(pair)).toMatchObject({ insider_wallet })
    }
})
