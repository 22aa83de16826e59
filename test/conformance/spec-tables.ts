/** The resource tables of the specification, and the trader record, transcribed as data. */

export type FieldType = 'string' | 'number' | 'boolean' | 'number[]' | 'object'

/** What a value must satisfy beyond its type. */
export type Rule = 'timestamp' | 'percent' | 'count' | 'amount' | 'unix' | 'filled'

export interface Field {
  name: string
  type: FieldType
  nullable: boolean
  required: boolean
  rule?: Rule
}

const field = (type: FieldType, names: string, rule?: Rule): Field[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => ({ name, type, nullable: false, required: true, ...(rule ? { rule } : {}) }))

const nullable = (fields: Field[]): Field[] => fields.map((one) => ({ ...one, nullable: true }))

const optional = (fields: Field[]): Field[] => fields.map((one) => ({ ...one, required: false }))

const day24 = [
  ...field('number', 'tx_24h tx_24h_buy tx_24h_sell', 'count'),
  ...field('number', 'vol_24h vol_24_buy vol_24_sell', 'amount'),
]

export const tokenSearchDetailed: Field[] = [
  ...field('string', 'name symbol uri'),
  ...field('string', 'mint', 'filled'),
  ...field('string', 'bonding_curve creator pool_amm'),
  ...nullable(field('string', 'migration_signature')),
  ...nullable(field('string', 'migration_timestamp', 'timestamp')),
  ...field('string', 'image video twitter website discord telegram'),
  ...field('string', 'created_on', 'timestamp'),
  ...field('string', 'description token_program'),
  ...field('boolean', 'is_mayhem_mode'),
  ...field('string', 'timestamp', 'timestamp'),
  ...field('boolean', 'complete'),
  ...field('number', 'pct_completion', 'percent'),
  ...field('number', 'market_cap liquidity volume', 'amount'),
  ...field('number', 'token_price_sol token_price_usd sol_price_usd', 'amount'),
  ...day24,
  ...field('number', 'holders', 'count'),
  ...field('number', 'top_10_percent creator_holding_pct bundle_holding', 'percent'),
  ...field('number', 'insiders_holding snipers_holding fresh_wallet_holding', 'percent'),
  ...field('number', 'pro_traders', 'count'),
  ...field('number', 'age_seconds', 'amount'),
]

export const tokenMarketData: Field[] = [
  ...field('string', 'pool name symbol creator'),
  ...field('string', 'timestamp', 'timestamp'),
  ...field('string', 'mint', 'filled'),
  ...nullable(field('string', 'image video twitter website discord telegram description')),
  ...field('number', 'pct_completion', 'percent'),
  ...field('number', 'market_cap liquidity token_price_sol token_price_usd', 'amount'),
  ...day24,
  ...field('number', 'holders', 'count'),
  ...field('number', 'top_10_percent creator_holding_pct bundle_holding', 'percent'),
  ...field('number', 'insiders_holding snipers_holding', 'percent'),
  ...field('number', 'pro_traders', 'count'),
  ...field('number', 'fresh_wallet_holding', 'percent'),
]

export const swap: Field[] = [
  ...field('number', 'slot tx_index', 'count'),
  ...field('string', 'signature', 'filled'),
  ...field('string', 'timestamp', 'timestamp'),
  ...field('string', 'source direction signer mint pool', 'filled'),
  ...field('number', 'base_mint_amount quote_mint_amount base_mint_price_usd', 'amount'),
  ...field('number', 'sol_price_usd volume_usd m_cap_usd', 'amount'),
  ...field('number', 'bonding_curve_progress', 'percent'),
  ...field('number', 'liquidity_usd chain_fee platform_fee creator_fee', 'amount'),
  ...field('number', 'base_balance_before base_balance_after', 'amount'),
  ...field('boolean', 'fresh_wallet sniper_wallet pro_trader'),
]

/** What a token is quoted in: contract section 1, on request. */
export const quoteFields: Field[] = [
  ...field('string', 'quote_mint', 'filled'),
  ...field('string', 'quote_symbol'),
  ...field('boolean', 'priced'),
]

/** What a token says of its history, beside its quote: contract section 9; a service before 0.9.27 does not have it. */
export const historyFields: Field[] = optional([
  ...field('boolean', 'history_complete'),
  ...nullable(field('string', 'history_from', 'timestamp')),
  // Since 0.9.31, where it stands beside the others.
  ...nullable(field('object', 'windows')),
])

/** Of a swap, on request beside its quote. */
export const swapExtras: Field[] = field('number', 'lp_fee cashback', 'amount')

export const page: Field[] = field('number', 'total page limit', 'count')

export const ohlcv: Field[] = field('number[]', 't o h l c v o_sol h_sol l_sol c_sol v_sol')

export const memeTablePool: Field[] = [
  ...field('string', 'name symbol'),
  ...field('string', 'timestamp', 'timestamp'),
  ...field('string', 'mint', 'filled'),
  ...field('string', 'creator pool'),
  ...optional(field('string', 'description image discord website telegram video twitter')),
  ...field('number', 'holders', 'count'),
  ...field('number', 'top_10_percent', 'percent'),
  ...field('number', 'market_cap', 'amount'),
  ...field('number', 'pct_completion', 'percent'),
  ...field('number', 'liqudity', 'amount'),
  ...day24,
  ...field('number', 'fresh_wallets_holding insiders_holding bundle_holding', 'percent'),
  ...field('number', 'snipers_holding creator_holding pro_traders_holding', 'percent'),
  ...field('number', 'creator_completed_pools creator_completing_pools', 'count'),
]

export const migrationEvent: Field[] = [
  ...field('string', 'signature', 'filled'),
  ...field('string', 'timestamp', 'timestamp'),
  ...field('string', 'bonding_curve mint pool_amm', 'filled'),
]

/** Section 5 of the contract. */
export const traderRecord: Field[] = [
  ...field('string', 'wallet mint', 'filled'),
  ...field('string', 'pool name symbol'),
  ...nullable(field('string', 'image')),
  ...field('number', 'token_price_usd token_price_sol market_cap', 'amount'),
  ...field('boolean', 'complete'),
  ...field('number', 'pnl'),
  ...field('number', 'holding_amount bought_tokens sold_tokens', 'amount'),
  ...field('number', 'last_active_ts', 'unix'),
  ...field('number', 'holding_pct', 'percent'),
  ...field('number', 'holding_usd holding_sol cost_basis_usd cost_basis_sol', 'amount'),
  ...field('boolean', 'is_open'),
  ...field('number', 'bought_usd sold_usd bought_sol sold_sol', 'amount'),
  ...field('number', 'buys sells trades', 'count'),
  ...field('number', 'volume_usd volume_sol fees_sol', 'amount'),
  ...field('number', 'avg_buy_price_usd avg_sell_price_usd', 'amount'),
  ...field('number', 'avg_buy_price_sol avg_sell_price_sol', 'amount'),
  ...field('number', 'pnl_sol pnl_pct realized_pnl_usd unrealized_pnl_usd'),
  ...field('number', 'realized_pnl_sol unrealized_pnl_sol'),
  ...field('number', 'untracked_tokens', 'amount'),
  ...nullable(
    field('number', 'first_active_ts first_buy_ts last_buy_ts first_sell_ts last_sell_ts', 'unix'),
  ),
  ...field('number', 'hold_time_seconds', 'amount'),
  ...field('boolean', 'fresh_wallet sniper_wallet pro_trader'),
  ...field('boolean', 'bundle_wallet insider_wallet creator_wallet'),
]

export const traderOrders = [
  'pnl',
  'holding_amount',
  'bought_tokens',
  'sold_tokens',
  'last_active_ts',
] as const

export const groups = ['new', 'completing', 'graduated'] as const

export type Group = (typeof groups)[number]

/** The key under which the filters of a group travel in the request. */
export const filterKey: Record<Group, string> = {
  new: 'newPools',
  completing: 'completing',
  graduated: 'graduated',
}

/** Chart widths in seconds; months vary and have 0. */
export const resolutions: Record<string, number> = {
  '1S': 1,
  '5S': 5,
  '15S': 15,
  '30S': 30,
  '1': 60,
  '5': 300,
  '15': 900,
  '30': 1800,
  '60': 3600,
  '240': 14_400,
  '1D': 86_400,
  '1W': 604_800,
  '1M': 0,
}

export const rangeFilters = [
  'xReuses',
  'ageMinutes',
  'mCapUsd',
  'volumeUsd',
  'txsBuys',
  'txsSells',
  'top10HoldingPct',
  'devHoldingPct',
  'snipersHoldingPct',
  'insidersHoldingPct',
  'bundlersHoldingPct',
  'freshWalletsHoldingPct',
  'holders',
  'proTradersAmount',
  'devMigrations',
  'devCreations',
] as const

export const booleanFilters = ['devSoldAll', 'noXReuses', 'dexPaid', 'caEndsWithSuffix'] as const

const priceFields = [
  ...field('string', 'mint', 'filled'),
  ...field('number', 'price_usd price_sol market_cap_usd', 'amount'),
]

/** Beyond the specification (docs/live.md). */
export const price: Field[] = [
  ...priceFields,
  ...nullable(field('string', 'timestamp', 'timestamp')),
  ...field('number', 'seq', 'count'),
]

export const priceAt: Field[] = [
  ...priceFields,
  ...field('string', 'timestamp', 'timestamp'),
  ...field('number', 'seq', 'count'),
  ...field('string', 'signature', 'filled'),
]

const rankedFigures = [
  ...field('number', 'realized_pnl_usd'),
  ...field('number', 'volume_usd', 'amount'),
  ...field('number', 'trades wins losses', 'count'),
  ...field('number', 'win_rate_pct', 'percent'),
]

export const walletFigures: Field[] = [
  ...rankedFigures,
  ...field('number', 'tokens', 'count'),
  ...field('number', 'median_hold_seconds', 'amount'),
]

export const walletDay: Field[] = [
  ...field('string', 'day', 'filled'),
  ...field('number', 'realized_pnl_usd'),
  ...field('number', 'volume_usd', 'amount'),
  ...field('number', 'trades', 'count'),
]

export const rankedWallet: Field[] = [
  ...field('number', 'rank', 'count'),
  ...field('number', 'value'),
  ...field('string', 'wallet', 'filled'),
  ...rankedFigures,
]

export const createdToken: Field[] = [
  ...field('string', 'mint outcome', 'filled'),
  ...field('string', 'name symbol'),
  ...field('string', 'timestamp', 'timestamp'),
  ...nullable(
    field('string', 'migration_timestamp creator_first_sell creator_last_sell', 'timestamp'),
  ),
  ...field('number', 'life_seconds market_cap', 'amount'),
  ...field('number', 'creator_bought_pct creator_sold_pct creator_holding_pct', 'percent'),
  ...field('boolean', 'creator_sold_all'),
]
