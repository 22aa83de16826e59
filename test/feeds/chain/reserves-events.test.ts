import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import {
  BOOST_BUY_AND_BURN_EVENT,
  BUY_EVENT,
  CREATE_POOL_EVENT,
  DEPOSIT_EVENT,
  INIT_BOOST_EVENT,
  SELL_EVENT,
  WITHDRAW_EVENT,
} from '../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import { WRAPPED_SOL_MINT } from '../../../src/feeds/chain/layouts/programs.ts'
import {
  COMPLETE_EVENT,
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  CREATE_EVENT,
  POST_COMPLETE_BUY_EVENT,
  TRADE_EVENT,
  UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT,
} from '../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { ReserveCheck } from '../../../src/feeds/chain/reserve-check.ts'
import { amm, curveOf, poolOf, pump } from '../peers/program-forms.ts'
import { address, DecodingFeed, TIMESTAMP } from '../peers/told-transaction.ts'

const MINT = address(7)
const POOL = poolOf(MINT)
const WALLET = address(8)
const AT = { timestamp: TIMESTAMP }

const OPENED = {
  ...{ ...AT, base_mint: MINT, quote_mint: WRAPPED_SOL_MINT, pool: POOL },
  ...{ pool_base_amount: 206_000n, pool_quote_amount: 85_000n, quote_mint_decimals: 9 },
}
const opened = amm(CREATE_POOL_EVENT, OPENED)
const boosted = amm(INIT_BOOST_EVENT, {
  ...{ ...AT, mint: MINT, pool: POOL, bonding_curve: curveOf(MINT) },
  ...{ virtual_quote_reserves: 17_000n, real_quote_reserves_after: 68_000n },
})
const migrated = pump(COMPLETE_PUMP_AMM_MIGRATION_EVENT, {
  ...{ ...AT, mint: MINT, pool: POOL, bonding_curve: curveOf(MINT) },
})
const bought = (values: Record<string, bigint | string> = {}) =>
  amm(BUY_EVENT, {
    ...{ ...AT, pool: POOL, user: WALLET, user_base_token_account: address(9) },
    ...{ user_quote_token_account: address(10), base_amount_out: 1_000n, lp_fee: 2n },
    ...{ pool_base_token_reserves: 206_000n, pool_quote_token_reserves: 68_000n },
    ...{ quote_amount_in_with_lp_fee: 402n, virtual_quote_reserves: 17_000n, base_supply: 999n },
    ...values,
  })

/** A feed that knows the pool. */
function feed(): DecodingFeed {
  const told = new DecodingFeed()
  told.events([migrated])
  return told
}

test('a mayhem curve that is priced anew has its new virtual reserves, and is no trade', () => {
  const repriced = pump(UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT, {
    ...{ ...AT, mint: MINT, virtual_token_reserves: 1n, virtual_sol_reserves: 2n },
    ...{ new_virtual_token_reserves: 3n, new_virtual_sol_reserves: 4n },
    ...{ real_token_reserves: 5n, real_sol_reserves: 6n },
  })
  expect(new DecodingFeed().events([repriced])).toEqual([
    {
      ...{ type: 'reserves', slot: 1, txIndex: 2, ordinal: 0, signature: 'signature' },
      ...{ timestamp: Number(TIMESTAMP), mint: MINT, source: 'pump', reason: 'mayhem' },
      ...{ virtualBaseRaw: 3n, virtualQuoteRaw: 4n, realBaseRaw: 5n, realQuoteRaw: 6n },
    },
  ])
})

const CURVE_TRADE = {
  ...{ ...AT, mint: MINT, user: WALLET, is_buy: true, mayhem_mode: true, token_amount: 10n },
  ...{ virtual_token_reserves: 3n, virtual_sol_reserves: 4n, sol_amount: 1n },
  ...{ real_token_reserves: 5n, real_sol_reserves: 6n, ix_name: 'buy' },
}
const CREATED = {
  ...{ ...AT, mint: MINT, user: WALLET, creator: WALLET, bonding_curve: curveOf(MINT) },
  ...{ real_token_reserves: 9n, is_mayhem_mode: true },
}

test('that a curve is a mayhem one is told once by its trades, behind the events of the transaction', () => {
  const told = new DecodingFeed()
  const trade = pump(TRADE_EVENT, CURVE_TRADE)
  const last = pump(TRADE_EVENT, { ...CURVE_TRADE, virtual_sol_reserves: 44n })
  const first = told.events([trade, last])
  expect(first.map(({ type }) => type)).toEqual(['swap', 'swap', 'reserves'])
  expect(first[2]).toMatchObject({ ordinal: 2, reason: 'mayhem', source: 'pump', realBaseRaw: 5n })
  expect(first[2]).toMatchObject({ virtualBaseRaw: 3n, virtualQuoteRaw: 44n, realQuoteRaw: 6n })
  expect(told.events([trade], { signature: 'another' }).map(({ type }) => type)).toEqual(['swap'])
  // What was told first may have been let go.
  expect(told.events([trade, last])).toEqual(first)
})

test('a creation that was seen says it for its trades', () => {
  const told = new DecodingFeed()
  expect(told.events([pump(CREATE_EVENT, CREATED)])).toMatchObject([{ isMayhemMode: true }])
  const events = told.events([pump(TRADE_EVENT, CURVE_TRADE)])
  expect(events.map(({ type }) => type)).toEqual(['swap'])
})

test('a pool opens with what its creation says, and with a boost with what is virtual of it', () => {
  const reserves = {
    ...{ type: 'reserves', mint: MINT, source: 'pump_amm', reason: 'pool_opened' },
    ...{ virtualBaseRaw: 206_000n, virtualQuoteRaw: 85_000n, realBaseRaw: 206_000n },
  }
  expect(new DecodingFeed().events([opened, migrated])).toMatchObject([
    { ...reserves, ordinal: 0, realQuoteRaw: 85_000n },
    { type: 'migrated', ordinal: 1 },
  ])
  expect(new DecodingFeed().events([opened, boosted, migrated])).toMatchObject([
    { ...reserves, ordinal: 1, realQuoteRaw: 68_000n },
    { type: 'migrated', ordinal: 2 },
  ])
})

test('where the log was cut before the event of the migration, the pool says it, and never twice', () => {
  const kinds = (events: readonly FeedEvent[]) => events.map(({ type }) => type)
  expect(new DecodingFeed().events([opened])[0]).toMatchObject({
    ...{ type: 'migrated', mint: MINT, poolAmm: POOL, bondingCurve: curveOf(MINT), ordinal: 0 },
  })
  expect(kinds(new DecodingFeed().events([opened, boosted]))).toEqual(['migrated', 'reserves'])
  expect(kinds(new DecodingFeed().events([migrated, opened]))).toEqual(['migrated', 'reserves'])
  const foreign = amm(CREATE_POOL_EVENT, { ...OPENED, pool: address(1), index: 0 })
  expect(new DecodingFeed().events([foreign])).toEqual([])
})

const BOOST = { user_base_token_account: address(0), lp_fee: 0n, quote_amount_in_with_lp_fee: 400n }
const burned = amm(BOOST_BUY_AND_BURN_EVENT, {
  ...{ ...AT, mint: MINT, pool: POOL, base_amount_burned: 1_000n, virtual_quote_reserves: 17_000n },
  ...{ base_reserves_after: 205_000n, real_quote_reserves_after: 68_400n },
})

test('a boost buys and burns without a buyer: price, reserves and supply follow', () => {
  const reserves = {
    ...{ type: 'reserves', mint: MINT, source: 'pump_amm', reason: 'boost' },
    ...{ virtualBaseRaw: 205_000n, virtualQuoteRaw: 85_400n, realBaseRaw: 205_000n },
    ...{ realQuoteRaw: 68_400n },
  }
  const told = feed()
  expect(told.events([bought(BOOST), burned])).toMatchObject([{ ...reserves, supplyRaw: 999n }])
  // Of a log that was cut between the two, and of one that lacks the first.
  expect(told.events([bought(BOOST)])).toMatchObject([{ ...reserves, supplyRaw: 999n }])
  expect(told.events([burned])).toMatchObject([reserves])
  expect(told.counters).toMatchObject({ unknownEvents: 0, signersUntold: 0 })
})

test('a purchase without a fee, and one into no account of its own, are somebody’s', () => {
  const told = feed()
  for (const values of [
    { lp_fee: 0n, quote_amount_in_with_lp_fee: 400n },
    { user_base_token_account: address(0) },
    { ...BOOST, coin_creator_fee: 1n },
  ])
    expect(told.events([bought(values)])).toMatchObject([{ type: 'swap', quoteRaw: 400n }])
  // Out of no account at all, it is a boost beside the burn of its own pool.
  const untold = bought({ ...BOOST, user_quote_token_account: address(0) })
  const [mint, pool] = [address(11), poolOf(address(11))]
  const elsewhere = amm(BOOST_BUY_AND_BURN_EVENT, { ...AT, mint, pool, base_reserves_after: 1n })
  const kinds = (...emitted: Parameters<DecodingFeed['events']>[0]) =>
    told.events(emitted).map(({ type }) => type)
  expect(kinds(untold, burned)).toEqual(['reserves'])
  expect(kinds(untold)).toEqual(['swap'])
  expect(kinds(untold, elsewhere)[0]).toBe('swap')
})

test('a trade of more than its pool has is told as far as it goes, and counted', () => {
  const told = feed()
  for (const [values, reserves] of [
    [{ base_amount_out: 206_001n }, { virtualBaseRaw: 0n, virtualQuoteRaw: 85_402n }],
    [{ virtual_quote_reserves: -68_403n }, { virtualBaseRaw: 205_000n, virtualQuoteRaw: 0n }],
    [{ lp_fee: 403n }, { virtualBaseRaw: 205_000n, virtualQuoteRaw: 85_402n }],
  ] as const)
    expect(told.events([bought(values)])).toMatchObject([{ type: 'swap', ...reserves }])
  expect(told.counters.contradictoryEvents).toBe(3)
})

const CHANGE = {
  ...{ ...AT, pool: POOL, user: WALLET },
  ...{ pool_base_token_reserves: 200_000n, pool_quote_token_reserves: 60_000n },
}
const deposit = amm(DEPOSIT_EVENT, { ...CHANGE, base_amount_in: 2_000n, quote_amount_in: 600n })
const withdrawal = amm(WITHDRAW_EVENT, {
  ...{ ...CHANGE, base_amount_out: 2_000n, quote_amount_out: 600n },
})

test('deposits and withdrawals move the reserves of the pool, with its virtual part where it is known', () => {
  const told = feed()
  const common = { type: 'reserves', mint: MINT, source: 'pump_amm' }
  // The price stays where nobody told the virtual part.
  expect(told.events([deposit])).toMatchObject([
    {
      ...{ ...common, reason: 'deposit', realBaseRaw: 202_000n, realQuoteRaw: 60_600n },
      ...{ virtualBaseRaw: 0n, virtualQuoteRaw: 0n },
    },
  ])
  told.events([bought()])
  expect(told.events([deposit])).toMatchObject([
    { virtualBaseRaw: 202_000n, virtualQuoteRaw: 77_600n, realQuoteRaw: 60_600n },
  ])
  expect(told.events([withdrawal])).toMatchObject([
    {
      ...{ ...common, reason: 'withdraw', realBaseRaw: 198_000n, realQuoteRaw: 59_400n },
      ...{ virtualBaseRaw: 198_000n, virtualQuoteRaw: 76_400n },
    },
  ])
})

test('what others put into a pool of their own moves nothing, and what contradicts itself is counted', () => {
  const told = feed()
  const foreign = amm(CREATE_POOL_EVENT, { ...OPENED, pool: address(1) })
  const other = amm(DEPOSIT_EVENT, { ...CHANGE, pool: address(1), base_amount_in: 1n })
  expect(told.events([foreign, other])).toEqual([])
  expect(told.counters.contradictoryEvents).toBe(0)
  const all = amm(WITHDRAW_EVENT, { ...CHANGE, base_amount_out: 200_001n })
  expect(told.events([all])).toMatchObject([{ realBaseRaw: 0n, realQuoteRaw: 60_000n }])
  expect(told.counters.contradictoryEvents).toBe(1)
})

const COMPLETING = {
  ...{ ...CURVE_TRADE, mayhem_mode: false, real_token_reserves: 0n },
}
const behind = pump(POST_COMPLETE_BUY_EVENT, {
  ...{ ...AT, user: WALLET, mint: MINT, bonding_curve: curveOf(MINT), base_out: 50n },
  ...{ quote_in: 20n, fee: 2n, creator_fee: 1n, pool_base_reserves_after: 206_000n },
  pool_quote_reserves_after: 85_000n,
})

test('the buy that completes a curve goes on as a swap of its own', () => {
  const completed = pump(COMPLETE_EVENT, { ...AT, mint: MINT, bonding_curve: curveOf(MINT) })
  const events = new DecodingFeed().events([pump(TRADE_EVENT, COMPLETING), completed, behind], {
    feeRaw: 5_000n,
  })
  expect(events.map(({ type }) => type)).toEqual(['swap', 'completed', 'swap'])
  expect(events[2]).toEqual({
    ...{ type: 'swap', slot: 1, txIndex: 2, ordinal: 2, signature: 'signature' },
    ...{ timestamp: Number(TIMESTAMP), source: 'pump', mint: MINT, pool: curveOf(MINT) },
    ...{ signer: WALLET, direction: 'buy', baseRaw: 50n, quoteRaw: 20n, platformFeeRaw: 2n },
    ...{ creatorFeeRaw: 1n, chainFeeRaw: 5_000n, virtualBaseRaw: 206_000n },
    ...{ virtualQuoteRaw: 85_000n, realBaseRaw: 0n, realQuoteRaw: 0n },
  })
})

test('a right stream of all of these has no drifts, and a lost swap is still seen', () => {
  const told = new DecodingFeed()
  const trade = (values: object) => pump(TRADE_EVENT, { ...CURVE_TRADE, ...values })
  const events = [
    [trade({ real_token_reserves: 10n, token_amount: 1n })],
    [pump(TRADE_EVENT, COMPLETING), behind],
    [opened, boosted, migrated],
    [bought()],
    [bought({ ...BOOST, pool_base_token_reserves: 205_000n }), burned],
    [deposit],
    [amm(SELL_EVENT, { ...CHANGE, pool_base_token_reserves: 202_000n, base_amount_in: 5n })],
    [withdrawal],
  ].flatMap((emitted) => told.events(emitted))
  const check = (of: readonly FeedEvent[]) => {
    const reserves = new ReserveCheck()
    reserves.check(of)
    return { curve: reserves.curveDrifts, pool: reserves.poolDrifts }
  }
  expect(check(events)).toEqual({ curve: 0, pool: 0 })
  const isDeposit = (event: FeedEvent) => event.type === 'reserves' && event.reason === 'deposit'
  expect(check(events.filter((event) => !isDeposit(event)))).toEqual({ curve: 0, pool: 1 })
  const [first, second] = [bought(), bought({ pool_base_token_reserves: 205_000n })]
  const two = [[opened, boosted, migrated], [first], [second]].flatMap((one) => told.events(one))
  expect(check(two)).toEqual({ curve: 0, pool: 0 })
  expect(check(two.filter((_, n) => n !== 2))).toEqual({ curve: 0, pool: 1 })
})
