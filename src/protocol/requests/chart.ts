import { BARS_MAX, type ChartQuery, RESOLUTIONS, type Resolution } from '../queries.ts'
import { accept, type Parsed, refuse } from './parsed.ts'
import {
  choice,
  integer,
  optIn,
  type QueryParameters,
  required,
  unixSeconds,
} from './query-parameters.ts'

/** Asking for more than an answer holds is a 400. */
const COUNTBACK_RANGE = { min: 0, max: BARS_MAX, fallback: 0 }

type ChartSpan = Pick<ChartQuery, 'from' | 'to'>
type ChartExtras = Pick<ChartQuery, 'continuous' | 'fill' | 'countback' | 'udf'>

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
export function parseSpan(parameters: QueryParameters): Parsed<ChartSpan> {
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
export function parseChartExtras(parameters: QueryParameters): Parsed<ChartExtras> {
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
