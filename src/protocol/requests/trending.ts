import { WINDOWS } from '../filters.ts'
import { TRENDING_ORDERS, type TrendingQuery } from '../queries.ts'
import { accept, choice, integer, type Parsed, type QueryParameters } from './parsers.ts'
import { shortDigest } from './tables.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from './tokens.ts'

const LIMIT_RANGE = { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT }

/** The name of a live list of trending tokens, of the form that names of live tables have. */
export function trendingName({ window, by, limit }: TrendingQuery): string {
  return shortDigest(['trending', window, by, limit])
}

/** `window`, `by` and `limit` of the trending tokens. */
export function parseTrending(parameters: QueryParameters): Parsed<TrendingQuery> {
  const window = choice(parameters, 'window', WINDOWS, '5m')
  if (!window.ok) return window
  const by = choice(parameters, 'by', TRENDING_ORDERS, 'volume')
  if (!by.ok) return by
  const limit = integer(parameters, 'limit', LIMIT_RANGE)
  if (!limit.ok) return limit
  return accept({ window: window.value, by: by.value, limit: limit.value })
}
