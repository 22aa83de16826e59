import { listOf, type ObjectOf, objectOf, orNull, type Shape } from '../shape.ts'
import { OF_TOKEN } from './quote.ts'
import { isWindows, WINDOW } from './window.ts'

const HOLDERS = {
  holders: 'number',
  top_10_percent: 'number',
  creator_holding_pct: 'number',
  bundle_holding: 'number',
  insiders_holding: 'number',
  snipers_holding: 'number',
  fresh_wallet_holding: 'number',
  pro_traders: 'number',
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
  ...HOLDERS,
  age_seconds: 'number',
  ...OF_TOKEN,
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
  ...HOLDERS,
  ...OF_TOKEN,
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
  quote_mint: 'text',
  /** Empty for a coin whose creation is not known. */
  quote_symbol: 'text',
  priced: 'flag',
  history_complete: 'flag',
  history_from: 'text?',
  windows: isWindows,
  creator_history: objectOf({
    created: 'number',
    migrated: 'number',
    tokens: listOf(objectOf(CREATED)),
  }),
} as const

/** A token as the search shows it. */
export type TokenSearchDetailed = ObjectOf<typeof SEARCHED>
export type TokenMarketData = ObjectOf<typeof MARKET>
export type TokenDetail = ObjectOf<typeof DETAIL>

export const isSearched: Shape<TokenSearchDetailed> = objectOf(SEARCHED)
export const isMarketData: Shape<TokenMarketData> = objectOf(MARKET)
export const isDetail: Shape<TokenDetail> = objectOf(DETAIL)
export const isDetailOrNull: Shape<TokenDetail | null> = orNull(isDetail)
