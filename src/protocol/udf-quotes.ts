import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { ChartQuery } from './answers.ts'
import { EXCHANGE } from './udf-json.ts'

/** Symbols of one request, as many as mints of one of market data. */
export const MAX_QUOTES = 100

const DAY_SECONDS = 86_400
/** Behind every bar, so that each asks with the same query, whose answer is kept. */
const FAR_SECONDS = 99_999_999_999

const Series = Type.Array(Type.Number())
const DayBars = Compile(
  Type.Object({ t: Series, o: Series, h: Series, l: Series, c: Series, v: Series }),
)

/** A token as its symbol tells it. */
export interface QuotedToken {
  readonly mint: string
  readonly name: string
  readonly symbol: string
  /** Of its curve or pool, where nobody traded it yet. */
  readonly priceUsd: number
}

/** The chart of which a quote is made: the last day with trades and the one before it. */
export function daysQuery(mint: string): ChartQuery {
  const plain = { continuous: false, fill: 'none', udf: false } as const
  return { mint, from: 0, to: FAR_SECONDS, resolution: '1D', countback: 2, ...plain }
}

interface Day {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  /** The close of the day before. */
  readonly before: number
}

/**
 * A symbol's quote as UDF has it, of the present day in UTC: the bar that a chart of days shows. There is no
 * bid and no ask where a formula makes the price.
 */
export function quoteOf(name: string, token: QuotedToken, chart: string, now: number): object {
  const { close, before, ...day } = dayOf(chart, token.priceUsd, now - (now % DAY_SECONDS))
  const change = close - before
  const values = {
    ch: change,
    chp: before > 0 ? (change / before) * 100 : 0,
    short_name: token.symbol || token.mint,
    exchange: EXCHANGE,
    original_name: `${EXCHANGE}:${token.mint}`,
    description: token.name,
    lp: close,
    open_price: day.open,
    high_price: day.high,
    low_price: day.low,
    prev_close_price: before,
    volume: day.volume,
  }
  return { s: 'ok', n: name, v: values }
}

/** The quote of a symbol that nobody knows. */
export function unknownQuote(name: string): object {
  return { s: 'error', n: name, v: {} }
}

export function quotesJson(quotes: readonly object[]): string {
  return JSON.stringify({ s: 'ok', d: quotes })
}

/** The day that begins at `today`, out of the last bars of days. */
function dayOf(chart: string, priceUsd: number, today: number): Day {
  const bars: unknown = JSON.parse(chart)
  if (!DayBars.Check(bars)) throw new Error('a chart of days has no series')
  const last = bars.t.length - 1
  if (last < 0) return flatDay(priceUsd)
  if (bars.t[last] < today) return flatDay(bars.c[last])
  return {
    open: bars.o[last],
    high: bars.h[last],
    low: bars.l[last],
    close: bars.c[last],
    volume: bars.v[last],
    before: last > 0 ? bars.c[last - 1] : bars.o[last],
  }
}

function flatDay(price: number): Day {
  return { open: price, high: price, low: price, close: price, volume: 0, before: price }
}
