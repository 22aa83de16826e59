/**
 * The client's messages on the live feed as values, and the server's own frames. Shapes:
 * specification "Events", contract section 4.
 */

import type { LiveErrorCode } from './errors.ts'
import { isObject, parseJson } from './requests/json-body.ts'
import { quoted } from './requests/parsed.ts'

/** Channels that are asked for without a mint. */
export const BROADCASTS = ['mint_migration', 'new_launched_pool', 'update_pools_info'] as const
export type Broadcast = (typeof BROADCASTS)[number]

export const LIVE_EVENTS = [...BROADCASTS, 'update_mint_info'] as const
export type LiveEvent = (typeof LIVE_EVENTS)[number]

export const LIVE_ACTIONS = ['subscribe', 'unsubscribe'] as const
export type LiveAction = (typeof LIVE_ACTIONS)[number]

/** Mints of one connection at most, over all of its messages (contract section 4). */
export const MAX_CONNECTION_MINTS = 1000

/** Code points of a followed mint at most; addresses have 44, the rest is room. */
const MAX_MINT_CHARACTERS = 128

/** Half of a pair: such a text has no UTF-8 and would share a topic with others. */
const LONE_SURROGATE = /\p{Surrogate}/u

const TRADE_CHANNEL = '{"channel":"update_mint_info"'
const TABLE_TRADE_CHANNEL = '{"channel":"update_pools_info"'

/** A trade's message under the name of the other channel that carries it: encoded once for both. */
export function tableTradeOf(message: string): string {
  return TABLE_TRADE_CHANNEL + message.slice(TRADE_CHANNEL.length)
}

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
  | LiveRefusal

export interface LiveRefusal {
  readonly kind: 'refused'
  readonly code: LiveErrorCode
  readonly message: string
}

type JsonObject = Readonly<Record<string, unknown>>

export const PING_FRAME = '{"type":"ping"}'
export const PONG_FRAME = '{"type":"pong"}'

/** Reads one text message of the connection whose id is `id`. */
export function parseLiveMessage(text: string, id: string): LiveRequest {
  const json = parseJson(text)
  if (!json.ok) return refused('invalid_json', 'The message is not valid JSON.')
  const message = json.value
  if (!isObject(message)) return refused('invalid_message', 'The message must be a JSON object.')
  if (message.event === undefined && message.type === 'pong') return { kind: 'pong' }
  if (message.event === undefined && message.type === 'ping') return { kind: 'ping' }
  const event = LIVE_EVENTS.find((known) => known === message.event)
  if (event === undefined) {
    const came = shown(message.event)
    return refused('unknown_event', `event came as ${came}, allowed are ${LIVE_EVENTS.join(', ')}.`)
  }
  return parseData(event, message.data, id)
}

function parseData(event: LiveEvent, data: unknown, id: string): LiveRequest {
  if (!isObject(data)) return refused('invalid_message', 'data must be an object.')
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
  return event === 'update_mint_info'
    ? parseMints(action, data)
    : { kind: 'broadcast', event, action }
}

function parseMints(action: LiveAction, data: JsonObject): LiveRequest {
  const mint = data.mint ?? null
  const list = data.mints ?? null
  if (mint === null && list === null) {
    return refused('missing_mint', 'data.mint or data.mints is required for update_mint_info.')
  }
  if (mint !== null && list !== null) {
    return refused('invalid_mint', 'data.mint and data.mints must not come together.')
  }
  if (list === null) {
    return isMint(mint) ? { kind: 'trades', action, mints: [mint], many: false } : badMint(mint)
  }
  if (!Array.isArray(list) || list.length === 0) {
    return refused('invalid_mint', 'data.mints must be an array of at least one address.')
  }
  const values: readonly unknown[] = list
  const bad = values.find((value) => !isMint(value))
  if (bad !== undefined) return badMint(bad)
  return { kind: 'trades', action, mints: [...new Set(values.filter(isMint))], many: true }
}

function isMint(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '' || LONE_SURROGATE.test(value)) return false
  return value.length <= MAX_MINT_CHARACTERS || [...value].length <= MAX_MINT_CHARACTERS
}

function badMint(value: unknown): LiveRefusal {
  const allowed = `a text of 1 to ${MAX_MINT_CHARACTERS} characters is expected`
  return refused('invalid_mint', `A mint came as ${shown(value)}, ${allowed}.`)
}

function refused(code: LiveErrorCode, message: string): LiveRefusal {
  return { kind: 'refused', code, message }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : String(value)
}

/** The acknowledgement of one message: it names what the message named. */
export function acknowledgement(request: Extract<LiveRequest, { action: LiveAction }>): string {
  const type = request.action === 'subscribe' ? 'subscribed' : 'unsubscribed'
  if (request.kind === 'broadcast') return JSON.stringify({ type, event: request.event })
  const event = 'update_mint_info'
  if (request.many) return JSON.stringify({ type, event, mints: request.mints })
  return JSON.stringify({ type, event, mint: request.mints[0] })
}

/** An error frame; the connection stays. */
export function liveErrorFrame(code: LiveErrorCode, message: string): string {
  return JSON.stringify({ type: 'error', code, message })
}

/** The refusal of a message that would pass the connection's limit of mints. */
export function tooManyMints(asked: number): string {
  const message = `The connection would follow ${asked} mints, at most ${MAX_CONNECTION_MINTS} are allowed.`
  return liveErrorFrame('too_many_mints', message)
}
