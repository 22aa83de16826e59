import {
  COUNTBACK_MAX,
  LIVE_ACTIONS,
  OPTION_KEYS,
  OptionsSchema,
  STATE_OPTION_KEYS,
  TRADE_OPTION_KEYS,
} from '../protocol/live/live-messages.ts'
import { RESYNC_REASONS } from '../protocol/live-frames.ts'
import { RESOLUTIONS } from '../protocol/queries.ts'
import {
  ADDRESS,
  COUNT,
  constant,
  FLAG,
  list,
  NUMBER,
  named,
  object,
  type Schema,
  TEXT,
} from './schema.ts'

/** One message of the socket. */
export interface LiveMessage {
  /** Its name in the document, and of its example. */
  readonly name: string
  readonly summary: string
  readonly payload: Schema
  readonly sender: 'client' | 'service' | 'either'
}

const TRADE_OPTIONS: Readonly<Record<string, Schema>> = Object.fromEntries(
  TRADE_OPTION_KEYS.map((name) => [name, { ...OptionsSchema.properties[name] }]),
)
const OPTIONS: Readonly<Record<string, Schema>> = Object.fromEntries(
  OPTION_KEYS.map((name) => [name, TRADE_OPTIONS[name] ?? {}]),
)
const ACTION = { enum: LIVE_ACTIONS }
const RESOLUTION = { enum: RESOLUTIONS }
const POSITIONED = { epoch: TEXT, position: COUNT }
const NUMBERED = { seq: { type: 'integer', minimum: 1 }, epoch: TEXT }
const STATE = { step: COUNT, seq: COUNT, epoch: TEXT, time: COUNT }

function request(
  channel: string,
  data: Readonly<Record<string, Schema>>,
  optional: string[],
): LiveMessage {
  const payload = object({
    event: constant(channel),
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
  request('mint_migration', OPTIONS, [...OPTION_KEYS]),
  request('new_launched_pool', OPTIONS, [...OPTION_KEYS]),
  request('update_mint_info', { mint: ADDRESS, mints: list(ADDRESS), ...TRADE_OPTIONS }, [
    'mint',
    'mints',
    ...TRADE_OPTION_KEYS,
  ]),
  request('update_pools_info', { seq: FLAG, snapshot: FLAG, extra: FLAG }, [
    'seq',
    'snapshot',
    'extra',
  ]),
  request('wallet_trades', { wallet: ADDRESS, wallets: list(ADDRESS), ...TRADE_OPTIONS }, [
    'wallet',
    'wallets',
    ...TRADE_OPTION_KEYS,
  ]),
  request('all_trades', TRADE_OPTIONS, [...TRADE_OPTION_KEYS]),
  request('meme_tables', { filter: named('FiltersMemeDto'), table: TEXT, ...STATE_OPTIONS }, [
    'filter',
    'table',
    ...STATE_OPTION_KEYS,
  ]),
  request(
    'candles',
    {
      mint: ADDRESS,
      resolution: RESOLUTION,
      countback: { type: 'integer', minimum: 1, maximum: COUNTBACK_MAX },
      ...STATE_OPTIONS,
    },
    ['countback', ...STATE_OPTION_KEYS],
  ),
]

function told(name: string, summary: string, payload: Schema): LiveMessage {
  return { name, summary, payload, sender: 'service' }
}

const trade = { pool: TEXT, data: named('Swap') }
const numberedTrade = { pool: TEXT, ...NUMBERED, ordinal: COUNT, data: named('Swap') }
const event = (channel: string, rest: Readonly<Record<string, Schema>>) =>
  object({ channel: constant(channel), ...rest })
const snapshot = (channel: string, rest: Readonly<Record<string, Schema>>) =>
  event(channel, { type: constant('snapshot'), ...rest })

const EVENTS: readonly LiveMessage[] = [
  told(
    'mint_migration',
    'A token migrated',
    event('mint_migration', { data: named('MigrationEvent') }),
  ),
  told(
    'mint_migration_numbered',
    'A token migrated, numbered',
    event('mint_migration', { ...NUMBERED, data: named('MigrationEvent') }),
  ),
  told(
    'mint_migration_snapshot',
    'The newest migrations',
    snapshot('mint_migration', { seq: COUNT, ...POSITIONED, data: list(named('MigrationEvent')) }),
  ),
  told(
    'new_launched_pool',
    'A token was launched',
    event('new_launched_pool', { pool: TEXT, data: named('TokenSearchDetailed') }),
  ),
  told(
    'new_launched_pool_numbered',
    'A token was launched, numbered',
    event('new_launched_pool', { pool: TEXT, ...NUMBERED, data: named('TokenSearchDetailed') }),
  ),
  told(
    'new_launched_pool_snapshot',
    'The newest launches',
    snapshot('new_launched_pool', {
      seq: COUNT,
      ...POSITIONED,
      data: list(named('TokenSearchDetailed')),
    }),
  ),
  told('update_mint_info', 'A trade of a mint', event('update_mint_info', trade)),
  told(
    'update_mint_info_numbered',
    'A trade of a mint, numbered',
    event('update_mint_info', numberedTrade),
  ),
  told(
    'update_mint_info_snapshot',
    'A token at a seq',
    snapshot('update_mint_info', {
      mint: TEXT,
      seq: COUNT,
      ...POSITIONED,
      data: { anyOf: [named('TokenDetail'), { type: 'null' }] },
    }),
  ),
  told('update_pools_info', 'A trade of a table', event('update_pools_info', trade)),
  told(
    'update_pools_info_numbered',
    'A trade of a table, numbered',
    event('update_pools_info', numberedTrade),
  ),
  told(
    'update_pools_info_snapshot',
    'The tokens of a table',
    snapshot('update_pools_info', {
      seqs: { type: 'object', additionalProperties: COUNT },
      ...POSITIONED,
      data: list(named('TokenMarketData')),
    }),
  ),
  told(
    'wallet_trades',
    'A trade of a wallet',
    event('wallet_trades', { wallet: TEXT, ...numberedTrade }),
  ),
  told(
    'wallet_trades_snapshot',
    'The records of a wallet',
    snapshot('wallet_trades', {
      wallet: TEXT,
      seq: COUNT,
      ...POSITIONED,
      data: named('PaginatedTraders'),
    }),
  ),
  told('all_trades', 'A trade of any mint', event('all_trades', numberedTrade)),
  told(
    'all_trades_snapshot',
    'Figures of the market',
    snapshot('all_trades', {
      seq: COUNT,
      ...POSITIONED,
      data: object({
        tokens: COUNT,
        wallets: COUNT,
        swaps: COUNT,
        sol_price_usd: NUMBER,
        time: COUNT,
      }),
    }),
  ),
]

const ROW = named('MemeTablePoolDto')
const GROUP_DELTA = object({
  leave: list(TEXT),
  put: list(object({ at: COUNT, row: ROW })),
  change: list(ROW),
})
const BARS = {
  mint: TEXT,
  resolution: RESOLUTION,
  ...STATE,
  data: named('Ohlcv'),
  final: list(FLAG),
}

const STATES: readonly LiveMessage[] = [
  told(
    'meme_tables_snapshot',
    'A whole table',
    snapshot('meme_tables', { table: TEXT, ...STATE, data: named('MemeTablesResponseDto') }),
  ),
  told(
    'meme_tables_delta',
    'What changed of a table',
    event('meme_tables', {
      type: constant('delta'),
      table: TEXT,
      ...STATE,
      data: object({ new: GROUP_DELTA, completing: GROUP_DELTA, graduated: GROUP_DELTA }, [
        'new',
        'completing',
        'graduated',
      ]),
    }),
  ),
  told('candles_snapshot', 'The newest bars', snapshot('candles', BARS)),
  told(
    'candles_delta',
    'Bars that changed',
    event('candles', { type: constant('delta'), ...BARS }),
  ),
]

/** What was asked for, as its channel names it. */
const ASKED_FOR = {
  ...{ mint: TEXT, mints: list(TEXT), wallet: TEXT, wallets: list(TEXT) },
  ...{ table: TEXT, resolution: RESOLUTION },
}
/** Where its stream stands, if that was asked for too; `seqs` by mint or wallet. */
const BEGUN = {
  ...{ seq: COUNT, epoch: TEXT, step: COUNT },
  seqs: { type: 'object', additionalProperties: COUNT },
}

function acknowledgement(type: string, more: Readonly<Record<string, Schema>>): Schema {
  const optional = { ...ASKED_FOR, ...more }
  return object({ type: constant(type), event: TEXT, ...optional }, Object.keys(optional))
}

const SYSTEM: readonly LiveMessage[] = [
  told('subscribed', 'A subscription begins', acknowledgement('subscribed', BEGUN)),
  told('unsubscribed', 'A subscription has ended', acknowledgement('unsubscribed', {})),
  told(
    'resync',
    'A stream cannot be resumed',
    object(
      {
        type: constant('resync'),
        event: TEXT,
        mint: TEXT,
        wallet: TEXT,
        reason: { enum: Object.keys(RESYNC_REASONS) },
        message: TEXT,
        from_seq: COUNT,
        seq: COUNT,
        epoch: TEXT,
      },
      ['mint', 'wallet', 'from_seq'],
    ),
  ),
  told(
    'error',
    'A message was refused, or what `event` and its words name is not followed any more',
    object(
      {
        type: constant('error'),
        code: TEXT,
        message: TEXT,
        event: TEXT,
        table: TEXT,
        mint: TEXT,
        wallet: TEXT,
        resolution: TEXT,
      },
      ['event', 'table', 'mint', 'wallet', 'resolution'],
    ),
  ),
  {
    name: 'ping',
    summary: 'Answer with pong',
    payload: object({ type: constant('ping') }),
    sender: 'either',
  },
  {
    name: 'pong',
    summary: 'The answer to a ping',
    payload: object({ type: constant('pong') }),
    sender: 'either',
  },
]

/** Every message of the socket. */
export const LIVE_MESSAGES: readonly LiveMessage[] = [...REQUESTS, ...EVENTS, ...STATES, ...SYSTEM]
