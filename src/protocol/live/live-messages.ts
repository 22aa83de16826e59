/** The client's messages on the live feed as values: specification "Events", contract section 4. */

import { isRecord, type JsonRecord } from '../../base/json-access.ts'
import type { LiveErrorCode } from '../errors.ts'
import { type FrameError, KEY_NAMES, type StreamChannel } from '../live-frames.ts'
import { ADDRESS_EXPECTED, type IsKnownAddress, mayBeAddress } from '../requests/address.ts'
import { parseJson } from '../requests/json-body.ts'
import { shown } from '../requests/parsed.ts'
import {
  hasOptions,
  type LiveOptions,
  OPTION_KEYS,
  parseOptions,
  TRADE_OPTION_KEYS,
  unknownKey,
} from './live-options.ts'
import {
  type CandlesRequest,
  parseCandlesRequest,
  parseTableRequest,
  type TableRequest,
} from './live-state-requests.ts'

/** Channels that are asked for without a mint. */
export const BROADCASTS = ['mint_migration', 'new_launched_pool', 'update_pools_info'] as const
export type Broadcast = (typeof BROADCASTS)[number]

/** Channels that only docs/live.md has: unknown keys are refused there. */
const ADDED_EVENTS = ['wallet_trades', 'all_trades', 'meme_tables', 'candles'] as const

export const LIVE_EVENTS = [...BROADCASTS, 'update_mint_info', ...ADDED_EVENTS] as const
export type LiveEvent = (typeof LIVE_EVENTS)[number]

export const LIVE_ACTIONS = ['subscribe', 'unsubscribe'] as const
type LiveAction = (typeof LIVE_ACTIONS)[number]

/** Mints of one connection at most, over all of its messages (contract section 4). */
export const MAX_CONNECTION_MINTS = 1000

/** Wallets of one connection at most, over all of its messages. */
export const MAX_CONNECTION_WALLETS = 1000

/** Half of a pair: such a text has no UTF-8, so that none was ever told. */
const LONE_SURROGATE = /\p{Surrogate}/u

export type LiveRequest =
  | { readonly kind: 'pong' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'broadcast'; readonly event: Broadcast; readonly action: LiveAction }
  | {
      readonly kind: 'trades'
      readonly action: LiveAction
      /** Distinct, in the order given. */
      readonly mints: readonly string[]
      /** True when the client sent `mints`: the acknowledgement answers in kind. */
      readonly many: boolean
    }
  | StreamRequest
  | ({ readonly kind: 'pools' } & Pick<LiveOptions, 'wantsSnapshot' | 'extra'>)
  | TableRequest
  | CandlesRequest
  | LiveRefusal

/** Requests that docs/live.md adds to the specification's: also what a stream of server-sent events follows. */
export type AddedRequest = Extract<LiveRequest, { kind: 'stream' | 'table' | 'candles' }>

/** A subscription to numbered messages, or the end of one. */
export interface StreamRequest extends LiveOptions {
  readonly kind: 'stream'
  readonly action: LiveAction
  readonly channel: StreamChannel
  /** Distinct mints or wallets, or one "" for a channel without. */
  readonly keys: readonly string[]
  /** True when the client sent a list: the acknowledgement answers in kind. */
  readonly many: boolean
}

export interface LiveRefusal {
  readonly kind: 'refused'
  readonly code: LiveErrorCode
  readonly message: string
}

/** Reads one text message of the connection whose id is `id`; `isKnownAddress` knows the addresses of all events. */
export function parseLiveMessage(
  text: string,
  id: string,
  isKnownAddress: IsKnownAddress,
): LiveRequest {
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
  return parseData(event, message.data, { id, isKnownAddress })
}

/** What a message is judged by beside itself. */
interface Asker {
  readonly id: string
  readonly isKnownAddress: IsKnownAddress
}

function parseData(event: LiveEvent, data: unknown, { id, isKnownAddress }: Asker): LiveRequest {
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
      return parseKeyed(event, action, data, isKnownAddress)
    case 'meme_tables':
      return asRequest(parseTableRequest(action, data))
    case 'candles': {
      if (!isMint(data.mint, isKnownAddress)) return badAddress('mint', data.mint)
      return asRequest(parseCandlesRequest(action, data, data.mint))
    }
    case 'update_pools_info':
      return parsePools(action, data)
    case 'all_trades':
      return parseNumbered({ channel: event, action, keys: [''], many: false }, data)
    default:
      return action === 'subscribe' && hasOptions(data, OPTION_KEYS)
        ? parseNumbered({ channel: event, action, keys: [''], many: false }, data)
        : { kind: 'broadcast', event, action }
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
  isKnownAddress: IsKnownAddress,
): LiveRequest {
  const name = channel === 'wallet_trades' ? 'wallet' : 'mint'
  const keys = parseKeys(name, channel, data, isKnownAddress)
  if ('code' in keys) return keys
  const { many } = keys
  if (
    channel === 'update_mint_info' &&
    (action === 'unsubscribe' || !hasOptions(data, TRADE_OPTION_KEYS))
  )
    return { kind: 'trades', action, mints: keys.keys, many }
  return parseNumbered({ channel, action, keys: keys.keys, many }, data)
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
  if (action === 'unsubscribe' || !hasOptions(data, TRADE_OPTION_KEYS))
    return { kind: 'broadcast', event: 'update_pools_info', action }
  const barred = ['from_seq', 'epoch'].find((key) => data[key] !== undefined)
  if (barred !== undefined)
    return refused(
      'invalid_option',
      `data.${barred} is not allowed for update_pools_info: follow its mints by update_mint_info.`,
    )
  const unknown = unknownKey(data, ['action', 'id', 'seq', 'snapshot', 'extra'])
  if (unknown !== null) return asRequest(unknown)
  const options = parseOptions(data, [''], false)
  if ('code' in options) return asRequest(options)
  const { wantsSnapshot, extra } = options
  return { kind: 'pools', wantsSnapshot, extra }
}

type KeyName = 'mint' | 'wallet'

function parseKeys(
  name: KeyName,
  channel: LiveEvent,
  data: JsonRecord,
  isKnownAddress: IsKnownAddress,
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
    return isMint(one, isKnownAddress) ? { keys: [one], many: false } : badAddress(name, one)
  if (!Array.isArray(list) || list.length === 0) {
    const message = `data.${name}s must be an array of at least one address.`
    return refused(`invalid_${name}`, message)
  }
  const values: readonly unknown[] = list
  const keys = new Set<string>()
  for (const value of values) {
    if (!isMint(value, isKnownAddress)) return badAddress(name, value)
    keys.add(value)
  }
  return { keys: [...keys], many: true }
}

/** Can the value be a mint or a wallet? */
function isMint(value: unknown, isKnownAddress: IsKnownAddress): value is string {
  return (
    typeof value === 'string' && !LONE_SURROGATE.test(value) && mayBeAddress(value, isKnownAddress)
  )
}

function badAddress(name: KeyName, value: unknown): LiveRefusal {
  return refused(`invalid_${name}`, `A ${name} came as ${shown(value)}, ${ADDRESS_EXPECTED}.`)
}

function refused(code: LiveErrorCode, message: string): LiveRefusal {
  return { kind: 'refused', code, message }
}
