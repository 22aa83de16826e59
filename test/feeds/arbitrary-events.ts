import fc from 'fast-check'
import { SOL_PRICE_USD } from '../../src/base/thresholds.ts'
import { type FeedEvent, RESERVES_REASONS, ROUTE_HOPS_MAX } from '../../src/events/event.ts'

const U32_MAX = 0xffffffff
const address = fc.string({ minLength: 1, maxLength: 44, unit: 'grapheme-ascii' })
const raw = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
/** 0 is the same as none. */
const fee = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })
const decimals = fc.integer({ min: 0, max: 18 })
const seconds = fc.integer({ min: 0, max: U32_MAX })
const usd = fc.double({ min: SOL_PRICE_USD.min, max: SOL_PRICE_USD.max, noNaN: true })

const position = {
  slot: fc.option(fc.maxSafeNat()),
  txIndex: fc.option(fc.integer({ min: 0, max: U32_MAX })),
  ordinal: fc.integer({ min: 0, max: U32_MAX }),
  signature: address,
  timestamp: seconds,
}

const swap = fc.record(
  {
    type: fc.constant('swap' as const),
    ...position,
    source: fc.constantFrom('pump' as const, 'pump_amm' as const),
    mint: address,
    pool: address,
    signer: address,
    direction: fc.constantFrom('buy' as const, 'sell' as const),
    baseRaw: raw,
    quoteRaw: raw,
    virtualBaseRaw: raw,
    virtualQuoteRaw: raw,
    realBaseRaw: raw,
    realQuoteRaw: raw,
    platformFeeRaw: raw,
    creatorFeeRaw: raw,
    lpFeeRaw: fee,
    cashbackRaw: fee,
    chainFeeRaw: raw,
    baseBalanceBeforeRaw: raw,
    baseBalanceAfterRaw: raw,
    supplyRaw: raw,
    solPriceUsd: usd,
    quoteMint: address,
    quoteDecimals: decimals,
    route: fc.integer({ min: 1, max: ROUTE_HOPS_MAX }),
    fresh: fc.boolean(),
    pro: fc.boolean(),
    insider: fc.boolean(),
  },
  {
    requiredKeys: [
      'type',
      'slot',
      'txIndex',
      'ordinal',
      'signature',
      'timestamp',
      'source',
      'mint',
      'pool',
      'signer',
      'direction',
      'baseRaw',
      'quoteRaw',
      'virtualBaseRaw',
      'virtualQuoteRaw',
      'realBaseRaw',
      'realQuoteRaw',
      'platformFeeRaw',
      'creatorFeeRaw',
    ],
  },
)

const createdWhole = fc.record({
  type: fc.constant('token_created' as const),
  ...position,
  mint: address,
  name: fc.string({ unit: 'grapheme' }),
  symbol: fc.string({ unit: 'grapheme' }),
  uri: fc.string(),
  creator: address,
  bondingCurve: address,
  tokenProgram: address,
  isMayhemMode: fc.boolean(),
  supplyRaw: raw,
  decimals,
  virtualBaseRaw: raw,
  virtualQuoteRaw: raw,
  realBaseRaw: raw,
  quoteMint: address,
  quoteDecimals: decimals,
})
/** Mostly without decimals of the quote, as feeds tell it. */
const created = fc.tuple(createdWhole, fc.boolean()).map(([whole, hasDecimals]): FeedEvent => {
  const { quoteDecimals: _, ...without } = whole
  return hasDecimals ? whole : without
})

const reserves = fc.record(
  {
    type: fc.constant('reserves' as const),
    ...position,
    mint: address,
    source: fc.constantFrom('pump' as const, 'pump_amm' as const),
    virtualBaseRaw: raw,
    virtualQuoteRaw: raw,
    realBaseRaw: raw,
    realQuoteRaw: raw,
    supplyRaw: raw,
    reason: fc.constantFrom(...RESERVES_REASONS),
  },
  {
    requiredKeys: [
      'type',
      'slot',
      'txIndex',
      'ordinal',
      'signature',
      'timestamp',
      'mint',
      'source',
      'virtualBaseRaw',
      'virtualQuoteRaw',
      'realBaseRaw',
      'realQuoteRaw',
      'reason',
    ],
  },
)

const balance = fc.record({
  type: fc.constant('balance' as const),
  ...position,
  mint: address,
  wallet: address,
  balanceRaw: raw,
})

const tokenState = fc.record(
  {
    type: fc.constant('token_state' as const),
    ...position,
    mint: address,
    tokenProgram: address,
    decimals,
    supplyRaw: raw,
    name: fc.string({ unit: 'grapheme' }),
    symbol: fc.string({ unit: 'grapheme' }),
    uri: fc.string(),
    creator: address,
    bondingCurve: address,
    hasLargestHolders: fc.boolean(),
  },
  {
    requiredKeys: [
      ...(['type', 'slot', 'txIndex', 'ordinal', 'signature', 'timestamp'] as const),
      ...(['mint', 'tokenProgram', 'decimals', 'supplyRaw'] as const),
    ],
  },
)

const completed = fc.record({
  type: fc.constant('completed' as const),
  ...position,
  mint: address,
  bondingCurve: address,
})

const migrated = fc.record({
  type: fc.constant('migrated' as const),
  ...position,
  mint: address,
  bondingCurve: address,
  poolAmm: address,
})

const solPrice = fc.record({ type: fc.constant('sol_price' as const), timestamp: seconds, usd })

const metadata = fc.record(
  {
    type: fc.constant('metadata' as const),
    timestamp: seconds,
    mint: address,
    image: fc.option(fc.string()),
    twitter: fc.option(fc.string()),
    description: fc.option(fc.string()),
    dexPaid: fc.boolean(),
  },
  { requiredKeys: ['type', 'timestamp', 'mint'] },
)

/** Any event an event line can carry. */
export const anyEvent: fc.Arbitrary<FeedEvent> = fc.oneof(
  swap,
  created,
  completed,
  migrated,
  reserves,
  balance,
  tokenState,
  solPrice,
  metadata,
)
