import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { parseEventStream } from '../../protocol/live/event-stream.ts'
import type { FollowRequest } from '../../protocol/live/live-messages.ts'
import type { ServiceState } from '../../protocol/queries.ts'
import type { IsKnownAddress } from '../../protocol/requests/address.ts'
import { accept } from '../../protocol/requests/parsed.ts'
import { parseQueryString } from '../../protocol/requests/query-parameters.ts'
import { Exchange, type ExchangeContext } from '../http/exchange.ts'
import type { Route } from '../http/front.ts'
import { errorReply, type Header, type Reply } from '../http/reply.ts'
import { readRequest } from '../http/request.ts'
import type { LoopScheduler } from '../load/loop-scheduler.ts'
import type { RateLimiter } from '../load/rate-limiter.ts'
import { type ClientAddresses, isLocalPeer } from '../sockets/client-address.ts'
import type { LiveConnection } from './connection/connection.ts'
import { COMMENT, EventStreamOutlet } from './connection/event-stream-outlet.ts'
import { LiveGate } from './connection/live-gate.ts'
import type { LiveFeed } from './feed.ts'

/** Streams of server-sent events at most. */
const MAX_EVENT_STREAMS = 2_000

/** Streams of server-sent events of one client at most: a house of people behind one address, and a tenth of all. */
const MAX_EVENT_STREAMS_PER_ADDRESS = 200

/** A comment keeps a stream of server-sent events alive this often. */
const EVENT_STREAM_COMMENT_MS = 8_000

/** Streams that came before the state is there are begun so soon after it is. */
const HELD_STREAMS_LOOK_MS = 50

export const EVENT_STREAM_PATH = '/api/v2/stream'
/** Label of its counters and bucket of its rate limit. */
export const EVENT_STREAM_NAME = 'stream'
const EVENT_STREAM_TYPE = 'text/event-stream'
const NOT_STORED: Header = ['Cache-Control', 'no-store']
/** A stream without its messages: how long it gets nobody knows. */
const STREAM_HEAD: Reply = {
  statusCode: 200,
  contentType: EVENT_STREAM_TYPE,
  body: '',
  headers: [NOT_STORED],
}

interface EventStreamsOptions {
  readonly feed: LiveFeed
  readonly context: ExchangeContext
  readonly addresses: ClientAddresses
  readonly turns: LoopScheduler
  readonly routeDeadlineMs: number
  readonly limiter: RateLimiter | undefined
  readonly clock: () => number
  readonly state: ServiceState
  readonly isKnownAddress: IsKnownAddress
  /** Headers of every answer. */
  readonly headers: readonly Header[]
}

/** The route for HEAD and OPTIONS. */
export function eventStreamRoute(isKnownAddress: IsKnownAddress): Route {
  return {
    name: EVENT_STREAM_NAME,
    method: 'GET',
    path: EVENT_STREAM_PATH,
    isApi: true,
    answer: ({ parameters }) => {
      const request = parseEventStream(parameters, '', isKnownAddress)
      return request.ok ? accept(STREAM_HEAD) : request
    },
  }
}

/** `GET /api/v2/stream`: the live channels as server-sent events (docs/live.md). */
export class EventStreams {
  readonly #options: EventStreamsOptions
  readonly #open = new Map<LiveConnection, EventStreamOutlet>()
  readonly #bounds = new LiveGate(
    { connections: MAX_EVENT_STREAMS, connectionsPerAddress: MAX_EVENT_STREAMS_PER_ADDRESS },
    'streams of events',
  )
  readonly #held: HeldStreams
  readonly #timer: NodeJS.Timeout

  constructor(options: EventStreamsOptions) {
    this.#options = options
    this.#held = new HeldStreams(() => !options.state.isStarting())
    this.#timer = setInterval(() => this.#comment(), EVENT_STREAM_COMMENT_MS)
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { live_event_streams: this.#open.size }
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#held.stop()
  }

  /** The handler of uWebSockets.js. */
  handle(res: HttpResponse, req: HttpRequest): void {
    const { context, addresses } = this.#options
    const exchange = new Exchange(context, res, readRequest(res, req, addresses))
    exchange.routeName = EVENT_STREAM_NAME
    exchange.isApi = true
    const lastEventId = req.getHeader('last-event-id')
    const isLocal = isLocalPeer(res, req)
    exchange.admit(this.#options, () => this.#begin(exchange, lastEventId, isLocal))
  }

  /** The refusal, or null when the stream has begun. */
  #begin(exchange: Exchange, lastEventId: string, isLocal: boolean): Reply | null {
    const refused = this.#gate(exchange)
    if (refused !== null) return refused
    const parameters = parseQueryString(exchange.request.query)
    if (!parameters.ok) return errorReply(parameters.error)
    const request = parseEventStream(parameters.value, lastEventId, this.#options.isKnownAddress)
    if (!request.ok) return errorReply(request.error)
    const { feed, context, headers, state, turns } = this.#options
    const { res } = exchange
    const { client } = exchange.request
    exchange.handOver()
    this.#writeHead(res, [...headers, ...exchange.extraHeaders, ...context.positionHeaders()])
    context.http.count(EVENT_STREAM_NAME, 200, exchange.elapsedMs)
    if (feed.isStopping) {
      // Not a 503, over which a browser would not come back: a stream that ends is one to be gone on with.
      res.cork(() => res.end(COMMENT, true))
      return null
    }
    const outlet = new EventStreamOutlet(res, {
      hasId: idRule(request.value),
      drained: () => feed.drained(connection),
      ended: () => {
        this.#open.delete(connection)
        this.#held.drop(connection)
        this.#bounds.left(client)
        feed.disconnected(connection)
      },
    })
    const connection = feed.connect({
      id: '',
      isLocal,
      client,
      isSocket: false,
      socket: outlet,
      load: null,
    })
    this.#open.set(connection, outlet)
    this.#bounds.entered(client, performance.now())
    /** Says whether there is more to do in a later turn. */
    const run = () => !connection.isClosed && !feed.serve(connection, request.value)
    if (state.isStarting()) {
      outlet.comment()
      this.#held.hold(connection, () => {
        // Only now the addresses are known that feeds have named.
        const isMeant = parseEventStream(
          parameters.value,
          lastEventId,
          this.#options.isKnownAddress,
        ).ok
        // Thousands may have come meanwhile: they share the turns, as any others.
        if (isMeant) turns.later(client, { run })
        else outlet.end()
      })
    } else if (run()) turns.later(client, { run })
    return null
  }

  #gate(exchange: Exchange): Reply | null {
    const { limiter, clock } = this.#options
    const limited = exchange.takeOfLimit(limiter, clock())
    if (limited !== null) return limited
    const full = this.#bounds.refusal(exchange.request.client)
    return full === null ? null : errorReply(full)
  }

  #writeHead(res: HttpResponse, headers: readonly Header[]): void {
    res.cork(() => {
      res.writeHeader('Content-Type', EVENT_STREAM_TYPE)
      res.writeHeader(...NOT_STORED)
      for (const [name, value] of headers) res.writeHeader(name, value)
    })
  }

  #comment(): void {
    for (const outlet of this.#open.values()) outlet.comment()
  }
}

/**
 * Which frames carry an id. Where a snapshot follows, none before it does: a browser that is cut off
 * there would go on behind a snapshot that it never had.
 */
function idRule(request: FollowRequest): (frame: string) => boolean {
  if (request.kind !== 'stream') return () => false
  return request.wantsSnapshot ? (frame) => frame.startsWith('{"channel":') : () => true
}

/**
 * Streams of server-sent events that came before the state is there. They are open and get comments: an
 * `EventSource` that is answered 503 ends for good, and so would every page that was open over a restart.
 * As many as there may be streams.
 */
class HeldStreams {
  readonly #isOver: () => boolean
  readonly #waiting = new Map<LiveConnection, () => void>()
  #timer: NodeJS.Timeout | null = null

  /** `isOver`: is the state there now? */
  constructor(isOver: () => boolean) {
    this.#isOver = isOver
  }

  /** Calls `begin` once the state is there, unless the connection is dropped before. */
  hold(connection: LiveConnection, begin: () => void): void {
    this.#waiting.set(connection, begin)
    this.#timer ??= setInterval(() => this.#look(), HELD_STREAMS_LOOK_MS)
  }

  drop(connection: LiveConnection): void {
    this.#waiting.delete(connection)
    if (this.#waiting.size === 0) this.stop()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #look(): void {
    if (!this.#isOver()) return
    this.stop()
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const begin of all) begin()
  }
}
