import { GROUPS } from '../protocol/filters.ts'
import { LIVE_ACTIONS, OPTION_KEYS, OptionsSchema } from '../protocol/live/live-messages.ts'
import { BARS_MAX, RESOLUTIONS } from '../protocol/queries.ts'
import { RESYNC_REASONS } from '../protocol/wire.ts'
import {
  ADDRESS,
  COUNT,
  FLAG,
  list,
  NUMBER,
  named,
  object,
  type Schema,
  TEXT,
  TRENDING_QUERY,
} from './resources.ts'

/** One message of the socket. */
export interface LiveMessage {
  /** Its name in the document, and of its example. */
  readonly name: string
  readonly summary: string
  readonly payload: Schema
  readonly sender: 'client' | 'service' | 'either'
}

type Fields = Readonly<Record<string, Schema>>

const TRADE_OPTIONS: Fields = Object.fromEntries(
  OPTION_KEYS.trades.map((name) => [name, { ...OptionsSchema.properties[name] }]),
)
const OPTIONS: Fields = Object.fromEntries(
  OPTION_KEYS.announced.map((name) => [name, TRADE_OPTIONS[name] ?? {}]),
)
const ACTION = { enum: LIVE_ACTIONS }
const RESOLUTION = { enum: RESOLUTIONS }
const POSITIONED = { epoch: TEXT, position: COUNT }
const AT_SEQ = { seq: COUNT, ...POSITIONED }
const NUMBERED = { seq: { type: 'integer', minimum: 1 }, epoch: TEXT }
const STATE = { step: COUNT, seq: COUNT, epoch: TEXT, time: COUNT }

function request(channel: string, data: Fields, optional: readonly string[]): LiveMessage {
  const payload = object({
    event: { const: channel },
    data: object({ action: ACTION, id: TEXT, ...data }, optional),
  })
  return {
    name: `${channel}_request`,
    summary: `Follow or leave ${channel}`,
    payload,
    sender: 'client',
  }
}

const STATE_OPTIONS = { seq: { const: true }, snapshot: { const: true } }
const REQUESTS: readonly LiveMessage[] = [
  request('mint_migration', OPTIONS, OPTION_KEYS.announced),
  request('new_launched_pool', OPTIONS, OPTION_KEYS.announced),
  request('update_mint_info', { mint: ADDRESS, mints: list(ADDRESS), ...TRADE_OPTIONS }, [
    'mint',
    'mints',
    ...OPTION_KEYS.trades,
  ]),
  request('update_pools_info', { seq: FLAG, snapshot: FLAG, extra: FLAG }, [
    'seq',
    'snapshot',
    'extra',
  ]),
  request('wallet_trades', { wallet: ADDRESS, wallets: list(ADDRESS), ...TRADE_OPTIONS }, [
    'wallet',
    'wallets',
    ...OPTION_KEYS.trades,
  ]),
  request('all_trades', TRADE_OPTIONS, OPTION_KEYS.trades),
  request('alerts', OPTIONS, OPTION_KEYS.announced),
  request('meme_tables', { filter: named('FiltersMemeDto'), table: TEXT, ...STATE_OPTIONS }, [
    'filter',
    'table',
    ...OPTION_KEYS.states,
  ]),
  request('trending', { ...TRENDING_QUERY, table: TEXT, ...STATE_OPTIONS }, [
    ...Object.keys(TRENDING_QUERY),
    'table',
    ...OPTION_KEYS.states,
  ]),
  request(
    'candles',
    {
      mint: ADDRESS,
      resolution: RESOLUTION,
      countback: { type: 'integer', minimum: 1, maximum: BARS_MAX },
      ...STATE_OPTIONS,
    },
    ['countback', ...OPTION_KEYS.states],
  ),
]

function sent(name: string, summary: string, payload: Schema): LiveMessage {
  return { name, summary, payload, sender: 'service' }
}

function event(channel: string, fields: Fields): Schema {
  return object({ channel: { const: channel }, ...fields })
}

function snapshot(channel: string, summary: string, fields: Fields): LiveMessage {
  const payload = event(channel, { type: { const: 'snapshot' }, ...fields })
  return sent(`${channel}_snapshot`, summary, payload)
}

/** An event that a subscription without `seq` gets, and the same with its number. */
function plainAndNumbered(
  channel: string,
  summary: string,
  data: Schema,
  before: Fields,
  numbers: Fields = NUMBERED,
): readonly LiveMessage[] {
  return [
    sent(channel, summary, event(channel, { ...before, data })),
    sent(
      `${channel}_numbered`,
      `${summary}, numbered`,
      event(channel, { ...before, ...numbers, data }),
    ),
  ]
}

const POOL = { pool: TEXT }
const SWAP = named('Swap')
const MIGRATION = named('MigrationEvent')
const LAUNCH = named('TokenSearchDetailed')
const TRADE_NUMBERS = { ...NUMBERED, ordinal: COUNT }
const NUMBERED_TRADE = { ...POOL, ...TRADE_NUMBERS, data: SWAP }
const TOKEN = { anyOf: [named('TokenDetail'), { type: 'null' }] }
const MARKET = object({
  ...{ tokens: COUNT, wallets: COUNT, swaps: COUNT },
  ...{ sol_price_usd: NUMBER, time: COUNT },
})
/** A position for each mint or wallet. */
const SEQS = { type: 'object', additionalProperties: COUNT }

const EVENTS: readonly LiveMessage[] = [
  ...plainAndNumbered('mint_migration', 'A token migrated', MIGRATION, {}),
  snapshot('mint_migration', 'The newest migrations', { ...AT_SEQ, data: list(MIGRATION) }),
  ...plainAndNumbered('new_launched_pool', 'A token was launched', LAUNCH, POOL),
  snapshot('new_launched_pool', 'The newest launches', { ...AT_SEQ, data: list(LAUNCH) }),
  ...plainAndNumbered('update_mint_info', 'A trade of a mint', SWAP, POOL, TRADE_NUMBERS),
  snapshot('update_mint_info', 'A token at a seq', { mint: TEXT, ...AT_SEQ, data: TOKEN }),
  ...plainAndNumbered('update_pools_info', 'A trade of a table', SWAP, POOL, TRADE_NUMBERS),
  snapshot('update_pools_info', 'The tokens of a table', {
    seqs: SEQS,
    ...POSITIONED,
    data: list(named('TokenMarketData')),
  }),
  sent(
    'wallet_trades',
    'A trade of a wallet',
    event('wallet_trades', { wallet: TEXT, ...NUMBERED_TRADE }),
  ),
  snapshot('wallet_trades', 'The records of a wallet', {
    wallet: TEXT,
    ...AT_SEQ,
    data: named('PaginatedTraders'),
  }),
  sent('all_trades', 'A trade of any mint', event('all_trades', NUMBERED_TRADE)),
  snapshot('all_trades', 'Figures of the market', { ...AT_SEQ, data: MARKET }),
  sent('alerts', 'A rule found something', event('alerts', { ...NUMBERED, data: named('Alert') })),
  snapshot('alerts', 'The newest alerts', { ...AT_SEQ, data: list(named('Alert')) }),
]

/** What changed of a list of rows. */
function deltaOf(row: Schema): Schema {
  const put = list(object({ at: COUNT, row }))
  return object({ leave: list(TEXT), put, change: list(row) })
}

const GROUP_DELTA = deltaOf(named('MemeTablePoolDto'))
const BARS = {
  mint: TEXT,
  resolution: RESOLUTION,
  ...STATE,
  data: named('Ohlcv'),
  final: list(FLAG),
}

const STATES: readonly LiveMessage[] = [
  snapshot('meme_tables', 'A whole table', {
    table: TEXT,
    ...STATE,
    data: named('MemeTablesResponseDto'),
  }),
  sent(
    'meme_tables_delta',
    'What changed of a table',
    event('meme_tables', {
      type: { const: 'delta' },
      table: TEXT,
      ...STATE,
      data: object(Object.fromEntries(GROUPS.map((group) => [group, GROUP_DELTA])), GROUPS),
    }),
  ),
  snapshot('trending', 'The trending tokens', {
    table: TEXT,
    ...STATE,
    data: named('Trending'),
  }),
  sent(
    'trending_delta',
    'What changed of them',
    event('trending', {
      type: { const: 'delta' },
      table: TEXT,
      ...STATE,
      data: object({ items: deltaOf(named('TrendingToken')) }),
    }),
  ),
  snapshot('candles', 'The newest bars', BARS),
  sent(
    'candles_delta',
    'Bars that changed',
    event('candles', { type: { const: 'delta' }, ...BARS }),
  ),
]

/** What a subscription follows, by the keys of its channel. */
const FOLLOWED = {
  ...{ mint: TEXT, mints: list(TEXT), wallet: TEXT, wallets: list(TEXT) },
  ...{ table: TEXT, resolution: RESOLUTION },
}
/** Where its stream begins, if `seq` was asked for. */
const BEGUN = {
  ...{ seq: COUNT, epoch: TEXT, step: COUNT },
  seqs: SEQS,
}

/** A message of no channel. */
function system(
  type: string,
  summary: string,
  fields: Fields,
  optional: readonly string[] = [],
): LiveMessage {
  return sent(type, summary, object({ type: { const: type }, ...fields }, optional))
}

const SYSTEM: readonly LiveMessage[] = [
  system('subscribed', 'A subscription begins', { event: TEXT, ...FOLLOWED, ...BEGUN }, [
    ...Object.keys(FOLLOWED),
    ...Object.keys(BEGUN),
  ]),
  system(
    'unsubscribed',
    'A subscription has ended',
    { event: TEXT, ...FOLLOWED },
    Object.keys(FOLLOWED),
  ),
  system(
    'resync',
    'A stream cannot be resumed',
    {
      ...{ event: TEXT, mint: TEXT, wallet: TEXT },
      reason: { enum: Object.keys(RESYNC_REASONS) },
      ...{ message: TEXT, from_seq: COUNT, seq: COUNT, epoch: TEXT },
    },
    ['mint', 'wallet', 'from_seq'],
  ),
  system(
    'error',
    'A message was refused, or what `event` and its words name is not followed any more',
    {
      ...{ code: TEXT, message: TEXT, event: TEXT, table: TEXT },
      ...{ mint: TEXT, wallet: TEXT, resolution: TEXT },
    },
    ['event', 'table', 'mint', 'wallet', 'resolution'],
  ),
  { ...system('ping', 'Answer with pong', {}), sender: 'either' },
  { ...system('pong', 'The answer to a ping', {}), sender: 'either' },
]

/** Every message of the socket. */
export const LIVE_MESSAGES: readonly LiveMessage[] = [...REQUESTS, ...EVENTS, ...STATES, ...SYSTEM]
