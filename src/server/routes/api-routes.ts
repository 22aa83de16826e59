import { LRUCache } from 'lru-cache'
import type { Queries, TablesQuery, TraderQuery } from '../../protocol/queries.ts'
import { parseChart } from '../../protocol/requests/chart.ts'
import { parseSwaps, type SwapsQuery } from '../../protocol/requests/pages.ts'
import { accept, type Parsed } from '../../protocol/requests/parsed.ts'
import { parseExtra } from '../../protocol/requests/query-parameters.ts'
import { parseTables } from '../../protocol/requests/tables.ts'
import { parseMarketData, parseSearch, parseTraders } from '../../protocol/requests/tokens.ts'
import { jsonReply } from '../http/reply.ts'
import { type Answered, GET_API, onceFound, type Route, slice, UNFINISHED } from '../http/router.ts'
import type { LastTables } from '../live/hub/last-tables.ts'
import { MAX_KEPT_REQUEST_CHARACTERS, MAX_PARSED_BODIES } from '../load/limits.ts'
import type { CachedChart } from './chart-cache.ts'

/** Endpoints 1 to 7 of the specification. */
export function apiRoutes(
  answers: Queries,
  chart: CachedChart,
  lastTables: LastTables,
): readonly Route[] {
  const memes = memeRoutes(answers, chart, lastTables)
  return [...tokenRoutes(answers), ...traderRoutes(answers), ...memes]
}

function tokenRoutes(answers: Queries): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'search',
      path: '/api/v2/search/tokens/detailed',
      answer: ({ parameters }) =>
        searchReply(answers, parseSearch(parameters), parseExtra(parameters)),
    },
    {
      ...GET_API,
      name: 'market_data',
      path: '/api/v2/search/tokens/:mint/market-data',
      isWordRaw: true,
      answer: ({ word, parameters }) => {
        const mints = parseMarketData(word, parameters, (text) => answers.isKnownAddress(text))
        return marketReply(answers, mints, parseExtra(parameters))
      },
    },
    {
      ...GET_API,
      name: 'swaps',
      addresses: ['wallet'],
      path: '/api/v2/search/tokens/:mint/swaps',
      answer: ({ word: mint, parameters }) => swapsReply(answers, mint, parseSwaps(parameters)),
    },
  ]
}

function traderRoutes(answers: Queries): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'token_traders',
      path: '/api/v2/search/traders/tokens/:mint',
      answer: ({ word: mint, parameters }) => tradersReply(answers, mint, parseTraders(parameters)),
    },
    {
      ...GET_API,
      name: 'trader_tokens',
      path: '/api/v2/search/traders/:wallet/tokens',
      answer: ({ word: wallet, parameters }) =>
        walletReply(answers, wallet, parseTraders(parameters)),
    },
  ]
}

function memeRoutes(
  answers: Queries,
  chart: CachedChart,
  lastTables: LastTables,
): readonly Route[] {
  const parseBody = rememberedTables()
  return [
    {
      ...GET_API,
      // It keeps its answers itself, which may be older than the state.
      isKept: false,
      name: 'chart',
      addresses: ['mint'],
      path: '/api/v2/meme/chart/ohlcv',
      answer: ({ parameters }) => chart(parseChart(parameters)),
    },
    {
      name: 'tables',
      method: 'POST',
      path: '/api/v2/meme',
      isApi: true,
      isKept: true,
      answered: (socketId, { mints }) => {
        if (mints !== undefined) lastTables.answered(socketId, mints())
      },
      answer: ({ body }) => tablesReply(answers, parseBody(body)),
    },
  ]
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

/** A page far back is looked for in pieces: it may be a million swaps behind the newest. */
function swapsReply(answers: Queries, mint: string, query: Parsed<SwapsQuery>): Answered {
  if (!query.ok) return query
  const { wallet, page } = query.value
  return onceFound(
    (mayGoOn) => answers.hasFoundSwaps(mint, wallet, page, mayGoOn),
    () => answers.swaps(mint, wallet, page),
  )
}

/** What hundreds of thousands of traders are ordered by is read in pieces. */
function tradersReply(answers: Queries, mint: string, query: Parsed<TraderQuery>): Answered {
  if (!query.ok) return query
  return onceFound(
    (mayGoOn) => answers.hasFoundTraders(mint, query.value, mayGoOn),
    () => answers.tokenTraders(mint, query.value),
  )
}

/** A wallet that traded a hundred thousand tokens may have as many positions on the disk. */
function walletReply(answers: Queries, wallet: string, query: Parsed<TraderQuery>): Answered {
  if (!query.ok) return query
  return onceFound(
    (mayGoOn) => answers.hasFoundTokens(wallet, mayGoOn),
    () => answers.walletTokens(wallet, query.value),
  )
}

/** After a start the largest holders of a hundred mints are looked for among all of theirs, in pieces. */
function marketReply(
  answers: Queries,
  mints: Parsed<readonly string[]>,
  extra: Parsed<boolean>,
): Answered {
  if (!mints.ok) return mints
  if (!extra.ok) return extra
  return onceFound(
    (mayGoOn) => answers.hasFoundHolders(mints.value, mayGoOn),
    () => answers.marketData(mints.value, extra.value),
  )
}

/** The first search weighs all tokens, and the holders of those found may not have been looked through. */
function searchReply(answers: Queries, text: Parsed<string>, extra: Parsed<boolean>): Answered {
  if (!text.ok) return text
  if (!extra.ok) return extra
  return onceFound(
    (mayGoOn) => answers.hasFoundNamed(text.value, mayGoOn),
    () => answers.search(text.value, extra.value),
  )
}

/**
 * What nobody filtered by for a while is read for all tokens, in pieces; so are the largest holders of tokens
 * that nobody has seen since the start.
 */
function tablesReply(answers: Queries, query: Parsed<TablesQuery>): Answered {
  if (!query.ok) return query
  const mayGoOn = slice()
  if (!answers.hasFoundTables(query.value, mayGoOn)) return UNFINISHED
  const tables = answers.tableAnswerWithin(query.value, mayGoOn)
  if (tables === null) return UNFINISHED
  let mints: ReadonlySet<string> | null = null
  return accept({
    ...jsonReply(tables.bytes),
    mints: () => {
      mints ??= tables.mints()
      return mints
    },
  })
}
