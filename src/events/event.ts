import { snakeCase } from '../base/safe-text.ts'

/**
 * `events` has what feeds give and the engine folds: events (contract section 7), their binary form (swap-record.ts), their
 * text form (event-lines.ts), the sink that takes them, and numbers of the platform. Data from outside is checked before it
 * becomes an event.
 *
 * Raw amounts are u64 integers as bigint, times are unix seconds, addresses and signatures text.
 */

/** Seconds an event may lie ahead of a wall clock (contract section 7). */
export const AHEAD_OF_WALL_SECONDS_MAX = 60

/** Largest number of a hop in a route. */
export const ROUTE_HOPS_MAX = 7

/** Where an event stands in the chain. `slot` null: unknown, the event keeps its order of arrival. */
export interface ChainPosition {
  readonly slot: number | null
  /** Index of the transaction in its block; null when the feed does not know it. */
  readonly txIndex: number | null
  /** Index of the event among the events of its transaction. */
  readonly ordinal: number
  readonly signature: string
  /** Unix seconds. */
  readonly timestamp: number
}

export interface TokenCreated extends ChainPosition {
  readonly type: 'token_created'
  readonly mint: string
  readonly name: string
  readonly symbol: string
  readonly uri: string
  readonly creator: string
  readonly bondingCurve: string
  readonly tokenProgram: string
  readonly isMayhemMode: boolean
  readonly supplyRaw?: bigint
  readonly decimals?: number
  readonly virtualBaseRaw: bigint
  readonly virtualQuoteRaw: bigint
  readonly realBaseRaw: bigint
  readonly quoteMint?: string
  /** Decimals of the quote mint, where the feed knows them and they do not follow from the mint. */
  readonly quoteDecimals?: number
}

export interface Swap extends ChainPosition {
  readonly type: 'swap'
  /** `pump` is the bonding curve, `pump_amm` the pool after migration. */
  readonly source: 'pump' | 'pump_amm'
  readonly mint: string
  readonly pool: string
  readonly signer: string
  readonly direction: 'buy' | 'sell'
  readonly baseRaw: bigint
  readonly quoteRaw: bigint
  /** Reserves after the trade; on the AMM the effective pool reserves. */
  readonly virtualBaseRaw: bigint
  readonly virtualQuoteRaw: bigint
  readonly realBaseRaw: bigint
  readonly realQuoteRaw: bigint
  readonly platformFeeRaw: bigint
  readonly creatorFeeRaw: bigint
  /** Fee of the liquidity providers; it stays in the pool. */
  readonly lpFeeRaw?: bigint
  /** Fee that is paid back to traders of a cashback coin. */
  readonly cashbackRaw?: bigint
  readonly chainFeeRaw?: bigint
  readonly baseBalanceBeforeRaw?: bigint
  readonly baseBalanceAfterRaw?: bigint
  readonly supplyRaw?: bigint
  readonly solPriceUsd?: number
  /** What the mint is quoted in: counts while no creation of it is known (docs/feeds.md). */
  readonly quoteMint?: string
  /** As of `TokenCreated`. */
  readonly quoteDecimals?: number
  /** Number of the hop in a route through several coins, from 1 to `ROUTE_HOPS_MAX`; absent: no route. */
  readonly route?: number
  readonly fresh?: boolean
  readonly pro?: boolean
  readonly insider?: boolean
}

export interface Completed extends ChainPosition {
  readonly type: 'completed'
  readonly mint: string
  readonly bondingCurve: string
}

export interface Migrated extends ChainPosition {
  readonly type: 'migrated'
  readonly mint: string
  readonly bondingCurve: string
  readonly poolAmm: string
}

/** Causes that change price, liquidity or supply without a trade. */
export const RESERVES_REASONS = [
  'mayhem',
  'boost',
  'deposit',
  'withdraw',
  'pool_opened',
  'burn',
] as const

export interface Reserves extends ChainPosition {
  readonly type: 'reserves'
  readonly mint: string
  readonly source: 'pump' | 'pump_amm'
  /** Reserves from here on; on the AMM the effective pool reserves. */
  readonly virtualBaseRaw: bigint
  readonly virtualQuoteRaw: bigint
  readonly realBaseRaw: bigint
  readonly realQuoteRaw: bigint
  readonly supplyRaw?: bigint
  readonly reason: (typeof RESERVES_REASONS)[number]
}

/** Balance of a wallet in a mint after a transaction, where its swaps do not give it. */
export interface Balance extends ChainPosition {
  readonly type: 'balance'
  readonly mint: string
  readonly wallet: string
  readonly balanceRaw: bigint
}

/**
 * What the chain itself says of a mint at the end of a slot (docs/feeds.md). Of a token whose creation is known only
 * the supply is taken: its creation says the rest.
 */
export interface TokenState extends ChainPosition {
  readonly type: 'token_state'
  readonly mint: string
  /** The program that owns the mint. */
  readonly tokenProgram: string
  readonly decimals: number
  readonly supplyRaw: bigint
  readonly name?: string
  readonly symbol?: string
  readonly uri?: string
  /** Whom the curve names: who gets its fees may have changed since the creation. */
  readonly creator?: string
  readonly bondingCurve?: string
  /** Its largest holders stand behind it, as `balance` events. */
  readonly hasLargestHolders?: boolean
}

export interface SolPrice {
  readonly type: 'sol_price'
  readonly timestamp: number
  readonly usd: number
}

export const METADATA_KEYS = [
  'image',
  'video',
  'twitter',
  'website',
  'discord',
  'telegram',
  'description',
] as const
export type MetadataKey = (typeof METADATA_KEYS)[number]

/** Absent keys leave the value as it is, null or "" clears it. */
export type Metadata = {
  readonly type: 'metadata'
  readonly timestamp: number
  readonly mint: string
  readonly dexPaid?: boolean
} & { readonly [K in MetadataKey]?: string | null }

/** Events that have a place in the chain and are no swaps. */
export type PlacedEvent = TokenCreated | Completed | Migrated | Reserves | Balance | TokenState

/**
 * Slots that were not delivered when those behind them were (contract section 9). `open`: their events may come yet,
 * behind later ones; `filling`: those that come now are of these slots, in order, until `filled`; `lost`: they never
 * come.
 */
export interface Gap {
  readonly type: 'gap'
  /** Both included. */
  readonly fromSlot: number
  readonly toSlot: number
  readonly state: (typeof GAP_STATES)[number]
  /** Unix seconds of the first event behind them. */
  readonly timestamp: number
}

/** What is told of slots that were not delivered in their turn; unix seconds of the first event behind them. */
export function gapEvent(
  state: Gap['state'],
  { from, to, seconds }: { readonly from: number; readonly to: number; readonly seconds: number },
): Gap {
  return { type: 'gap', state, fromSlot: from, toSlot: to, timestamp: seconds }
}

/**
 * Slots that events of an open gap may lie behind the newest one, 44 minutes at 268 ms a slot: the engine remembers for so
 * long what it may have to take back for them, and feeds ask for no older ones.
 */
export const OPEN_GAP_SLOTS_MAX = 10_000

export const GAP_STATES = ['open', 'filling', 'filled', 'lost'] as const

export type FeedEvent = PlacedEvent | Swap | SolPrice | Metadata | Gap

/** Events of a type as records of their fields, which an interface is not. */
export type EventFields<T extends FeedEvent> = T extends unknown
  ? { readonly [Key in keyof T]: T[Key] }
  : never

/** Identifies a trade within its transaction when its place there is unknown. */
export type SwapContent = Pick<Swap, 'signature' | 'mint' | 'direction' | 'baseRaw'>

/** The event line of an event (contract section 7); `parseFoldedLine` gives the same event back. */
export function eventLineText(event: FeedEvent): string {
  const fields: EventFields<FeedEvent> = event
  return lineOf(fields)
}

/** Without an array of entries, which slowed the journal down (docs/performance-history.md). */
function lineOf(fields: Readonly<Record<string, unknown>>): string {
  const line: Record<string, unknown> = {}
  for (const key in fields) {
    const value = fields[key]
    line[lineKey(key)] = typeof value === 'bigint' ? String(value) : value
  }
  return JSON.stringify(line)
}

/** Names of the lines by those of the events; there are some forty. */
const lineKeys = new Map<string, string>()

function lineKey(key: string): string {
  const known = lineKeys.get(key)
  if (known !== undefined) return known
  const made = snakeCase(key)
  lineKeys.set(key, made)
  return made
}
