/**
 * The documents of the API: `/openapi.json`, `/asyncapi.json` and the page `/docs`. They are made of tables: endpoints,
 * live messages, resources, and an example of each. Schemas come from where the service checks by them: the metrics
 * table, the body of the token tables, the options of live messages. The bytes are published, and change with the API only.
 */

import { COUNTBACK_DEFAULT } from '../protocol/live/live-messages.ts'
import {
  BARS_MAX,
  RESOLUTIONS,
  TRADER_ORDERS,
  WALLET_RANKINGS,
  WALLET_WINDOWS,
} from '../protocol/queries.ts'
import {
  DEFAULT_LIMIT,
  MAX_LIMIT,
  MAX_MINTS,
  MAX_QUERY_CHARACTERS,
} from '../protocol/requests/tokens.ts'
import { MAX_QUOTES } from '../protocol/udf-json.ts'
import { exampleOf } from './examples.ts'
import { LIVE_MESSAGES, type LiveMessage } from './live-messages-schemas.ts'
import { ADDRESS, list, named, type Schema, TEXT, usedSchemas } from './resources.ts'

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

interface Endpoint {
  /** Name of the operation, and of its example. */
  readonly id: string
  readonly method: 'get' | 'post'
  readonly path: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  /** The 200. */
  readonly answer: Schema
  readonly contentType?: string
  /** The path may have any word where a parameter takes its place. */
  readonly isWordFree?: true
}

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
const STREAM: readonly Parameter[] = [
  { name: 'channel', schema: TEXT, required: true },
  ...['mint', 'wallet'].map((name) => ({ name, schema: ADDRESS })),
  ...['filter', 'epoch'].map((name) => ({ name, schema: TEXT })),
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
const MIN_SEQ: Parameter = {
  name: 'x-mintfeed-min-seq',
  in: 'header',
  schema: { type: 'string', pattern: '^(.+:)?(0|[1-9][0-9]{0,15})$' },
  description:
    'A position, or its epoch, a colon and it: the answer waits for it, and is a 503 if it does not come, a 409 if the epoch is another',
}
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
    answer: named('MemeTablesResponseDto'),
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

const JSON_TYPE = 'application/json'
const POSITION = {
  'X-Mintfeed-Seq': counted('Events taken so far: the position that the answer shows'),
  'X-Mintfeed-Epoch': {
    description: 'Another one when the stream has broken off',
    schema: { type: 'string' },
  },
}
const LIMIT = {
  'X-RateLimit-Limit': counted('Requests of one address in a window, where they are limited'),
  'X-RateLimit-Remaining': counted('Requests that are left in this one'),
  'X-RateLimit-Reset': counted('Seconds until it ends'),
}
const RETRY_AFTER = { 'Retry-After': counted('Seconds to wait, where that helps') }
const REFUSAL = {
  description: 'A refusal, in the one shape of all',
  content: { [JSON_TYPE]: { schema: named('Error'), ...exampled('refusal') } },
}

const UDF_REFUSAL = {
  description: 'A refusal as UDF clients read it',
  content: { [JSON_TYPE]: { schema: named('UdfRefusal') } },
}

const TABLES_BODY = {
  required: true,
  content: { [JSON_TYPE]: { schema: named('FiltersMemeDto') } },
}

const INFO = { title: 'mintfeed', version: '2' }

/** `/openapi.json`: the HTTP API. */
export function openApiJson(): string {
  const paths = Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint.path, pathOf(endpoint)]))
  return JSON.stringify({
    openapi: '3.1.0',
    info: { ...INFO, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: usedSchemas(paths) },
  })
}

function pathOf(endpoint: Endpoint): object {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: endpoint.isWordFree === true ? { type: 'string' } : ADDRESS,
  }))
  const known = endpoint.id === 'stream' ? endpoint.parameters : [...endpoint.parameters, MIN_SEQ]
  const others = known.map((parameter) => ({ in: 'query', ...parameter }))
  const type = endpoint.contentType ?? JSON_TYPE
  const answer = { schema: endpoint.answer, ...exampled(endpoint.id) }
  const refusal = endpoint.path.startsWith('/udf/') ? UDF_REFUSAL : REFUSAL
  const operation = {
    operationId: endpoint.id,
    summary: endpoint.summary,
    parameters: [...inPath, ...others],
    ...(endpoint.method === 'post' && { requestBody: TABLES_BODY }),
    responses: {
      200: {
        description: 'The answer',
        headers: { ...POSITION, ...LIMIT },
        content: { [type]: answer },
      },
      429: {
        ...refusal,
        description: 'More requests than a window allows',
        headers: { ...LIMIT, ...RETRY_AFTER },
      },
      default: { ...refusal, headers: { ...LIMIT, ...RETRY_AFTER } },
    },
  }
  return { [endpoint.method]: operation }
}

function counted(description: string): object {
  return { description, schema: { type: 'integer' } }
}

function exampled(name: string): object {
  const example = exampleOf(name)
  return example === undefined ? {} : { example }
}

/** `/asyncapi.json`: the live feed, and where it is served; port 0 is one that the system chooses. */
export function asyncApiJson(address: {
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
}): string {
  const messages = Object.fromEntries(
    LIVE_MESSAGES.map((message) => [message.name, messageOf(message)]),
  )
  const reference = ({ name }: LiveMessage) => ({ $ref: `#/channels/live/messages/${name}` })
  return JSON.stringify({
    asyncapi: '3.0.0',
    info: { ...INFO, license: { name: 'Apache-2.0' } },
    defaultContentType: JSON_TYPE,
    servers: { service: serverOf(address) },
    channels: {
      live: {
        address: '/ws',
        description: 'Text messages of JSON; docs/live.md says what they mean.',
        bindings: {
          ws: {
            query: {
              type: 'object',
              required: ['id'],
              properties: { id: { type: 'string', minLength: 1, maxLength: 128 } },
            },
          },
        },
        messages: Object.fromEntries(
          LIVE_MESSAGES.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      ask: {
        action: 'receive',
        channel: { $ref: '#/channels/live' },
        messages: LIVE_MESSAGES.filter(({ sender }) => sender !== 'service').map(reference),
      },
      tell: {
        action: 'send',
        channel: { $ref: '#/channels/live' },
        messages: LIVE_MESSAGES.filter(({ sender }) => sender !== 'client').map(reference),
      },
    },
    components: { messages, schemas: usedSchemas(messages) },
  })
}

/** Hosts that mean every address of a machine, where a client needs one. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function serverOf({ host, port, isSecure }: Parameters<typeof asyncApiJson>[0]): object {
  const name = EVERYWHERE.has(host) ? 'localhost' : host
  const authority = `${name.includes(':') ? `[${name}]` : name}:${port}`
  return {
    host: '{address}',
    protocol: isSecure ? 'wss' : 'ws',
    description: 'This service',
    variables: {
      address: {
        description: 'Host and port at which clients reach it; behind a proxy those of the proxy',
        ...(port !== 0 && { default: authority }),
      },
    },
  }
}

function messageOf({ name, summary, payload }: LiveMessage): object {
  const example = exampleOf(name)
  return {
    name,
    summary,
    payload,
    ...(example !== undefined && { examples: [{ payload: example }] }),
  }
}
