import type { TokenReader } from '../../engine/read/token-reader.ts'
import type { WindowReader } from '../../engine/read/window-reader.ts'
import { HolderClass } from '../../engine/state/layout.ts'
import { METADATA_KEYS, type MetadataKey } from '../../events/event.ts'
import type { FlagFilter, RangeFilter, WindowFilter } from '../../protocol/filters.ts'

/**
 * Every quantity of a token, one row each: what it is, how it is read, and what it is called in each
 * resource and filter of the specification. Encoders, filters and the field tests derive from here: a new
 * metric is one row, and one more name in protocol/filters.ts where it is a filter. A quantity that changes with
 * the clock or with another token needs a column of its own (table-columns.ts).
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

function text(names: Metric['names'], read: (token: TokenReader) => string): Metric {
  return { kind: 'text', names, read }
}

function number(
  names: Metric['names'],
  read: (token: TokenReader) => number,
  filter?: RangeFilter,
): Metric {
  return { kind: 'number', names, read, ...(filter !== undefined && { filter }) }
}

function flag(
  names: Metric['names'],
  read: (token: TokenReader) => boolean,
  filter?: FlagFilter,
): Metric {
  return { kind: 'boolean', names, read, ...(filter !== undefined && { filter }) }
}

/** Percent of the supply that some wallets hold, whose balances are summed in a lane. */
function share(of: number, names: Metric['names'], filter?: RangeFilter): Metric {
  return number(names, (token) => token.sharePercent(of), filter)
}

export const METRICS: readonly Metric[] = [
  text(everywhere('name'), (token) => token.name),
  text(everywhere('symbol'), (token) => token.symbol),
  text({ search: 'uri' }, (token) => token.uri),
  text(everywhere('mint'), (token) => token.mint),
  text({ market: 'pool', table: 'pool' }, (token) => token.pool),
  text({ search: 'bonding_curve' }, (token) => token.bondingCurve),
  text(everywhere('creator'), (token) => token.creator),
  text({ search: 'pool_amm' }, (token) => (token.isGraduated ? token.poolAmm : '')),
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
  text({ search: 'token_program' }, (token) => token.tokenProgram),
  flag({ search: 'is_mayhem_mode' }, (token) => token.isMayhem),
  { kind: 'time', names: everywhere('timestamp'), read: (token) => token.createdAt },
  flag({ search: 'complete' }, (token) => token.isComplete),
  number(everywhere('pct_completion'), (token) => token.completionPercent),
  number(everywhere('market_cap'), (token) => token.marketCapUsd, 'mCapUsd'),
  number(
    { search: 'liquidity', market: 'liquidity', table: 'liqudity' },
    (token) => token.liquidityUsd,
  ),
  number({ search: 'volume' }, (token) => token.volumeUsd),
  number({ search: 'token_price_sol', market: 'token_price_sol' }, (token) => token.priceSol),
  number({ search: 'token_price_usd', market: 'token_price_usd' }, (token) => token.priceUsd),
  number({ search: 'sol_price_usd' }, (token) => token.solPriceUsd),
  number(everywhere('tx_24h'), (token) => token.swaps24h),
  number(everywhere('tx_24h_buy'), (token) => token.buys24h, 'txsBuys'),
  number(everywhere('tx_24h_sell'), (token) => token.sells24h, 'txsSells'),
  number(everywhere('vol_24h'), (token) => token.volume24hUsd, 'volumeUsd'),
  number(everywhere('vol_24_buy'), (token) => token.buyVolume24hUsd),
  number(everywhere('vol_24_sell'), (token) => token.sellVolume24hUsd),
  number(everywhere('holders'), (token) => token.holders, 'holders'),
  number(everywhere('top_10_percent'), (token) => token.topTenPercent, 'top10HoldingPct'),
  number(
    { search: 'creator_holding_pct', market: 'creator_holding_pct', table: 'creator_holding' },
    (token) => token.creatorPercent,
    'devHoldingPct',
  ),
  share(HolderClass.bundle, everywhere('bundle_holding'), 'bundlersHoldingPct'),
  share(HolderClass.insider, everywhere('insiders_holding'), 'insidersHoldingPct'),
  share(HolderClass.sniper, everywhere('snipers_holding'), 'snipersHoldingPct'),
  share(
    HolderClass.fresh,
    {
      search: 'fresh_wallet_holding',
      market: 'fresh_wallet_holding',
      table: 'fresh_wallets_holding',
    },
    'freshWalletsHoldingPct',
  ),
  number(
    { search: 'pro_traders', market: 'pro_traders' },
    (token) => token.proTraders,
    'proTradersAmount',
  ),
  share(HolderClass.pro, { table: 'pro_traders_holding' }),
  number({ search: 'age_seconds' }, (token) => token.ageSeconds),
  number({}, (token) => token.ageSeconds / 60, 'ageMinutes'),
  number({}, (token) => token.xReuses, 'xReuses'),
  number({}, (token) => token.creatorCreations, 'devCreations'),
  number({ table: 'creator_completed_pools' }, (token) => token.creatorMigrations, 'devMigrations'),
  number(
    { table: 'creator_completing_pools' },
    (token) => token.creatorCreations - token.creatorMigrations,
  ),
  flag({}, (token) => token.hasCreatorSoldAll, 'devSoldAll'),
  flag({}, (token) => token.xReuses === 0, 'noXReuses'),
  flag({}, (token) => token.isDexPaid, 'dexPaid'),
  flag({}, (token) => token.hasSuffix, 'caEndsWithSuffix'),
  flag({}, (token) => token.isHistoryComplete, 'historyComplete'),
]

/** The quantities of a window: the key in each answer, the filter, and how it is read (contract section 10). */
export const WINDOW_METRICS: readonly {
  readonly key: string
  readonly filter: WindowFilter
  readonly read: (window: WindowReader) => number
}[] = [
  { key: 'price_change_pct', filter: 'priceChangePct', read: (w) => w.priceChangePercent },
  { key: 'volume_usd', filter: 'volumeUsd', read: (w) => w.volumeUsd },
  { key: 'volume_buy_usd', filter: 'volumeBuyUsd', read: (w) => w.buyVolumeUsd },
  { key: 'volume_sell_usd', filter: 'volumeSellUsd', read: (w) => w.sellVolumeUsd },
  { key: 'txs', filter: 'txs', read: (w) => w.swaps },
  { key: 'buys', filter: 'buys', read: (w) => w.buys },
  { key: 'sells', filter: 'sells', read: (w) => w.sells },
  { key: 'traders', filter: 'traders', read: (w) => w.traders },
  { key: 'high_usd', filter: 'highUsd', read: (w) => w.extremes.highUsd },
  { key: 'low_usd', filter: 'lowUsd', read: (w) => w.extremes.lowUsd },
]
