/** The three tables: who is in which, in which order, behind which filters (contract 3.7). */

import { METADATA_KEYS } from '../../src/events/event.ts'
import {
  type Filters,
  GROUPS,
  type Group,
  RANGE_FILTERS,
  type RangeFilter,
  SOCIALS,
  type TableOrder,
  WINDOW_FILTERS,
  WINDOWS,
  type WindowFilters,
} from '../../src/protocol/filters.ts'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { isHistoryComplete } from './additive.ts'
import { creationKeyOf, creatorCounts, xReusesOf } from './creators.ts'
import { compareText, wire } from './exact.ts'
import { isComplete, type Metrics } from './metrics.ts'
import { compareBirths, type Key } from './order.ts'
import { windowOf } from './window.ts'
import { windowValue } from './windows.ts'
import { initialRealBaseOf, type Token, type World } from './world.ts'

const SUFFIX = 'pump'

export function tablesOf(
  world: World,
  all: readonly Metrics[],
  { type, filters, limit, orderBy }: TablesQuery,
  now: number,
): object {
  const groups = type === 'all' ? GROUPS : [type]
  const tables = groups.map((group) => {
    const rows = all
      .filter((metrics) => metrics.group === group)
      .filter((metrics) => passes(world, metrics, filters[group] ?? {}, now))
      .sort((a, b) => compareIn(group, a.token, b.token))
      .sort((a, b) => orderValue(orderBy, b, now) - orderValue(orderBy, a, now))
      .slice(0, limit)
      .map((metrics) => tableRow(world, metrics, now))
    return [group, rows] as const
  })
  return Object.fromEntries(tables)
}

/** The sort is stable: equal ones stay in the table's order. */
function orderValue(orderBy: TableOrder | undefined, { token }: Metrics, now: number): number {
  const window = WINDOWS.find((name) => orderBy?.startsWith(`${name}.`))
  const filter = WINDOW_FILTERS.find((name) => orderBy === `${window}.${name}`)
  if (window === undefined || filter === undefined) return 0
  return wire(windowValue(token.swaps, window, filter, now))
}

function compareIn(group: Group, a: Token, b: Token): number {
  const newest = compareBirths(creationKeyOf(b), creationKeyOf(a))
  const ties = compareText(a.mint, b.mint)
  if (group === 'new') return newest || ties
  if (group === 'completing') return compareCompletion(b, a) || newest || ties
  return compareBirths(graduationKeyOf(b), graduationKeyOf(a)) || ties
}

/** Exact: (initial - real) / initial of both over one denominator. */
function compareCompletion(a: Token, b: Token): number {
  const [doneA, ofA] = ratioOf(a)
  const [doneB, ofB] = ratioOf(b)
  const left = doneA * ofB
  const right = doneB * ofA
  return left < right ? -1 : left > right ? 1 : 0
}

function ratioOf(token: Token): [bigint, bigint] {
  const initial = initialRealBaseOf(token)
  return isComplete(token) || initial === 0n ? [1n, 1n] : [initial - token.realBaseRaw, initial]
}

function graduationKeyOf(token: Token): Key {
  return token.migrated?.key ?? token.firstAmm?.key ?? token.firstKey
}

function passes(world: World, metrics: Metrics, filters: Filters, now: number): boolean {
  const values = filterValues(world, metrics, now)
  const inRanges = RANGE_FILTERS.every((name) => {
    const { min, max } = filters[name] ?? {}
    return (min ?? -Infinity) <= values[name] && values[name] <= (max ?? Infinity)
  })
  return (
    inRanges &&
    (!filters.devSoldAll || metrics.devSoldAll) &&
    (!filters.noXReuses || values.xReuses === 0) &&
    (!filters.dexPaid || metrics.known.dexPaid) &&
    (!filters.caEndsWithSuffix || metrics.token.mint.endsWith(SUFFIX)) &&
    (!filters.historyComplete || isHistoryComplete(world, metrics.token)) &&
    hasSocials(metrics, filters.socials ?? {}) &&
    isInWindows(metrics, filters.windows ?? {}, now)
  )
}

function isInWindows({ token }: Metrics, wanted: WindowFilters, now: number): boolean {
  return WINDOWS.every((window) =>
    WINDOW_FILTERS.every((filter) => {
      const range = wanted[window]?.[filter]
      if (range === undefined) return true
      const value = wire(windowValue(token.swaps, window, filter, now))
      return (range.min ?? -Infinity) <= value && value <= (range.max ?? Infinity)
    }),
  )
}

function hasSocials({ known }: Metrics, wanted: NonNullable<Filters['socials']>): boolean {
  const has = SOCIALS.filter((social) => known.texts[social] !== '')
  const all = SOCIALS.every((social) => !wanted[social] || has.includes(social))
  return all && (!wanted.atLeastOne || has.length > 0)
}

function filterValues(world: World, metrics: Metrics, now: number): Record<RangeFilter, number> {
  const window = windowOf(metrics.token.swaps, now)
  const dev = creatorCounts(world, metrics.creator)
  return {
    xReuses: xReusesOf(world, metrics.token),
    ageMinutes: Math.max(0, (now - metrics.createdSeconds) / 60),
    mCapUsd: wire(metrics.value.marketCapUsd),
    volumeUsd: window.vol_24h,
    txsBuys: window.tx_24h_buy,
    txsSells: window.tx_24h_sell,
    top10HoldingPct: metrics.top10Pct,
    devHoldingPct: metrics.creatorPct,
    snipersHoldingPct: metrics.snipersPct,
    insidersHoldingPct: metrics.insidersPct,
    bundlersHoldingPct: metrics.bundlersPct,
    freshWalletsHoldingPct: metrics.freshPct,
    holders: metrics.holders,
    proTradersAmount: metrics.proTraders,
    devMigrations: dev.migrations,
    devCreations: dev.creations,
  }
}

function tableRow(world: World, metrics: Metrics, now: number): object {
  const dev = creatorCounts(world, metrics.creator)
  const texts = METADATA_KEYS.map((key) => [key, metrics.known.texts[key]] as const)
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== '')),
    name: metrics.name,
    symbol: metrics.symbol,
    timestamp: metrics.timestamp,
    mint: metrics.token.mint,
    creator: metrics.creator,
    pool: metrics.pool,
    holders: metrics.holders,
    top_10_percent: metrics.top10Pct,
    market_cap: wire(metrics.value.marketCapUsd),
    pct_completion: metrics.completionPct,
    liqudity: wire(metrics.value.liquidityUsd),
    ...windowOf(metrics.token.swaps, now),
    fresh_wallets_holding: metrics.freshPct,
    insiders_holding: metrics.insidersPct,
    bundle_holding: metrics.bundlersPct,
    snipers_holding: metrics.snipersPct,
    creator_holding: metrics.creatorPct,
    pro_traders_holding: metrics.proPct,
    creator_completed_pools: dev.migrations,
    creator_completing_pools: dev.creations - dev.migrations,
  }
}
