import { BARS_MAX } from '../engine/chart.ts'
import type { Answers } from '../wire/answers.ts'
import { requestError } from '../wire/errors.ts'
import { parseChart } from '../wire/requests/chart.ts'
import { integer } from '../wire/requests/integer.ts'
import { accept } from '../wire/requests/parsed.ts'
import { type QueryParameters, required, single } from '../wire/requests/query-parameters.ts'
import { parseSearch } from '../wire/requests/search.ts'
import type { TokenReads } from '../wire/token-reads.ts'
import {
  chartResolution,
  mintIgnoringCase,
  udfConfigJson,
  udfHas,
  udfSearchJson,
  udfSymbolJson,
  withoutExchange,
} from '../wire/udf-json.ts'
import type { CachedChart } from './chart-cache.ts'
import { jsonReply } from './reply.ts'
import { type Answered, GET_API, type Route, slice, UNFINISHED } from './route.ts'

const SEARCH_LIMIT = { min: 1, max: 50, fallback: 30 }

/** TradingView's UDF over the search and the chart (docs/live.md). */
export function udfRoutes(
  answers: Answers,
  reads: TokenReads,
  chart: CachedChart,
): readonly Route[] {
  const route = (name: string, answer: (parameters: QueryParameters) => Answered): Route => ({
    ...GET_API,
    name: `udf_${name}`,
    path: `/udf/${name}`,
    answer: ({ parameters }) => answer(parameters),
  })
  return [
    route('config', () => accept(jsonReply(udfConfigJson()))),
    route('time', () => accept({ ...jsonReply(String(reads.now())), contentType: 'text/plain' })),
    route('symbols', (parameters) => symbolInfo(answers, reads, parameters)),
    route('search', (parameters) => found(answers, parameters)),
    // Its charts may be older than the state.
    { ...route('history', (parameters) => history(chart, parameters)), isKept: false },
  ]
}

function symbolInfo(answers: Answers, reads: TokenReads, parameters: QueryParameters): Answered {
  const symbol = required(parameters, 'symbol')
  if (!symbol.ok) return symbol
  const asked = withoutExchange(symbol.value)
  const token = reads.symbol(asked)
  if (token !== null) return accept(jsonReply(udfSymbolJson(asked, token)))
  if (!answers.hasFoundNamed(asked, slice())) return UNFINISHED
  // The box of a chart writes what is typed in capitals.
  const mint = asked === '' ? null : mintIgnoringCase(answers.search(asked), asked)
  const meant = mint === null ? null : reads.symbol(mint)
  if (mint !== null && meant !== null) return accept(jsonReply(udfSymbolJson(mint, meant)))
  return { ok: false, error: requestError('not_found', 'unknown_symbol') }
}

function found(answers: Answers, parameters: QueryParameters): Answered {
  const words: string[] = []
  for (const name of ['query', 'exchange', 'type']) {
    const word = single(parameters, name)
    if (!word.ok) return word
    words.push(word.value ?? '')
  }
  const [query, exchange, type] = words
  const limit = integer(parameters, 'limit', SEARCH_LIMIT)
  if (!limit.ok) return limit
  // The search box of a chart asks with nothing typed yet.
  if (query.trim() === '' || !udfHas(exchange, type)) return accept(jsonReply('[]'))
  const text = parseSearch(parameters)
  if (!text.ok) return text
  if (!answers.hasFoundNamed(text.value, slice())) return UNFINISHED
  return accept(jsonReply(udfSearchJson(answers.search(text.value), limit.value)))
}

function history(chart: CachedChart, parameters: QueryParameters): Answered {
  const symbol = required(parameters, 'symbol')
  if (!symbol.ok) return symbol
  const resolution = required(parameters, 'resolution')
  if (!resolution.ok) return resolution
  const countback = parameters.get('countback')
  const query = parseChart(
    new Map([
      ...parameters,
      ['mint', [withoutExchange(symbol.value)]],
      ['resolution', [chartResolution(resolution.value)]],
      ['udf', ['1']],
      ...(countback === undefined ? [] : [['countback', countback.map(allowedCountback)] as const]),
    ]),
  )
  return chart(query)
}

/** A chart asks for as many bars as it shows, and pages back from the newest that it got. */
function allowedCountback(text: string): string {
  return /^[1-9]\d*$/.test(text) && Number(text) > BARS_MAX ? String(BARS_MAX) : text
}
