import {
  LIVE_EVENTS,
  type LiveRefusal,
  type LiveRequest,
  parseLiveMessage,
} from '../live-messages.ts'
import { accept, type Parsed, quoted, refuse } from './parsed.ts'
import { type QueryParameters, single } from './query-parameters.ts'

/** What a stream of server-sent events follows. */
export type EventStreamRequest = Extract<LiveRequest, { kind: 'stream' | 'table' | 'candles' }>

/** Whom the messages of a stream name; it is no part of them. */
const ID = 'event-stream'
const TEXTS = ['mint', 'wallet', 'resolution', 'epoch'] as const
const NUMBERS = ['from_seq', 'countback'] as const
const WHOLE = /^\d{1,16}$/
const EVENT_ID = /^(.{1,128})\/(\d{1,16})$/

/**
 * The subscription that the query of `GET /api/v2/stream` asks for: the same as on the socket, with
 * options always on. `lastEventId` is what a browser sends when it reconnects.
 */
export function parseEventStream(
  parameters: QueryParameters,
  lastEventId: string,
): Parsed<EventStreamRequest> {
  const data: Record<string, unknown> = { action: 'subscribe', id: ID }
  for (const name of [...TEXTS, ...NUMBERS, 'filter', 'snapshot', 'channel']) {
    const value = single(parameters, name)
    if (!value.ok) return value
    if (value.value !== null) data[name] = typed(name, value.value)
  }
  const { channel, ...rest } = data
  const isState = channel === 'meme_tables' || channel === 'candles'
  const request = parseLiveMessage(
    JSON.stringify({ event: channel, data: isState ? rest : withOptions(rest, lastEventId) }),
    ID,
  )
  switch (request.kind) {
    case 'stream':
    case 'table':
    case 'candles':
      return accept(request)
    case 'refused':
      if (request.code === 'unknown_event') return badChannel(channel)
      return refuse('invalid_parameter', pathOf(request), request.message)
    default:
      return badChannel(channel)
  }
}

function typed(name: string, text: string): unknown {
  if (NUMBERS.some((one) => one === name)) return WHOLE.test(text) ? Number(text) : text
  if (name === 'snapshot') return text === '1' || text === 'true' || text
  if (name !== 'filter') return text
  try {
    const filter: unknown = JSON.parse(text)
    return filter
  } catch {
    return text
  }
}

/** A stream that cannot be resumed begins with the snapshot: a browser reconnects by itself. */
function withOptions(data: Record<string, unknown>, lastEventId: string): object {
  const [, epoch, seq] = EVENT_ID.exec(lastEventId) ?? []
  const resumed = seq === undefined ? data : { ...data, epoch, from_seq: Number(seq) }
  const isResumed = 'from_seq' in resumed
  return { ...resumed, seq: true, ...(isResumed && { snapshot: true }) }
}

function badChannel(channel: unknown): Parsed<never> {
  const allowed = LIVE_EVENTS.filter((event) => event !== 'update_pools_info').join(', ')
  const came = typeof channel === 'string' ? `came as ${quoted(channel)}` : 'is missing'
  return refuse('invalid_parameter', 'channel', `channel ${came}, allowed are ${allowed}.`)
}

/** The parameter that a refusal of the socket is about. */
function pathOf({ code, message }: LiveRefusal): string {
  if (code === 'invalid_filter') return 'filter'
  return /^data\.(\w+)/.exec(message)?.[1] ?? 'channel'
}
