import { expect, test } from 'vitest'
import { encodeBase58 } from '../../src/base/base58.ts'
import { USDC_MINT } from '../../src/events/platform.ts'
import {
  BUY_EVENT,
  DEPOSIT_EVENT,
  SELL_EVENT,
} from '../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import type { AnyEventLayout, FieldValue } from '../../src/feeds/chain/layouts/event-layout.ts'
import { WRAPPED_SOL_MINT, ZERO_ADDRESS } from '../../src/feeds/chain/layouts/programs.ts'
import {
  COMPLETE_EVENT,
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  CREATE_EVENT,
  TRADE_EVENT,
} from '../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { ChainNormaliser } from '../../src/feeds/chain/normalise.ts'
import type { EmittedBytes } from '../../src/feeds/chain/transactions/program-logs.ts'
import type { TokenBalanceChange } from '../../src/feeds/chain/transactions/transaction.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { eventBytes } from './peers/event-bytes.ts'

type Values = Readonly<Record<string, FieldValue>>

const [MINT, POOL, WALLET] = [1, 2, 3].map((n) => encodeBase58(Buffer.alloc(32, n)))
const TIMESTAMP = { timestamp: 1_790_000_000n }
const U64_MAX = 2n ** 64n - 1n

function emitted(layout: AnyEventLayout, values: Values): EmittedBytes {
  return { program: layout.program, bytes: eventBytes(layout, values) }
}

/** As an older program wrote it, which did not know `field` and what stands behind it. */
function before(field: string, layout: AnyEventLayout, values: Values): EmittedBytes {
  const names = layout.names.slice(0, layout.names.indexOf(field))
  const older = { ...layout, names, types: layout.types.slice(0, names.length) }
  const known = Object.entries(values).filter(([name]) => names.includes(name))
  return emitted(older, Object.fromEntries(known))
}

/** What becomes of the events of one transaction; the pool is known. */
function read(...selfCpi: readonly EmittedBytes[]) {
  return readWith([], ...selfCpi)
}

function readWith(balances: readonly TokenBalanceChange[], ...selfCpi: readonly EmittedBytes[]) {
  const counters = newFeedCounters()
  const normaliser = new ChainNormaliser(counters)
  normaliser.pools.learn(POOL, { mint: MINT, quoteMint: null })
  const transaction = {
    ...{
      slot: 1,
      txIndex: 0,
      signature: 'signature',
      failed: false,
      blockTime: null,
      signers: [],
      logs: null,
      feeRaw: null,
    },
    ...{ selfCpi, balances },
  }
  const decoded = normaliser.decode(transaction)
  const unknownPools = normaliser.unknownPools(decoded, transaction)
  return { events: normaliser.eventsOf(decoded, transaction), counters, unknownPools }
}

/** Each amount is another one, so that none can stand in for another. */
const CURVE = {
  ...TIMESTAMP,
  mint: MINT,
  user: WALLET,
  sol_amount: 1n,
  quote_amount: 2n,
  virtual_sol_reserves: 3n,
  virtual_quote_reserves: 4n,
  real_sol_reserves: 5n,
  real_quote_reserves: 6n,
  virtual_token_reserves: 7n,
  real_token_reserves: 8n,
  token_amount: 9n,
}
const OF_SOL = { quoteRaw: 1n, virtualQuoteRaw: 3n, realQuoteRaw: 5n }
const OF_QUOTE = { quoteRaw: 2n, virtualQuoteRaw: 4n, realQuoteRaw: 6n }

test('a trade on a curve has its amount and reserves from the fields of what the curve is quoted in', () => {
  const bases = { baseRaw: 9n, virtualBaseRaw: 7n, realBaseRaw: 8n }
  for (const [quote_mint, quotes] of [
    [ZERO_ADDRESS, OF_SOL],
    [WRAPPED_SOL_MINT, OF_SOL],
    [USDC_MINT, OF_QUOTE],
  ] as const)
    expect(read(emitted(TRADE_EVENT, { ...CURVE, quote_mint })).events).toMatchObject([
      { type: 'swap', signer: WALLET, ...bases, ...quotes },
    ])
})

const CREATED = {
  ...{ ...TIMESTAMP, mint: MINT, virtual_sol_reserves: 3n, virtual_quote_reserves: 4n },
  ...{ virtual_token_reserves: 7n, real_token_reserves: 8n, token_total_supply: 9n },
}

test('a creation has its reserves from the fields of what its curve is quoted in', () => {
  for (const [quote_mint, virtualQuoteRaw] of [
    [ZERO_ADDRESS, 3n],
    [WRAPPED_SOL_MINT, 3n],
    [USDC_MINT, 4n],
  ] as const)
    expect(read(emitted(CREATE_EVENT, { ...CREATED, quote_mint })).events).toMatchObject([
      { virtualQuoteRaw, virtualBaseRaw: 7n, realBaseRaw: 8n, supplyRaw: 9n, decimals: 6 },
    ])
})

test('trades and creations of before quotes were told are in SOL', () => {
  for (const field of ['quote_mint', 'creator']) {
    const [trade] = read(before(field, TRADE_EVENT, CURVE)).events
    expect(trade).toMatchObject({ type: 'swap', ...OF_SOL, realBaseRaw: 8n })
    expect(trade).not.toHaveProperty('quoteMint')
  }
  const [created] = read(before('quote_mint', CREATE_EVENT, CREATED)).events
  expect(created).toMatchObject({ type: 'token_created', virtualQuoteRaw: 3n })
})

test('a creation of before creators were told is of who made it, with what every curve began with', () => {
  const values = {
    mint: MINT,
    name: 'Name',
    symbol: 'SYM',
    uri: 'uri',
    user: WALLET,
    bonding_curve: POOL,
  }
  const creation = before('creator', CREATE_EVENT, values)
  // It has no time: a trade beside it does.
  const { events, counters } = read(creation, emitted(TRADE_EVENT, CURVE))
  expect(counters.unusableEvents).toBe(0)
  expect(events[0]).toMatchObject({
    ...{ type: 'token_created', creator: WALLET, name: 'Name', timestamp: 1_790_000_000 },
    ...{
      supplyRaw: 10n ** 15n,
      virtualBaseRaw: 1_073n * 10n ** 12n,
      virtualQuoteRaw: 30n * 10n ** 9n,
    },
    realBaseRaw: 793_100_000_000_000n,
  })
  // Between the two forms it says neither who made it nor what it has.
  expect(read(before('timestamp', CREATE_EVENT, values)).events).toEqual([])
})

test('cashback that a trade pays is told with it, and none is not', () => {
  const trade = (cashback: bigint) => read(emitted(TRADE_EVENT, { ...CURVE, cashback })).events[0]
  expect(trade(7n)).toMatchObject({ type: 'swap', cashbackRaw: 7n })
  expect(trade(0n)).not.toHaveProperty('cashbackRaw')
})

test('a creation of before the supply was told has none', () => {
  const [created] = read(before('token_total_supply', CREATE_EVENT, CREATED)).events
  expect(created).toMatchObject({ type: 'token_created', virtualQuoteRaw: 3n })
  expect(created).not.toHaveProperty('supplyRaw')
})

test('a token of before the token program was told is one of the first token program', () => {
  const token_program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
  for (const [told, tokenProgram] of [
    [emitted(CREATE_EVENT, { ...CREATED, token_program }), token_program],
    [before('token_program', CREATE_EVENT, CREATED), 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  ] as const)
    expect(read(told).events).toMatchObject([{ type: 'token_created', tokenProgram }])
})

test('events that end before what makes them up are left out and counted', () => {
  const usdc = { ...CURVE, quote_mint: USDC_MINT }
  const pool = { ...TIMESTAMP, pool: POOL, user: WALLET }
  for (const cut of [
    before('real_token_reserves', TRADE_EVENT, CURVE),
    before('real_quote_reserves', TRADE_EVENT, usdc),
    before('real_token_reserves', CREATE_EVENT, CREATED),
    before('virtual_quote_reserves', CREATE_EVENT, { ...CREATED, quote_mint: USDC_MINT }),
    before('timestamp', COMPLETE_EVENT, {}),
    before('pool', COMPLETE_PUMP_AMM_MIGRATION_EVENT, TIMESTAMP),
    before('user', BUY_EVENT, pool),
    before('user', SELL_EVENT, pool),
  ]) {
    const { events, counters } = read(cut)
    expect(events).toEqual([])
    expect(counters).toMatchObject({ unusableEvents: 1, unknownPools: 0 })
  }
})

test('events whose time is before 1970 or does not fit 32 bits are left out and counted', () => {
  const layouts = [
    ...[TRADE_EVENT, CREATE_EVENT, COMPLETE_EVENT, COMPLETE_PUMP_AMM_MIGRATION_EVENT],
    ...[BUY_EVENT, SELL_EVENT],
  ]
  const at = (layout: AnyEventLayout, timestamp: bigint) =>
    read(emitted(layout, { timestamp, ...(layout.indexes.has('pool') && { pool: POOL }) }))
  for (const layout of layouts) {
    for (const timestamp of [-1n, 2n ** 32n]) {
      const { events, counters } = at(layout, timestamp)
      expect(events, layout.name).toEqual([])
      expect(counters.unusableEvents, layout.name).toBe(1)
    }
    for (const timestamp of [0n, 2n ** 32n - 1n])
      expect(at(layout, timestamp).events).toMatchObject([{ timestamp: Number(timestamp) }])
  }
})

test('events that nobody knows yet are counted, and those around them keep their places', () => {
  const trade = (token_amount: bigint) => emitted(TRADE_EVENT, { ...CURVE, token_amount })
  const unknown = { program: 'pump' as const, bytes: Buffer.alloc(40, 0xee) }
  const { events, counters } = read(trade(6n), unknown, trade(8n))
  expect(events).toMatchObject([
    { ordinal: 0, baseRaw: 6n },
    { ordinal: 1, baseRaw: 8n },
  ])
  expect(counters.unknownEvents).toBe(1)
})

const TRADED = {
  ...{ ...TIMESTAMP, pool: POOL, user: WALLET },
  ...{ user_base_token_reserves: 5_000n, pool_base_token_reserves: 1_000_000n },
  ...{ pool_quote_token_reserves: 400_000n, virtual_quote_reserves: 70_000n },
  ...{ protocol_fee: 7n, coin_creator_fee: 11n },
}

test('a buy on the AMM takes the tokens out of the pool, and puts the quote in with the LP fee', () => {
  const common = { ...TRADED, base_amount_out: 1_000n, base_supply: 77n }
  const fees = { quote_amount_in_with_lp_fee: 520n, lp_fee: 20n, cashback: 3n }
  // `buy` has the net amount in one field, and `buy_exact_quote_in` in the other.
  for (const spent of [
    { quote_amount_in: 500n, user_quote_amount_in: 538n },
    { quote_amount_in: 538n, user_quote_amount_in: 500n },
  ])
    expect(read(emitted(BUY_EVENT, { ...common, ...fees, ...spent })).events).toMatchObject([
      {
        ...{ lpFeeRaw: 20n, cashbackRaw: 3n },
        ...{ direction: 'buy', mint: MINT, pool: POOL, signer: WALLET, baseRaw: 1_000n },
        ...{ quoteRaw: 500n, virtualBaseRaw: 999_000n, virtualQuoteRaw: 470_520n },
        ...{ realBaseRaw: 999_000n, realQuoteRaw: 400_520n, platformFeeRaw: 7n },
        ...{ creatorFeeRaw: 11n, supplyRaw: 77n },
        ...{ baseBalanceBeforeRaw: 5_000n, baseBalanceAfterRaw: 6_000n },
      },
    ])
})

test('a sell on the AMM puts the tokens into the pool, and takes the quote out without the LP fee', () => {
  const amounts = { base_amount_in: 1_000n, quote_amount_out: 500n }
  const fees = { lp_fee: 20n, cashback: 4n }
  const sold = { ...TRADED, ...amounts, ...fees, quote_amount_out_without_lp_fee: 480n }
  const [swap] = read(emitted(SELL_EVENT, { ...sold, virtual_quote_reserves: -20n })).events
  expect(swap).toMatchObject({
    ...{ direction: 'sell', baseRaw: 1_000n, quoteRaw: 500n, virtualBaseRaw: 1_001_000n },
    ...{ virtualQuoteRaw: 399_500n, realBaseRaw: 1_001_000n, realQuoteRaw: 399_520n },
    ...{ lpFeeRaw: 20n, cashbackRaw: 4n },
    ...{ baseBalanceBeforeRaw: 5_000n, baseBalanceAfterRaw: 4_000n },
  })
  expect(swap).not.toHaveProperty('supplyRaw')
})

test('reserves of the AMM that leave 64 bits end there', () => {
  const { events, counters } = read(
    emitted(BUY_EVENT, {
      ...{ ...TRADED, base_amount_out: 2_000_000n, quote_amount_in_with_lp_fee: 1n },
      ...{ pool_quote_token_reserves: U64_MAX, virtual_quote_reserves: -(2n ** 100n) },
    }),
  )
  expect(events).toMatchObject([
    { virtualBaseRaw: 0n, virtualQuoteRaw: 0n, realBaseRaw: 0n, realQuoteRaw: U64_MAX },
  ])
  expect(counters.contradictoryEvents).toBe(1)
})

test('pools are asked for behind an event that ends too early as well', () => {
  const other = encodeBase58(Buffer.alloc(32, 9))
  const cut = before('user', BUY_EVENT, { ...TRADED, pool: other })
  const [one, two] = [BUY_EVENT, SELL_EVENT].map((layout) =>
    emitted(layout, { ...TRADED, pool: other }),
  )
  const created = emitted(CREATE_EVENT, CREATED)
  expect(read(cut).unknownPools).toEqual([])
  expect(read(created, cut, one, two, emitted(BUY_EVENT, TRADED)).unknownPools).toEqual([other])
})

const AMM_TRADES = [BUY_EVENT, SELL_EVENT].map((layout) => emitted(layout, TRADED))

test('a trade has the balance of its own wallet in its own mint, whatever its event says', () => {
  const other = encodeBase58(Buffer.alloc(32, 9))
  const change = (owner: string, mint: string, afterRaw: bigint) => ({
    ...{ owner, mint, beforeRaw: afterRaw - 1n, afterRaw },
  })
  const others = [change(WALLET, other, 10n), change(other, MINT, 20n)]
  for (const trade of [emitted(TRADE_EVENT, CURVE), ...AMM_TRADES]) {
    const told = { type: 'balance', mint: MINT, wallet: other, balanceRaw: 20n }
    expect(readWith([...others, change(WALLET, MINT, 30n)], trade).events).toMatchObject([
      { baseBalanceBeforeRaw: 29n, baseBalanceAfterRaw: 30n },
      told,
    ])
    // An account that was made and closed in the transaction is in neither list.
    expect(readWith(others, trade).events).toMatchObject([
      { baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: 0n },
      told,
    ])
  }
})

test('where no balance of the mint is told, a trade has that of its event, which those on curves do not have', () => {
  const others = [{ owner: WALLET, mint: WRAPPED_SOL_MINT, beforeRaw: 9n, afterRaw: 8n }]
  const [trade, ...ofPool] = [emitted(TRADE_EVENT, CURVE), ...AMM_TRADES].map(
    (event) => readWith(others, event).events[0],
  )
  expect(trade).not.toHaveProperty('baseBalanceBeforeRaw')
  expect(trade).not.toHaveProperty('baseBalanceAfterRaw')
  for (const swap of ofPool)
    expect(swap).toMatchObject({ baseBalanceBeforeRaw: TRADED.user_base_token_reserves })
})

test('who puts liquidity into a pool says nothing of its mints', () => {
  const other = encodeBase58(Buffer.alloc(32, 9))
  const put = emitted(DEPOSIT_EVENT, { ...TIMESTAMP, pool: other, user: WALLET })
  const { counters } = read(put, emitted(BUY_EVENT, { ...TRADED, pool: other }))
  expect(counters).toMatchObject({ unknownPools: 1, foreignPools: 0 })
})

test('what other accounts of the transaction hold says nothing of the mints of a pool', () => {
  const [other, third] = [8, 9].map((n) => encodeBase58(Buffer.alloc(32, n)))
  const held = (owner: string, mint: string) => ({ owner, mint, beforeRaw: 1n, afterRaw: 2n })
  const balances = [
    ...[held(WALLET, MINT), held(other, MINT), held(WALLET, third)],
    ...[held(other, WRAPPED_SOL_MINT), held(third, WRAPPED_SOL_MINT)],
  ]
  const { events, counters } = readWith(balances, emitted(BUY_EVENT, { ...TRADED, pool: other }))
  expect(events).toEqual([])
  expect(counters).toMatchObject({ unknownPools: 0, foreignPools: 1 })
})
