/** A token as the search and the market data show it (spec, first two resources). */
import type { METADATA_KEYS } from '../../src/events/event.ts'
import { compareText, dateText, wire } from './exact.ts'
import type { Metrics } from './metrics.ts'
import { windowOf } from './window.ts'
import { isMayhem, poolAmmOf } from './world.ts'

const MOST_RESULTS = 50

export function searchRows(
  all: readonly Metrics[],
  text: string,
  now: number,
  solPriceUsd: number,
): object[] {
  const query = folded(text.trim())
  if (query === '') return []
  return all
    .map((metrics) => ({ metrics, rank: rankOf(metrics, query) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || byMarketCap(a.metrics, b.metrics))
    .slice(0, MOST_RESULTS)
    .map(({ metrics }) => searchRow(metrics, now, solPriceUsd))
}

function rankOf(metrics: Metrics, query: string): number | null {
  const mint = folded(metrics.token.mint)
  const name = folded(metrics.name)
  const symbol = folded(metrics.symbol)
  if (mint === query) return 0
  if (symbol === query) return 1
  if (name.startsWith(query) || symbol.startsWith(query)) return 2
  return [name, symbol, mint].some((field) => field.includes(query)) ? 3 : null
}

/** Case folding letter by letter: none of them knows where in a word it stands. */
function folded(text: string): string {
  return [...text]
    .map((letter) => (letter === 'ı' ? letter : letter.toLowerCase().toUpperCase().toLowerCase()))
    .join('')
}

function byMarketCap(a: Metrics, b: Metrics): number {
  const difference = wire(b.value.marketCapUsd) - wire(a.value.marketCapUsd)
  return difference || compareText(a.token.mint, b.token.mint)
}

function searchRow(metrics: Metrics, now: number, solPriceUsd: number): object {
  const { token } = metrics
  const migrated = token.migrated?.event
  return {
    ...commonRow(metrics, now),
    ...metrics.known.texts,
    uri: metrics.uri,
    bonding_curve: token.bondingCurve,
    pool_amm: poolAmmOf(token),
    migration_signature: migrated?.signature ?? null,
    migration_timestamp: migrated ? dateText(migrated.timestamp) : null,
    created_on: metrics.timestamp,
    token_program: token.state.tokenProgram,
    is_mayhem_mode: isMayhem(token),
    complete: metrics.complete,
    volume: metrics.volumeUsd,
    sol_price_usd: solPriceUsd,
    age_seconds: Math.max(0, now - metrics.createdSeconds),
  }
}

export function marketDataRow(metrics: Metrics, now: number): object {
  const { texts } = metrics.known
  const orNull = (key: (typeof METADATA_KEYS)[number]): string | null => texts[key] || null
  return {
    ...commonRow(metrics, now),
    pool: metrics.pool,
    image: orNull('image'),
    video: orNull('video'),
    twitter: orNull('twitter'),
    website: orNull('website'),
    discord: orNull('discord'),
    telegram: orNull('telegram'),
    description: orNull('description'),
  }
}

/** What both resources have. */
function commonRow(metrics: Metrics, now: number): object {
  return {
    name: metrics.name,
    symbol: metrics.symbol,
    mint: metrics.token.mint,
    creator: metrics.creator,
    timestamp: metrics.timestamp,
    pct_completion: metrics.completionPct,
    market_cap: wire(metrics.value.marketCapUsd),
    liquidity: wire(metrics.value.liquidityUsd),
    token_price_sol: wire(metrics.value.priceSol),
    token_price_usd: wire(metrics.value.priceUsd),
    ...windowOf(metrics.token.swaps, now),
    holders: metrics.holders,
    top_10_percent: metrics.top10Pct,
    creator_holding_pct: metrics.creatorPct,
    bundle_holding: metrics.bundlersPct,
    insiders_holding: metrics.insidersPct,
    snipers_holding: metrics.snipersPct,
    fresh_wallet_holding: metrics.freshPct,
    pro_traders: metrics.proTraders,
  }
}
