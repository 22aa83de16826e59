/** The client's messages on the live feed as values: specification "Events", contract section 4. */

import { isRecord, type JsonRecord } from '../../base/json-access.ts'
import type { LiveErrorCode } from '../errors.ts'
import { type EventChannel, type FrameError, KEY_NAMES, liveErrorFrame } from '../live-frames.ts'
import { BARS_MAX, RESOLUTIONS, type Resolution, type TablesQuery } from '../queries.ts'
import { ADDRESS_EXPECTED, type IsTold, mayBeAddress } from '../requests/address.ts'
import { parseJson } from '../requests/json-body.ts'
import { shown } from '../requests/parsed.ts'
import { tablesOf } from '../requests/tables.ts'
import { tableName } from '../table-rows.ts'
import {
  hasOptions,
  type LiveOptions,
  OPTION_KEYS,
  parseOptions,
  STATE_OPTION_KEYS,
  stateOptionError,
  TRADE_OPTION_KEYS,
  unknownKey,
} from './live-options.ts'

/** The channels of the specification, then those that only docs/live.md has: unknown keys are refused there. */
export const LIVE_EVENTS = [
  'mint_migration',
  'new_launched_pool',
  'update_pools_info',
  'update_mint_info',
  'wallet_trades',
  'all_trades',
  'meme_tables',
  'candles',
] as const
export type LiveEvent = (typeof LIVE_EVENTS)[number]

export const LIVE_ACTIONS = ['subscribe', 'unsubscribe'] as const
type LiveAction = (typeof LIVE_ACTIONS)[number]

/** Mints of one connection at most, over all of its messages (contract section 4). */
export const MAX_CONNECTION_MINTS = 1000

/** Wallets of one connection at most, over all of its messages. */
export const MAX_CONNECTION_WALLETS = 1000

/** Half of a pair: such a text has no UTF-8, so no feed can have named it. */
const LONE_SURROGATE = /\p{Surrogate}/u
const TABLE_NAME = /^[0-9a-f]{16}$/

/** Bars of a candle snapshot at most, and when the client does not say. */
export const COUNTBACK_MAX = BARS_MAX
export const COUNTBACK_DEFAULT = 300

/** One message of a client. */
export type LiveRequest =
  | { readonly kind: 'pong' }
  | { readonly kind: 'ping' }
  | LiveRefusal
  | FollowRequest

/** A subscription or the end of one: also what a stream of server-sent events follows. */
export type FollowRequest = StreamRequest | TableRequest | CandlesRequest

/** Streams of events, plain ones among them. */
export interface StreamRequest extends LiveOptions {
  readonly kind: 'stream'
  readonly action: LiveAction
  readonly channel: EventChannel
  /** Distinct mints or wallets in the order given, or one "" for a channel without. */
  readonly keys: readonly string[]
  /** True when the client sent a list: the acknowledgement answers in kind. */
  readonly many: boolean
}

/** What a message that names no option asks for. */
const PLAIN: LiveOptions = { form: 'plain', from: new Map(), epoch: null, wantsSnapshot: false }

/** A live table to follow (`query`), or to leave by its name. */
export interface TableRequest {
  readonly kind: 'table'
  readonly action: LiveAction
  readonly table: string
  readonly query: TablesQuery | null
}

export interface CandlesRequest {
  readonly kind: 'candles'
  readonly action: LiveAction
  readonly mint: string
  readonly resolution: Resolution
  readonly countback: number
}

export interface LiveRefusal {
  readonly kind: 'refused'
  readonly code: LiveErrorCode
  readonly message: string
}

/** The answer while the state is being recovered: what is joined now would miss the rest of it. */
export const STARTING: LiveRefusal = {
  kind: 'refused',
  code: 'starting',
  message: 'The state before the last stop is being recovered: try again in a second.',
}
export const STARTING_FRAME = liveErrorFrame(STARTING.code, STARTING.message)

/** Reads one text message of the connection with this id; `isTold` knows the addresses that feeds have named. */
export function parseLiveMessage(text: string, id: string, isTold: IsTold): LiveRequest {
  const json = parseJson(text)
  if (!json.ok) return refused('invalid_json', 'The message is not valid JSON.')
  const message = json.value
  if (!isRecord(message)) return refused('invalid_message', 'The message must be a JSON object.')
  if (message.event === undefined && message.type === 'pong') return { kind: 'pong' }
  if (message.event === undefined && message.type === 'ping') return { kind: 'ping' }
  const event = LIVE_EVENTS.find((known) => known === message.event)
  if (event === undefined) {
    const came = shown(message.event)
    return refused('unknown_event', `event came as ${came}, allowed are ${LIVE_EVENTS.join(', ')}.`)
  }
  return parseData(event, message.data, id, isTold)
}

function parseData(event: LiveEvent, data: unknown, id: string, isTold: IsTold): LiveRequest {
  if (!isRecord(data)) return refused('invalid_message', 'data must be an object.')
  const action = LIVE_ACTIONS.find((known) => known === data.action)
  if (action === undefined) {
    const came = shown(data.action)
    const allowed = LIVE_ACTIONS.join(', ')
    return refused('unknown_action', `data.action came as ${came}, allowed are ${allowed}.`)
  }
  if (data.id !== id) {
    const came = shown(data.id)
    return refused('id_mismatch', `data.id came as ${came}, the id of the connection is expected.`)
  }
  switch (event) {
    case 'update_mint_info':
    case 'wallet_trades':
      return parseKeyed(event, action, data, isTold)
    case 'meme_tables':
      return asRequest(parseTableRequest(action, data))
    case 'candles': {
      if (!isMint(data.mint, isTold)) return badAddress('mint', data.mint)
      return asRequest(parseCandlesRequest(action, data, data.mint))
    }
    case 'update_pools_info':
      return parsePools(action, data)
    default: {
      const named = { channel: event, action, keys: [''], many: false }
      const isNumbered =
        event === 'all_trades' || (action === 'subscribe' && hasOptions(data, OPTION_KEYS))
      return isNumbered ? parseNumbered(named, data) : { kind: 'stream', ...named, ...PLAIN }
    }
  }
}

function asRequest<T extends LiveRequest>(parsed: T | FrameError): T | LiveRefusal {
  return 'code' in parsed ? refused(parsed.code, parsed.message) : parsed
}

/** Trades of mints or of wallets. */
function parseKeyed(
  channel: 'update_mint_info' | 'wallet_trades',
  action: LiveAction,
  data: JsonRecord,
  isTold: IsTold,
): LiveRequest {
  const name = channel === 'wallet_trades' ? 'wallet' : 'mint'
  const keys = parseKeys(name, channel, data, isTold)
  if ('code' in keys) return keys
  const named = { channel, action, ...keys }
  const isPlain =
    channel === 'update_mint_info' &&
    (action === 'unsubscribe' || !hasOptions(data, TRADE_OPTION_KEYS))
  return isPlain ? { kind: 'stream', ...named, ...PLAIN } : parseNumbered(named, data)
}

function parseNumbered(
  named: Pick<StreamRequest, 'channel' | 'action' | 'keys' | 'many'>,
  data: JsonRecord,
): LiveRequest {
  const name = KEY_NAMES[named.channel]
  const keyNames = name === null ? [] : [name, `${name}s`]
  const isOfTrades = named.channel !== 'mint_migration' && named.channel !== 'new_launched_pool'
  const optionKeys = isOfTrades ? TRADE_OPTION_KEYS : OPTION_KEYS
  const unknown = unknownKey(data, ['action', 'id', ...keyNames, ...optionKeys])
  if (unknown !== null) return asRequest(unknown)
  const options = parseOptions(data, named.keys, named.many)
  if ('code' in options) return asRequest(options)
  return { kind: 'stream', ...named, ...options }
}

function parsePools(action: LiveAction, data: JsonRecord): LiveRequest {
  const channel = 'update_pools_info'
  const named = { kind: 'stream', channel, action, keys: [''], many: false } as const
  if (action === 'unsubscribe' || !hasOptions(data, TRADE_OPTION_KEYS))
    return { ...named, ...PLAIN }
  const barred = ['from_seq', 'epoch'].find((key) => data[key] !== undefined)
  if (barred !== undefined)
    return refused(
      'invalid_option',
      `data.${barred} is not allowed for update_pools_info: follow its mints by update_mint_info.`,
    )
  const unknown = unknownKey(data, ['action', 'id', 'seq', 'snapshot', 'extra'])
  if (unknown !== null) return asRequest(unknown)
  const options = parseOptions(data, [''], false)
  return 'code' in options ? asRequest(options) : { ...named, ...options }
}

/** `filter`, or on unsubscribing `table` instead. */
function parseTableRequest(action: LiveAction, data: JsonRecord): TableRequest | FrameError {
  const refused = refusedKey(data, ['filter', 'table'])
  if (refused !== null) return refused
  const { table, filter } = data
  if (action === 'unsubscribe' && filter === undefined) {
    if (typeof table === 'string' && TABLE_NAME.test(table))
      return { kind: 'table', action, table, query: null }
    return invalidFilter('data.filter or data.table, the name of a table, is required.')
  }
  if (table !== undefined && action === 'unsubscribe')
    return invalidFilter('data.filter or data.table is allowed, not both.')
  if (table !== undefined) return invalidFilter('data.table comes with unsubscribe alone.')
  if (filter === undefined)
    return invalidFilter('data.filter is required: the body of POST /api/v2/meme.')
  // Never as text again: writing JSON is recursive, and a client may nest as deep as its message is long.
  const query = tablesOf(filter)
  if (!query.ok) return invalidFilter(query.error.message)
  return { kind: 'table', action, table: tableName(query.value), query: query.value }
}

function refusedKey(data: JsonRecord, own: readonly string[]): FrameError | null {
  return stateOptionError(data) ?? unknownKey(data, ['action', 'id', ...own, ...STATE_OPTION_KEYS])
}

function invalidFilter(message: string): FrameError {
  return { code: 'invalid_filter', message }
}

/** `resolution` and `countback`; `mint` was read before. */
function parseCandlesRequest(
  action: LiveAction,
  data: JsonRecord,
  mint: string,
): CandlesRequest | FrameError {
  const refused = refusedKey(data, ['mint', 'resolution', 'countback'])
  if (refused !== null) return refused
  const resolution = RESOLUTIONS.find((known) => known === data.resolution)
  if (resolution === undefined) {
    const message = `data.resolution is one of ${RESOLUTIONS.join(', ')}.`
    return { code: 'invalid_resolution', message }
  }
  const countback = data.countback ?? COUNTBACK_DEFAULT
  const isCount =
    typeof countback === 'number' &&
    Number.isInteger(countback) &&
    countback >= 1 &&
    countback <= COUNTBACK_MAX
  if (!isCount) {
    const message = `data.countback is an integer from 1 to ${COUNTBACK_MAX}.`
    return { code: 'invalid_countback', message }
  }
  return { kind: 'candles', action, mint, resolution, countback }
}

type KeyName = 'mint' | 'wallet'

function parseKeys(
  name: KeyName,
  channel: LiveEvent,
  data: JsonRecord,
  isTold: IsTold,
): { readonly keys: readonly string[]; readonly many: boolean } | LiveRefusal {
  const one = data[name] ?? null
  const list = data[`${name}s`] ?? null
  if (one === null && list === null) {
    const message = `data.${name} or data.${name}s is required for ${channel}.`
    return refused(`missing_${name}`, message)
  }
  if (one !== null && list !== null) {
    return refused(`invalid_${name}`, `data.${name} and data.${name}s must not come together.`)
  }
  if (list === null)
    return isMint(one, isTold) ? { keys: [one], many: false } : badAddress(name, one)
  if (!Array.isArray(list) || list.length === 0) {
    const message = `data.${name}s must be an array of at least one address.`
    return refused(`invalid_${name}`, message)
  }
  const values: readonly unknown[] = list
  const keys = new Set<string>()
  for (const value of values) {
    if (!isMint(value, isTold)) return badAddress(name, value)
    keys.add(value)
  }
  return { keys: [...keys], many: true }
}

/** Can the value be a mint or a wallet? */
function isMint(value: unknown, isTold: IsTold): value is string {
  return typeof value === 'string' && !LONE_SURROGATE.test(value) && mayBeAddress(value, isTold)
}

function badAddress(name: KeyName, value: unknown): LiveRefusal {
  return refused(`invalid_${name}`, `A ${name} came as ${shown(value)}, ${ADDRESS_EXPECTED}.`)
}

function refused(code: LiveErrorCode, message: string): LiveRefusal {
  return { kind: 'refused', code, message }
}
