import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeBase58 } from '../../src/base/base58.ts'
import type { FeedEvent, Swap } from '../../src/events/event.ts'
import { USDC_MINT } from '../../src/events/platform.ts'
import {
  BUY_EVENT,
  CREATE_POOL_EVENT,
  SELL_EVENT,
} from '../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import { decodeEvent, EVENT_LAYOUTS } from '../../src/feeds/chain/layouts/decode-event.ts'
import { canonicalPoolAddress } from '../../src/feeds/chain/layouts/program-address.ts'
import {
  AMM_PROGRAM,
  PUMP_PROGRAM,
  WRAPPED_SOL_MINT,
  ZERO_ADDRESS,
} from '../../src/feeds/chain/layouts/programs.ts'
import {
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  CREATE_EVENT,
  TRADE_EVENT,
} from '../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { ChainNormaliser } from '../../src/feeds/chain/normalise.ts'
import { ReserveCheck } from '../../src/feeds/chain/reserve-check.ts'
import { eventsOfLogs } from '../../src/feeds/chain/transactions/program-logs.ts'
import { decodeTransaction } from '../../src/feeds/chain/transactions/transaction.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { eventBytes } from './peers/event-bytes.ts'
import { replayOf } from './peers/feed-run.ts'
import { transactionLines } from './peers/rpc-forms.ts'
import { syntheticChain } from './peers/synthetic-chain.ts'

const MINT = encodeBase58(Buffer.alloc(32, 7))
const TRADE = {
  mint: MINT,
  sol_amount: 5n,
  token_amount: 6n,
  ix_name: 'buy',
  timestamp: 1_790_000_000n,
}

function transactionOf(...events: readonly Uint8Array[]) {
  return {
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
    selfCpi: events.map((bytes) => ({ program: 'pump' as const, bytes })),
    balances: [],
  }
}

test('nine events of the two programs have the same discriminator, and each is its own', () => {
  const pump = EVENT_LAYOUTS.filter((layout) => layout.program === 'pump')
  const pairs = pump.flatMap((layout) => {
    const other = EVENT_LAYOUTS.find(
      ({ program, discriminator }) =>
        program === 'pump_amm' && discriminator === layout.discriminator,
    )
    return other === undefined ? [] : [[layout, other] as const]
  })
  expect(pairs).toHaveLength(9)
  for (const [one, other] of pairs) {
    expect(one.name).toBe(other.name)
    for (const layout of [one, other])
      expect(decodeEvent(layout.program, eventBytes(layout, {}))?.layout).toBe(layout)
  }
})

test('the program of a log line is that of the invocation around it, so colliding events do not mix', () => {
  const [pump, amm] = EVENT_LAYOUTS.filter(({ name }) => name === 'ExtendAccountEvent')
  const line = (layout: typeof pump) => `Program data: ${eventBytes(layout, {}).toString('base64')}`
  const { emitted } = eventsOfLogs([
    `Program ${PUMP_PROGRAM} invoke [1]`,
    `Program ${AMM_PROGRAM} invoke [2]`,
    line(amm),
    `Program ${AMM_PROGRAM} success`,
    line(pump),
    `Program ${PUMP_PROGRAM} success`,
  ])
  expect(emitted.map(({ program }) => program)).toEqual(['pump_amm', 'pump'])
  const layouts = emitted.map(({ program, bytes }) => decodeEvent(program, bytes)?.layout)
  expect(layouts).toEqual([amm, pump])
})

test('bytes behind the last field of an event change nothing and are counted', () => {
  const tails = [
    [TRADE_EVENT, 8],
    [BUY_EVENT, 8],
    [SELL_EVENT, 8],
    [CREATE_EVENT, 1],
  ] as const
  for (const [layout, size] of tails) {
    const plain = eventBytes(layout, { timestamp: 1_790_000_000n })
    const longer = Buffer.concat([plain, Buffer.alloc(size, 0xab)])
    const decoded = decodeEvent(layout.program, longer)
    expect(decoded?.values).toEqual(decodeEvent(layout.program, plain)?.values)
    expect(decoded?.unknownTailBytes).toBe(size)
    const counters = newFeedCounters()
    const emitted = [{ program: layout.program, bytes: longer }]
    decodeTransaction({ ...transactionOf(), selfCpi: emitted }, counters)
    expect(counters.unknownTails, layout.name).toBe(1)
  }
})

test('a trade with two shareholders has what stands behind them', () => {
  const shareholders = [
    { address: encodeBase58(Buffer.alloc(32, 1)), share_bps: 7_000 },
    { address: encodeBase58(Buffer.alloc(32, 2)), share_bps: 3_000 },
  ]
  const values = { ...TRADE, ix_name: 'sell', shareholders, holder_rewards: 99n }
  const bytes = eventBytes(TRADE_EVENT, values)
  const without = eventBytes(TRADE_EVENT, { ...values, shareholders: [] })
  expect(bytes.length - without.length).toBe(2 * 34)
  // As seen on the chain.
  expect(bytes).toHaveLength(451)
  const decoded = decodeEvent('pump', bytes)
  expect(decoded?.toObject()).toMatchObject({ shareholders, holder_rewards: 99n, token_amount: 6n })
})

test('two swaps in a signature are two swaps, with their ordinals', () => {
  const reserves = {
    virtual_sol_reserves: 10n,
    virtual_token_reserves: 20n,
    real_token_reserves: 30n,
  }
  const [one, two] = [6n, 8n].map((token_amount) =>
    eventBytes(TRADE_EVENT, { ...TRADE, ...reserves, token_amount, is_buy: true }),
  )
  const events = new ChainNormaliser(newFeedCounters()).events(transactionOf(one, two))
  expect(events).toMatchObject([
    { type: 'swap', ordinal: 0, signature: 'signature', baseRaw: 6n },
    { type: 'swap', ordinal: 1, signature: 'signature', baseRaw: 8n },
  ])
})

test('trades on a curve that is not quoted in SOL tell what it is quoted in', () => {
  const values = { ...TRADE, quote_amount: 2_500_000n, real_quote_reserves: 1n }
  const trade = (quote: string) => eventBytes(TRADE_EVENT, { ...values, quote_mint: quote })
  const trades = [USDC_MINT, ZERO_ADDRESS, WRAPPED_SOL_MINT].map(trade)
  const events = new ChainNormaliser(newFeedCounters()).events(transactionOf(...trades))
  expect(events).toMatchObject([
    { quoteMint: USDC_MINT, quoteRaw: 2_500_000n },
    { quoteRaw: 5n },
    { quoteRaw: 5n },
  ])
  expect(events.map((event) => 'quoteMint' in event)).toEqual([true, false, false])
})

test('trades of a pool tell what it is quoted in, whoever named the pool', () => {
  const mint = encodeBase58(Buffer.alloc(32, 9))
  const pool = canonicalPoolAddress(mint, USDC_MINT) ?? ''
  const position = { timestamp: 1_790_000_000n, pool }
  const bought = { program: 'pump_amm' as const, bytes: eventBytes(BUY_EVENT, position) }
  const balance = { owner: pool, beforeRaw: 0n, afterRaw: 0n }
  const balances = [USDC_MINT, mint].map((one) => ({ ...balance, mint: one }))
  const migration = { ...position, mint, quote_mint: USDC_MINT }
  const migrated = {
    program: 'pump' as const,
    bytes: eventBytes(COMPLETE_PUMP_AMM_MIGRATION_EVENT, migration),
  }
  const made = { ...position, base_mint: mint, quote_mint: USDC_MINT }
  const opened = { program: 'pump_amm' as const, bytes: eventBytes(CREATE_POOL_EVENT, made) }
  for (const named of [
    { ...transactionOf(), selfCpi: [bought], balances },
    { ...transactionOf(), selfCpi: [migrated, bought] },
    { ...transactionOf(), selfCpi: [opened, bought] },
  ]) {
    const events = new ChainNormaliser(newFeedCounters()).events(named)
    const swap = events.findLast(({ type }) => type === 'swap')
    expect(swap).toMatchObject({ mint, pool, quoteMint: USDC_MINT })
  }
})

test('a transaction whose log was cut is counted, unless its instructions tell its events', () => {
  const counters = newFeedCounters()
  const bytes = eventBytes(TRADE_EVENT, TRADE)
  const logs = [
    `Program ${PUMP_PROGRAM} invoke [1]`,
    `Program data: ${Buffer.from(bytes).toString('base64')}`,
    'Log truncated',
  ]
  const cut = { ...transactionOf(bytes), logs }
  expect(decodeTransaction(cut, counters)).toHaveLength(1)
  expect(counters.truncatedLogs).toBe(0)
  expect(decodeTransaction({ ...cut, selfCpi: null }, counters)).toHaveLength(1)
  expect(counters.truncatedLogs).toBe(1)
})

test('the pool of a migration stays that of its mint, whatever an account is said to hold', () => {
  const { pools } = new ChainNormaliser(newFeedCounters())
  const known = { mint: MINT, quoteMint: USDC_MINT }
  pools.learn('pool', known)
  pools.learnCreated('pool', ZERO_ADDRESS, WRAPPED_SOL_MINT)
  expect(pools.lookup('pool')).toEqual({ found: 'mint', ...known })
})

test('a pool that was sent other tokens in the transaction is known by its two mints all the same', () => {
  const mint = encodeBase58(Buffer.alloc(32, 9))
  const dust = Array.from({ length: 40 }, (_, n) => encodeBase58(Buffer.alloc(32, 10 + n)))
  const told = (quoteMint: string, given: readonly string[], pool = '') => {
    const own = pool || (canonicalPoolAddress(mint, quoteMint) ?? '')
    const fields = { timestamp: 1_790_000_000n, pool: own }
    const bought = { program: 'pump_amm' as const, bytes: eventBytes(BUY_EVENT, fields) }
    const balances = given.map((one) => ({ owner: own, mint: one, beforeRaw: 0n, afterRaw: 1n }))
    const counters = newFeedCounters()
    const normaliser = new ChainNormaliser(counters)
    const events = normaliser.events({ ...transactionOf(), selfCpi: [bought], balances })
    return { events, counters }
  }
  for (const quoteMint of [WRAPPED_SOL_MINT, USDC_MINT])
    for (const given of [
      [dust[0], mint, quoteMint],
      [quoteMint, ...dust.slice(0, 3), mint],
      [mint, WRAPPED_SOL_MINT, USDC_MINT, dust[0]],
    ])
      expect(told(quoteMint, given).events).toMatchObject([{ type: 'swap', mint }])
  // Whose pool it is stays open: it may be one whose mints are not among those tried.
  const many = told(WRAPPED_SOL_MINT, [...dust, mint, WRAPPED_SOL_MINT])
  expect(many.events).toEqual([])
  expect(many.counters).toMatchObject({ unknownPools: 1, foreignPools: 0 })
  const foreign = told(WRAPPED_SOL_MINT, [dust[0], mint, WRAPPED_SOL_MINT], dust[1])
  expect(foreign.counters).toMatchObject({ unknownPools: 1, foreignPools: 0 })
})

test('reserves that do not follow from the swap before are counted', () => {
  const { events } = replayOf(transactionLines(syntheticChain(3, 60)))
  const whole = new ReserveCheck()
  whole.check(events)
  expect(whole).toMatchObject({ curveDrifts: 0, poolDrifts: 0 })
  const swaps = events.filter((event): event is Swap => event.type === 'swap')
  const missing = (source: string) => {
    const index = swaps.findIndex(
      (swap, n) =>
        swap.source === source &&
        swaps.slice(0, n).some(({ pool }) => pool === swap.pool) &&
        swaps.slice(n + 1).some(({ pool }) => pool === swap.pool),
    )
    const check = new ReserveCheck()
    check.check(swaps.filter((_, n): _ is FeedEvent & Swap => n !== index))
    return check
  }
  expect(missing('pump')).toMatchObject({ curveDrifts: 1, poolDrifts: 0 })
  expect(missing('pump_amm')).toMatchObject({ curveDrifts: 0, poolDrifts: 1 })
})

/** Field numbers as the service publishes them: a wrong one would go unseen between our own ends. */
const PUBLISHED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  SubscribeRequest: {
    slots: 2,
    transactions: 3,
    blocks_meta: 5,
    commitment: 6,
    ping: 9,
    from_slot: 11,
  },
  SlotsFilter: { filter_by_commitment: 1, interslot_updates: 2 },
  TransactionsFilter: { vote: 1, failed: 2, account_include: 3 },
  PingRequest: { id: 1 },
  SubscribeUpdate: { slot: 3, transaction: 4, ping: 6, block_meta: 7, pong: 9 },
  SlotUpdate: { slot: 1, parent: 2, status: 3, bank_id: 5 },
  TransactionUpdate: { transaction: 1, slot: 2, bank_id: 3 },
  TransactionInfo: { signature: 1, transaction: 3, meta: 4, index: 5 },
  Transaction: { message: 2 },
  Message: { header: 1, account_keys: 2 },
  MessageHeader: { num_required_signatures: 1 },
  Meta: {
    ...{ err: 1, fee: 2, inner_instructions: 5, log_messages: 6, pre_token_balances: 7 },
    ...{ post_token_balances: 8, loaded_writable_addresses: 12, loaded_readonly_addresses: 13 },
  },
  TransactionError: { err: 1 },
  InnerInstructions: { index: 1, instructions: 2 },
  InnerInstruction: { program_id_index: 1, data: 3 },
  TokenBalance: { mint: 2, ui_token_amount: 3, owner: 4 },
  UiTokenAmount: { decimals: 2, amount: 3 },
  PongUpdate: { id: 1 },
  BlockMetaUpdate: { slot: 1, parent_slot: 6, bank_id: 10 },
  SubscribeReplayInfoResponse: { first_available: 1 },
}

test('the messages of the Yellowstone service have the published field numbers', () => {
  const file = join(import.meta.dirname, '../../src/feeds/yellowstone/geyser.proto')
  const messages = [...readFileSync(file, 'utf8').matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)]
  const found = messages.map(([, name, body]) => {
    const fields = [...body.matchAll(/ (\w+) = (\d+);/g)].map(([, field, n]) => [field, Number(n)])
    return [name, Object.fromEntries(fields)] as const
  })
  expect(Object.fromEntries(found.filter(([, fields]) => Object.keys(fields).length > 0))).toEqual(
    PUBLISHED,
  )
})
