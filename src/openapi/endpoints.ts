import { COUNTBACK_DEFAULT } from '../protocol/live/live-messages.ts'
import {
  BARS_MAX,
  RESOLUTIONS,
  TRADER_ORDERS,
  WALLET_RANKINGS,
  WALLET_WINDOWS,
} from '../protocol/queries.ts'
import { RULE_ID_PATTERN } from '../protocol/requests/alert-rules.ts'
import {
  DEFAULT_LIMIT,
  MAX_LIMIT,
  MAX_MINTS,
  MAX_QUERY_CHARACTERS,
} from '../protocol/requests/tokens.ts'
import { MAX_QUOTES } from '../protocol/udf-json.ts'
import { ADDRESS, COUNT, list, named, type Schema, TEXT, TRENDING_QUERY } from './resources.ts'

interface Parameter {
  readonly name: string
  readonly schema: Schema
  readonly required?: boolean
  readonly description?: string
  /** `query` when left out. */
  readonly in?: 'header'
  /** Of a list: its items stand behind one name, with commas between. */
  readonly style?: 'form'
  readonly explode?: false
}

export interface Endpoint {
  /** Name of the operation, and of its example. */
  readonly id: string
  readonly method: 'get' | 'post'
  readonly path: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  /** What a POST takes. */
  readonly body?: Schema
  /** The 200. */
  readonly answer: Schema
  readonly contentType?: string
  /** The path may have any word where a parameter takes its place. */
  readonly isWordFree?: true
}

export const JSON_TYPE = 'application/json'
const SECONDS = { type: 'integer' }
const EXTRA: Parameter = {
  name: 'extra',
  schema: { enum: ['0', '1'], default: '0' },
  description: 'Adds the quote of tokens, and to swaps their other fees too',
}
const LIMIT_OF_ROWS: Parameter = {
  name: 'limit',
  schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
}
const PAGE: readonly Parameter[] = [
  { name: 'page', schema: { type: 'integer', minimum: 1, default: 1 } },
  LIMIT_OF_ROWS,
  EXTRA,
]
const RANKS: readonly Parameter[] = [
  { name: 'window', schema: { enum: WALLET_WINDOWS, default: '7d' } },
  { name: 'by', schema: { enum: WALLET_RANKINGS, default: 'realized_pnl' } },
  LIMIT_OF_ROWS,
]
const TRADERS: readonly Parameter[] = [
  ...PAGE,
  { name: 'order_by', schema: { enum: TRADER_ORDERS, default: 'pnl' } },
  { name: 'order_direction', schema: { enum: ['asc', 'desc'], default: 'desc' } },
]
const SPAN: readonly Parameter[] = [
  { name: 'from', schema: SECONDS, required: true },
  { name: 'to', schema: SECONDS, required: true },
]
const RESOLUTION: Parameter = {
  name: 'resolution',
  schema: { enum: RESOLUTIONS },
  required: true,
}
const CHART: readonly Parameter[] = [
  { name: 'mint', schema: ADDRESS, required: true },
  ...SPAN,
  RESOLUTION,
  { name: 'continuous', schema: { enum: ['0', '1', 'false', 'true'], default: '0' } },
  { name: 'fill', schema: { enum: ['none', 'previous'], default: 'none' } },
  { name: 'countback', schema: { type: 'integer', minimum: 0, maximum: BARS_MAX, default: 0 } },
  { name: 'udf', schema: { enum: ['0', '1', 'false', 'true'], default: '0' } },
]
const QUERY: Parameter = {
  name: 'query',
  schema: { type: 'string', minLength: 1, maxLength: MAX_QUERY_CHARACTERS },
  required: true,
}
const SYMBOL: Parameter = { name: 'symbol', schema: TEXT, required: true }
const TRENDING = Object.entries(TRENDING_QUERY).map(([name, schema]) => ({ name, schema }))
const STREAM: readonly Parameter[] = [
  { name: 'channel', schema: TEXT, required: true },
  ...['mint', 'wallet'].map((name) => ({ name, schema: ADDRESS })),
  ...['filter', 'epoch'].map((name) => ({ name, schema: TEXT })),
  ...TRENDING,
  { name: 'resolution', schema: { enum: RESOLUTIONS } },
  {
    name: 'countback',
    schema: { type: 'integer', minimum: 1, maximum: BARS_MAX, default: COUNTBACK_DEFAULT },
  },
  { name: 'from_seq', schema: { type: 'integer', minimum: 0 } },
  { name: 'snapshot', schema: { enum: ['0', '1', 'false', 'true'], default: '0' } },
  EXTRA,
  {
    name: 'last-event-id',
    in: 'header',
    schema: TEXT,
    description: 'The id of the last event that was read: goes before from_seq and epoch',
  },
]
const MINTS: Parameter = {
  name: 'mints',
  schema: list(TEXT),
  style: 'form',
  explode: false,
  description: `These, in place of the word of the path: at most ${MAX_MINTS}`,
}
const AT: Parameter = { name: 'at', schema: SECONDS, required: true, description: 'Unix seconds' }
export const MIN_SEQ: Parameter = {
  name: 'x-mintfeed-min-seq',
  in: 'header',
  schema: { type: 'string', pattern: '^(.+:)?(0|[1-9][0-9]{0,15})$' },
  description:
    'A position, or its epoch, a colon and it: the answer waits for it, and is a 503 if it does not come, a 409 if the epoch is another',
}
const ALERTS: readonly Parameter[] = [
  {
    name: 'after',
    schema: COUNT,
    description:
      'Alerts behind this number, oldest first: the `next_after` of the answer before. Left out: the newest',
  },
  LIMIT_OF_ROWS,
  { name: 'rule', schema: { type: 'string', pattern: RULE_ID_PATTERN }, description: 'Its alone' },
]
const SOCKET_ID: Parameter = {
  name: 'x-socket-id',
  in: 'header',
  schema: TEXT,
  description:
    'The id of a live connection: its update_pools_info brings the trades of the tokens of this answer',
}
const SEARCH = '/api/v2/search'
const TOKEN = '/api/v2/tokens/{mint}'

function get(
  id: string,
  path: string,
  summary: string,
  parameters: readonly Parameter[],
  answer: Schema,
): Endpoint {
  return { id, method: 'get', path, summary, parameters, answer }
}

const SWAPS: readonly Parameter[] = [
  { name: 'wallet', schema: ADDRESS },
  ...PAGE,
  { name: 'cursor', schema: TEXT },
]
const SWAPS_ANSWER = { anyOf: [named('PaginatedSwapResponse'), named('SwapsByCursor')] }
const TRADERS_ANSWER = named('PaginatedTraders')

/** All endpoints; `{names}` of a path are its required parameters. */
export const ENDPOINTS: readonly Endpoint[] = [
  get(
    'search',
    `${SEARCH}/tokens/detailed`,
    'Search tokens',
    [QUERY, EXTRA],
    list(named('TokenSearchDetailed')),
  ),
  {
    ...get(
      'marketData',
      `${SEARCH}/tokens/{mint}/market-data`,
      'Market data',
      [MINTS, EXTRA],
      list(named('TokenMarketData')),
    ),
    isWordFree: true,
  },
  get('swaps', `${SEARCH}/tokens/{mint}/swaps`, 'Swaps, by page or cursor', SWAPS, SWAPS_ANSWER),
  get(
    'tokenTraders',
    `${SEARCH}/traders/tokens/{mint}`,
    'Traders of a token',
    TRADERS,
    TRADERS_ANSWER,
  ),
  get(
    'walletTokens',
    `${SEARCH}/traders/{wallet}/tokens`,
    'Tokens of a trader',
    TRADERS,
    TRADERS_ANSWER,
  ),
  get('chart', '/api/v2/meme/chart/ohlcv', 'Chart', CHART, named('Ohlcv')),
  {
    id: 'tables',
    method: 'post',
    path: '/api/v2/meme',
    summary: 'Token tables',
    parameters: [SOCKET_ID],
    body: named('FiltersMemeDto'),
    answer: named('MemeTablesResponseDto'),
  },
  get('trending', '/api/v2/trending', 'Trending tokens', TRENDING, named('Trending')),
  {
    ...get('mcp', '/mcp', 'Tools for agents (Model Context Protocol)', [], named('RpcMessage')),
    ...{ method: 'post', body: named('RpcMessage'), contentType: JSON_TYPE },
  },
  get('tokenDetail', TOKEN, 'All about a token', [], named('TokenDetail')),
  get('holders', `${TOKEN}/holders`, 'Who holds a token', PAGE, TRADERS_ANSWER),
  get(
    'holderHistory',
    `${TOKEN}/holders/history`,
    'Holders over time',
    [RESOLUTION],
    named('HolderHistory'),
  ),
  get('firstBuyers', `${TOKEN}/first-buyers`, 'Who bought first', PAGE, TRADERS_ANSWER),
  get(
    'prices',
    '/api/v2/prices',
    'Present prices',
    [{ ...MINTS, required: true, description: `At most ${MAX_MINTS}` }],
    list(named('Price')),
  ),
  get('wallet', '/api/v2/wallets/{wallet}', 'What a wallet did', [], named('Wallet')),
  get(
    'creator',
    '/api/v2/creators/{wallet}',
    'What a creator made of its tokens',
    PAGE.filter((parameter) => parameter !== EXTRA),
    named('Creator'),
  ),
  get('walletsTop', '/api/v2/wallets/top', 'Wallets, ranked', RANKS, named('WalletRanking')),
  get('walletTags', '/api/v2/wallets/tags', 'Tags of wallets', [], named('WalletTags')),
  get('toldAlerts', '/api/v2/alerts', 'What alert rules found', ALERTS, named('Alerts')),
  get('priceAt', '/api/v2/prices/{mint}', 'The price at a moment', [AT], named('PriceAt')),
  {
    ...get('stream', '/api/v2/stream', 'A live channel as server-sent events', STREAM, TEXT),
    contentType: 'text/event-stream',
  },
  get('udfConfig', '/udf/config', 'UDF: what is served', [], named('UdfConfig')),
  { ...get('udfTime', '/udf/time', 'UDF: now', [], TEXT), contentType: 'text/plain' },
  get('udfSymbols', '/udf/symbols', 'UDF: a symbol', [SYMBOL], named('UdfSymbol')),
  get(
    'udfSearch',
    '/udf/search',
    'UDF: symbols by text',
    [
      ...['query', 'type', 'exchange'].map((name) => ({ name, schema: TEXT })),
      { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 50, default: 30 } },
    ],
    list(named('UdfFound')),
  ),
  get(
    'udfQuotes',
    '/udf/quotes',
    'UDF: the day of symbols',
    [
      {
        name: 'symbols',
        schema: TEXT,
        required: true,
        description: `At most ${MAX_QUOTES}, comma-separated`,
      },
    ],
    named('UdfQuotes'),
  ),
  get(
    'udfHistory',
    '/udf/history',
    'UDF: bars',
    [
      SYMBOL,
      {
        name: 'from',
        schema: SECONDS,
        description: 'Needed without countback, and of no account with it',
      },
      { name: 'to', schema: SECONDS, required: true, description: 'Not in the span itself' },
      { name: 'resolution', schema: TEXT, required: true },
      {
        name: 'countback',
        schema: { type: 'integer', minimum: 0 },
        description: 'So many bars before to; 0 is none',
      },
    ],
    named('UdfHistory'),
  ),
]
