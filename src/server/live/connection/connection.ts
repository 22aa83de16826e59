/**
 * One live connection. In come its frames, control frames and requests to close; out go frames through its outlet, a
 * WebSocket or a stream of server-sent events. connection.ts has its data and how much it may send in a second,
 * incoming.ts its inbox, backpressure-budget.ts its unread bytes, live-gate.ts who may connect. Everything that a client
 * can make grow has a limit of the connection, of its address, and of all together.
 */

import type { AdjustableLimits } from '../../../config/surface.ts'
import type { LiveRequest } from '../../../protocol/live/live-messages.ts'

/**
 * Bytes buffered for one live connection at most; past it the connection closes with 4009. What is
 * left of a snapshot comes on top, and of a change as long: 5,000 bars are 1 MB by themselves.
 */
export const MAX_BUFFERED_BYTES = 1024 * 1024

/** Replays and snapshots wait while more than this lies unread, far below what cuts the connection. */
export const CATCH_UP_BUFFER_BYTES = 256 * 1024

/**
 * Bytes a second of one live connection's messages at most, and of all that one address has: long
 * ones cost more than short ones.
 */
export const MAX_MESSAGE_BYTES_PER_SECOND = 16 * 1024 * 1024

/** Sends a frame to a connection, and closes it when it has too much unread. */
export type Send = (connection: LiveConnection, frame: string) => void

/** Where frames go: a WebSocket, or a stream of server-sent events. */
export interface Outlet {
  send(frame: string): unknown
  /** Bytes that wait to be read. */
  getBufferedAmount(): number
  subscribe(topic: string): unknown
  unsubscribe(topic: string): unknown
  /** Ends it in order: unread bytes are sent before the code. */
  end(code: number, reason: string): void
  /** Ends it at once; unread bytes are dropped. */
  close(): void
}

/** One live connection. */
export interface LiveConnection {
  /** The client's own label; several connections may share one. */
  readonly id: string
  readonly isLocal: boolean
  /** The client address that it counts for: limits, and time of the loop, are shared by address. */
  readonly client: string
  /** A WebSocket: uWebSockets.js publishes to it. Else server-sent events, sent one by one. */
  readonly isSocket: boolean
  readonly socket: Outlet
  /** Topics that it follows, or catches up with. */
  readonly topics: TopicSet
  /** Topics that are not published to it until it has read on, the one that waits longest first. */
  readonly held: Set<string>
  readonly rate: MessageRate
  /** Of all connections of its client; null: not counted. */
  readonly load: ClientLoad | null
  /** Monotonic milliseconds of the last frame that came. */
  lastReceivedMs: number
  /** Monotonic milliseconds of the next ping. */
  nextPingMs: number
  /**
   * Bytes of the last snapshot, or of a change as long, until most of it is read. They do not count against the client,
   * which can read a long text only piece by piece.
   */
  snapshotBytes: number
  /** True from the close on: the socket must not be used any more. */
  isClosed: boolean
}

/** Do replays and snapshots have to wait until the client has read on? */
export function hasMuchUnread({ isClosed, socket }: LiveConnection): boolean {
  return !isClosed && socket.getBufferedAmount() > CATCH_UP_BUFFER_BYTES
}

/** Is so much unread beside the last snapshot that a newer snapshot would arrive sooner than the changes? */
export function lags(connection: LiveConnection): boolean {
  return hasUnreadBeside(connection, CATCH_UP_BUFFER_BYTES)
}

/** Is so much unread that the connection has to be closed? */
export function hasTooMuchUnread(connection: LiveConnection): boolean {
  return hasUnreadBeside(connection, MAX_BUFFERED_BYTES)
}

/** Are more than these bytes unread beside the rest of the last snapshot? */
function hasUnreadBeside(connection: LiveConnection, bytes: number): boolean {
  if (connection.isClosed) return false
  const unreadBytes = connection.socket.getBufferedAmount()
  if (unreadBytes <= CATCH_UP_BUFFER_BYTES) connection.snapshotBytes = 0
  return unreadBytes > bytes + connection.snapshotBytes
}

/** A connection that follows nothing yet. */
export function newConnection(
  about: Pick<LiveConnection, 'id' | 'isLocal' | 'client' | 'isSocket' | 'socket' | 'load'>,
  nowMs: number,
  pingMs: number,
): LiveConnection {
  return {
    ...about,
    topics: new TopicSet(),
    held: new Set(),
    rate: new MessageRate(),
    lastReceivedMs: nowMs,
    nextPingMs: nowMs + pingMs,
    snapshotBytes: 0,
    isClosed: false,
  }
}

/** Topics, counted by their channel: the text before the first slash. */
class TopicSet implements Iterable<string> {
  readonly #topics = new Set<string>()
  readonly #counts = new Map<string, number>()

  has(topic: string): boolean {
    return this.#topics.has(topic)
  }

  /** Topics of a channel. */
  countOf(channel: string): number {
    return this.#counts.get(channel) ?? 0
  }

  add(topic: string): void {
    if (this.#topics.has(topic)) return
    this.#topics.add(topic)
    this.#count(topic, 1)
  }

  delete(topic: string): void {
    if (this.#topics.delete(topic)) this.#count(topic, -1)
  }

  clear(): void {
    this.#topics.clear()
    this.#counts.clear()
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#topics.values()
  }

  #count(topic: string, by: number): void {
    const channel = topic.slice(0, topic.indexOf('/'))
    this.#counts.set(channel, this.countOf(channel) + by)
  }
}

const WINDOW_MS = 1000

/** All live connections of one client address. */
export interface ClientLoad {
  /** Open ones. */
  connections: number
  /** Counts over all of them. */
  readonly rate: MessageRate
}

export type MessageLimits = Pick<
  AdjustableLimits,
  'messagesPerSecond' | 'messagesPerSecondPerAddress' | 'subscriptionsPerSecondPerAddress'
>

/**
 * How much may come in one second. A connection has limits of its own, and a client address has
 * limits over all of its connections. When an address is past one of its limits, its connections with more
 * than an equal part of it are closed: a connection of another user behind the same address, which sends
 * pongs for instance, stays. So an address never has more than twice its limit served.
 */
export class MessageBudget {
  readonly #limits: MessageLimits

  constructor(limits: MessageLimits) {
    this.#limits = limits
  }

  /** Counts a frame; null, or why the connection has to be closed. */
  messageRefusal(
    { rate, load }: Pick<LiveConnection, 'rate' | 'load'>,
    bytes: number,
    nowMs: number,
  ): string | null {
    const { messagesPerSecond, messagesPerSecondPerAddress } = this.#limits
    rate.tookMessage(bytes, nowMs)
    load?.rate.tookMessage(bytes, nowMs)
    if (rate.messages > messagesPerSecond || rate.bytes > MAX_MESSAGE_BYTES_PER_SECOND)
      return 'too many messages in one second'
    if (load === null) return null
    const isTooMuch =
      isOver(messagesPerSecondPerAddress, load.rate.messages, rate.messages, load) ||
      isOver(MAX_MESSAGE_BYTES_PER_SECOND, load.rate.bytes, rate.bytes, load)
    return isTooMuch ? 'too many messages of one address in one second' : null
  }

  /** Counts the keys of a request; null, or why the connection has to be closed. */
  requestRefusal(
    { rate, load }: Pick<LiveConnection, 'rate' | 'load'>,
    request: LiveRequest,
    nowMs: number,
  ): string | null {
    if (load === null) return null
    const keys = keysOf(request)
    if (keys === 0) return null
    rate.tookKeys(keys, nowMs)
    load.rate.tookKeys(keys, nowMs)
    const { subscriptionsPerSecondPerAddress } = this.#limits
    return isOver(subscriptionsPerSecondPerAddress, load.rate.keys, rate.keys, load)
      ? 'too many subscriptions of one address in one second'
      : null
  }
}

/** Is the client past its limit, and this connection with more than its part of it? */
function isOver(limit: number, ofClient: number, own: number, { connections }: ClientLoad) {
  return ofClient > limit && own * connections > limit
}

function keysOf(request: LiveRequest): number {
  switch (request.kind) {
    case 'refused':
    case 'ping':
    case 'pong':
      return 0
    case 'stream':
      return request.keys.length
    default:
      return 1
  }
}

/** Counts of the present second: of one connection, or of all connections of a client. */
export class MessageRate {
  /** Frames of any kind. */
  messages = 0
  /** Bytes of their payloads. */
  bytes = 0
  /** Mints, wallets, tables and candles that were subscribed to or left. */
  keys = 0
  #endsAtMs = 0

  hasEnded(nowMs: number): boolean {
    return nowMs >= this.#endsAtMs
  }

  /** Counts a frame. */
  tookMessage(bytes: number, nowMs: number): void {
    this.#turn(nowMs)
    this.messages++
    this.bytes += bytes
  }

  /** Counts the keys of a request. */
  tookKeys(keys: number, nowMs: number): void {
    this.#turn(nowMs)
    this.keys += keys
  }

  #turn(nowMs: number): void {
    if (!this.hasEnded(nowMs)) return
    this.#endsAtMs = nowMs + WINDOW_MS
    this.messages = 0
    this.bytes = 0
    this.keys = 0
  }
}
