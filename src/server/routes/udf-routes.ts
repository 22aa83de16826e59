import type { Budget } from '../../base/budget.ts'
import { requestError } from '../../protocol/errors.ts'
import type { Queries, TokenReads } from '../../protocol/queries.ts'
import { parseQuotes, parseUdfHistory } from '../../protocol/requests/charts.ts'
import {
  accept,
  integer,
  type Parsed,
  type QueryParameters,
  required,
  single,
} from '../../protocol/requests/parsers.ts'
import { parseSearch } from '../../protocol/requests/tokens.ts'
import {
  daysQuery,
  mintIgnoringCase,
  udfConfigJson,
  udfHas,
  udfQuotesJson,
  udfSearchJson,
  udfSymbolJson,
  withoutExchange,
} from '../../protocol/udf-json.ts'
import { GET_API, type Route } from '../http/front.ts'
import { jsonReply, type Reply, textOf } from '../http/reply.ts'
import type { CachedChart } from './chart-cache.ts'

/**
 * TradingView's adapter asks for the last bars of each chart of a page at each of its pulses, one a second in
 * docs/live.md: the history of UDF may be asked for so many times as often as the rate limit says.
 */
const UDF_HISTORY_LIMIT_TIMES = 5

const SEARCH_LIMIT = { min: 1, max: 50, fallback: 30 }

/** TradingView's UDF over the search and the chart (docs/live.md). */
export function udfRoutes(
  answers: Queries,
  reads: TokenReads,
  chart: CachedChart,
): readonly Route[] {
  const route = (
    name: string,
    answer: (parameters: QueryParameters, budget: Budget, minSeq: number) => Parsed<Reply>,
  ): Route => ({
    ...GET_API,
    name: `udf_${name}`,
    path: `/udf/${name}`,
    answer: ({ parameters, budget, minSeq }) => answer(parameters, budget, minSeq),
  })
  return [
    route('config', () => accept(jsonReply(udfConfigJson()))),
    route('time', () => accept({ ...jsonReply(String(reads.now())), contentType: 'text/plain' })),
    route('symbols', (parameters, budget) => symbolInfo(answers, reads, parameters, budget)),
    // It reads charts too.
    {
      ...route('quotes', (parameters, budget, minSeq) =>
        quotes(reads, (query) => chart(query, budget, minSeq), parameters),
      ),
      isCached: false,
    },
    route('search', (parameters, budget) => found(answers, parameters, budget)),
    {
      ...route('history', (parameters, budget, minSeq) =>
        chart(
          parseUdfHistory(parameters, (text) => answers.isKnownAddress(text)),
          budget,
          minSeq,
        ),
      ),
      // Its charts may be older than the state.
      isCached: false,
      limitTimes: UDF_HISTORY_LIMIT_TIMES,
    },
  ]
}

function symbolInfo(
  answers: Queries,
  reads: TokenReads,
  parameters: QueryParameters,
  budget: Budget,
): Parsed<Reply> {
  const symbol = required(parameters, 'symbol')
  if (!symbol.ok) return symbol
  const asked = withoutExchange(symbol.value)
  const token = reads.symbol(asked)
  if (token !== null) return accept(jsonReply(udfSymbolJson(asked, token)))
  // The box of a chart writes what is typed in capitals.
  const mint = asked === '' ? null : mintIgnoringCase(answers.search(asked, false, budget), asked)
  const meant = mint === null ? null : reads.symbol(mint)
  if (mint !== null && meant !== null) return accept(jsonReply(udfSymbolJson(mint, meant)))
  return { ok: false, error: requestError('not_found', 'unknown_symbol') }
}

function found(answers: Queries, parameters: QueryParameters, budget: Budget): Parsed<Reply> {
  const query = single(parameters, 'query')
  if (!query.ok) return query
  const exchange = single(parameters, 'exchange')
  if (!exchange.ok) return exchange
  const type = single(parameters, 'type')
  if (!type.ok) return type
  const limit = integer(parameters, 'limit', SEARCH_LIMIT)
  if (!limit.ok) return limit
  // The search box of a chart asks with nothing typed yet.
  const isBlank = (query.value ?? '').trim() === ''
  if (isBlank || !udfHas(exchange.value ?? '', type.value ?? '')) return accept(jsonReply('[]'))
  const text = parseSearch(parameters)
  if (!text.ok) return text
  const tokens = answers.search(text.value, false, budget)
  return accept(jsonReply(udfSearchJson(tokens, limit.value)))
}

function quotes(
  reads: TokenReads,
  chart: (query: Parameters<CachedChart>[0]) => Parsed<Reply>,
  parameters: QueryParameters,
): Parsed<Reply> {
  const symbols = parseQuotes(parameters)
  if (!symbols.ok) return symbols
  const now = reads.now()
  const rows: Parameters<typeof udfQuotesJson>[0][number][] = []
  for (const symbol of symbols.value) {
    const mint = withoutExchange(symbol)
    const token = reads.symbol(mint)
    if (token === null) {
      rows.push([symbol, null])
      continue
    }
    const days = chart(accept(daysQuery(mint)))
    if (!days.ok) return days
    rows.push([symbol, { mint, ...token, chart: textOf(days.value) }])
  }
  return accept(jsonReply(udfQuotesJson(rows, now)))
}
