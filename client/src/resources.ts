/**
 * What the service answers. Units: token amounts in whole tokens, `_usd` in USD, `_sol` and quote
 * amounts in SOL (or the quote mint), percents 0 to 100, `_ts` unix seconds, `timestamp` a UTC text
 * that `timestampMs` reads.
 */

import {
  isCount,
  isNumber,
  listOf,
  type ObjectOf,
  objectOf,
  optional,
  orNull,
  type Shape,
} from './shape.ts'

const SWAP = {
  slot: 'number',
  tx_index: 'number',
  signature: 'text',
  timestamp: 'text',
  source: ['pump', 'pump_amm'],
  direction: ['buy', 'sell'],
  signer: 'text',
  mint: 'text',
  pool: 'text',
  base_mint_amount: 'number',
  quote_mint_amount: 'number',
  base_mint_price_usd: 'number',
  sol_price_usd: 'number',
  volume_usd: 'number',
  m_cap_usd: 'number',
  bonding_curve_progress: 'number',
  liquidity_usd: 'number',
  chain_fee: 'number',
  platform_fee: 'number',
  creator_fee: 'number',
  base_balance_before: 'number',
  base_balance_after: 'number',
  fresh_wallet: 'flag',
  sniper_wallet: 'flag',
  pro_trader: 'flag',
} as const

const WINDOW = {
  tx_24h: 'number',
  tx_24h_buy: 'number',
  tx_24h_sell: 'number',
  vol_24h: 'number',
  vol_24_buy: 'number',
  vol_24_sell: 'number',
} as const

const SEARCHED = {
  name: 'text',
  symbol: 'text',
  uri: 'text',
  mint: 'text',
  bonding_curve: 'text',
  creator: 'text',
  pool_amm: 'text',
  migration_signature: 'text?',
  migration_timestamp: 'text?',
  image: 'text',
  video: 'text',
  twitter: 'text',
  website: 'text',
  discord: 'text',
  telegram: 'text',
  created_on: 'text',
  description: 'text',
  token_program: 'text',
  is_mayhem_mode: 'flag',
  timestamp: 'text',
  complete: 'flag',
  pct_completion: 'number',
  market_cap: 'number',
  liquidity: 'number',
  volume: 'number',
  token_price_sol: 'number',
  token_price_usd: 'number',
  sol_price_usd: 'number',
  ...WINDOW,
  holders: 'number',
  top_10_percent: 'number',
  creator_holding_pct: 'number',
  bundle_holding: 'number',
  insiders_holding: 'number',
  snipers_holding: 'number',
  fresh_wallet_holding: 'number',
  pro_traders: 'number',
  age_seconds: 'number',
} as const

const MARKET = {
  pool: 'text',
  name: 'text',
  symbol: 'text',
  creator: 'text',
  timestamp: 'text',
  mint: 'text',
  image: 'text?',
  video: 'text?',
  twitter: 'text?',
  website: 'text?',
  discord: 'text?',
  telegram: 'text?',
  description: 'text?',
  pct_completion: 'number',
  market_cap: 'number',
  liquidity: 'number',
  token_price_sol: 'number',
  token_price_usd: 'number',
  ...WINDOW,
  holders: 'number',
  top_10_percent: 'number',
  creator_holding_pct: 'number',
  bundle_holding: 'number',
  insiders_holding: 'number',
  snipers_holding: 'number',
  pro_traders: 'number',
  fresh_wallet_holding: 'number',
} as const

const ROW = {
  name: 'text',
  symbol: 'text',
  timestamp: 'text',
  mint: 'text',
  creator: 'text',
  pool: 'text',
  description: 'text-',
  image: 'text-',
  discord: 'text-',
  website: 'text-',
  telegram: 'text-',
  video: 'text-',
  twitter: 'text-',
  holders: 'number',
  top_10_percent: 'number',
  market_cap: 'number',
  pct_completion: 'number',
  /** Spelled so by the specification. */
  liqudity: 'number',
  ...WINDOW,
  fresh_wallets_holding: 'number',
  insiders_holding: 'number',
  bundle_holding: 'number',
  snipers_holding: 'number',
  creator_holding: 'number',
  pro_traders_holding: 'number',
  creator_completed_pools: 'number',
  creator_completing_pools: 'number',
} as const

const MIGRATION = {
  signature: 'text',
  timestamp: 'text',
  bonding_curve: 'text',
  mint: 'text',
  pool_amm: 'text',
} as const

const TRADER = {
  wallet: 'text',
  mint: 'text',
  pool: 'text',
  name: 'text',
  symbol: 'text',
  image: 'text?',
  token_price_usd: 'number',
  token_price_sol: 'number',
  market_cap: 'number',
  complete: 'flag',
  pnl: 'number',
  holding_amount: 'number',
  bought_tokens: 'number',
  sold_tokens: 'number',
  last_active_ts: 'number',
  holding_pct: 'number',
  holding_usd: 'number',
  holding_sol: 'number',
  cost_basis_usd: 'number',
  cost_basis_sol: 'number',
  is_open: 'flag',
  bought_usd: 'number',
  sold_usd: 'number',
  bought_sol: 'number',
  sold_sol: 'number',
  buys: 'number',
  sells: 'number',
  trades: 'number',
  volume_usd: 'number',
  volume_sol: 'number',
  fees_sol: 'number',
  avg_buy_price_usd: 'number',
  avg_sell_price_usd: 'number',
  avg_buy_price_sol: 'number',
  avg_sell_price_sol: 'number',
  pnl_sol: 'number',
  pnl_pct: 'number',
  realized_pnl_usd: 'number',
  unrealized_pnl_usd: 'number',
  realized_pnl_sol: 'number',
  unrealized_pnl_sol: 'number',
  untracked_tokens: 'number',
  first_active_ts: 'number',
  first_buy_ts: 'number?',
  last_buy_ts: 'number?',
  first_sell_ts: 'number?',
  last_sell_ts: 'number?',
  hold_time_seconds: 'number',
  fresh_wallet: 'flag',
  sniper_wallet: 'flag',
  pro_trader: 'flag',
  bundle_wallet: 'flag',
  insider_wallet: 'flag',
  creator_wallet: 'flag',
} as const

const CREATED = {
  mint: 'text',
  name: 'text',
  symbol: 'text',
  timestamp: 'text',
  complete: 'flag',
  migrated: 'flag',
  market_cap: 'number',
} as const

const DETAIL = {
  ...SEARCHED,
  pool: 'text',
  pro_traders_holding: 'number',
  creator_completed_pools: 'number',
  creator_completing_pools: 'number',
  x_reuses: 'number',
  dex_paid: 'flag',
  swaps: 'number',
  traders: 'number',
  ath_price_usd: 'number',
  ath_price_sol: 'number',
  ath_market_cap: 'number',
  ath_timestamp: 'text?',
  creator_history: objectOf({
    created: 'number',
    migrated: 'number',
    tokens: listOf(objectOf(CREATED)),
  }),
} as const

const FIGURES = {
  tokens: 'number',
  wallets: 'number',
  swaps: 'number',
  sol_price_usd: 'number',
  time: 'number',
} as const

/** One trade. */
export type Swap = ObjectOf<typeof SWAP>
/** A token as the search shows it. */
export type TokenSearchDetailed = ObjectOf<typeof SEARCHED>
export type TokenMarketData = ObjectOf<typeof MARKET>
/** A token as a row of a table. */
export type TableRow = ObjectOf<typeof ROW>
export type MigrationEvent = ObjectOf<typeof MIGRATION>
/** What one wallet did in one token. */
export type TraderRecord = ObjectOf<typeof TRADER>
export type TokenDetail = ObjectOf<typeof DETAIL>
/** `time` is unix seconds. */
export type MarketFigures = ObjectOf<typeof FIGURES>

export const isSwap: Shape<Swap> = objectOf(SWAP)
export const isSearched: Shape<TokenSearchDetailed> = objectOf(SEARCHED)
export const isMarketData: Shape<TokenMarketData> = objectOf(MARKET)
export const isRow: Shape<TableRow> = objectOf(ROW)
export const isMigration: Shape<MigrationEvent> = objectOf(MIGRATION)
export const isTrader: Shape<TraderRecord> = objectOf(TRADER)
export const isDetail: Shape<TokenDetail> = objectOf(DETAIL)
export const isDetailOrNull: Shape<TokenDetail | null> = orNull(isDetail)
export const isFigures: Shape<MarketFigures> = objectOf(FIGURES)

export interface Page<T> {
  readonly total: number
  readonly page: number
  readonly limit: number
  readonly items: readonly T[]
}

export function pageOf<T>(item: Shape<T>): Shape<Page<T>> {
  const isPage = objectOf({ total: isCount, page: isCount, limit: isCount, items: listOf(item) })
  return (value): value is Page<T> => isPage(value)
}

export interface SwapsByCursor {
  readonly total: number
  readonly limit: number
  readonly items: readonly Swap[]
  /** Null at the end. */
  readonly next_cursor: string | null
}

export const isSwapsByCursor: Shape<SwapsByCursor> = objectOf({
  total: isCount,
  limit: isCount,
  items: listOf(isSwap),
  next_cursor: 'text?',
})

/** Rows by group; only the groups that were asked for are there. */
export interface Tables {
  readonly new?: readonly TableRow[] | undefined
  readonly completing?: readonly TableRow[] | undefined
  readonly graduated?: readonly TableRow[] | undefined
}

const isRows = optional(listOf(isRow))
export const isTables: Shape<Tables> = objectOf({
  new: isRows,
  completing: isRows,
  graduated: isRows,
})

const isSeries = listOf(isNumber)
const SERIES = {
  t: isSeries,
  o: isSeries,
  h: isSeries,
  l: isSeries,
  c: isSeries,
  v: isSeries,
  o_sol: isSeries,
  h_sol: isSeries,
  l_sol: isSeries,
  c_sol: isSeries,
  v_sol: isSeries,
} as const

/** Candles as parallel arrays: `t` unix seconds, then USD, then SOL. */
export type Ohlcv = ObjectOf<typeof SERIES>
const hasSeries = objectOf(SERIES)

/** All series have the length of `t`. */
export const isOhlcv: Shape<Ohlcv> = (value): value is Ohlcv =>
  hasSeries(value) && Object.keys(SERIES).every((key) => lengthOf(value, key) === value.t.length)

function lengthOf(value: object, key: string): number {
  const series: unknown = Reflect.get(value, key)
  return Array.isArray(series) ? series.length : -1
}
