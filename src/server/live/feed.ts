import type { WebSocket, WebSocketBehavior } from 'uWebSockets.js'
import type { LiveSource } from '../../wire/answers.ts'
import { CLOSE_CODES, type LiveErrorCode } from '../../wire/errors.ts'
import {
  acknowledgement,
  type Broadcast,
  type LiveRequest,
  liveErrorFrame,
  MAX_CONNECTION_MINTS,
  PING_FRAME,
  PONG_FRAME,
  parseLiveMessage,
  tableTradeOf,
  tooManyMints,
} from '../../wire/live-messages.ts'
import type { LiveApp } from '../apps.ts'
import {
  MAX_BUFFERED_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_RECEIVED_BYTES,
  SOCKET_IDLE_S,
} from '../limits.ts'
import type { LiveTimes } from '../options.ts'
import { Backlog } from './backlog.ts'
import type { LiveConnection, SocketData } from './connection.ts'
import { keepAlive } from './keep-alive.ts'
import type { LastTables } from './last-tables.ts'
import type { LiveGate } from './live-gate.ts'
import { MessageRate } from './message-rate.ts'
import { broadcastTopic, Subscriptions, tradeTopic } from './subscriptions.ts'
import { type UpgradeOptions, upgradeHandler } from './upgrade.ts'

export interface LiveFeedOptions {
  readonly app: LiveApp
  readonly source: LiveSource
  readonly lastTables: LastTables
  readonly times: LiveTimes
  readonly gate: LiveGate
  readonly messagesPerSecond: number
  readonly refuse: UpgradeOptions['refuse']
}

type SubscriptionRequest = Extract<LiveRequest, { kind: 'trades' | 'broadcast' }>

const UTF8 = new TextDecoder()

/** The live feed on `/ws` and `/`: contract section 4. */
export class LiveFeed {
  readonly #app: LiveApp
  readonly #times: LiveTimes
  readonly #lastTables: LastTables
  readonly #gate: LiveGate
  readonly #messagesPerSecond: number
  readonly #connections = new Set<LiveConnection>()
  readonly #subscriptions = new Subscriptions()
  readonly #backlog = new Backlog(this.#subscriptions, (reader) => this.#checkBuffer(reader))
  readonly #stopKeepAlive: () => void
  #isStopping = false
  #published = 0
  #slowReaders = 0
  #floods = 0

  constructor(options: LiveFeedOptions) {
    this.#app = options.app
    this.#times = options.times
    this.#lastTables = options.lastTables
    this.#gate = options.gate
    this.#messagesPerSecond = options.messagesPerSecond
    for (const path of ['/ws', '/']) options.app.ws(path, this.#behavior(options))
    this.#stopKeepAlive = keepAlive(this.#connections, options.times, {
      ping: (connection) => this.#send(connection, PING_FRAME),
      closeSilent: (connection) =>
        this.#close(connection, CLOSE_CODES.silent, 'nothing came from the client'),
    })
    options.source.onTrade(
      (mint) => this.#subscriptions.isFollowed(mint) || this.#isInTable(mint),
      (mint, message) => this.#publishTrade(mint, message),
    )
    options.source.onMigration((message) => this.#broadcast('mint_migration', message))
    options.source.onLaunch(
      () => this.#subscriptions.listenersOf('new_launched_pool').size > 0,
      (message) => this.#broadcast('new_launched_pool', message),
    )
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      live_connections: this.#connections.size,
      live_followed_mints: this.#subscriptions.mintCount,
      live_published_total: this.#published,
      live_slow_readers_total: this.#slowReaders,
      live_message_floods_total: this.#floods,
    }
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Closes every connection with 1012; nothing is published from here on. */
  stop(): void {
    this.#isStopping = true
    this.#stopKeepAlive()
    this.#backlog.stop()
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
        isStopping: () => this.#isStopping,
        refuse: options.refuse,
      }),
      open: (ws) => this.#open(ws),
      message: (ws, message, isBinary) => this.#heard(ws, message, isBinary),
      ping: (ws, message) => this.#touched(ws, message),
      pong: (ws, message) => this.#touched(ws, message),
      close: (ws) => this.#closed(ws),
    }
  }

  #open(socket: WebSocket<SocketData>): void {
    const data = socket.getUserData()
    const nowMs = performance.now()
    const connection: LiveConnection = {
      id: data.id,
      socket,
      mints: new Set(),
      broadcasts: new Set(),
      rate: new MessageRate(),
      lastHeardMs: nowMs,
      nextPingMs: nowMs + this.#times.pingMs,
      isClosed: false,
    }
    data.connection = connection
    this.#gate.entered(data.client)
    this.#connections.add(connection)
  }

  #closed(socket: WebSocket<SocketData>): void {
    const { connection, client } = socket.getUserData()
    if (connection === null) return
    connection.isClosed = true
    this.#gate.left(client)
    this.#connections.delete(connection)
    this.#subscriptions.drop(connection)
  }

  #heard(socket: WebSocket<SocketData>, message: ArrayBuffer, isBinary: boolean): void {
    const { connection } = socket.getUserData()
    if (connection === null || connection.isClosed) return
    if (message.byteLength > MAX_MESSAGE_BYTES) {
      const reason = `messages are limited to ${MAX_MESSAGE_BYTES} bytes`
      this.#close(connection, CLOSE_CODES.messageTooBig, reason)
    } else if (!this.#admits(connection, message)) return
    else if (isBinary) {
      this.#sendError(connection, 'binary_frame', 'A binary frame came, JSON text is expected.')
    } else this.#serve(connection, parseLiveMessage(UTF8.decode(message), connection.id))
  }

  /** A control frame: uWebSockets.js answers pings by itself, also to who does not read. */
  #touched(socket: WebSocket<SocketData>, message: ArrayBuffer): void {
    const { connection } = socket.getUserData()
    if (connection === null || connection.isClosed) return
    if (this.#admits(connection, message)) this.#checkBuffer(connection)
  }

  /** Marks the connection alive and counts the frame; closes and says false when they are too many. */
  #admits(connection: LiveConnection, message: ArrayBuffer): boolean {
    const nowMs = performance.now()
    connection.lastHeardMs = nowMs
    if (connection.rate.take(message.byteLength, nowMs, this.#messagesPerSecond)) return true
    this.#floods++
    this.#close(connection, CLOSE_CODES.tooManyMessages, 'too many messages in one second')
    return false
  }

  #serve(connection: LiveConnection, request: LiveRequest): void {
    if (request.kind === 'refused') this.#sendError(connection, request.code, request.message)
    else if (request.kind === 'ping') this.#send(connection, PONG_FRAME)
    else if (request.kind !== 'pong') this.#send(connection, this.#apply(connection, request))
  }

  /** Changes the subscriptions and returns the frame that answers. */
  #apply(connection: LiveConnection, request: SubscriptionRequest): string {
    if (request.kind === 'broadcast') {
      this.#subscriptions.setBroadcast(connection, request.event, request.action === 'subscribe')
      return acknowledgement(request)
    }
    if (request.action === 'unsubscribe') {
      for (const mint of request.mints) this.#subscriptions.unfollow(connection, mint)
      return acknowledgement(request)
    }
    const added = request.mints.filter((mint) => !connection.mints.has(mint)).length
    const asked = connection.mints.size + added
    if (asked > MAX_CONNECTION_MINTS) return tooManyMints(asked)
    for (const mint of request.mints) this.#subscriptions.follow(connection, mint)
    return acknowledgement(request)
  }

  /** Is the mint in the last table of a connection that asked for its trades? */
  #isInTable(mint: string): boolean {
    return (
      this.#subscriptions.listenersOf('update_pools_info').size > 0 && this.#lastTables.holds(mint)
    )
  }

  #publishTrade(mint: string, message: string): void {
    if (this.#isStopping) return
    if (this.#isInTable(mint)) this.#sendTableTrade(mint, tableTradeOf(message))
    if (!this.#subscriptions.isFollowed(mint)) return
    this.#published++
    this.#app.publish(tradeTopic(mint), message)
    this.#backlog.publishedTrade(mint, message.length)
  }

  #sendTableTrade(mint: string, message: string): void {
    const ids = this.#lastTables.readersOf(mint)
    for (const connection of this.#subscriptions.listenersOf('update_pools_info')) {
      if (!ids.has(connection.id)) continue
      this.#published++
      this.#send(connection, message)
    }
  }

  #broadcast(event: Broadcast, message: string): void {
    if (this.#isStopping) return
    this.#published++
    this.#app.publish(broadcastTopic(event), message)
    this.#backlog.publishedBroadcast(event, message.length)
  }

  #sendError(connection: LiveConnection, code: LiveErrorCode, message: string): void {
    this.#send(connection, liveErrorFrame(code, message))
  }

  #send(connection: LiveConnection, frame: string): void {
    if (connection.isClosed) return
    connection.socket.send(frame)
    this.#checkBuffer(connection)
  }

  #checkBuffer(connection: LiveConnection): void {
    if (connection.isClosed || connection.socket.getBufferedAmount() <= MAX_BUFFERED_BYTES) return
    this.#slowReaders++
    const reason = `slow reader: more than ${MAX_BUFFERED_BYTES} bytes buffered`
    this.#close(connection, CLOSE_CODES.slowReader, reason)
  }

  /** What is buffered goes out before the close frame: a reader that catches up sees the code. */
  #close(connection: LiveConnection, code: number, reason: string): void {
    if (connection.isClosed) return
    connection.isClosed = true
    connection.socket.end(code, reason)
  }
}
