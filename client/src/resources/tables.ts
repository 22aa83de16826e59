import { listOf, type ObjectOf, objectOf, optional, type Shape } from '../shape.ts'
import { OF_TOKEN } from './quote.ts'
import { WINDOW } from './window.ts'

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
  ...OF_TOKEN,
} as const

/** A token as a row of a table. */
export type TableRow = ObjectOf<typeof ROW>
export const isRow: Shape<TableRow> = objectOf(ROW)

/** Rows by group; only the groups that were asked for are there. */
export interface Tables {
  readonly new?: readonly TableRow[] | undefined
  readonly completing?: readonly TableRow[] | undefined
  readonly graduated?: readonly TableRow[] | undefined
}

const TRENDING_ROW = {
  rank: 'number',
  /** What it is ranked by. */
  value: 'number',
  ...ROW,
} as const

/** A token that trends. */
export type TrendingToken = ObjectOf<typeof TRENDING_ROW>
export const isTrendingToken: Shape<TrendingToken> = objectOf(TRENDING_ROW)

const TRENDING = {
  window: 'text',
  by: 'text',
  items: listOf(isTrendingToken),
} as const

export type Trending = ObjectOf<typeof TRENDING>
export const isTrending: Shape<Trending> = objectOf(TRENDING)

const isRows = optional(listOf(isRow))
export const isTables: Shape<Tables> = objectOf({
  new: isRows,
  completing: isRows,
  graduated: isRows,
})
