import { nextBarTime, type Width } from '../../base/bar-time.ts'
import {
  BARS_MAX,
  type ChartQuery,
  type Queries,
  RESOLUTIONS,
  type Resolution,
  WIDTHS,
} from '../queries.ts'
import { MAX_QUOTES, withoutExchange } from '../udf-json.ts'
import {
  accept,
  addressRefusal,
  choice,
  integer,
  optIn,
  type Parsed,
  type QueryParameters,
  refuse,
  required,
  single,
  unixSeconds,
} from './parsers.ts'

/** Asking for more than an answer holds is a 400. */
const COUNTBACK_RANGE = { min: 0, max: BARS_MAX, fallback: 0 }

/** The chart's parameters: four required ones and the opt-in extras of contract section 3. */
export function parseChart(parameters: QueryParameters): Parsed<ChartQuery> {
  const mint = required(parameters, 'mint')
  if (!mint.ok) return mint
  const span = parseSpan(parameters)
  if (!span.ok) return span
  const resolution = parseResolution(parameters)
  if (!resolution.ok) return resolution
  const extras = parseChartExtras(parameters)
  if (!extras.ok) return extras
  return accept({
    mint: mint.value,
    ...span.value,
    resolution: resolution.value,
    ...extras.value,
  })
}

/** `from` and `to` in unix seconds, in this order. */
function parseSpan(parameters: QueryParameters): Parsed<Pick<ChartQuery, 'from' | 'to'>> {
  const from = unixSeconds(parameters, 'from')
  if (!from.ok) return from
  const to = unixSeconds(parameters, 'to')
  if (!to.ok) return to
  if (from.value > to.value) {
    const message = `from came as ${from.value}, it must not be after to, which is ${to.value}.`
    return refuse('invalid_parameter', 'from', message)
  }
  return accept({ from: from.value, to: to.value })
}

/** The width of bars; required. */
export function parseResolution(parameters: QueryParameters): Parsed<Resolution> {
  const resolution = choice(parameters, 'resolution', RESOLUTIONS, null)
  if (!resolution.ok) return resolution
  if (resolution.value !== null) return accept(resolution.value)
  const message = `resolution is missing, one of ${RESOLUTIONS.join(', ')} is required.`
  return refuse('missing_parameter', 'resolution', message)
}

/** The options of a chart beside mint, span and resolution. */
function parseChartExtras(
  parameters: QueryParameters,
): Parsed<Pick<ChartQuery, 'continuous' | 'fill' | 'countback' | 'udf'>> {
  const continuous = optIn(parameters, 'continuous')
  if (!continuous.ok) return continuous
  const fill = choice(parameters, 'fill', ['none', 'previous'], 'none')
  if (!fill.ok) return fill
  const countback = integer(parameters, 'countback', COUNTBACK_RANGE)
  if (!countback.ok) return countback
  const udf = optIn(parameters, 'udf')
  if (!udf.ok) return udf
  return accept({
    continuous: continuous.value,
    fill: fill.value,
    countback: countback.value,
    udf: udf.value,
  })
}

/** TradingView's names of three resolutions. */
const UDF_WORDS: Readonly<Record<string, string>> = { D: '1D', W: '1W', M: '1M' }

/** A chart asks for as many bars as it shows, and pages back from the first bar of the answer. */
const UDF_COUNTBACK_RANGE = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }

/**
 * `/udf/history` of TradingView's protocol: `to` is not in the span, and with `countback` any `from` is ignored.
 */
export function parseUdfHistory(
  parameters: QueryParameters,
  isKnownAddress: Queries['isKnownAddress'],
): Parsed<ChartQuery> {
  const symbol = required(parameters, 'symbol')
  if (!symbol.ok) return symbol
  const mint = withoutExchange(symbol.value)
  const refused = addressRefusal('symbol', mint, isKnownAddress)
  if (refused !== null) return refused
  const given = required(parameters, 'resolution')
  if (!given.ok) return given
  const chart = new Map([...parameters, ['resolution', [UDF_WORDS[given.value] ?? given.value]]])
  const resolution = parseResolution(chart)
  if (!resolution.ok) return resolution
  const isCounted = chart.delete('countback')
  const width = WIDTHS[resolution.value]
  const span = isCounted ? countedBack(parameters, width) : spanOf(parameters, width)
  if (!span.ok) return span
  const extras = parseChartExtras(chart)
  if (!extras.ok) return extras
  return accept({
    mint,
    resolution: resolution.value,
    ...extras.value,
    ...span.value,
    // Bars open at whole seconds.
    to: span.value.to - 1,
    udf: true,
  })
}

/** A span that ends where it begins holds nothing, also where a bar opened before it. */
function spanOf(
  parameters: QueryParameters,
  width: Width,
): Parsed<Pick<ChartQuery, 'from' | 'to'>> {
  const span = parseSpan(parameters)
  if (!span.ok || span.value.from < span.value.to) return span
  return accept({ from: nextBarTime(width, span.value.to), to: span.value.to })
}

function countedBack(
  parameters: QueryParameters,
  width: Width,
): Parsed<Pick<ChartQuery, 'from' | 'to' | 'countback'>> {
  const to = unixSeconds(parameters, 'to')
  if (!to.ok) return to
  const count = integer(parameters, 'countback', UDF_COUNTBACK_RANGE)
  if (!count.ok) return count
  const countback = Math.min(count.value, BARS_MAX)
  // The adapter asks for 0 bars behind an answer of full length: that span begins behind its end.
  const from = countback > 0 ? 0 : nextBarTime(width, to.value)
  return accept({ from, to: to.value, countback })
}

/**
 * `symbols` of `/udf/quotes`, distinct, in their order and with their names. A watch list whose symbols are all out of
 * sight sends an empty list.
 */
export function parseQuotes(parameters: QueryParameters): Parsed<readonly string[]> {
  const list = single(parameters, 'symbols')
  if (!list.ok) return list
  if (list.value === null)
    return refuse('missing_parameter', 'symbols', 'symbols is missing, a list is required.')
  const symbols = new Set(list.value.split(',').map((symbol) => symbol.trim()))
  symbols.delete('')
  if (symbols.size <= MAX_QUOTES) return accept([...symbols])
  const message = `symbols came with ${symbols.size} distinct ones, at most ${MAX_QUOTES} are allowed.`
  return refuse('invalid_parameter', 'symbols', message)
}
