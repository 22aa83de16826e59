import type {
  HttpRequest,
  HttpResponse,
  us_socket_context_t,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js'
import { CLOSE_CODES, type RequestError, requestError } from '../../protocol/errors.ts'
import { parseLiveId } from '../../protocol/live/event-stream.ts'
import type { FollowRequest } from '../../protocol/live/live-messages.ts'
import type { LiveSource, LiveStreams, Queries } from '../../protocol/queries.ts'
import type { LiveTimes, Log, OnStep } from '../http/options.ts'
import { expectAbort, readRequest, type ServerRequest } from '../http/request.ts'
import { MAX_BUFFERED_BYTES, MAX_RECEIVED_BYTES, SOCKET_IDLE_S } from '../load/limits.ts'
import type { LoopScheduler } from '../load/loop-scheduler.ts'
import type { LiveApp } from '../sockets/apps.ts'
import { type ClientAddresses, isForeignPage, isLocalPeer } from '../sockets/client-address.ts'
import { BackpressureBudget } from './connection/backpressure-budget.ts'
import {
  hasTooMuchUnread,
  type LiveConnection,
  type MessageLimits,
  newConnection,
  type Send,
} from './connection/connection.ts'
import { DeferredUnsubscribe } from './connection/deferred-unsubscribe.ts'
import { Incoming } from './connection/incoming.ts'
import { keepAlive } from './connection/keep-alive.ts'
import { LiveFailures } from './connection/live-failures.ts'
import type { LiveGate } from './connection/live-gate.ts'
import { Hub } from './hub/hub.ts'
import type { LastTables } from './hub/last-tables.ts'

interface LiveFeedOptions {
  readonly app: LiveApp
  readonly source: LiveSource
  readonly streams: LiveStreams
  readonly answers: Queries
  readonly isKnownAddress: Queries['isKnownAddress']
  readonly isStarting: () => boolean
  readonly lastTables: LastTables
  readonly times: LiveTimes
  readonly gate: LiveGate
  readonly limits: MessageLimits & { readonly unreadBytes: number }
  readonly turns: LoopScheduler
  readonly addresses: ClientAddresses
  /** CORS_ORIGIN: the pages whose scripts may follow. */
  readonly corsOrigin: string
  /** Answers a handshake with an HTTP error in the usual shape. */
  readonly refuse: (res: HttpResponse, request: ServerRequest, error: RequestError) => void
  readonly log: Log
  readonly onStep: OnStep
}

/** What uWebSockets.js keeps for a socket between upgrade and close. */
interface SocketData {
  readonly id: string
  /** Comes from this machine. */
  readonly isLocal: boolean
  /** The client address that the connection counts for. */
  readonly client: string
  /** Set when the socket opens. */
  connection: LiveConnection | null
}

/** The refusal while the live feed closes its connections. */
const STOPPING = requestError('stopping', 'The service is going down.')
const FOREIGN_PAGE = requestError(
  'foreign_page',
  'CORS_ORIGIN names another origin than that of the page that asks.',
)

/** Paths of the handshake; base addresses that users write end with a slash. */
const LIVE_PATHS = ['/ws', '/ws/', '/']

/**
 * The live feed: contract section 4, docs/live.md. In come sockets and streams of server-sent events, their messages,
 * and the engine's events; out go frames. `connection` has what one connection is: its limits, its inbox, its unread
 * bytes; `hub` has the followers of each topic. A connection is closed at once or served in order, never with a gap.
 */
export class LiveFeed {
  readonly #times: LiveTimes
  readonly #gate: LiveGate
  readonly #incoming: Incoming
  readonly #connections = new Set<LiveConnection>()
  readonly #unread: BackpressureBudget
  readonly #departures = new DeferredUnsubscribe((connection) => this.#hub.drop(connection))
  readonly #hub: Hub
  readonly #failures: LiveFailures
  readonly #stopKeepAlive: () => void
  #isStopping = false
  #slowReaders = 0
  #cutReaders = 0

  constructor(options: LiveFeedOptions) {
    this.#times = options.times
    this.#gate = options.gate
    const { unreadBytes } = options.limits
    const cutOff = ({ socket }: LiveConnection) => {
      this.#cutReaders++
      socket.close()
    }
    this.#unread = new BackpressureBudget(this.#connections, unreadBytes, cutOff, (reader) =>
      this.#checkBuffer(reader),
    )
    const send: Send = (connection, frame) => this.#send(connection, frame)
    const sendSnapshot: Send = (connection, frame) => {
      connection.snapshotBytes = Buffer.byteLength(frame)
      this.#send(connection, frame)
    }
    const close = (connection: LiveConnection, code: number, reason: string) =>
      this.#close(connection, code, reason)
    this.#failures = new LiveFailures({ ...options, send, close })
    this.#hub = new Hub({
      ...options,
      send,
      sendSnapshot,
      failures: this.#failures,
      finishDepartures: () => this.#departures.finish(),
      afterPublish: this.#unread.published,
    })
    this.#incoming = new Incoming({
      limits: options.limits,
      turns: options.turns,
      send,
      isKnownAddress: options.isKnownAddress,
      isStarting: options.isStarting,
      close,
      serve: (connection, request) => this.#hub.serve(connection, request),
      failures: this.#failures,
    })
    for (const path of LIVE_PATHS) options.app.ws(path, this.#behavior(options))
    this.#stopKeepAlive = keepAlive(this.#connections, options.times, {
      ping: (connection) => this.#send(connection, '{"type":"ping"}'),
      closeSilent: (connection) =>
        this.#close(connection, CLOSE_CODES.silent, 'nothing came from the client'),
    })
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      live_connections: this.#connections.size,
      live_departures: this.#departures.size,
      live_slow_readers_total: this.#slowReaders,
      live_cut_readers_total: this.#cutReaders,
      live_unread_bytes: this.#unread.bytes(performance.now()),
      ...this.#hub.figures(),
      ...this.#incoming.figures(),
      ...this.#failures.figures(),
    }
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Is every new connection refused? */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Closes every connection with 1012; nothing is published from here on. */
  stop(): void {
    this.#isStopping = true
    this.#stopKeepAlive()
    this.#unread.stop()
    this.#departures.stop()
    this.#hub.stop()
    for (const connection of [...this.#connections]) {
      this.#close(connection, CLOSE_CODES.serviceRestart, 'the service restarts')
    }
  }

  #behavior(options: LiveFeedOptions): WebSocketBehavior<SocketData> {
    return {
      maxPayloadLength: MAX_RECEIVED_BYTES,
      // No limit of its own: it would drop messages, and the close frame too, without a word.
      maxBackpressure: 0,
      idleTimeout: SOCKET_IDLE_S,
      sendPingsAutomatically: false,
      upgrade: (res, req, context) => this.#upgrade(options, res, req, context),
      open: (ws) => this.#open(ws),
      message: (ws, message, isBinary) => {
        const { connection } = ws.getUserData()
        if (connection !== null) this.#incoming.receive(connection, message, isBinary)
      },
      drain: (ws) => this.#drained(ws),
      ping: (ws, message) => this.#control(ws, message),
      pong: (ws, message) => this.#control(ws, message),
      close: (ws) => this.#closed(ws),
    }
  }

  /**
   * The handshake: checks `id`, and answers with an HTTP error when it is wrong. Hundreds may come in one turn of
   * the loop; one that succeeds never waits for a later turn, because uWebSockets.js sends an upgrade outside of its
   * handler in twenty pieces. A refusal may wait, as any other answer.
   */
  #upgrade(
    { addresses, corsOrigin, refuse }: LiveFeedOptions,
    res: HttpResponse,
    req: HttpRequest,
    context: us_socket_context_t,
  ): void {
    expectAbort(res)
    const request = readRequest(res, req, addresses)
    const { client } = request
    const id = parseLiveId(request.query)
    const isForeign = isForeignPage(req.getHeader('origin'), req.getHeader('host'), corsOrigin)
    const refused = isForeign
      ? FOREIGN_PAGE
      : this.#isStopping
        ? STOPPING
        : this.#gate.refusal(client)
    if (!id.ok) refuse(res, request, id.error)
    else if (refused !== null) refuse(res, request, refused)
    else {
      const isLocal = isLocalPeer(res, req)
      const data: SocketData = { id: id.value, isLocal, client, connection: null }
      const key = req.getHeader('sec-websocket-key')
      const protocol = req.getHeader('sec-websocket-protocol')
      res.upgrade(data, key, protocol, req.getHeader('sec-websocket-extensions'), context)
    }
  }

  #open(socket: WebSocket<SocketData>): void {
    const data = socket.getUserData()
    const { id, isLocal, client } = data
    const load = this.#gate.entered(client, performance.now())
    data.connection = this.connect({ id, isLocal, client, isSocket: true, socket, load })
  }

  /** Adds a connection; the caller calls `disconnected` when it is gone. */
  connect(about: Parameters<typeof newConnection>[0]): LiveConnection {
    const connection = newConnection(about, performance.now(), this.#times.pingMs)
    this.#connections.add(connection)
    return connection
  }

  #closed(socket: WebSocket<SocketData>): void {
    const { connection, client } = socket.getUserData()
    if (connection === null) return
    this.#gate.left(client)
    this.disconnected(connection)
  }

  #drained(socket: WebSocket<SocketData>): void {
    const { connection } = socket.getUserData()
    if (connection !== null) this.drained(connection)
  }

  /** The client has read something of what lay unread. */
  drained(connection: LiveConnection): void {
    this.#incoming.drained(connection)
    this.#hub.drained(connection)
  }

  /** A control frame: uWebSockets.js answers pings by itself, also those of a client that does not read. */
  #control(socket: WebSocket<SocketData>, message: ArrayBuffer): void {
    const { connection } = socket.getUserData()
    if (connection !== null && this.#incoming.receiveControl(connection, message.byteLength))
      this.#checkBuffer(connection)
  }

  disconnected(connection: LiveConnection): void {
    connection.isClosed = true
    this.#incoming.drop(connection)
    this.#connections.delete(connection)
    this.#departures.add(connection)
  }

  /** Serves the request of a stream of server-sent events; false: it has to be served again in a later turn. */
  serve(connection: LiveConnection, request: FollowRequest): boolean {
    return this.#failures.guarded(connection, () => this.#hub.serve(connection, request))
  }

  #send(connection: LiveConnection, frame: string): void {
    if (connection.isClosed) return
    connection.socket.send(frame)
    this.#unread.sent(Buffer.byteLength(frame))
    this.#checkBuffer(connection)
  }

  #checkBuffer(connection: LiveConnection): void {
    if (!hasTooMuchUnread(connection)) return
    this.#slowReaders++
    const reason = `slow reader: more than ${MAX_BUFFERED_BYTES} bytes buffered`
    this.#close(connection, CLOSE_CODES.slowReader, reason)
  }

  /**
   * What is buffered goes out before the close frame, while there is memory for it: a reader that catches up
   * sees the code. Either way `disconnected` is called at once.
   */
  #close(connection: LiveConnection, code: number, reason: string): void {
    if (connection.isClosed) return
    if (this.#unread.keepsClosing(connection)) connection.socket.end(code, reason)
    else connection.socket.close()
  }
}
