import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { RequestError } from './errors.ts'
import { type ChartQuery, RESOLUTIONS } from './queries.ts'

/** Name of the one exchange that symbols are of. */
const EXCHANGE = 'mintfeed'
const TYPE = 'crypto'
/** Digits from the first that is not 0 on. */
const PRICE_DIGITS = 4
const PRICE_DIGITS_MAX = 16
const PRICE_DIGITS_UNKNOWN = 9

/** `/udf/config`. */
export function udfConfigJson(): string {
  return JSON.stringify({
    supports_search: true,
    supports_group_request: false,
    supports_marks: false,
    supports_timescale_marks: false,
    supports_time: true,
    exchanges: [{ value: EXCHANGE, name: EXCHANGE, desc: EXCHANGE }],
    symbols_types: [{ name: TYPE, value: TYPE }],
    supported_resolutions: RESOLUTIONS,
  })
}

/** `/udf/symbols` of a token. */
export function udfSymbolJson(
  mint: string,
  token: { readonly name: string; readonly symbol: string; readonly priceUsd: number },
): string {
  return JSON.stringify({
    name: token.symbol || mint,
    ticker: mint,
    full_name: `${EXCHANGE}:${mint}`,
    description: token.name,
    type: TYPE,
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange: EXCHANGE,
    listed_exchange: EXCHANGE,
    minmov: 1,
    pricescale: 10 ** priceDigits(token.priceUsd),
    format: 'price',
    currency_code: 'USD',
    has_intraday: true,
    has_daily: true,
    has_seconds: true,
    seconds_multipliers: ['1', '5', '15', '30'],
    intraday_multipliers: ['1', '5', '15', '30', '60', '240'],
    has_weekly_and_monthly: true,
    supported_resolutions: RESOLUTIONS,
    volume_precision: 2,
    data_status: 'streaming',
  })
}

function priceDigits(priceUsd: number): number {
  if (!(priceUsd > 0)) return PRICE_DIGITS_UNKNOWN
  const digits = Math.ceil(-Math.log10(priceUsd)) + PRICE_DIGITS
  return Math.min(PRICE_DIGITS_MAX, Math.max(2, digits))
}

const FoundSchema = Type.Array(
  Type.Object({ mint: Type.String(), name: Type.String(), symbol: Type.String() }),
)
const Found = Compile(FoundSchema)

/** Do symbols of this exchange and type exist? An empty text means any. */
export function udfHas(exchange: string, type: string): boolean {
  return ['', EXCHANGE].includes(exchange) && ['', TYPE].includes(type)
}

/** A symbol as the mint it names, with or without the exchange before it. */
export function withoutExchange(symbol: string): string {
  const prefix = symbol.slice(0, EXCHANGE.length + 1).toLowerCase()
  return prefix === `${EXCHANGE}:` ? symbol.slice(prefix.length) : symbol
}

/** The mint of a search answer that differs in case only; null without one. */
export function mintIgnoringCase(searchAnswer: string, mint: string): string | null {
  const wanted = mint.toLowerCase()
  const found = tokensOf(searchAnswer).find((token) => token.mint.toLowerCase() === wanted)
  return found?.mint ?? null
}

function tokensOf(searchAnswer: string): Type.Static<typeof FoundSchema> {
  const found: unknown = JSON.parse(searchAnswer)
  if (!Found.Check(found)) throw new Error('a search answer is no list of tokens')
  return found
}

/** `/udf/search` out of a search answer. */
export function udfSearchJson(searchAnswer: string, limit: number): string {
  const found = tokensOf(searchAnswer)
  const rows = found.slice(0, limit).map(({ mint, name, symbol }) => ({
    symbol: symbol || mint,
    full_name: `${EXCHANGE}:${mint}`,
    description: name,
    exchange: EXCHANGE,
    ticker: mint,
    type: TYPE,
  }))
  return JSON.stringify(rows)
}

/** A refusal as UDF clients read it: by `s` and `errmsg`, not by a status. */
export function udfErrorJson({ message }: RequestError): string {
  return JSON.stringify({ s: 'error', errmsg: message })
}

/** Symbols of one request, as many as mints of one of market data. */
export const MAX_QUOTES = 100

const DAY_SECONDS = 86_400
/** Behind every bar, so that all quotes of a mint have the same query, whose answer is cached. */
const FAR_SECONDS = 99_999_999_999

const Series = Type.Array(Type.Number())
const DayBars = Compile(
  Type.Object({ t: Series, o: Series, h: Series, l: Series, c: Series, v: Series }),
)

/** The chart behind a quote: the last day with trades and the one before it. */
export function daysQuery(mint: string): ChartQuery {
  const plain = { continuous: false, fill: 'none', udf: false } as const
  return { mint, from: 0, to: FAR_SECONDS, resolution: '1D', countback: 2, ...plain }
}

/** The parts of a quote. */
interface Quoted {
  readonly mint: string
  readonly name: string
  readonly symbol: string
  /** The price of its curve or pool, before the first trade. */
  readonly priceUsd: number
  /** The answer to `daysQuery`. */
  readonly chart: string
}

/** `/udf/quotes`: the quotes of these symbols, in their order; null: an unknown symbol. */
export function udfQuotesJson(
  quotes: readonly (readonly [symbol: string, Quoted | null])[],
  now: number,
): string {
  const rows = quotes.map(([n, quoted]) =>
    quoted === null ? { s: 'error', n, v: {} } : { s: 'ok', n, v: quoteOf(quoted, now) },
  )
  return JSON.stringify({ s: 'ok', d: rows })
}

/**
 * A token's quote of the present day in UTC: the bar that a chart of days shows. There is no bid and no ask where a
 * formula makes the price.
 */
function quoteOf({ mint, name, symbol, priceUsd, chart }: Quoted, now: number): object {
  const { close, before, ...day } = dayOf(chart, priceUsd, now - (now % DAY_SECONDS))
  const change = close - before
  return {
    ch: change,
    chp: before > 0 ? (change / before) * 100 : 0,
    short_name: symbol || mint,
    exchange: EXCHANGE,
    original_name: `${EXCHANGE}:${mint}`,
    description: name,
    lp: close,
    open_price: day.open,
    high_price: day.high,
    low_price: day.low,
    prev_close_price: before,
    volume: day.volume,
  }
}

/** The bar of the day that begins at `today`, out of the last bars of days; `before` is the close of the day before. */
function dayOf(chart: string, priceUsd: number, today: number) {
  const bars: unknown = JSON.parse(chart)
  if (!DayBars.Check(bars)) throw new Error('a chart of days has no series')
  const { t, o, h, l, c, v } = bars
  const [time = -1, open = 0, close = priceUsd] = [t.at(-1), o.at(-1), c.at(-1)]
  if (time < today) return { open: close, high: close, low: close, close, volume: 0, before: close }
  const [high = 0, low = 0, volume = 0] = [h.at(-1), l.at(-1), v.at(-1)]
  return { open, high, low, close, volume, before: c.at(-2) ?? open }
}
