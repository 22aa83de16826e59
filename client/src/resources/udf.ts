import {
  isNumber,
  isText,
  listOf,
  type ObjectOf,
  objectOf,
  optional,
  type Shape,
} from '../shape.ts'
import { areParallel, isSeries } from './series.ts'

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
  listed_exchange: 'text',
  format: 'text',
  currency_code: 'text',
  data_status: 'text',
  minmov: 'number',
  pricescale: 'number',
  volume_precision: 'number',
  has_intraday: 'flag',
  has_daily: 'flag',
  has_seconds: 'flag',
  has_weekly_and_monthly: 'flag',
  seconds_multipliers: listOf(isText),
  intraday_multipliers: listOf(isText),
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

/** Of the present day in UTC; prices and volume in USD. */
const VALUES = {
  short_name: 'text',
  exchange: 'text',
  original_name: 'text',
  description: 'text',
  lp: 'number',
  ch: 'number',
  chp: 'number',
  open_price: 'number',
  high_price: 'number',
  low_price: 'number',
  prev_close_price: 'number',
  volume: 'number',
} as const
const QUOTE = { s: ['ok'], n: 'text', v: objectOf(VALUES) } as const
/** Of a symbol that the service does not know. */
const NO_QUOTE = { s: ['error'], n: 'text' } as const

const isSeriesOrNone = optional(isSeries)
const HISTORY_SERIES = {
  t: isSeriesOrNone,
  o: isSeriesOrNone,
  h: isSeriesOrNone,
  l: isSeriesOrNone,
  c: isSeriesOrNone,
  v: isSeriesOrNone,
} as const
const HISTORY = {
  s: ['ok', 'no_data'],
  nextTime: optional(isNumber),
  ...HISTORY_SERIES,
} as const

const isQuote = objectOf(QUOTE)
const isNoQuote = objectOf(NO_QUOTE)
const QUOTES = {
  s: ['ok'],
  d: listOf(
    (value): value is ObjectOf<typeof QUOTE> | ObjectOf<typeof NO_QUOTE> =>
      isQuote(value) || isNoQuote(value),
  ),
} as const

/** What TradingView's UDF has (docs/live.md, "TradingView UDF"). */
export type UdfConfig = ObjectOf<typeof CONFIG>
export type UdfSymbol = ObjectOf<typeof SYMBOL>
export type UdfFound = ObjectOf<typeof FOUND>
export type UdfQuotes = ObjectOf<typeof QUOTES>
export type UdfHistory = ObjectOf<typeof HISTORY>

export const isUdfConfig: Shape<UdfConfig> = objectOf(CONFIG)
export const isUdfSymbol: Shape<UdfSymbol> = objectOf(SYMBOL)
export const isUdfFound: Shape<UdfFound> = objectOf(FOUND)
export const isUdfQuotes: Shape<UdfQuotes> = objectOf(QUOTES)

const hasHistory = objectOf(HISTORY)
/** Bars have every series, and all series one length. */
export const isUdfHistory: Shape<UdfHistory> = (value): value is UdfHistory =>
  hasHistory(value) &&
  (value.s === 'no_data' || value.t !== undefined) &&
  areParallel(Object.keys(HISTORY_SERIES).map((key) => Reflect.get(value, key)))
