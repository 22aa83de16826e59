import { expect, test } from 'vitest'
import type { Swap } from '../../src/events/event.ts'
import { bondingCurveAddress } from '../../src/feeds/chain/layouts/program-address.ts'
import { WRAPPED_SOL_MINT, ZERO_ADDRESS } from '../../src/feeds/chain/layouts/programs.ts'
import { ChainNormaliser } from '../../src/feeds/chain/normalise.ts'
import type { ChainTransaction } from '../../src/feeds/chain/transactions/transaction.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { hasData, withData } from './data-folder.ts'
import { decodedOrFail, type Golden, mainnetGoldens } from './goldens.ts'

const MINT = 'FvfX6xmM8UPmbmQJaFpDfuz5kqnbe2pB75c4xdKLpump'
const goldens: Golden[] = hasData ? mainnetGoldens() : []

function goldenOf(name: string): Golden {
  const golden = goldens.find((candidate) => candidate.event === name)
  if (golden === undefined) throw new Error(`no golden of ${name}`)
  return golden
}

function transactionOf(...names: string[]): ChainTransaction {
  return {
    slot: 454_273_754,
    txIndex: 7,
    signature:
      '5q28QRCuR3JRMk7tNyUcLV3s33gsVttEkENDKiAcH9maHWuba71MkRRgdHArDxks6fRLA8rFGi4uQjY1ztz9ctzL',
    failed: false,
    blockTime: null,
    signers: [],
    selfCpi: names.map((name) => goldenOf(name).emitted),
    logs: null,
    feeRaw: 130_000n,
    balances: [],
  }
}

/** The reserves before the trade, as the events have them. */
function before(name: string) {
  const fields: Record<string, unknown> = decodedOrFail(goldenOf(name).emitted).toObject()
  return (field: string) => BigInt(String(fields[field]))
}

test.skipIf(!hasData)(
  `the real AMM buy prices to the lamport with virtual quote${withData}`,
  () => {
    const at = before('BuyEvent')
    const [base, quote] = [at('pool_base_token_reserves'), at('pool_quote_token_reserves')]
    const [out, effective] = [at('base_amount_out'), quote + at('virtual_quote_reserves')]
    expect((effective * out + (base - out) - 1n) / (base - out)).toBe(at('quote_amount_in'))
    expect((quote * out + (base - out) - 1n) / (base - out)).not.toBe(at('quote_amount_in'))
  },
)

test.skipIf(!hasData)(
  `the real AMM sell prices to the lamport with virtual quote${withData}`,
  () => {
    const at = before('SellEvent')
    const [base, quote] = [at('pool_base_token_reserves'), at('pool_quote_token_reserves')]
    const [amount, effective] = [at('base_amount_in'), quote + at('virtual_quote_reserves')]
    expect((effective * amount) / (base + amount)).toBe(3_104_833_495n)
    expect(at('quote_amount_out')).toBe(3_104_833_495n)
    expect((quote * amount) / (base + amount)).toBe(2_713_879_397n)
  },
)

test.skipIf(!hasData)(`the real AMM sell has the reserves and balances after it${withData}`, () => {
  const counters = newFeedCounters()
  const normaliser = new ChainNormaliser(counters)
  const pool = '6vbvxqs4qjTv35XnmYe1wGk9YanfNuaNeCNEKvGbETKA'
  normaliser.pools.learn(pool, { mint: MINT, quoteMint: null })
  const expected: Swap = {
    type: 'swap',
    slot: 454_273_754,
    txIndex: 7,
    ordinal: 0,
    signature: transactionOf().signature,
    timestamp: 1_791_389_757,
    source: 'pump_amm',
    mint: MINT,
    pool,
    signer: '8zkgFGVZrDLieViwqiXFCydSX6WL5hsxmUu55yBdsNsZ',
    direction: 'sell',
    baseRaw: 3_052_981_412_901n,
    quoteRaw: 3_104_833_495n,
    virtualBaseRaw: 134_248_074_571_354n + 3_052_981_412_901n,
    virtualQuoteRaw: 122_050_696_254n - 3_098_623_828n + 17_582_291_927n,
    realBaseRaw: 134_248_074_571_354n + 3_052_981_412_901n,
    realQuoteRaw: 122_050_696_254n - 3_098_623_828n,
    platformFeeRaw: 1_552_417n,
    creatorFeeRaw: 29_495_919n,
    lpFeeRaw: 6_209_667n,
    chainFeeRaw: 130_000n,
    baseBalanceBeforeRaw: 3_052_981_412_901n,
    baseBalanceAfterRaw: 0n,
    supplyRaw: 943_245_595_312_256n,
  }
  expect(normaliser.events(transactionOf('SellEvent'))).toEqual([expected])
  expect(counters.unknownTails).toBe(0)
})

test.skipIf(!hasData)(
  `an AMM swap of a pool nobody named is counted and left out${withData}`,
  () => {
    const counters = newFeedCounters()
    expect(new ChainNormaliser(counters).events(transactionOf('BuyEvent', 'SellEvent'))).toEqual([])
    expect(counters.unknownPools).toBe(2)
  },
)

test.skipIf(!hasData)(`the balances of a transaction name the mint of its pool${withData}`, () => {
  const counters = newFeedCounters()
  const pool = '6vbvxqs4qjTv35XnmYe1wGk9YanfNuaNeCNEKvGbETKA'
  const change = { owner: pool, beforeRaw: 0n, afterRaw: 0n }
  const named = [WRAPPED_SOL_MINT, MINT].map((mint) => ({ ...change, mint }))
  const [swap] = new ChainNormaliser(counters).events({
    ...transactionOf('SellEvent'),
    balances: named,
  })
  expect(swap).toMatchObject({ type: 'swap', mint: MINT, pool })
  const other = [WRAPPED_SOL_MINT, '9DUAbiZbG14t2sjUa9sAuoPrskhE14EU1JwFMzstpump']
  const foreign = {
    ...transactionOf('SellEvent'),
    balances: other.map((mint) => ({ ...change, mint })),
  }
  expect(new ChainNormaliser(counters).events(foreign)).toEqual([])
  expect(counters).toMatchObject({ unknownPools: 0, foreignPools: 1 })
})

test.skipIf(!hasData)(`migration names the pool and is an event of its own${withData}`, () => {
  const normaliser = new ChainNormaliser(newFeedCounters())
  expect(normaliser.events(transactionOf('CompletePumpAmmMigrationEvent'))).toMatchObject([
    {
      type: 'migrated',
      ordinal: 0,
      timestamp: 1_790_784_420,
      mint: 'Gu2bpydt5bHVHtko5vvsWH5KQUT3Wxvt6hzYvKdND6ur',
      bondingCurve: '4QAA7r2scMU7GynKpo34U2XDKtgJ8r8rJEaBRFVFzaia',
      poolAmm: 'Vptu7kbcUHWNHKSCw1Qn1MhgP9fqKmQnTAzTqETCAs5',
    },
  ])
  expect(normaliser.pools.lookup('Vptu7kbcUHWNHKSCw1Qn1MhgP9fqKmQnTAzTqETCAs5')).toEqual({
    found: 'mint',
    mint: 'Gu2bpydt5bHVHtko5vvsWH5KQUT3Wxvt6hzYvKdND6ur',
    quoteMint: ZERO_ADDRESS,
  })
})

test.skipIf(!hasData)(
  `a created pool counts when its address is that of its mint, which it says has migrated${withData}`,
  () => {
    const normaliser = new ChainNormaliser(newFeedCounters())
    const poolAmm = '8A3DaQpw8CPz4t9zqDyHDwCmkqREkPYgBE6X4eYHKmJE'
    const mint = 'GPAVdWsSJhoJhE7ZbcWc4ffNHAbBZRP58jujb1empump'
    expect(normaliser.events(transactionOf('CreatePoolEvent'))).toMatchObject([
      { type: 'migrated', mint, poolAmm, bondingCurve: bondingCurveAddress(mint) },
      { type: 'reserves', mint, reason: 'pool_opened', realBaseRaw: 206_900_000_000_000n },
    ])
    expect(normaliser.pools.lookup('8A3DaQpw8CPz4t9zqDyHDwCmkqREkPYgBE6X4eYHKmJE')).toEqual({
      found: 'mint',
      mint: 'GPAVdWsSJhoJhE7ZbcWc4ffNHAbBZRP58jujb1empump',
      quoteMint: WRAPPED_SOL_MINT,
    })
    normaliser.pools.learnCreated('anyPool', MINT, WRAPPED_SOL_MINT)
    expect(normaliser.pools.lookup('anyPool')).toEqual({ found: 'foreign' })
  },
)

test.skipIf(!hasData)(
  `the trade that buys the whole curve completes it, in order${withData}`,
  () => {
    const whole = goldens.filter((golden) => golden.label.startsWith('one tx'))
    const events = new ChainNormaliser(newFeedCounters()).events({
      ...transactionOf(),
      selfCpi: whole.map((golden) => golden.emitted),
    })
    expect(events).toMatchObject([
      {
        type: 'swap',
        ordinal: 0,
        realBaseRaw: 0n,
        pool: 'FGUstULVErz7xdWFs8ag5NSbvQnuWe6mmKwNmcDzFsYq',
      },
      {
        type: 'completed',
        ordinal: 1,
        bondingCurve: 'FGUstULVErz7xdWFs8ag5NSbvQnuWe6mmKwNmcDzFsYq',
      },
    ])
  },
)
