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

type Call = Parameters<Route['answer']>[0]

/** A read whose parameters are one query. */
function read<T>(
  name: string,
  path: string,
  parse: (call: Call) => Parsed<T>,
  reply: (query: T, call: Call) => Reply,
): Route {
  const answer = (call: Call) => {
    const query = parse(call)
    return query.ok ? accept(reply(query.value, call)) : query
  }
  return { ...GET_API, name, path, answer }
}

const pageOf = ({ parameters }: Call) => parsePage(parameters)

/** An answer, or that there is none. */
function jsonOr(json: string | null, path: string, sentence: string): Reply {
  return json === null ? refusal('not_found', path, sentence) : jsonReply(json)
}

/** A query, and whether additive keys are asked for. */
function withExtra<T>(query: Parsed<T>, parameters: QueryParameters) {
  if (!query.ok) return query
  const extra = parseExtra(parameters)
  return extra.ok ? accept({ query: query.value, extra: extra.value }) : extra
}

function searchRoutes(answers: Queries, reads: TokenReads): readonly Route[] {
  return [
    read(
      'search',
      '/api/v2/search/tokens/detailed',
      ({ parameters }) => withExtra(parseSearch(parameters), parameters),
      ({ query, extra }, { budget }) => jsonReply(answers.search(query, extra, budget)),
    ),
    {
      ...read(
        'market_data',
        '/api/v2/search/tokens/:mint/market-data',
        ({ word, parameters }) =>
          withExtra(
            parseMarketData(word, parameters, (text) => answers.isKnownAddress(text)),
            parameters,
          ),
        ({ query, extra }, { budget }) => jsonReply(answers.marketData(query, extra, budget)),
      ),
      isWordRaw: true,
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
  const parse = ({ parameters }: Call) => parseTraders(parameters)
  return [
    read('token_traders', '/api/v2/search/traders/tokens/:mint', parse, (query, { word, budget }) =>
      jsonReply(answers.tokenTraders(word, query, budget)),
    ),
    read(
      'trader_tokens',
      '/api/v2/search/traders/:wallet/tokens',
      parse,
      (query, { word, budget }) => jsonReply(answers.walletTokens(word, query, budget)),
    ),
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
      ...{ ...GET_API, name: 'token_detail', path: '/api/v2/tokens/:mint' },
      answer: ({ word: mint, budget }) => {
        const json = reads.detail(mint, budget)
        return accept(jsonOr(json, 'mint', `The mint ${quoted(mint)} is not known.`))
      },
    },
    read('token_holders', '/api/v2/tokens/:mint/holders', pageOf, (page, { word, budget }) =>
      jsonReply(reads.holders(word, page, budget)),
    ),
    read(
      'token_holder_history',
      '/api/v2/tokens/:mint/holders/history',
      ({ parameters }) => parseResolution(parameters),
      (resolution, { word: mint, budget }) => {
        const json = reads.holderHistory(mint, resolution, budget)
        const isKnown = json === null && reads.symbol(mint) !== null
        const why = isKnown ? 'has more trades than its holders are told of' : 'is not known'
        return jsonOr(json, 'mint', `The mint ${quoted(mint)} ${why}.`)
      },
    ),
    read('token_first_buyers', '/api/v2/tokens/:mint/first-buyers', pageOf, (page, call) =>
      jsonReply(reads.firstBuyers(call.word, page, call.budget)),
    ),
  ]
}

function trendingRoute(answers: Queries): Route {
  return read(
    'trending',
    '/api/v2/trending',
    ({ parameters }) => parseTrending(parameters),
    (query, { budget }) => jsonReply(answers.trending(query, budget).bytes),
  )
}

/** Not cached: what was found becomes known when it is stored, behind the event that it was found at. */
function alertsRoute(streams: Pick<LiveStreams, 'alerts'>): Route {
  const route = read(
    'alerts',
    '/api/v2/alerts',
    ({ parameters }) => parseAlerts(parameters),
    (query) => jsonReply(streams.alerts(query)),
  )
  return { ...route, isCached: false }
}

function priceRoutes(answers: Queries, reads: TokenReads): readonly Route[] {
  return [
    read(
      'prices',
      '/api/v2/prices',
      ({ parameters }) => parsePrices(parameters, (text) => answers.isKnownAddress(text)),
      (mints, { budget }) => jsonReply(reads.prices(mints, budget)),
    ),
    read(
      'price_at',
      '/api/v2/prices/:mint',
      ({ parameters }) => unixSeconds(parameters, 'at'),
      (at, { word: mint, budget }) =>
        jsonOr(
          reads.priceAt(mint, at, budget),
          'mint',
          `No trade of the mint ${quoted(mint)} is known from ${at} or before.`,
        ),
    ),
  ]
}

function walletRoutes(reads: TokenReads): readonly Route[] {
  return [
    read(
      'wallets_top',
      '/api/v2/wallets/top',
      ({ parameters }) => parseWalletRanks(parameters),
      (query, { budget }) => jsonReply(reads.walletsTop(query, budget)),
    ),
    {
      ...{ ...GET_API, name: 'wallet_tags', path: '/api/v2/wallets/tags' },
      answer: () => accept(jsonReply(reads.walletTags())),
    },
    read('creator', '/api/v2/creators/:wallet', pageOf, (page, { word: wallet, budget }) =>
      jsonReply(reads.creator(wallet, page, budget)),
    ),
    {
      ...{ ...GET_API, name: 'wallet', path: '/api/v2/wallets/:wallet' },
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
