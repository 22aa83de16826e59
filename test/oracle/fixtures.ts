/** Events with round figures for cases that are worked out by hand. */
import type {
  Balance,
  FeedEvent,
  Migrated,
  Reserves,
  Swap,
  TokenCreated,
  TokenState,
} from '../../src/events/event.ts'
import type { ChartQuery, TraderQuery } from '../../src/protocol/queries.ts'
import { Oracle } from './oracle.ts'

export const START_SECOND = 1_700_000_000 - (1_700_000_000 % 86_400)
export const TRADERS: TraderQuery = { page: 1, limit: 50, orderBy: 'pnl', direction: 'desc' }

/** Reserves of 1e9 tokens and 30 SOL: a price of 3e-8 SOL. */
export const RESERVES = {
  virtualBaseRaw: 1_000_000_000_000_000n,
  virtualQuoteRaw: 30_000_000_000n,
}

export const created = (over: Partial<TokenCreated> = {}): TokenCreated => ({
  type: 'token_created',
  slot: 100,
  txIndex: 0,
  ordinal: 0,
  signature: 'create',
  timestamp: START_SECOND,
  mint: 'mint',
  name: 'Name',
  symbol: 'SYM',
  uri: '',
  creator: 'creator',
  bondingCurve: 'curve',
  tokenProgram: '',
  isMayhemMode: false,
  ...RESERVES,
  realBaseRaw: 793_100_000_000_000n,
  ...over,
})

let swaps = 0

/** Swaps are numbered from 1 on again: each file of tests begins so. */
export function restartSwaps(): void {
  swaps = 0
}

/** A buy of 100 tokens for 1 SOL, ten slots after the creation; each has its own signature. */
export const swap = (over: Partial<Swap> = {}): Swap => {
  swaps += 1
  return {
    type: 'swap',
    slot: 110,
    txIndex: swaps,
    ordinal: 0,
    signature: `swap-${swaps}`,
    timestamp: START_SECOND + 4,
    source: 'pump',
    mint: 'mint',
    pool: 'curve',
    signer: 'alice',
    direction: 'buy',
    baseRaw: 100_000_000n,
    quoteRaw: 1_000_000_000n,
    ...RESERVES,
    realBaseRaw: 793_100_000_000_000n,
    realQuoteRaw: 0n,
    platformFeeRaw: 0n,
    creatorFeeRaw: 0n,
    ...over,
  }
}

export const migrated = (over: Partial<Migrated> = {}): Migrated => ({
  type: 'migrated',
  slot: 1_000,
  txIndex: 9,
  ordinal: 0,
  signature: 'migrate',
  timestamp: START_SECOND,
  mint: created().mint,
  bondingCurve: created().bondingCurve,
  poolAmm: 'pool amm',
  ...over,
})

/** Price, liquidity and completion without a trade; as a swap, each has its own signature. */
export const reserves = (over: Partial<Reserves> = {}): Reserves => {
  swaps += 1
  return {
    type: 'reserves',
    slot: 110,
    txIndex: swaps,
    ordinal: 0,
    signature: `reserves-${swaps}`,
    timestamp: START_SECOND + 4,
    mint: 'mint',
    source: 'pump',
    ...RESERVES,
    realBaseRaw: 793_100_000_000_000n,
    realQuoteRaw: 0n,
    reason: 'mayhem',
    ...over,
  }
}

/** Alice has 100 tokens, whatever her swaps say. */
export const balance = (over: Partial<Balance> = {}): Balance => {
  swaps += 1
  return {
    type: 'balance',
    slot: 110,
    txIndex: swaps,
    ordinal: 0,
    signature: `balance-${swaps}`,
    timestamp: START_SECOND + 4,
    mint: 'mint',
    wallet: 'alice',
    balanceRaw: 100_000_000n,
    ...over,
  }
}

/** The chain names creator and texts of a mint whose creation nobody saw. */
export const tokenState = (over: Partial<TokenState> = {}): TokenState => {
  swaps += 1
  return {
    type: 'token_state',
    slot: 110,
    txIndex: swaps,
    ordinal: 0,
    signature: `state-${swaps}`,
    timestamp: START_SECOND + 4,
    mint: 'mint',
    tokenProgram: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    decimals: 6,
    supplyRaw: 10n ** 15n,
    name: 'Known Later',
    symbol: 'LATER',
    uri: 'https://later.example/a.json',
    creator: 'dev',
    bondingCurve: 'curve',
    ...over,
  }
}

export const price = (usd: number): FeedEvent => ({
  type: 'sol_price',
  timestamp: START_SECOND,
  usd,
})

export const twitter = (mint: string, link: string): FeedEvent => ({
  type: 'metadata',
  timestamp: START_SECOND,
  mint,
  twitter: link,
})

export function oracleOf(...events: readonly FeedEvent[]): Oracle {
  const oracle = new Oracle({ clock: 'event' })
  for (const event of events) oracle.apply(event)
  return oracle
}

export const chart = (over: Partial<ChartQuery> = {}): ChartQuery => ({
  mint: 'mint',
  from: START_SECOND,
  to: START_SECOND + 3600,
  resolution: '1',
  continuous: false,
  fill: 'none',
  countback: 0,
  udf: false,
  ...over,
})
