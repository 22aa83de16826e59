import type { Answers } from '../wire/answers.ts'
import type { StatusCode } from '../wire/errors.ts'
import { parseChart } from '../wire/requests/chart.ts'
import { integer } from '../wire/requests/integer.ts'
import { accept, type Parsed } from '../wire/requests/parsed.ts'
import { type QueryParameters, required, single } from '../wire/requests/query-parameters.ts'
import { parseSearch } from '../wire/requests/search.ts'
import type { TokenReads } from '../wire/token-reads.ts'
import {
  chartResolution,
  udfConfigJson,
  udfErrorJson,
  udfSearchJson,
  udfSymbolJson,
} from '../wire/udf-json.ts'
import { JSON_TYPE, jsonReply, type Reply } from './reply.ts'
import type { Route } from './route.ts'

const GET_API = { method: 'GET', isApi: true } as const
const SEARCH_LIMIT = { min: 1, max: 50, fallback: 30 }
const SYMBOL_PREFIX = 'mintfeed:'

/** TradingView's UDF over the search and the chart (docs/live.md). */
export function udfRoutes(
  answers: Answers,
  reads: TokenReads,
  chart: Answers['chart'],
): readonly Route[] {
  const route = (name: string, answer: (parameters: QueryParameters) => Parsed<Reply>): Route => ({
    ...GET_API,
    name: `udf_${name}`,
    path: `/udf/${name}`,
    answer: ({ parameters }) => udfShaped(answer(parameters)),
  })
  return [
    route('config', () => accept(jsonReply(udfConfigJson()))),
    route('time', () => accept({ ...jsonReply(String(reads.now())), contentType: 'text/plain' })),
    route('symbols', (parameters) => symbolInfo(reads, parameters)),
    route('search', (parameters) => found(answers, parameters)),
    route('history', (parameters) => history(chart, parameters)),
  ]
}

function symbolInfo(reads: TokenReads, parameters: QueryParameters): Parsed<Reply> {
  const symbol = required(parameters, 'symbol')
  if (!symbol.ok) return symbol
  const mint = withoutPrefix(symbol.value)
  const token = reads.symbol(mint)
  if (token === null) return accept(udfError(404, 'unknown_symbol'))
  return accept(jsonReply(udfSymbolJson(mint, token)))
}

function found(answers: Answers, parameters: QueryParameters): Parsed<Reply> {
  const query = single(parameters, 'query')
  if (!query.ok) return query
  // The search box of a chart asks with nothing typed yet.
  if ((query.value ?? '').trim() === '') return accept(jsonReply('[]'))
  const text = parseSearch(parameters)
  if (!text.ok) return text
  const limit = integer(parameters, 'limit', SEARCH_LIMIT)
  if (!limit.ok) return limit
  return accept(jsonReply(udfSearchJson(answers.search(text.value), limit.value)))
}

function history(chart: Answers['chart'], parameters: QueryParameters): Parsed<Reply> {
  const symbol = required(parameters, 'symbol')
  if (!symbol.ok) return symbol
  const resolution = required(parameters, 'resolution')
  if (!resolution.ok) return resolution
  const query = parseChart(
    new Map([
      ...parameters,
      ['mint', [withoutPrefix(symbol.value)]],
      ['resolution', [chartResolution(resolution.value)]],
      ['udf', ['1']],
    ]),
  )
  return query.ok ? accept(jsonReply(chart(query.value))) : query
}

function withoutPrefix(symbol: string): string {
  return symbol.startsWith(SYMBOL_PREFIX) ? symbol.slice(SYMBOL_PREFIX.length) : symbol
}

/** UDF clients read `s` and `errmsg`, not the status. */
function udfShaped(answer: Parsed<Reply>): Parsed<Reply> {
  return answer.ok ? answer : accept(udfError(answer.error.statusCode, answer.error.message))
}

function udfError(statusCode: StatusCode, message: string): Reply {
  return { statusCode, contentType: JSON_TYPE, body: udfErrorJson(message), headers: [] }
}
