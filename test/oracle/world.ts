/** What the fold of everything taken leaves (fold.ts), and what the other files read of it. */
import type {
  Metadata,
  Migrated,
  Reserves as ReservesEvent,
  Swap,
  TokenCreated,
} from '../../src/events/event.ts'
import type { Coins } from './coins.ts'
import { clampPercent } from './exact.ts'
import type { Key, Placed } from './order.ts'
import type { Position } from './positions.ts'
import { type Quote, quoteOf, type Reserves, SOL, type Valuation, type Worth } from './quote.ts'
import type { ProRule, Trader } from './traders.ts'

/** A swap and everything that was true at its place. */
export interface FoldedSwap {
  readonly swap: Swap
  readonly key: Key
  readonly txIndex: number
  /** Neighbours in order with the same signature share this number. */
  readonly transaction: number
  readonly opensTransaction: boolean
  readonly solPriceUsd: number
  /** The quote that was known at this place. */
  readonly quoteThen: Quote
  /** Lamports of one raw unit of the coin that it was quoted in then; 0 of SOL and USDC. Stored. */
  readonly lamportsPerUnit: number
  /** By the quote that was known at this place; stored, so a creation told later leaves it. */
  readonly worth: Worth
  /** By the quote that is known now. */
  readonly lamports: number
  /** All fees beside the chain's. */
  readonly feeLamports: number
  readonly value: Valuation
  readonly progressPct: number
  readonly balanceBeforeRaw: bigint
  readonly balanceAfterRaw: bigint
  readonly fresh: boolean
  readonly pro: boolean
  /** How many burns of the mint were told before. */
  readonly burns: number
  /** The creation of the token was known at this place. */
  readonly afterCreation: boolean
  /** Its coin is the middle of a route: the trade counts, but nobody holds anything by it. */
  readonly isMiddle: boolean
}

/** A burn as `reserves` told it. */
export interface Burn {
  readonly signature: string
  /** By how much the supply fell. */
  readonly raw: bigint
}

export interface Token {
  readonly mint: string
  /** The first event of the mint, whatever it is. */
  readonly firstKey: Key
  readonly firstTimestamp: number
  created: Placed<TokenCreated> | null
  /** Its creation, also at places where it was not yet known. */
  readonly told: TokenCreated | null
  /** What it is quoted in by all that is known: its creation, else the first swap that told it. */
  readonly quote: Quote
  /** What the swaps up to this place told of its quote. */
  quoteSaid: Quote | null
  migrated: Placed<Migrated> | null
  /** Its first AMM swap. */
  firstAmm: Placed<Swap> | null
  /** By event, or because the real reserve of the curve was told to be empty. */
  complete: boolean
  /** The last reserves that gave a price. */
  reserves: Reserves | null
  realBaseRaw: bigint
  supplySeenRaw: bigint | null
  bondingCurve: string
  /** By its creation; while that is unknown by what the chain said of it. */
  state: {
    readonly name: string
    readonly symbol: string
    readonly uri: string
    readonly tokenProgram: string
    readonly creator: string
  }
  /** By all that is known, and by what was known at this place. */
  readonly toldDecimals: number
  decimals: number
  /** `reserves` events that had an effect. */
  readonly reservesTold: ReservesEvent[]
  readonly burns: Burn[]
  readonly swaps: FoldedSwap[]
  readonly positions: Map<string, Position>
}

export interface World {
  readonly tokens: ReadonlyMap<string, Token>
  readonly traders: ReadonlyMap<string, Trader>
  readonly metadata: ReadonlyMap<string, readonly Metadata[]>
  readonly coins: Coins
  /** The SOL price of now; 0 while unknown. */
  readonly solPriceUsd: number
  readonly proRule: ProRule
  /** Slots that no feed delivered, with the time behind their gap. */
  readonly unseen: readonly { readonly slot: number; readonly seconds: number }[]
  /** `balance` events above the supply. */
  readonly refusedBalances: number
}

export const INITIAL_REAL_BASE_RAW = 793_100_000_000_000n

export const decimalsOf = (token: Token): number => token.toldDecimals

export const isGraduated = (token: Token): boolean =>
  token.migrated !== null || token.firstAmm !== null

export const poolAmmOf = (token: Token): string =>
  token.migrated?.event.poolAmm ?? token.firstAmm?.event.pool ?? ''

export const supplyOf = (token: Token): bigint =>
  token.supplySeenRaw ?? token.told?.supplyRaw ?? 10n ** BigInt(9 + decimalsOf(token))

export const initialRealBaseOf = (token: Token): bigint =>
  token.told?.realBaseRaw ?? INITIAL_REAL_BASE_RAW

/** What it is quoted in by what is known at this place. */
export const quoteThenOf = ({ created, quoteSaid }: Token): Quote =>
  created === null ? (quoteSaid ?? SOL) : quoteOf(created.event.quoteMint)

export const isMayhem = (token: Token): boolean =>
  token.created?.event.isMayhemMode === true ||
  token.reservesTold.some(({ reason }) => reason === 'mayhem')

/** Unclamped pct_completion of a curve that is not complete, 0 to 100 only after a clamp. */
export function curveProgressPct(token: Token, realBaseRaw: bigint): number {
  const initial = initialRealBaseOf(token)
  if (realBaseRaw === 0n || initial === 0n) return 100
  return clampPercent((Number(initial - realBaseRaw) * 100) / Number(initial))
}
