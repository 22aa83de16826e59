import { flatCopy } from '../../base/safe-text.ts'
import { BARS_MAX, type Queries } from '../queries.ts'
import { parseResolution } from '../requests/charts.ts'
import {
  accept,
  addressRefusal,
  choice,
  integer,
  optIn,
  type Parsed,
  parseExtra,
  parseQueryString,
  type QueryParameters,
  quoted,
  type Refused,
  refuse,
  required,
  single,
} from '../requests/parsers.ts'
import { parseTables, tableName } from '../requests/tables.ts'
import { parseTrending, trendingName } from '../requests/trending.ts'
import { KEY_NAMES, STREAM_CHANNELS, type StreamChannel } from '../wire.ts'
import {
  type CandlesRequest,
  COUNTBACK_DEFAULT,
  EPOCH_CHARACTERS_MAX,
  type FollowRequest,
  type StreamRequest,
  type TableRequest,
} from './live-messages.ts'

/** All but `update_pools_info`, which goes by the id of a socket. */
const CHANNELS = [...STREAM_CHANNELS, 'meme_tables', 'candles', 'trending'] as const
type Channel = (typeof CHANNELS)[number]

const POSITION = ['from_seq', 'epoch', 'snapshot'] as const
/** The parameters of each channel beside `channel`. */
const PARAMETERS: { readonly [C in Channel]: readonly string[] } = {
  update_mint_info: ['mint', ...POSITION, 'extra'],
  mint_migration: POSITION,
  new_launched_pool: POSITION,
  wallet_trades: ['wallet', ...POSITION, 'extra'],
  all_trades: [...POSITION, 'extra'],
  alerts: POSITION,
  meme_tables: ['filter'],
  candles: ['mint', 'resolution', 'countback'],
  trending: ['window', 'by', 'limit'],
}
const KNOWN: ReadonlySet<string> = new Set(Object.values(PARAMETERS).flat())

const SEQ_RANGE = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }
const COUNTBACK_RANGE = { min: 1, max: BARS_MAX, fallback: COUNTBACK_DEFAULT }
const EVENT_ID = /^(.{1,128})\/(\d{1,16})$/
/** The position of a client that sends an id of another service; no epoch has a blank in it. */
const UNREADABLE: Position = { epoch: 'not readable', seq: 0 }
/** Code points of a connection's id at most (contract section 4). */
const MAX_ID_CHARACTERS = 128

/**
 * The subscription that the query of `GET /api/v2/stream` asks for: the same as on the socket, with
 * options always on. `lastEventId` is what a browser sends when it reconnects.
 */
export function parseEventStream(
  parameters: QueryParameters,
  lastEventId: string,
  isKnownAddress: Queries['isKnownAddress'],
): Parsed<FollowRequest> {
  const channel = choice(parameters, 'channel', CHANNELS, null)
  if (!channel.ok) return channel
  if (channel.value === null) {
    const message = `channel is missing, allowed are ${CHANNELS.join(', ')}.`
    return refuse('missing_parameter', 'channel', message)
  }
  const foreign = foreignParameter(parameters, channel.value)
  if (foreign !== null) return foreign
  switch (channel.value) {
    case 'meme_tables':
      return parseTable(parameters)
    case 'trending':
      return parseTrendingList(parameters)
    case 'candles':
      return parseCandles(parameters, isKnownAddress)
    default:
      return parseStream(channel.value, parameters, lastEventId, isKnownAddress)
  }
}

/** The refusal of a parameter that only other channels have, or null. */
function foreignParameter(parameters: QueryParameters, channel: Channel): Refused | null {
  const allowed = PARAMETERS[channel]
  for (const name of parameters.keys()) {
    if (!KNOWN.has(name) || allowed.includes(name)) continue
    const message = `${name} is not for the channel ${channel}, allowed are ${allowed.join(', ')}.`
    return refuse('invalid_parameter', name, message)
  }
  return null
}

function parseTable(parameters: QueryParameters): Parsed<TableRequest> {
  const filter = required(parameters, 'filter')
  if (!filter.ok) return filter
  const query = parseTables(filter.value)
  if (!query.ok) return refuse('invalid_parameter', 'filter', ofFilter(query.error.message))
  const table = tableName(query.value)
  const named = { kind: 'table', channel: 'meme_tables', action: 'subscribe' } as const
  return accept({ ...named, table, query: query.value })
}

function parseTrendingList(parameters: QueryParameters): Parsed<TableRequest> {
  const query = parseTrending(parameters)
  if (!query.ok) return query
  const named = { kind: 'table', channel: 'trending', action: 'subscribe' } as const
  return accept({ ...named, table: trendingName(query.value), query: query.value })
}

/** A sentence about the POST's body as one about `filter`: about the whole of it, or about a key in it. */
function ofFilter(message: string): string {
  return message.startsWith('body came as ') ? `filter${message.slice(4)}` : `filter.${message}`
}

function parseCandles(
  parameters: QueryParameters,
  isKnownAddress: Queries['isKnownAddress'],
): Parsed<CandlesRequest> {
  const mint = address(parameters, 'mint', isKnownAddress)
  if (!mint.ok) return mint
  const resolution = parseResolution(parameters)
  if (!resolution.ok) return resolution
  const countback = integer(parameters, 'countback', COUNTBACK_RANGE)
  if (!countback.ok) return countback
  return accept({
    kind: 'candles',
    action: 'subscribe',
    mint: mint.value,
    resolution: resolution.value,
    countback: countback.value,
  })
}

function parseStream(
  channel: StreamChannel,
  parameters: QueryParameters,
  lastEventId: string,
  isKnownAddress: Queries['isKnownAddress'],
): Parsed<StreamRequest> {
  const name = KEY_NAMES[channel]
  const key = name === null ? accept('') : address(parameters, name, isKnownAddress)
  if (!key.ok) return key
  const position = parsePosition(parameters)
  if (!position.ok) return position
  const snapshot = optIn(parameters, 'snapshot')
  if (!snapshot.ok) return snapshot
  const extra = parseExtra(parameters)
  if (!extra.ok) return extra
  const { epoch, seq } = lastEventId === '' ? position.value : positionOf(lastEventId)
  return accept({
    kind: 'stream',
    action: 'subscribe',
    channel,
    keys: [key.value],
    many: false,
    from: seq === null ? new Map() : new Map([[key.value, seq]]),
    epoch,
    // A stream that cannot be resumed begins with the snapshot: a browser reconnects by itself.
    wantsSnapshot: snapshot.value || seq !== null,
    form: extra.value ? 'extra' : 'numbered',
  })
}

/** A mint or a wallet: a copy of its own, since it stays in memory while the stream is open. */
function address(
  parameters: QueryParameters,
  name: string,
  isKnownAddress: Queries['isKnownAddress'],
): Parsed<string> {
  const text = required(parameters, name)
  if (!text.ok) return text
  return addressRefusal(name, text.value, isKnownAddress) ?? accept(flatCopy(text.value))
}

/** Where a client resumes; null: it begins, or claims the present epoch. */
interface Position {
  readonly epoch: string | null
  readonly seq: number | null
}

function parsePosition(parameters: QueryParameters): Parsed<Position> {
  const seq = integer(parameters, 'from_seq', SEQ_RANGE)
  if (!seq.ok) return seq
  const epoch = single(parameters, 'epoch')
  if (!epoch.ok) return epoch
  const length = epoch.value?.length
  if (length === 0 || (length !== undefined && length > EPOCH_CHARACTERS_MAX)) {
    const allowed = `a text of 1 to ${EPOCH_CHARACTERS_MAX} characters is allowed`
    const message = `epoch came as ${quoted(epoch.value ?? '')}, ${allowed}.`
    return refuse('invalid_parameter', 'epoch', message)
  }
  return accept({ epoch: epoch.value, seq: parameters.has('from_seq') ? seq.value : null })
}

/** The position in the id of an event. */
function positionOf(eventId: string): Position {
  const [, epoch, text] = EVENT_ID.exec(eventId) ?? []
  const seq = Number(text)
  return epoch !== undefined && Number.isSafeInteger(seq) ? { epoch, seq } : UNREADABLE
}

/**
 * `id` of a live connection from the raw query string of the upgrade: 1 to 128 code points. It stays in memory while
 * the connection is open.
 */
export function parseLiveId(rawQuery: string): Parsed<string> {
  const parameters = parseQueryString(rawQuery)
  if (!parameters.ok) return parameters
  const id = single(parameters.value, 'id')
  if (!id.ok) return id
  if (id.value === null) {
    return refuse('missing_parameter', 'id', 'id is missing, an identifier is required.')
  }
  const characters = [...id.value].length
  if (characters >= 1 && characters <= MAX_ID_CHARACTERS) return accept(flatCopy(id.value))
  const message = `id came with ${characters} characters, 1 to ${MAX_ID_CHARACTERS} are allowed.`
  return refuse('invalid_parameter', 'id', message)
}
