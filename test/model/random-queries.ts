import {
  type Filters,
  FLAG_FILTERS,
  GROUPS,
  RANGE_FILTERS,
  type Range,
  type RangeFilter,
  SOCIAL_FILTERS,
  SOCIALS,
  WINDOW_FILTERS,
  WINDOWS,
  type WindowFilter,
} from '../../src/protocol/filters.ts'
import {
  type ChartQuery,
  RESOLUTIONS,
  type Resolution,
  type TablesQuery,
} from '../../src/protocol/queries.ts'
import type { Random } from '../oracle/random.ts'

/** Bounds that cut through what histories hold. */
const BOUNDS: { readonly [N in RangeFilter]: readonly [number, ...number[]] } = {
  xReuses: [0, 1, 2],
  ageMinutes: [0, 0.5, 10, 200, 1440],
  mCapUsd: [0, 4000, 5000, 10_000, 30_000],
  volumeUsd: [0, 0.01, 100, 1000, 5000],
  txsBuys: [0, 1, 2, 5],
  txsSells: [0, 1, 2, 5],
  top10HoldingPct: [0, 5, 30, 100],
  devHoldingPct: [0, 1, 20],
  snipersHoldingPct: [0, 1, 20],
  insidersHoldingPct: [0, 1, 20],
  bundlersHoldingPct: [0, 1, 20],
  freshWalletsHoldingPct: [0, 1, 20],
  holders: [0, 1, 2, 4],
  proTradersAmount: [0, 1, 2],
  devMigrations: [0, 1, 2],
  devCreations: [0, 1, 2],
}

/** One table query of some type; mostly one filter, so that most leave something to compare. */
export function randomTables(random: Random): TablesQuery {
  const filters = Object.fromEntries(GROUPS.map((group) => [group, randomFilters(random)]))
  return {
    type: random.pick(['all', 'all', ...GROUPS]),
    filters,
    limit: random.pick([1, 2, 50, 200]),
  }
}

/** The same with filters of windows among them, and with orders by windows. */
export function randomWindowTables(random: Random): TablesQuery {
  const withWindow = (group: (typeof GROUPS)[number]) =>
    [group, random.chance(0.4) ? randomWindowFilter(random) : randomFilters(random)] as const
  const filters = Object.fromEntries(GROUPS.map(withWindow))
  return {
    type: random.pick(['all', 'all', ...GROUPS]),
    filters,
    limit: random.pick([1, 2, 50, 200]),
    ...(random.chance(0.2) && {
      orderBy: `${random.pick(WINDOWS)}.${random.pick(WINDOW_FILTERS)}` as const,
    }),
  }
}

function randomFilters(random: Random): Filters {
  if (random.chance(0.1)) return {}
  let filters: Filters = {}
  const count = random.pick([1, 1, 1, 2, 3])
  for (let i = 0; i < count; i += 1) filters = { ...filters, ...randomFilter(random) }
  return filters
}

/** By what a quantity counts: percent, dollars, trades or traders, or the price of a token. */
const WINDOW_BOUNDS: { readonly [N in WindowFilter]: readonly [number, ...number[]] } = {
  priceChangePct: [-50, -1, 0, 1, 20, 100],
  volumeUsd: [0, 0.01, 50, 1000],
  volumeBuyUsd: [0, 0.01, 50, 1000],
  volumeSellUsd: [0, 0.01, 50, 1000],
  txs: [0, 1, 2, 5],
  buys: [0, 1, 2, 5],
  sells: [0, 1, 2, 5],
  traders: [0, 1, 2, 3],
  highUsd: [0, 1e-6, 5e-6, 1e-4],
  lowUsd: [0, 1e-6, 5e-6, 1e-4],
}

function randomRange(random: Random, bounds: readonly [number, ...number[]]): Range {
  const a = random.pick(bounds)
  const b = random.pick(bounds)
  const both = { min: Math.min(a, b), max: Math.max(a, b) }
  return random.pick<Range>([{ min: a }, { max: b }, both, { max: b }])
}

function randomWindowFilter(random: Random): Filters {
  const name = random.pick(WINDOW_FILTERS)
  const range = randomRange(random, WINDOW_BOUNDS[name])
  return { windows: { [random.pick(WINDOWS)]: { [name]: range } } }
}

function randomFilter(random: Random): Filters {
  if (random.chance(0.15)) return { [random.pick(FLAG_FILTERS)]: random.chance(0.8) }
  if (random.chance(0.15)) {
    const wanted = random.pick(SOCIAL_FILTERS)
    return { socials: { [wanted]: true, [random.pick(SOCIALS)]: random.chance(0.3) } }
  }
  const name = random.pick(RANGE_FILTERS)
  return { [name]: randomRange(random, BOUNDS[name]) }
}

/** A chart question about a time somewhere in the last days, `from` never after `to`. */
export function randomChart(random: Random, mint: string, now: number): ChartQuery {
  const from = random.pick([0, -5, now - 100_000, now - 3600, now - 60, now + 5])
  return {
    mint,
    from,
    to: Math.max(from, random.pick([now, now, now + 100_000, now - 600, now - 50_000])),
    resolution: random.pick(RESOLUTIONS),
    continuous: random.chance(0.5),
    fill: random.chance(0.1) ? 'previous' : 'none',
    countback: random.pick([0, 0, 1, 3]),
    udf: random.chance(0.5),
  }
}

export function wholeChart(mint: string, now: number, resolution: Resolution): ChartQuery {
  return {
    mint,
    from: 0,
    to: now,
    resolution,
    continuous: false,
    fill: 'none',
    countback: 0,
    udf: false,
  }
}
