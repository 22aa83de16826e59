import { nextBarTime, type Width } from '../../base/bar-time.ts'
import { BARS_MAX, type ChartQuery, widthOf } from '../queries.ts'
import { chartResolution, MAX_QUOTES, withoutExchange } from '../udf-json.ts'
import { addressRefusal, type IsKnownAddress } from './address.ts'
import { parseChartExtras, parseResolution, parseSpan } from './chart.ts'
import { accept, type Parsed, refuse } from './parsed.ts'
import { integer, type QueryParameters, required, single, unixSeconds } from './query-parameters.ts'

/** A chart asks for as many bars as it shows, and pages back from the first bar of the answer. */
const COUNTBACK_RANGE = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }

/**
 * `/udf/history` of TradingView's protocol: `to` is not in the span, and with `countback` any `from` is ignored.
 */
export function parseUdfHistory(
  parameters: QueryParameters,
  isKnownAddress: IsKnownAddress,
): Parsed<ChartQuery> {
  const symbol = required(parameters, 'symbol')
  if (!symbol.ok) return symbol
  const mint = withoutExchange(symbol.value)
  const refused = addressRefusal('symbol', mint, isKnownAddress)
  if (refused !== null) return refused
  const given = required(parameters, 'resolution')
  if (!given.ok) return given
  const chart = new Map([...parameters, ['resolution', [chartResolution(given.value)]]])
  const resolution = parseResolution(chart)
  if (!resolution.ok) return resolution
  const isCounted = chart.delete('countback')
  const width = widthOf(resolution.value)
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

type CountedSpan = Pick<ChartQuery, 'from' | 'to' | 'countback'>

function countedBack(parameters: QueryParameters, width: Width): Parsed<CountedSpan> {
  const to = unixSeconds(parameters, 'to')
  if (!to.ok) return to
  const count = integer(parameters, 'countback', COUNTBACK_RANGE)
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
