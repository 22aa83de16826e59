import { isRecord, jsonOf, listAt } from '../../base/json-access.ts'
import { isSolPrice } from '../../base/thresholds.ts'
import { responseText } from '../response-text.ts'
import type { PriceSeries } from './priced-sink.ts'

/** Candles asked for at most; of a longer time they are wider. */
const CANDLES_MAX = 2_000
/** Widths that all venues have, in seconds. */
const WIDTHS_SECONDS = [60, 300, 900, 3_600, 86_400]
const ANSWER_MS = 10_000
const ANSWER_BYTES_MAX = 1 << 20

/** Candles of SOL in dollars, as a venue tells them over HTTP. */
interface CandleVenue {
  readonly name: string
  readonly origin: string
  /** Candles of one answer. */
  readonly pageCandles: number
  /** Older ones are not told; absent: all are. */
  readonly newestCandles?: number
  /** Where the candles that open from `from` to before `to`, in unix seconds, are told. */
  readonly path: (from: number, to: number, widthSeconds: number) => string
  /** The candles of an answer, each a list. */
  readonly candlesOf: (answer: unknown) => readonly unknown[] | null
  /** Where in a candle its opening time and its closing price stand, and what the time is counted in. */
  readonly places: { readonly time: number; readonly close: number; readonly timesASecond: number }
}

/** Newest first, 300 at most: time, low, high, open, close, volume. */
const COINBASE: CandleVenue = {
  name: 'coinbase',
  origin: 'https://api.exchange.coinbase.com',
  pageCandles: 300,
  path: (from, to, width) =>
    `/products/SOL-USD/candles?granularity=${width}&start=${isoTime(from)}&end=${isoTime(to - 1)}`,
  candlesOf: (answer) => (Array.isArray(answer) ? answer : null),
  places: { time: 0, close: 4, timesASecond: 1 },
}

/** Oldest first, 1,000 at most: open time, open, high, low, close, volume, and more. */
const BINANCE: CandleVenue = {
  name: 'binance',
  origin: 'https://api.binance.com',
  pageCandles: 1_000,
  path: (from, to, width) =>
    `/api/v3/klines?symbol=SOLUSDT&interval=${binanceWidth(width)}&startTime=${from * 1_000}` +
    `&endTime=${to * 1_000 - 1}&limit=1000`,
  candlesOf: (answer) => (Array.isArray(answer) ? answer : null),
  places: { time: 0, close: 4, timesASecond: 1_000 },
}

/** The newest 720, whatever was asked for: time, open, high, low, close, and more. */
const KRAKEN: CandleVenue = {
  name: 'kraken',
  origin: 'https://api.kraken.com',
  pageCandles: 720,
  newestCandles: 720,
  path: (from, _to, width) => `/0/public/OHLC?pair=SOLUSD&interval=${width / 60}&since=${from - 1}`,
  candlesOf: (answer) => (isRecord(answer) ? listAt(answer.result, 'SOLUSD') : null),
  places: { time: 0, close: 4, timesASecond: 1 },
}

export const CANDLE_VENUES: readonly CandleVenue[] = [COINBASE, BINANCE, KRAKEN]

/**
 * The price of SOL over a time of the past, minute by minute where it is a day and wider where it is longer: each candle's
 * close, from its end on. By the first venue that tells it; null: none does.
 * @param report called with why a venue does not, in one sentence
 */
export async function priceHistory(
  venues: readonly CandleVenue[],
  span: { readonly from: number; readonly to: number },
  signal: AbortSignal,
  report: (reason: string) => void,
): Promise<PriceSeries | null> {
  for (const venue of venues) {
    try {
      const series = await seriesOf(venue, span, signal)
      if (series.length > 0) return series
      report(`${venue.name} has no prices of that time`)
    } catch (error) {
      if (signal.aborted) return null
      report(`${venue.name} does not tell the prices of that time (${String(error)})`)
    }
  }
  return null
}

async function seriesOf(
  venue: CandleVenue,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<PriceSeries> {
  const { newestCandles: most = CANDLES_MAX } = venue
  const width = WIDTHS_SECONDS.find((seconds) => (to - from) / seconds <= most) ?? 86_400
  const first = from - (from % width)
  const pageSeconds = venue.pageCandles * width
  const points: PriceSeries[number][] = []
  for (let at = first; at < to; at += pageSeconds) {
    const url = venue.origin + venue.path(at, Math.min(to + width, at + pageSeconds), width)
    const candles = venue.candlesOf(jsonOf(await textOf(url, signal)))
    if (candles === null) throw new Error('its answer has no candles')
    points.push(...candles.flatMap((candle) => pointOf(venue, candle, width)))
  }
  const within = points.filter(({ timestamp }) => timestamp >= first && timestamp <= to + width)
  return within.sort((a, b) => a.timestamp - b.timestamp)
}

/** Empty: it is no candle. */
function pointOf(
  { places }: CandleVenue,
  candle: unknown,
  width: number,
): readonly PriceSeries[number][] {
  if (!Array.isArray(candle)) return []
  const timestamp = Math.floor(Number(candle[places.time]) / places.timesASecond) + width
  const usd = Number(candle[places.close])
  return Number.isSafeInteger(timestamp) && isSolPrice(usd) ? [{ timestamp, usd }] : []
}

async function textOf(url: string, signal: AbortSignal): Promise<string> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  const response = await fetch(url, { signal: ending, redirect: 'error' })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return responseText(response, ANSWER_BYTES_MAX, ending)
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}

function binanceWidth(seconds: number): string {
  if (seconds < 3_600) return `${seconds / 60}m`
  return seconds < 86_400 ? '1h' : '1d'
}
