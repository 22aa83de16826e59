import type { TokenReader } from '../../engine/read/token-reader.ts'
import { TokenLane } from '../../engine/state/layout.ts'
import { METADATA_KEYS, type MetadataKey } from '../../events/event.ts'
import type { FlagFilter, RangeFilter } from '../../protocol/filters.ts'

/**
 * Every quantity of a token, one row each: what it is, how it is read, and what it is called in each
 * resource and filter of the specification. Encoders, filters and the field tests derive from here;
 * a new metric is one row.
 */

/** Resources a token appears in. */
export type Resource = 'search' | 'market' | 'table'

/** How a value is written and what it can be. `time` is unix seconds, or null. */
export type Metric = {
  /** Name in each resource it appears in. */
  readonly names: { readonly [R in Resource]?: string }
  /** Name as range or flag filter of the token tables. */
  readonly filter?: RangeFilter | FlagFilter
} & (
  | { readonly kind: 'number'; readonly read: (token: TokenReader) => number }
  | { readonly kind: 'boolean'; readonly read: (token: TokenReader) => boolean }
  /** Always a string, "" when missing. */
  | { readonly kind: 'text'; readonly read: (token: TokenReader) => string }
  /** "" in search, null in market data, left out of table rows when missing. */
  | { readonly kind: 'optional text'; readonly read: (token: TokenReader) => string }
  | { readonly kind: 'text or null'; readonly read: (token: TokenReader) => string | null }
  | { readonly kind: 'time'; readonly read: (token: TokenReader) => number | null }
)

function everywhere(name: string): Record<Resource, string> {
  return { search: name, market: name, table: name }
}

function metadata(key: MetadataKey): Metric {
  const place = METADATA_KEYS.indexOf(key)
  return {
    kind: 'optional text',
    names: everywhere(key),
    read: (token) => token.metadataText(place),
  }
}

function share(sumF: number, names: Metric['names'], filter?: RangeFilter): Metric {
  const row = {
    kind: 'number',
    names,
    read: (token: TokenReader) => token.sharePercent(sumF),
  } as const
  return filter === undefined ? row : { ...row, filter }
}

export const METRICS: readonly Metric[] = [
  { kind: 'text', names: everywhere('name'), read: (token) => token.name },
  { kind: 'text', names: everywhere('symbol'), read: (token) => token.symbol },
  { kind: 'text', names: { search: 'uri' }, read: (token) => token.uri },
  { kind: 'text', names: everywhere('mint'), read: (token) => token.mint },
  { kind: 'text', names: { market: 'pool', table: 'pool' }, read: (token) => token.pool },
  { kind: 'text', names: { search: 'bonding_curve' }, read: (token) => token.bondingCurve },
  { kind: 'text', names: everywhere('creator'), read: (token) => token.creator },
  {
    kind: 'text',
    names: { search: 'pool_amm' },
    read: (token) => (token.isGraduated ? token.poolAmm : ''),
  },
  {
    kind: 'text or null',
    names: { search: 'migration_signature' },
    read: (token) => token.migrationSignature,
  },
  { kind: 'time', names: { search: 'migration_timestamp' }, read: (token) => token.migratedAt },
  metadata('image'),
  metadata('video'),
  metadata('twitter'),
  metadata('website'),
  metadata('discord'),
  metadata('telegram'),
  metadata('description'),
  { kind: 'time', names: { search: 'created_on' }, read: (token) => token.createdAt },
  { kind: 'text', names: { search: 'token_program' }, read: (token) => token.tokenProgram },
  { kind: 'boolean', names: { search: 'is_mayhem_mode' }, read: (token) => token.isMayhem },
  { kind: 'time', names: everywhere('timestamp'), read: (token) => token.createdAt },
  { kind: 'boolean', names: { search: 'complete' }, read: (token) => token.isComplete },
  {
    kind: 'number',
    names: everywhere('pct_completion'),
    read: (token) => token.completionPercent,
  },
  {
    kind: 'number',
    names: everywhere('market_cap'),
    filter: 'mCapUsd',
    read: (token) => token.marketCapUsd,
  },
  {
    kind: 'number',
    names: { search: 'liquidity', market: 'liquidity', table: 'liqudity' },
    read: (token) => token.liquidityUsd,
  },
  { kind: 'number', names: { search: 'volume' }, read: (token) => token.volumeUsd },
  {
    kind: 'number',
    names: { search: 'token_price_sol', market: 'token_price_sol' },
    read: (token) => token.priceSol,
  },
  {
    kind: 'number',
    names: { search: 'token_price_usd', market: 'token_price_usd' },
    read: (token) => token.priceUsd,
  },
  { kind: 'number', names: { search: 'sol_price_usd' }, read: (token) => token.solPriceUsd },
  { kind: 'number', names: everywhere('tx_24h'), read: (token) => token.swaps24h },
  {
    kind: 'number',
    names: everywhere('tx_24h_buy'),
    filter: 'txsBuys',
    read: (token) => token.buys24h,
  },
  {
    kind: 'number',
    names: everywhere('tx_24h_sell'),
    filter: 'txsSells',
    read: (token) => token.sells24h,
  },
  {
    kind: 'number',
    names: everywhere('vol_24h'),
    filter: 'volumeUsd',
    read: (token) => token.volume24hUsd,
  },
  { kind: 'number', names: everywhere('vol_24_buy'), read: (token) => token.buyVolume24hUsd },
  { kind: 'number', names: everywhere('vol_24_sell'), read: (token) => token.sellVolume24hUsd },
  {
    kind: 'number',
    names: everywhere('holders'),
    filter: 'holders',
    read: (token) => token.holders,
  },
  {
    kind: 'number',
    names: everywhere('top_10_percent'),
    filter: 'top10HoldingPct',
    read: (token) => token.topTenPercent,
  },
  {
    kind: 'number',
    names: {
      search: 'creator_holding_pct',
      market: 'creator_holding_pct',
      table: 'creator_holding',
    },
    filter: 'devHoldingPct',
    read: (token) => token.creatorPercent,
  },
  share(TokenLane.bundleSumF, everywhere('bundle_holding'), 'bundlersHoldingPct'),
  share(TokenLane.insiderSumF, everywhere('insiders_holding'), 'insidersHoldingPct'),
  share(TokenLane.sniperSumF, everywhere('snipers_holding'), 'snipersHoldingPct'),
  share(
    TokenLane.freshSumF,
    {
      search: 'fresh_wallet_holding',
      market: 'fresh_wallet_holding',
      table: 'fresh_wallets_holding',
    },
    'freshWalletsHoldingPct',
  ),
  {
    kind: 'number',
    names: { search: 'pro_traders', market: 'pro_traders' },
    filter: 'proTradersAmount',
    read: (token) => token.proTraders,
  },
  share(TokenLane.proSumF, { table: 'pro_traders_holding' }),
  { kind: 'number', names: { search: 'age_seconds' }, read: (token) => token.ageSeconds },
  { kind: 'number', names: {}, filter: 'ageMinutes', read: (token) => token.ageSeconds / 60 },
  { kind: 'number', names: {}, filter: 'xReuses', read: (token) => token.xReuses },
  { kind: 'number', names: {}, filter: 'devCreations', read: (token) => token.creatorCreations },
  {
    kind: 'number',
    names: { table: 'creator_completed_pools' },
    filter: 'devMigrations',
    read: (token) => token.creatorMigrations,
  },
  {
    kind: 'number',
    names: { table: 'creator_completing_pools' },
    read: (token) => token.creatorCreations - token.creatorMigrations,
  },
  { kind: 'boolean', names: {}, filter: 'devSoldAll', read: (token) => token.hasCreatorSoldAll },
  { kind: 'boolean', names: {}, filter: 'noXReuses', read: (token) => token.xReuses === 0 },
  { kind: 'boolean', names: {}, filter: 'dexPaid', read: (token) => token.isDexPaid },
  { kind: 'boolean', names: {}, filter: 'caEndsWithSuffix', read: (token) => token.hasSuffix },
]
