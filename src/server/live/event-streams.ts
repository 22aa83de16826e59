import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { parseEventStream } from '../../protocol/live/event-stream.ts'
import type { FollowRequest } from '../../protocol/live/live-messages.ts'
import type { Queries, ServiceState } from '../../protocol/queries.ts'
import { accept, parseQueryString } from '../../protocol/requests/parsers.ts'
import { Exchange, type ExchangeContext } from '../http/exchange.ts'
import type { Route } from '../http/front.ts'
import { errorReply, type Header, type Reply } from '../http/reply.ts'
import { ServerRequest } from '../http/request.ts'
import { Fifo, type LoopScheduler } from '../load/loop-scheduler.ts'
import type { RateLimiter } from '../load/rate-limiter.ts'
import { type ClientAddresses, isLocalPeer } from '../sockets/client-address.ts'
import { type LiveConnection, MAX_BUFFERED_BYTES, type Outlet } from './connection/connection.ts'
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

/**
 * Bytes of a stream of server-sent events that uWebSockets.js is given at a time: of what it was given and keeps it tells no more than
 * whether it is all gone, so that what lies unread is known up to so much.
 */
const EVENT_STREAM_PIECE_BYTES = 16 * 1024

const EVENT_STREAM_PATH = '/api/v2/stream'
/** Label of its counters and bucket of its rate limit. */
const EVENT_STREAM_NAME = 'stream'
const EVENT_STREAM_TYPE = 'text/event-stream'
const NOT_STORED: Header = ['Cache-Control', 'no-store']
/** The head of a stream; its length is not known. */
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
  readonly isKnownAddress: Queries['isKnownAddress']
  /** Headers of every answer. */
  readonly headers: readonly Header[]
}

/** The route for HEAD and OPTIONS. */
export function eventStreamRoute(isKnownAddress: Queries['isKnownAddress']): Route {
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
    {
      connections: MAX_EVENT_STREAMS,
      connectionsPerAddress: MAX_EVENT_STREAMS_PER_ADDRESS,
    },
    'streams of events',
  )
  /**
   * Streams that came before the state is there, each with what begins it. They are open and get comments: an
   * `EventSource` that is answered 503 ends for good, and so would every page that was open over a restart.
   */
  readonly #held = new Map<LiveConnection, () => void>()
  #heldTimer: NodeJS.Timeout | null = null
  readonly #timer: NodeJS.Timeout

  constructor(options: EventStreamsOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#comment(), EVENT_STREAM_COMMENT_MS)
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { live_event_streams: this.#open.size }
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#stopHeldTimer()
  }

  /** The handler of uWebSockets.js. */
  handle(res: HttpResponse, req: HttpRequest): void {
    const { context, addresses } = this.#options
    const exchange = new Exchange(context, res, new ServerRequest(res, req, addresses))
    exchange.routeName = EVENT_STREAM_NAME
    exchange.isApi = true
    const lastEventId = req.getHeader('last-event-id')
    const isLocal = isLocalPeer(res, req)
    exchange.admit(this.#options, () => this.#begin(exchange, lastEventId, isLocal))
  }

  /** The refusal, or null when the stream has begun. */
  #begin(exchange: Exchange, lastEventId: string, isLocal: boolean): Reply | null {
    if (exchange.endIfGone()) return null
    const refused = this.#gate(exchange)
    if (refused !== null) return refused
    const parameters = parseQueryString(exchange.request.query)
    if (!parameters.ok) return errorReply(parameters.error)
    const { feed, context, headers, state, turns, isKnownAddress } = this.#options
    const request = parseEventStream(parameters.value, lastEventId, isKnownAddress)
    if (!request.ok) return errorReply(request.error)
    const { res } = exchange
    const { client } = exchange.request
    exchange.handOver()
    this.#writeHead(res, [...headers, ...exchange.extraHeaders, ...context.positionHeaders()])
    context.http.count(EVENT_STREAM_NAME, 200, exchange.elapsedMs)
    if (feed.isStopping) {
      // A browser reconnects after a stream that ends, but not after a 503.
      res.cork(() => res.end(COMMENT, true))
      return null
    }
    const outlet = new EventStreamOutlet(res, {
      hasId: idRule(request.value),
      drained: () => feed.drained(connection),
      ended: () => {
        this.#open.delete(connection)
        this.#held.delete(connection)
        if (this.#held.size === 0) this.#stopHeldTimer()
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
      this.#held.set(connection, () => {
        // The addresses that feeds have named are known only now.
        const isMeant = parseEventStream(parameters.value, lastEventId, isKnownAddress).ok
        // Thousands may wait by now: they share the turns with the other clients.
        if (isMeant) turns.later(client, { run })
        else outlet.end()
      })
      this.#heldTimer ??= setInterval(() => this.#beginHeld(), HELD_STREAMS_LOOK_MS)
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

  #beginHeld(): void {
    if (this.#options.state.isStarting()) return
    this.#stopHeldTimer()
    const all = [...this.#held.values()]
    this.#held.clear()
    for (const begin of all) begin()
  }

  #stopHeldTimer(): void {
    if (this.#heldTimer !== null) clearInterval(this.#heldTimer)
    this.#heldTimer = null
  }

  #comment(): void {
    for (const outlet of this.#open.values()) outlet.comment()
  }
}

/**
 * Which frames carry an id. Frames before the snapshot of a stream carry none: a browser that is cut off there would
 * resume behind a snapshot that it never got.
 */
function idRule(request: FollowRequest): (frame: string) => boolean {
  if (request.kind !== 'stream') return () => false
  return request.wantsSnapshot ? (frame) => frame.startsWith('{"channel":') : () => true
}

/** A comment of server-sent events: keeps the connection open. */
const COMMENT = ':\n\n'
/** The number of a frame, and its epoch: nothing before them can hold the keys unescaped. */
const NUMBER = /"seq":(\d+),"epoch":"((?:[^"\\]|\\.)*)"/

/** What a stream is written to: a response of uWebSockets.js. */
interface StreamResponse {
  onAborted(handler: () => void): unknown
  onWritable(handler: () => boolean): unknown
  cork(work: () => void): unknown
  /** False: the kernel takes no more, and the rest is buffered. */
  write(bytes: Uint8Array): boolean
  end(bytes: Uint8Array): unknown
  /** Breaks the connection. */
  close(): unknown
}

/** A stream of server-sent events as the outlet of a live connection. */
export class EventStreamOutlet implements Outlet {
  readonly #res: StreamResponse
  readonly #hasId: (frame: string) => boolean
  readonly #ended: () => void
  /** Not written yet, because the kernel takes no more. */
  readonly #waiting = new ByteQueue()
  /** Bytes written since the kernel was seen to have taken all: uWebSockets.js buffers some of them. */
  #bufferedBytes = 0
  #isOver = false

  /**
   * `hasId` says which frames carry the id by which a browser resumes; `drained` is called when the
   * client has read on, `ended` once, when the client is gone or the stream was ended.
   */
  constructor(
    res: StreamResponse,
    parts: {
      readonly hasId: (frame: string) => boolean
      readonly drained: () => void
      readonly ended: () => void
    },
  ) {
    this.#res = res
    this.#hasId = parts.hasId
    this.#ended = parts.ended
    res.onAborted(() => this.#over())
    res.onWritable(() => {
      if (this.#isOver) return true
      if (this.#waiting.bytes === 0) this.#waiting.push(COMMENT)
      this.#writeOn()
      if (!this.#isOver) parts.drained()
      return true
    })
  }

  send(frame: string): void {
    if (this.#isOver) return
    const [, seq, epoch] = this.#hasId(frame) ? (NUMBER.exec(frame) ?? []) : []
    const id = seq === undefined ? '' : `id: ${epoch}/${seq}\n`
    this.#write(`${id}data: ${frame}\n\n`)
  }

  /** Keeps the connection from being closed on the way. */
  comment(): void {
    if (!this.#isOver) this.#write(COMMENT)
  }

  getBufferedAmount(): number {
    return this.#waiting.bytes + this.#bufferedBytes
  }

  subscribe(): void {}

  unsubscribe(): void {}

  /** Sends the rest, except to a client that does not read: it would stay buffered, and the client can resume. */
  end(): void {
    if (this.#isOver) return
    if (this.getBufferedAmount() > MAX_BUFFERED_BYTES) {
      this.close()
      return
    }
    const rest = this.#waiting.takeAll()
    this.#bufferedBytes = 0
    this.#over()
    this.#res.cork(() => this.#res.end(rest))
  }

  close(): void {
    if (this.#isOver) return
    this.#waiting.takeAll()
    this.#over()
    this.#res.close()
  }

  #write(text: string): void {
    this.#waiting.push(text)
    this.#writeOn()
  }

  /**
   * A write makes uWebSockets.js send its buffer and returns whether all is gone; a write of nothing returns true.
   * One is made also while the kernel takes nothing: uWebSockets.js ends a response to which nothing is written
   * for ten seconds.
   */
  #writeOn(): void {
    this.#res.cork(() => {
      if (this.#bufferedBytes > 0) this.#writePiece(1)
      this.#writePieces()
    })
  }

  #writePieces(): void {
    while (this.#bufferedBytes === 0 && this.#waiting.bytes > 0)
      this.#writePiece(EVENT_STREAM_PIECE_BYTES)
  }

  #writePiece(max: number): void {
    const piece = this.#waiting.take(max)
    if (piece === null) return
    const isAllGone = this.#res.write(piece)
    this.#bufferedBytes = isAllGone ? 0 : this.#bufferedBytes + piece.length
  }

  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended()
  }
}

/** A queue of texts as bytes, taken in pieces of any length. */
class ByteQueue {
  readonly #texts = new Fifo<Buffer>()
  /** Bytes of the first one that were taken. */
  #taken = 0
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  push(text: string): void {
    const bytes = Buffer.from(text)
    this.#texts.push(bytes)
    this.#bytes += bytes.length
  }

  /** The next bytes of one text, at most `max`; null when there are none. */
  take(max: number): Uint8Array | null {
    const first = this.#texts.first()
    if (first === undefined) return null
    const piece = first.subarray(this.#taken, this.#taken + max)
    this.#taken += piece.length
    this.#bytes -= piece.length
    if (this.#taken === first.length) {
      this.#texts.take()
      this.#taken = 0
    }
    return piece
  }

  /** All of them. */
  takeAll(): Uint8Array {
    const pieces: Uint8Array[] = []
    for (let piece = this.take(this.#bytes); piece !== null; piece = this.take(this.#bytes))
      pieces.push(piece)
    return Buffer.concat(pieces)
  }
}
