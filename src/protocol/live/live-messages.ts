/**
 * The client's messages on the live feed as values: specification "Events", contract section 4, docs/live.md. In comes
 * text, out goes a request or a refusal with a sentence. A message without options is a plain subscription.
 */

import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { isRecord, type JsonRecord } from '../../base/json-access.ts'
import type { LiveErrorCode } from '../errors.ts'
import {
  BARS_MAX,
  type Queries,
  RESOLUTIONS,
  type Resolution,
  type TablesQuery,
  type TrendingQuery,
} from '../queries.ts'
import { ADDRESS_EXPECTED, mayBeAddress, parseJson, quoted, shown } from '../requests/parsers.ts'
import { tableName, tablesOf } from '../requests/tables.ts'
import { parseTrending, trendingName } from '../requests/trending.ts'
import { type EventChannel, KEY_NAMES, type MessageForm } from '../wire.ts'

/** The channels of the specification, then those that only docs/live.md has: unknown keys are refused there. */
export const LIVE_EVENTS = [
  'mint_migration',
  'new_launched_pool',
  'update_pools_info',
  'update_mint_info',
  'wallet_trades',
  'all_trades',
  'alerts',
  'meme_tables',
  'candles',
  'trending',
] as const
type LiveEvent = (typeof LIVE_EVENTS)[number]

export const LIVE_ACTIONS = ['subscribe', 'unsubscribe'] as const
type LiveAction = (typeof LIVE_ACTIONS)[number]

/**
 * Options of a subscription, by the kind of its channel (docs/live.md). Those of states ask for what these channels
 * do anyhow.
 */
export const OPTION_KEYS = {
  announced: ['seq', 'from_seq', 'epoch', 'snapshot'],
  trades: ['seq', 'from_seq', 'epoch', 'snapshot', 'extra'],
  states: ['seq', 'snapshot'],
} as const

export const EPOCH_CHARACTERS_MAX = 128

const SeqSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const FromSeqSchema = Type.Union([SeqSchema, Type.Record(Type.String(), SeqSchema)])
export const OptionsSchema = Type.Object({
  seq: Type.Optional(Type.Boolean()),
  from_seq: Type.Optional(FromSeqSchema),
  epoch: Type.Optional(Type.String({ minLength: 1, maxLength: EPOCH_CHARACTERS_MAX })),
  snapshot: Type.Optional(Type.Boolean()),
  extra: Type.Optional(Type.Boolean()),
})

const SWITCH = { checker: Compile(Type.Boolean()), allowed: 'true or false is allowed' }
const EPOCH = {
  checker: Compile(OptionsSchema.properties.epoch),
  allowed: `a text of 1 to ${EPOCH_CHARACTERS_MAX} characters is allowed`,
}
/** How each option is checked, in this order. */
const OPTION_CHECKS = { seq: SWITCH, epoch: EPOCH, snapshot: SWITCH, extra: SWITCH }
const seqChecker = Compile(SeqSchema)

/** The options of one subscription. */
interface LiveOptions {
  /** The last seq the client has, by key; keys that are not there start live. */
  readonly from: ReadonlyMap<string, number>
  /** Null: the client claims the present one. */
  readonly epoch: string | null
  readonly wantsSnapshot: boolean
  /** `extra`: records of a snapshot have additive keys too. */
  readonly form: MessageForm
}

/** Half of a surrogate pair: such a text has no UTF-8, so no feed can have named it. */
const LONE_SURROGATE = /\p{Surrogate}/u
const TABLE_NAME = /^[0-9a-f]{16}$/

/** Bars of a candle snapshot when the client does not say; BARS_MAX at most. */
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

/** The options of a message that names none. */
const PLAIN: LiveOptions = { form: 'plain', from: new Map(), epoch: null, wantsSnapshot: false }

/** A live table to follow (`query`), or to leave by its name. */
export interface TableRequest {
  readonly kind: 'table'
  readonly channel: 'meme_tables' | 'trending'
  readonly action: LiveAction
  readonly table: string
  readonly query: TablesQuery | TrendingQuery | null
}

export interface CandlesRequest {
  readonly kind: 'candles'
  readonly action: LiveAction
  readonly mint: string
  readonly resolution: Resolution
  readonly countback: number
}

interface LiveRefusal {
  readonly kind: 'refused'
  readonly code: LiveErrorCode
  readonly message: string
}

/** The answer while the state is being recovered: a stream joined now would miss the rest of it. */
export const STARTING: LiveRefusal = {
  kind: 'refused',
  code: 'starting',
  message: 'The state before the last stop is being recovered: try again in a second.',
}

/** Reads one text message of the connection with this id; `isKnownAddress`: has a feed named this address? */
export function parseLiveMessage(
  text: string,
  id: string,
  isKnownAddress: Queries['isKnownAddress'],
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
  return parseData(event, message.data, id, isKnownAddress)
}

function parseData(
  event: LiveEvent,
  data: unknown,
  id: string,
  isKnownAddress: Queries['isKnownAddress'],
): LiveRequest {
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
      return parseTableRequest(action, data)
    case 'trending':
      return parseTrendingRequest(action, data)
    case 'candles':
      if (!isMint(data.mint, isKnownAddress)) return badAddress('mint', data.mint)
      return parseCandlesRequest(action, data, data.mint)
    case 'update_pools_info':
      return parsePools(action, data)
    default: {
      const named = { channel: event, action, keys: [''], many: false }
      const isNumbered =
        event === 'all_trades' ||
        event === 'alerts' ||
        (action === 'subscribe' && hasOptions(data, OPTION_KEYS.announced))
      return isNumbered ? parseNumbered(named, data) : { kind: 'stream', ...named, ...PLAIN }
    }
  }
}

/** Trades of mints or of wallets. */
function parseKeyed(
  channel: 'update_mint_info' | 'wallet_trades',
  action: LiveAction,
  data: JsonRecord,
  isKnownAddress: Queries['isKnownAddress'],
): LiveRequest {
  const name = channel === 'wallet_trades' ? 'wallet' : 'mint'
  const keys = parseKeys(name, channel, data, isKnownAddress)
  if ('code' in keys) return keys
  const named = { channel, action, ...keys }
  const isPlain =
    channel === 'update_mint_info' &&
    (action === 'unsubscribe' || !hasOptions(data, OPTION_KEYS.trades))
  return isPlain ? { kind: 'stream', ...named, ...PLAIN } : parseNumbered(named, data)
}

function parseNumbered(
  named: Pick<StreamRequest, 'channel' | 'action' | 'keys' | 'many'>,
  data: JsonRecord,
): LiveRequest {
  const name = KEY_NAMES[named.channel]
  const keyNames = name === null ? [] : [name, `${name}s`]
  const isAnnounced = ['mint_migration', 'new_launched_pool', 'alerts'].includes(named.channel)
  const optionKeys = isAnnounced ? OPTION_KEYS.announced : OPTION_KEYS.trades
  const unknown = unknownKey(data, ['action', 'id', ...keyNames, ...optionKeys])
  if (unknown !== null) return unknown
  const options = parseOptions(data, named.keys, named.many)
  if ('code' in options) return options
  return { kind: 'stream', ...named, ...options }
}

function parsePools(action: LiveAction, data: JsonRecord): LiveRequest {
  const channel = 'update_pools_info'
  const named = { kind: 'stream', channel, action, keys: [''], many: false } as const
  if (action === 'unsubscribe' || !hasOptions(data, OPTION_KEYS.trades))
    return { ...named, ...PLAIN }
  const barred = ['from_seq', 'epoch'].find((key) => data[key] !== undefined)
  if (barred !== undefined)
    return refused(
      'invalid_option',
      `data.${barred} is not allowed for update_pools_info: follow its mints by update_mint_info.`,
    )
  const unknown = unknownKey(data, ['action', 'id', 'seq', 'snapshot', 'extra'])
  if (unknown !== null) return unknown
  const options = parseOptions(data, [''], false)
  return 'code' in options ? options : { ...named, ...options }
}

/** `filter`, or on unsubscribing `table` instead. */
function parseTableRequest(action: LiveAction, data: JsonRecord): TableRequest | LiveRefusal {
  const wrongKey = stateKeyError(data, ['filter', 'table'])
  if (wrongKey !== null) return wrongKey
  const { table, filter } = data
  if (action === 'unsubscribe' && filter === undefined) {
    if (typeof table === 'string' && TABLE_NAME.test(table))
      return { kind: 'table', channel: 'meme_tables', action, table, query: null }
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
  const named = { kind: 'table', channel: 'meme_tables', action } as const
  return { ...named, table: tableName(query.value), query: query.value }
}

/** `window`, `by` and `limit`, as in the query of GET /api/v2/trending; on unsubscribing also `table` instead. */
function parseTrendingRequest(action: LiveAction, data: JsonRecord): TableRequest | LiveRefusal {
  const wrongKey = stateKeyError(data, ['window', 'by', 'limit', 'table'])
  if (wrongKey !== null) return wrongKey
  const { table, window, by, limit } = data
  const named = { kind: 'table', channel: 'trending', action } as const
  if (action === 'unsubscribe' && typeof table === 'string' && TABLE_NAME.test(table))
    return { ...named, table, query: null }
  if (table !== undefined) return invalidFilter('data.table comes with unsubscribe alone.')
  const parameters = new Map<string, string[]>()
  for (const [name, value] of Object.entries({ window, by, limit })) {
    if (value === undefined) continue
    if (typeof value !== (name === 'limit' ? 'number' : 'string'))
      return invalidFilter(`data.${name} came as ${shown(value)}.`)
    parameters.set(name, [String(value)])
  }
  const query = parseTrending(parameters)
  if (!query.ok) return invalidFilter(`data.${query.error.message}`)
  return { ...named, table: trendingName(query.value), query: query.value }
}

function stateKeyError(data: JsonRecord, own: readonly string[]): LiveRefusal | null {
  return stateOptionError(data) ?? unknownKey(data, ['action', 'id', ...own, ...OPTION_KEYS.states])
}

function invalidFilter(message: string): LiveRefusal {
  return refused('invalid_filter', message)
}

/** `resolution` and `countback`; `mint` was read before. */
function parseCandlesRequest(
  action: LiveAction,
  data: JsonRecord,
  mint: string,
): CandlesRequest | LiveRefusal {
  const wrongKey = stateKeyError(data, ['mint', 'resolution', 'countback'])
  if (wrongKey !== null) return wrongKey
  const resolution = RESOLUTIONS.find((known) => known === data.resolution)
  if (resolution === undefined) {
    const message = `data.resolution is one of ${RESOLUTIONS.join(', ')}.`
    return refused('invalid_resolution', message)
  }
  const countback = data.countback ?? COUNTBACK_DEFAULT
  const isCount =
    typeof countback === 'number' &&
    Number.isInteger(countback) &&
    countback >= 1 &&
    countback <= BARS_MAX
  if (!isCount) {
    const message = `data.countback is an integer from 1 to ${BARS_MAX}.`
    return refused('invalid_countback', message)
  }
  return { kind: 'candles', action, mint, resolution, countback }
}

function parseKeys(
  name: 'mint' | 'wallet',
  channel: LiveEvent,
  data: JsonRecord,
  isKnownAddress: Queries['isKnownAddress'],
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
function isMint(value: unknown, isKnownAddress: Queries['isKnownAddress']): value is string {
  return (
    typeof value === 'string' && !LONE_SURROGATE.test(value) && mayBeAddress(value, isKnownAddress)
  )
}

function badAddress(name: 'mint' | 'wallet', value: unknown): LiveRefusal {
  return refused(`invalid_${name}`, `A ${name} came as ${shown(value)}, ${ADDRESS_EXPECTED}.`)
}

function refused(code: LiveErrorCode, message: string): LiveRefusal {
  return { kind: 'refused', code, message }
}

/** Options that ask for nothing where they are false. */
const SWITCHES: ReadonlySet<string> = new Set(['seq', 'snapshot', 'extra'])

/** Does the message use any of these options? One that is false is as if it were not there. */
function hasOptions(data: JsonRecord, keys: readonly string[]): boolean {
  return keys.some((key) => {
    const isUnasked = SWITCHES.has(key) && data[key] === false
    return data[key] !== undefined && !isUnasked
  })
}

/**
 * Reads the options of a message that names `keys` (one "" for a channel without); `many`: it named
 * them in a list, so that `from_seq` is an object.
 */
function parseOptions(
  data: JsonRecord,
  keys: readonly string[],
  many: boolean,
): LiveOptions | LiveRefusal {
  for (const [key, { checker, allowed }] of Object.entries(OPTION_CHECKS)) {
    const value = data[key]
    if (value !== undefined && !checker.Check(value)) return wrong(key, value, allowed)
  }
  const from = parseFrom(data.from_seq, keys, many)
  if ('code' in from) return from
  const epoch = data.epoch
  return {
    from,
    epoch: typeof epoch === 'string' ? epoch : null,
    wantsSnapshot: data.snapshot === true,
    form: data.extra === true ? 'extra' : 'numbered',
  }
}

function parseFrom(
  value: unknown,
  keys: readonly string[],
  many: boolean,
): ReadonlyMap<string, number> | LiveRefusal {
  if (value === undefined) return new Map()
  if (!many)
    return seqChecker.Check(value)
      ? new Map(keys.map((key) => [key, value]))
      : wrong('from_seq', value, 'an integer from 0 is allowed')
  if (!areSeqs(value))
    return wrong('from_seq', value, 'an object of integers from 0 is allowed beside a list')
  const known = new Set(keys)
  const from = new Map(Object.entries(value))
  for (const key of from.keys())
    if (!known.has(key)) return wrong('from_seq', value, 'only keys of the list are allowed in it')
  return from
}

/** By hand: the check of a `Type.Record` skips values under a key with a line break. */
function areSeqs(value: unknown): value is Readonly<Record<string, number>> {
  return isRecord(value) && Object.values(value).every((seq) => seqChecker.Check(seq))
}

/** The refusal of an option that a channel of states cannot do, or null. */
function stateOptionError(data: JsonRecord): LiveRefusal | null {
  for (const key of OPTION_KEYS.announced) {
    const value = data[key]
    const isTaken = value === true && OPTION_KEYS.states.some((taken) => taken === key)
    if (value !== undefined && !isTaken)
      return wrong(key, value, 'the channel always has seq and a snapshot, and is never resumed')
  }
  return null
}

/** The refusal of a key of `data` that is not known, or null. */
function unknownKey(data: JsonRecord, known: readonly string[]): LiveRefusal | null {
  const key = Object.keys(data).find((one) => !known.includes(one))
  if (key === undefined) return null
  const shownKey = /^[A-Za-z0-9_]{1,40}$/.test(key) ? key : quoted(key)
  const message = `data.${shownKey} is not known, allowed are ${known.join(', ')}.`
  return refused('unknown_option', message)
}

function wrong(key: string, value: unknown, rest: string): LiveRefusal {
  return refused('invalid_option', `data.${key} came as ${shown(value)}, ${rest}.`)
}
