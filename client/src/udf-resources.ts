import { isNumber, isText, listOf, type ObjectOf, objectOf, optional, type Shape } from './shape.ts'

const CONFIG = {
  supports_search: 'flag',
  supports_group_request: 'flag',
  supports_marks: 'flag',
  supports_timescale_marks: 'flag',
  supports_time: 'flag',
  supported_resolutions: listOf(isText),
} as const

const SYMBOL = {
  name: 'text',
  ticker: 'text',
  full_name: 'text',
  description: 'text',
  type: 'text',
  session: 'text',
  timezone: 'text',
  exchange: 'text',
  minmov: 'number',
  pricescale: 'number',
  supported_resolutions: listOf(isText),
} as const

const FOUND = {
  symbol: 'text',
  full_name: 'text',
  description: 'text',
  exchange: 'text',
  ticker: 'text',
  type: 'text',
} as const

const isSeries = optional(listOf(isNumber))
const HISTORY = {
  s: ['ok', 'no_data'],
  nextTime: optional(isNumber),
  t: isSeries,
  o: isSeries,
  h: isSeries,
  l: isSeries,
  c: isSeries,
  v: isSeries,
} as const

/** What TradingView's UDF has (docs/live.md, "TradingView UDF"). */
export type UdfConfig = ObjectOf<typeof CONFIG>
export type UdfSymbol = ObjectOf<typeof SYMBOL>
export type UdfFound = ObjectOf<typeof FOUND>
export type UdfHistory = ObjectOf<typeof HISTORY>

export const isUdfConfig: Shape<UdfConfig> = objectOf(CONFIG)
export const isUdfSymbol: Shape<UdfSymbol> = objectOf(SYMBOL)
export const isUdfFound: Shape<UdfFound> = objectOf(FOUND)
export const isUdfHistory: Shape<UdfHistory> = objectOf(HISTORY)
