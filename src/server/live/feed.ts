import type { WebSocket, WebSocketBehavior } from 'uWebSockets.js'
import { CLOSE_CODES } from '../../protocol/errors.ts'
import type { FollowRequest } from '../../protocol/live/live-messages.ts'
import { PING_FRAME } from '../../protocol/live-frames.ts'
import type { Queries } from '../../protocol/queries.ts'
import type { IsKnownAddress } from '../../protocol/requests/address.ts'
import type { LiveSource, LiveStreams } from '../../protocol/streams.ts'
import type { Log, OnStep } from '../http/exchange.ts'
import type { LoopScheduler } from '../load/loop-scheduler.ts'
import type { LiveApp } from '../sockets/apps.ts'
import type { ClientAddresses } from '../sockets/client-address.ts'
import { BackpressureBudget, SlowReaderCheck } from './connection/backpressure-budget.ts'
import {
  hasTooMuchUnread,
  type LiveConnection,
  MAX_BUFFERED_BYTES,
  newConnection,
  type Send,
  type SocketData,
} from './connection/connection.ts'
import { DeferredUnsubscribe } from './connection/deferred-unsubscribe.ts'
import { Incoming } from './connection/incoming.ts'
import { keepAlive, type LiveTimes } from './connection/keep-alive.ts'
import { LiveFailures } from './connection/live-failures.ts'
import { type LiveGate, type UpgradeOptions, upgradeHandler } from './connection/live-gate.ts'
import type { MessageLimits } from './connection/message-budget.ts'
import { Hub } from './hub/hub.ts'
import type { LastTables } from './hub/last-tables.ts'

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

interface LiveFeedOptions {
  readonly app: LiveApp
  readonly source: LiveSource
  readonly streams: LiveStreams
  readonly answers: Queries
  readonly isKnownAddress: IsKnownAddress
  readonly isStarting: () => boolean
  readonly lastTables: LastTables
  readonly times: LiveTimes
  readonly gate: LiveGate
  readonly limits: MessageLimits & { readonly unreadBytes: number }
  readonly turns: LoopScheduler
  readonly addresses: ClientAddresses
  readonly corsOrigin: string
  readonly refuse: UpgradeOptions['refuse']
  readonly log: Log
  readonly onStep: OnStep
}

/** Paths of the handshake; base addresses that are put together by hand end with a slash. */
const LIVE_PATHS = ['/ws', '/ws/', '/']

/**
 * The live feed: contract section 4, docs/live.md. In come sockets and streams of server-sent events, their messages,
 * and the engine's events; out go frames. `connection` has what one connection is: its limits, its inbox, its unread
 * bytes; `hub` has who follows what. A connection is closed at once or served in order, never with a gap.
 */
export class LiveFeed {
  readonly #times: LiveTimes
  readonly #gate: LiveGate
  readonly #incoming: Incoming
  readonly #connections = new Set<LiveConnection>()
  readonly #slowReaderCheck = new SlowReaderCheck((reader) => this.#checkBuffer(reader))
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
    this.#unread = new BackpressureBudget(this.#connections, unreadBytes, ({ socket }) => {
      this.#cutReaders++
      socket.close()
    })
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
      afterPublish: (followers, bytes) => {
        this.#slowReaderCheck.published(followers, bytes)
        this.#unread.sent(bytes * followers.size)
      },
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
      ping: (connection) => this.#send(connection, PING_FRAME),
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
    this.#slowReaderCheck.stop()
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
      upgrade: upgradeHandler({
        gate: options.gate,
        addresses: options.addresses,
        corsOrigin: options.corsOrigin,
        isStopping: () => this.#isStopping,
        refuse: options.refuse,
      }),
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

  /** A request that no message brought; false: it is to be served again in a later turn. */
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
