import { type ClientLoad, MessageRate } from './message-budget.ts'

/**
 * Whoever lags behind the changes of a state gets the whole of it once no more than this lies unread; a change that
 * is longer than CATCH_UP_BUFFER_BYTES comes to nobody else either.
 */
const LITTLE_UNREAD_BYTES = 64 * 1024

/**
 * Bytes buffered for one live connection at most; past it the connection closes with 4009. What is
 * left of a snapshot comes on top, and of a change as long: 5,000 bars are 1 MB by themselves.
 */
export const MAX_BUFFERED_BYTES = 1024 * 1024

/** Replays and snapshots wait while more than this lies unread, far below what cuts the connection. */
export const CATCH_UP_BUFFER_BYTES = 256 * 1024

/** Sends a frame to a connection, and closes it when too much lies unread. */
export type Send = (connection: LiveConnection, frame: string) => void

/** What uWebSockets.js keeps for a socket between upgrade and close. */
export interface SocketData {
  readonly id: string
  /** Comes from this machine. */
  readonly isLocal: boolean
  /** The client address that the connection counts for. */
  readonly client: string
  /** Set when the socket opens. */
  connection: LiveConnection | null
}

/** Where frames go: a WebSocket, or a stream of server-sent events. */
export interface Outlet {
  send(frame: string): unknown
  /** Bytes that wait to be read. */
  getBufferedAmount(): number
  subscribe(topic: string): unknown
  unsubscribe(topic: string): unknown
  /** Ends it in order: what lies unread goes out before the code. */
  end(code: number, reason: string): void
  /** Ends it at once; what lies unread is dropped. */
  close(): void
}

/** One live connection. */
export interface LiveConnection {
  /** The client's own label; several connections may share one. */
  readonly id: string
  readonly isLocal: boolean
  /** The client address that it counts for: limits and turns of the loop are shared by address. */
  readonly client: string
  /** A WebSocket: uWebSockets.js publishes to it. Else server-sent events, sent one by one. */
  readonly isSocket: boolean
  readonly socket: Outlet
  /** Topics that it follows, or catches up with. */
  readonly topics: TopicSet
  /** Those among them of which nothing is published to it until it has read on, the one that waits longest first. */
  readonly held: Set<string>
  readonly rate: MessageRate
  /** Of all connections of its client; null: not counted. */
  readonly load: ClientLoad | null
  /** Monotonic milliseconds of the last frame that came. */
  lastReceivedMs: number
  /** Monotonic milliseconds of the next ping. */
  nextPingMs: number
  /**
   * Bytes of the last snapshot, or of a change as long, until most of it is read: they do not count against
   * the client, which can read a long text only piece by piece.
   */
  snapshotBytes: number
  /** True from the moment a close was asked for: the socket must not be touched any more. */
  isClosed: boolean
}

/** Are so many bytes unread that replays and snapshots wait until the client has read on? */
export function hasMuchUnread({ isClosed, socket }: LiveConnection): boolean {
  return !isClosed && socket.getBufferedAmount() > CATCH_UP_BUFFER_BYTES
}

/** Are so few bytes unread that a whole state may be sent? */
export function hasLittleUnread({ isClosed, socket }: LiveConnection): boolean {
  return !isClosed && socket.getBufferedAmount() <= LITTLE_UNREAD_BYTES
}

/** Are so many bytes unread beside the last snapshot that a newer snapshot would arrive sooner than the changes? */
export function lags(connection: LiveConnection): boolean {
  return hasUnreadBeside(connection, CATCH_UP_BUFFER_BYTES)
}

/** Are so many bytes unread that the connection has to be closed? */
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
