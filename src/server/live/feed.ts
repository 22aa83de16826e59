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
import type { Log, OnStep } from '../http/exchange.ts'
import { expectAbort, ServerRequest } from '../http/request.ts'
import type { LoopScheduler } from '../load/loop-scheduler.ts'
import type { Apps } from '../sockets/apps.ts'
import { type ClientAddresses, isForeignPage, isLocalPeer } from '../sockets/client-address.ts'
import { BackpressureBudget } from './connection/backpressure-budget.ts'
import {
  hasTooMuchUnread,
  type LiveConnection,
  MAX_BUFFERED_BYTES,
  type MessageLimits,
  newConnection,
  type Send,
} from './connection/connection.ts'
import { Incoming } from './connection/incoming.ts'
import { LiveFailures } from './connection/live-failures.ts'
import type { LiveGate } from './connection/live-gate.ts'
import { Hub } from './hub/hub.ts'
import type { LastTables } from './hub/last-tables.ts'

/** Closed connections are taken out of what they followed for this long at a time. */
const DEPARTURE_SLICE_MS = 2

/** After a slice the removal pauses for this long: while thousands close, their closing needs the loop. */
const DEPARTURE_PAUSE_MS = 20

/** Closed connections that wait for their removal at most; past it one is done for each that closes. */
const MAX_DEPARTED = 50_000

/** Keep-alive looks at every connection at most this often. */
const KEEP_ALIVE_TICK_MS = 1000

/**
 * What uWebSockets.js takes in before it cuts the socket. It sends no close frame when it cuts, so
 * messages up to this size are read whole and refused by a proper 1009.
 */
const MAX_RECEIVED_BYTES = 2 * 1024 * 1024

/**
 * Idle seconds after which uWebSockets.js cuts a socket by itself. Above the silence of the
 * keep-alive, which alone closes with a code, and not 0: a closing socket would then be cut within
 * 4 s instead of about 12 s, before a slow reader has read its close frame.
 */
const SOCKET_IDLE_S = 80

/** Times of the live feed: how often a ping goes out, and after how long a silent connection is closed. */
export interface LiveTimes {
  readonly pingMs: number
  readonly silenceMs: number
}

interface LiveFeedOptions {
  readonly app: Pick<Apps, 'ws' | 'publish'>
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

  /** Up to `most` mints whose trades are followed. */
  followedMints(most: number): readonly string[] {
    return this.#hub.followedMints(most)
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Is every new connection refused? */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Closes every connection with 1012, and forgets what they followed: what is told from now on is another stream. */
  renew(): void {
    for (const connection of [...this.#connections])
      this.#close(connection, CLOSE_CODES.serviceRestart, 'the history is in: follow anew')
    this.#departures.finish()
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
    const request = new ServerRequest(res, req, addresses)
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

/**
 * Pings every connection at its own time, so that thousands are not pinged in one loop turn, and
 * closes the silent ones (contract section 4). Time in which the whole program stood still, as on a paused
 * machine, does not count as silence: messages of that time are unread, and no ping was sent.
 * Returns the stop.
 */
export function keepAlive(
  connections: ReadonlySet<LiveConnection>,
  times: LiveTimes,
  actions: {
    ping(connection: LiveConnection): void
    closeSilent(connection: LiveConnection): void
  },
): () => void {
  const tickMs = Math.max(1, Math.min(KEEP_ALIVE_TICK_MS, times.pingMs / 4, times.silenceMs / 4))
  let lookedAtMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const lateMs = nowMs - lookedAtMs - tickMs
    const stoodMs = lateMs > tickMs ? lateMs : 0
    lookedAtMs = nowMs
    for (const connection of connections) {
      if (!connection.isSocket) continue
      connection.lastReceivedMs = Math.min(nowMs, connection.lastReceivedMs + stoodMs)
      if (nowMs - connection.lastReceivedMs >= times.silenceMs) actions.closeSilent(connection)
      else if (nowMs >= connection.nextPingMs) {
        connection.nextPingMs = nowMs + times.pingMs
        actions.ping(connection)
      }
    }
  }, tickMs)
  return () => clearInterval(timer)
}

/**
 * Removes closed connections from the topics that they followed, in slices. Thousands may close in one turn of
 * the loop, and to remove one of them from a thousand sets takes as long as to publish a trade. So a close only adds
 * it here, and the slices take a tenth of the time: more would delay the turn that closes others.
 * Nothing is sent to it any more (`isClosed`).
 */
export class DeferredUnsubscribe {
  readonly #departed: LiveConnection[] = []
  readonly #drop: (connection: LiveConnection) => void
  #timer: NodeJS.Timeout | null = null

  /** `drop` takes a connection out of everything. */
  constructor(drop: (connection: LiveConnection) => void) {
    this.#drop = drop
  }

  /** Connections that are still to be removed; at most MAX_DEPARTED. */
  get size(): number {
    return this.#departed.length
  }

  /** Adds a closed connection. When too many wait, another one is removed at once. */
  add(connection: LiveConnection): void {
    if (this.#departed.length >= MAX_DEPARTED) this.#dropOne()
    this.#departed.push(connection)
    this.#timer ??= setTimeout(this.#slice, DEPARTURE_PAUSE_MS)
  }

  /** Removes all of them at once: before a client is refused because closed connections still count. */
  finish(): void {
    while (this.#departed.length > 0) this.#dropOne()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.finish()
  }

  readonly #slice = (): void => {
    this.#timer = null
    const endMs = performance.now() + DEPARTURE_SLICE_MS
    while (this.#departed.length > 0 && performance.now() < endMs) this.#dropOne()
    if (this.#departed.length > 0) this.#timer = setTimeout(this.#slice, DEPARTURE_PAUSE_MS)
  }

  #dropOne(): void {
    const connection = this.#departed.pop()
    if (connection !== undefined) this.#drop(connection)
  }
}
