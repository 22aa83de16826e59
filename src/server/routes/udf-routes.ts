import { requestError } from '../../protocol/errors.ts'
import type { Queries } from '../../protocol/queries.ts'
import { accept } from '../../protocol/requests/parsed.ts'
import {
  integer,
  type QueryParameters,
  required,
  single,
} from '../../protocol/requests/query-parameters.ts'
import { parseSearch } from '../../protocol/requests/tokens.ts'
import { parseQuotes, parseUdfHistory } from '../../protocol/requests/udf.ts'
import {
  daysQuery,
  mintIgnoringCase,
  quoteOf,
  quotesJson,
  udfConfigJson,
  udfHas,
  udfSearchJson,
  udfSymbolJson,
  unknownQuote,
  withoutExchange,
} from '../../protocol/udf-json.ts'
import type { TokenReads } from '../../query/token-reads.ts'
import { jsonReply, textOf } from '../http/reply.ts'
import { type Answered, GET_API, type Route, slice, UNFINISHED } from '../http/router.ts'
import { UDF_HISTORY_LIMIT_TIMES } from '../load/limits.ts'
import type { CachedChart } from './chart-cache.ts'

const SEARCH_LIMIT = { min: 1, max: 50, fallback: 30 }

/** TradingView's UDF over the search and the chart (docs/live.md). */
export function udfRoutes(
  answers: Queries,
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
    // Of charts too.
    { ...route('quotes', (parameters) => quotes(reads, chart, parameters)), isKept: false },
    route('search', (parameters) => found(answers, parameters)),
    {
      ...route('history', (parameters) =>
        chart(parseUdfHistory(parameters, (text) => answers.isKnownAddress(text))),
      ),
      // Its charts may be older than the state.
      isKept: false,
      limitTimes: UDF_HISTORY_LIMIT_TIMES,
    },
  ]
}

function symbolInfo(answers: Queries, reads: TokenReads, parameters: QueryParameters): Answered {
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

function found(answers: Queries, parameters: QueryParameters): Answered {
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

function quotes(reads: TokenReads, chart: CachedChart, parameters: QueryParameters): Answered {
  const symbols = parseQuotes(parameters)
  if (!symbols.ok) return symbols
  const mayGoOn = sliceFromFirst()
  const now = reads.now()
  const told: object[] = []
  for (const symbol of symbols.value) {
    const mint = withoutExchange(symbol)
    const token = reads.symbol(mint)
    if (token === null) {
      told.push(unknownQuote(symbol))
      continue
    }
    const days = chart(accept(daysQuery(mint)), mayGoOn)
    if (days === UNFINISHED || !days.ok) return days
    told.push(quoteOf(symbol, { mint, ...token }, textOf(days.value), now))
  }
  return accept(jsonReply(quotesJson(told)))
}

/**
 * A slice that begins with the first chart that is not kept: however long the kept ones take, each turn
 * makes at least one more.
 */
function sliceFromFirst(): () => boolean {
  let mayGoOn: (() => boolean) | null = null
  return () => {
    mayGoOn ??= slice()
    return mayGoOn()
  }
}
