import { WINDOWS } from '../filters.ts'
import { TRENDING_ORDERS, type TrendingQuery } from '../queries.ts'
import type { Parsed, QueryParameters } from './parsers.ts'
import { shortDigest } from './tables.ts'
import { parseRanking } from './tokens.ts'

/** The name of a live list of trending tokens, of the form that names of live tables have. */
export function trendingName({ window, by, limit }: TrendingQuery): string {
  return shortDigest(['trending', window, by, limit])
}

/** `window`, `by` and `limit` of the trending tokens. */
export function parseTrending(parameters: QueryParameters): Parsed<TrendingQuery> {
  const windows = { words: WINDOWS, fallback: '5m' } as const
  return parseRanking(parameters, windows, { words: TRENDING_ORDERS, fallback: 'volume' })
}
