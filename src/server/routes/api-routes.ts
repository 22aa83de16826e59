/**
 * `server/routes` is the table of routes. In: a path's word, parameters or a body, and a budget. Out: a reply or a
 * refusal. A route parses and asks one read; it holds no state but caches of what it parsed or answered, and never
 * sees a socket.
 */

import { LRUCache } from 'lru-cache'
import type { Budget } from '../../base/budget.ts'
import type {
  LiveStreams,
  Queries,
  TableAnswer,
  TablesQuery,
  TokenReads,
} from '../../protocol/queries.ts'
import { parseAlerts } from '../../protocol/requests/alert-rules.ts'
import { parseChart, parseResolution } from '../../protocol/requests/charts.ts'
import {
  accept,
  type Parsed,
  parseExtra,
  type QueryParameters,
  quoted,
  unixSeconds,
} from '../../protocol/requests/parsers.ts'
import { parseTables } from '../../protocol/requests/tables.ts'
import {
  badCursor,
  parseCursor,
  parseMarketData,
  parsePage,
  parsePrices,
  parseSearch,
  parseSwaps,
  parseTraders,
  parseWalletRanks,
} from '../../protocol/requests/tokens.ts'
import { parseTrending } from '../../protocol/requests/trending.ts'
import { GET_API, type Route } from '../http/front.ts'
import { jsonReply, type Reply, refusal } from '../http/reply.ts'
import { MAX_CACHED_REQUEST_CHARACTERS } from '../http/response-cache.ts'
import type { LastTables } from '../live/hub/last-tables.ts'
import type { CachedChart } from './chart-cache.ts'

/** Parsed table bodies that are cached: pollers send the same few bodies every two seconds. */
const MAX_PARSED_BODIES = 512

/** Endpoints 1 to 7 of the specification, and the additive reads of a token (docs/live.md). */
export function apiRoutes(
  answers: Queries,
  reads: TokenReads,
  chart: CachedChart,
  lastTables: LastTables,
  streams: Pick<LiveStreams, 'alerts'>,
): readonly Route[] {
  return [
    ...searchRoutes(answers, reads),
    ...traderRoutes(answers),
    chartRoute(chart),
    tablesRoute(answers, lastTables),
    trendingRoute(answers),
    ...tokenRoutes(reads),
    ...priceRoutes(answers, reads),
    ...walletRoutes(reads),
    alertsRoute(streams),
  ]
}

function searchRoutes(answers: Queries, reads: TokenReads): readonly Route[] {
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
        if (parameters.has('cursor')) return swapsFromCursor(reads, mint, parameters, budget)
        const query = parseSwaps(parameters)
        if (!query.ok) return query
        const { wallet, page } = query.value
        return accept(jsonReply(answers.swaps(mint, wallet, page, budget)))
      },
    },
  ]
}

function swapsFromCursor(
  reads: TokenReads,
  mint: string,
  parameters: QueryParameters,
  budget: Budget,
): Parsed<Reply> {
  const cursor = parseCursor(parameters)
  if (!cursor.ok) return cursor
  const swaps = parseSwaps(parameters)
  if (!swaps.ok) return swaps
  const text = parameters.get('cursor')?.[0] ?? ''
  if (cursor.value === null) return badCursor(text)
  const { wallet } = swaps.value
  const json = reads.swapsFrom(mint, wallet, cursor.value, budget)
  return json === null ? badCursor(text) : accept(jsonReply(json))
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
    // It caches its answers itself, which may be older than the state.
    isCached: false,
    name: 'chart',
    addresses: ['mint'],
    path: '/api/v2/meme/chart/ohlcv',
    answer: ({ parameters, minSeq, budget }) => chart(parseChart(parameters), budget, minSeq),
  }
}

function tokenRoutes(reads: TokenReads): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'token_detail',
      path: '/api/v2/tokens/:mint',
      answer: ({ word: mint, budget }) => {
        const json = reads.detail(mint, budget)
        const unknown = `The mint ${quoted(mint)} is not known.`
        return accept(json === null ? refusal('not_found', 'mint', unknown) : jsonReply(json))
      },
    },
    {
      ...GET_API,
      name: 'token_holders',
      path: '/api/v2/tokens/:mint/holders',
      answer: ({ word: mint, parameters, budget }) => {
        const page = parsePage(parameters)
        return page.ok ? accept(jsonReply(reads.holders(mint, page.value, budget))) : page
      },
    },
    {
      ...GET_API,
      name: 'token_holder_history',
      path: '/api/v2/tokens/:mint/holders/history',
      answer: ({ word: mint, parameters, budget }) => {
        const resolution = parseResolution(parameters)
        if (!resolution.ok) return resolution
        const json = reads.holderHistory(mint, resolution.value, budget)
        const unknown = `The mint ${quoted(mint)} is not known, or has more trades than its holders are told of.`
        return accept(json === null ? refusal('not_found', 'mint', unknown) : jsonReply(json))
      },
    },
    {
      ...GET_API,
      name: 'token_first_buyers',
      path: '/api/v2/tokens/:mint/first-buyers',
      answer: ({ word: mint, parameters, budget }) => {
        const page = parsePage(parameters)
        return page.ok ? accept(jsonReply(reads.firstBuyers(mint, page.value, budget))) : page
      },
    },
  ]
}

function trendingRoute(answers: Queries): Route {
  return {
    ...GET_API,
    name: 'trending',
    path: '/api/v2/trending',
    answer: ({ parameters, budget }) => {
      const query = parseTrending(parameters)
      return query.ok ? accept(jsonReply(answers.trending(query.value, budget).bytes)) : query
    },
  }
}

/** Not cached: what was found becomes known when it is stored, behind the event that it was found at. */
function alertsRoute(streams: Pick<LiveStreams, 'alerts'>): Route {
  return {
    ...{ ...GET_API, isCached: false },
    name: 'alerts',
    path: '/api/v2/alerts',
    answer: ({ parameters }) => {
      const query = parseAlerts(parameters)
      return query.ok ? accept(jsonReply(streams.alerts(query.value))) : query
    },
  }
}

function priceRoutes(answers: Queries, reads: TokenReads): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'prices',
      path: '/api/v2/prices',
      answer: ({ parameters, budget }) => {
        const mints = parsePrices(parameters, (text) => answers.isKnownAddress(text))
        return mints.ok ? accept(jsonReply(reads.prices(mints.value, budget))) : mints
      },
    },
    {
      ...GET_API,
      name: 'price_at',
      path: '/api/v2/prices/:mint',
      answer: ({ word: mint, parameters, budget }) => {
        const at = unixSeconds(parameters, 'at')
        if (!at.ok) return at
        const json = reads.priceAt(mint, at.value, budget)
        const unknown = `No trade of the mint ${quoted(mint)} is known from ${at.value} or before.`
        return accept(json === null ? refusal('not_found', 'mint', unknown) : jsonReply(json))
      },
    },
  ]
}

function walletRoutes(reads: TokenReads): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'wallets_top',
      path: '/api/v2/wallets/top',
      answer: ({ parameters, budget }) => {
        const query = parseWalletRanks(parameters)
        return query.ok ? accept(jsonReply(reads.walletsTop(query.value, budget))) : query
      },
    },
    {
      ...GET_API,
      name: 'wallet_tags',
      path: '/api/v2/wallets/tags',
      answer: () => accept(jsonReply(reads.walletTags())),
    },
    {
      ...GET_API,
      name: 'creator',
      path: '/api/v2/creators/:wallet',
      answer: ({ word: wallet, parameters, budget }) => {
        const page = parsePage(parameters)
        return page.ok ? accept(jsonReply(reads.creator(wallet, page.value, budget))) : page
      },
    },
    {
      ...GET_API,
      name: 'wallet',
      path: '/api/v2/wallets/:wallet',
      answer: ({ word: wallet, budget }) => accept(jsonReply(reads.wallet(wallet, budget))),
    },
  ]
}

function tablesRoute(answers: Queries, lastTables: LastTables): Route {
  const parseBody = rememberedTables()
  return {
    name: 'tables',
    method: 'POST',
    path: '/api/v2/meme',
    isApi: true,
    isCached: true,
    answered: (socketId, { mints }) => {
      if (mints !== undefined) lastTables.answered(socketId, mints())
    },
    answer: ({ body, budget }) => {
      const query = parseBody(body)
      return query.ok ? accept(tablesReply(answers.tableAnswer(query.value, budget))) : query
    },
  }
}

/** Equal bodies give the same query object, but for long ones: parsed once, and a key for caches. */
function rememberedTables(): (body: string) => Parsed<TablesQuery> {
  const known = new LRUCache<string, TablesQuery>({ max: MAX_PARSED_BODIES })
  return (body) => {
    const isShort = body.length <= MAX_CACHED_REQUEST_CHARACTERS
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
