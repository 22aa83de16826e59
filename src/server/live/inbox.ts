import { Fifo } from '../fifo.ts'
import { INBOX_MESSAGE_BYTES, MAX_INBOX_BYTES, MAX_INBOXES_BYTES } from '../limits.ts'
import type { Turns, Waiting } from '../turns.ts'
import { hasMuchUnread, type LiveConnection } from './connection.ts'

export interface Message {
  readonly bytes: ArrayBuffer | Uint8Array
  readonly isBinary: boolean
  /** Was it served before, and is it not finished? What it asks for was judged then. */
  readonly isBegun: boolean
}

/** A message that waits; its bytes are its own. */
interface Kept extends Message {
  readonly bytes: Uint8Array
  isBegun: boolean
}

/** False: the message is to be served again in a later turn. */
type Serve = (connection: LiveConnection, message: Message) => boolean

/**
 * Messages of live connections that wait for a later turn of the loop, each behind those of its
 * connection; or until the client has read on, when one of them brings a snapshot and much lies unread.
 * Copies are made only of them: uWebSockets.js lends a message for the call.
 */
export class Inboxes {
  readonly #turns: Turns
  readonly #serve: Serve
  /** Of connections with messages that wait. */
  readonly #inboxes = new Map<LiveConnection, Inbox>()
  /** Those among them that have no turn until their client has read on. */
  readonly #held = new Set<LiveConnection>()
  #messages = 0
  #bytes = 0
  #deferred = 0

  constructor(turns: Turns, serve: Serve) {
    this.#turns = turns
    this.#serve = serve
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      live_waiting_messages: this.#messages,
      live_waiting_bytes: this.#bytes,
      live_deferred_messages_total: this.#deferred,
      live_held_connections: this.#held.size,
    }
  }

  /** Does anything of the connection wait? What comes then has to wait behind it. */
  isWaiting(connection: LiveConnection): boolean {
    return this.#inboxes.size > 0 && this.#inboxes.has(connection)
  }

  /** Keeps a message for later; false when the connection has more waiting than it may, and has to go. */
  keep(connection: LiveConnection, message: Message): boolean {
    const bytes = message.bytes.byteLength + INBOX_MESSAGE_BYTES
    const inbox = this.#inboxes.get(connection)
    const bytesOfIt = (inbox?.bytes ?? 0) + bytes
    if (bytesOfIt > MAX_INBOX_BYTES) return false
    // Who has no more than an equal part waiting is not cut off for what others send.
    const isFull = this.#bytes + bytes > MAX_INBOXES_BYTES
    if (isFull && bytesOfIt * (this.#inboxes.size + 1) > MAX_INBOXES_BYTES) return false
    this.#deferred++
    this.#messages++
    this.#bytes += bytes
    const kept = inbox ?? this.#newInbox(connection)
    // Short ones are copied into V8's heap this way, in a tenth of what an ArrayBuffer takes.
    kept.push({ ...message, bytes: new Uint8Array(message.bytes).slice() }, bytes)
    return true
  }

  /** After the connection closed: nothing of it is served any more. */
  drop(connection: LiveConnection): void {
    if (this.#inboxes.size === 0) return
    this.#inboxes.get(connection)?.clear()
    if (this.#held.delete(connection)) this.ended(connection)
  }

  /** The client has read something of what lay unread: is it enough to go on? */
  drained(connection: LiveConnection): void {
    if (!this.#held.has(connection) || hasMuchUnread(connection)) return
    this.#held.delete(connection)
    const inbox = this.#inboxes.get(connection)
    if (inbox !== undefined) this.#turns.later(connection.client, inbox)
  }

  #newInbox(connection: LiveConnection): Inbox {
    const inbox = new Inbox(connection, this)
    this.#inboxes.set(connection, inbox)
    this.#turns.later(connection.client, inbox)
    return inbox
  }

  /** What comes first in it cannot be served: true when that is for its client to change. */
  hold(connection: LiveConnection): boolean {
    if (!hasMuchUnread(connection)) return false
    this.#held.add(connection)
    return true
  }

  /** Its turn is over for good: nothing waits in it. */
  ended(connection: LiveConnection): void {
    this.#inboxes.delete(connection)
  }

  /** Serves a message that waited; false: it is not finished. */
  serve(connection: LiveConnection, message: Message): boolean {
    return this.#serve(connection, message)
  }

  /** Messages wait no more: they were taken, or their connection closed. */
  left(messages: number, bytes: number): void {
    this.#messages -= messages
    this.#bytes -= bytes
  }
}

/** Messages of one connection that wait. */
export class Inbox implements Waiting {
  readonly #connection: LiveConnection
  readonly #inboxes: Inboxes
  readonly #kept = new Fifo<Kept>()
  #bytes = 0

  constructor(connection: LiveConnection, inboxes: Inboxes) {
    this.#connection = connection
    this.#inboxes = inboxes
  }

  get bytes(): number {
    return this.#bytes
  }

  push(message: Kept, bytes: number): void {
    this.#kept.push(message)
    this.#bytes += bytes
  }

  /** Serves what waits. Nothing of a closed connection is answered. */
  run(endMs: number): boolean {
    let isHeld = false
    while (!this.#connection.isClosed) {
      const message = this.#kept.first()
      if (message === undefined) break
      if (!this.#inboxes.serve(this.#connection, message)) {
        message.isBegun = true
        isHeld = this.#inboxes.hold(this.#connection)
        break
      }
      this.#drop()
      if (performance.now() >= endMs) break
    }
    if (this.#connection.isClosed) this.clear()
    if (this.#kept.size > 0) return !isHeld
    this.#inboxes.ended(this.#connection)
    return false
  }

  /** After the connection closed. */
  clear(): void {
    this.#inboxes.left(this.#kept.size, this.#bytes)
    this.#kept.clear()
    this.#bytes = 0
  }

  /** Lets the message go that was served, unless serving it closed the connection. */
  #drop(): void {
    const message = this.#kept.take()
    if (message === undefined) return
    const bytes = message.bytes.byteLength + INBOX_MESSAGE_BYTES
    this.#bytes -= bytes
    this.#inboxes.left(1, bytes)
  }
}
