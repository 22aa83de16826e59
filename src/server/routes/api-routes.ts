import { LRUCache } from 'lru-cache'
import type { Queries, TableAnswer, TablesQuery } from '../../protocol/queries.ts'
import { parseChart } from '../../protocol/requests/charts.ts'
import { accept, type Parsed, parseExtra } from '../../protocol/requests/parsers.ts'
import { parseTables } from '../../protocol/requests/tables.ts'
import {
  parseMarketData,
  parseSearch,
  parseSwaps,
  parseTraders,
} from '../../protocol/requests/tokens.ts'
import { jsonReply, type Reply } from '../http/reply.ts'
import { GET_API, type Route } from '../http/router.ts'
import type { LastTables } from '../live/hub/last-tables.ts'
import { MAX_KEPT_REQUEST_CHARACTERS, MAX_PARSED_BODIES } from '../load/limits.ts'
import type { CachedChart } from './chart-cache.ts'

/**
 * `server/routes` is the table of routes. In: a path's word, parameters or a body, and a budget. Out: a reply or a refusal. A route
 * parses and asks one read; it holds no state but caches of what it parsed or answered, and never sees a socket.
 *
 * Endpoints 1 to 7 of the specification.
 */
export function apiRoutes(
  answers: Queries,
  chart: CachedChart,
  lastTables: LastTables,
): readonly Route[] {
  return [
    ...tokenRoutes(answers),
    ...traderRoutes(answers),
    chartRoute(chart),
    tablesRoute(answers, lastTables),
  ]
}

function tokenRoutes(answers: Queries): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'search',
      path: '/api/v2/search/tokens/detailed',
      answer: ({ parameters, budget }) => {
        const text = parseSearch(parameters)
        if (!text.ok) return text
        const extra = parseExtra(parameters)
        if (!extra.ok) return extra
        return accept(jsonReply(answers.search(text.value, extra.value, budget)))
      },
    },
    {
      ...GET_API,
      name: 'market_data',
      path: '/api/v2/search/tokens/:mint/market-data',
      isWordRaw: true,
      answer: ({ word, parameters, budget }) => {
        const mints = parseMarketData(word, parameters, (text) => answers.isKnownAddress(text))
        if (!mints.ok) return mints
        const extra = parseExtra(parameters)
        if (!extra.ok) return extra
        return accept(jsonReply(answers.marketData(mints.value, extra.value, budget)))
      },
    },
    {
      ...GET_API,
      name: 'swaps',
      addresses: ['wallet'],
      path: '/api/v2/search/tokens/:mint/swaps',
      answer: ({ word: mint, parameters, budget }) => {
        const query = parseSwaps(parameters)
        if (!query.ok) return query
        const { wallet, page } = query.value
        return accept(jsonReply(answers.swaps(mint, wallet, page, budget)))
      },
    },
  ]
}

function traderRoutes(answers: Queries): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'token_traders',
      path: '/api/v2/search/traders/tokens/:mint',
      answer: ({ word: mint, parameters, budget }) => {
        const query = parseTraders(parameters)
        return query.ok ? accept(jsonReply(answers.tokenTraders(mint, query.value, budget))) : query
      },
    },
    {
      ...GET_API,
      name: 'trader_tokens',
      path: '/api/v2/search/traders/:wallet/tokens',
      answer: ({ word: wallet, parameters, budget }) => {
        const query = parseTraders(parameters)
        return query.ok
          ? accept(jsonReply(answers.walletTokens(wallet, query.value, budget)))
          : query
      },
    },
  ]
}

function chartRoute(chart: CachedChart): Route {
  return {
    ...GET_API,
    // It keeps its answers itself, which may be older than the state.
    isKept: false,
    name: 'chart',
    addresses: ['mint'],
    path: '/api/v2/meme/chart/ohlcv',
    answer: ({ parameters, budget }) => chart(parseChart(parameters), budget),
  }
}

function tablesRoute(answers: Queries, lastTables: LastTables): Route {
  const parseBody = rememberedTables()
  return {
    name: 'tables',
    method: 'POST',
    path: '/api/v2/meme',
    isApi: true,
    isKept: true,
    answered: (socketId, { mints }) => {
      if (mints !== undefined) lastTables.answered(socketId, mints())
    },
    answer: ({ body, budget }) => {
      const query = parseBody(body)
      return query.ok ? accept(tablesReply(answers.tableAnswer(query.value, budget))) : query
    },
  }
}

/** Equal bodies give the same query object, but for long ones: parsed once, and a key for whoever caches by it. */
function rememberedTables(): (body: string) => Parsed<TablesQuery> {
  const known = new LRUCache<string, TablesQuery>({ max: MAX_PARSED_BODIES })
  return (body) => {
    const isShort = body.length <= MAX_KEPT_REQUEST_CHARACTERS
    const query = isShort ? known.get(body) : undefined
    if (query !== undefined) return accept(query)
    const parsed = parseTables(body)
    if (parsed.ok && isShort) known.set(body, parsed.value)
    return parsed
  }
}

function tablesReply(tables: TableAnswer): Reply {
  let mints: ReadonlySet<string> | null = null
  return {
    ...jsonReply(tables.bytes),
    mints: () => {
      mints ??= tables.mints()
      return mints
    },
  }
}
