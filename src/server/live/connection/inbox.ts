import { Fifo } from '../../load/fifo.ts'
import { INBOX_MESSAGE_BYTES, MAX_INBOX_BYTES, MAX_INBOXES_BYTES } from '../../load/limits.ts'
import type { Turns, Waiting } from '../../load/turns.ts'
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

/** Messages of one connection that wait, in their order. */
interface Inbox extends Waiting {
  readonly messages: Fifo<Kept>
  /** Of all of them, as they count. */
  bytes: number
  /** Has it no turn until its client has read on? */
  isHeld: boolean
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
  #bytes = 0
  #deferred = 0

  constructor(turns: Turns, serve: Serve) {
    this.#turns = turns
    this.#serve = serve
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    let waiting = 0
    let held = 0
    for (const { messages, isHeld } of this.#inboxes.values()) {
      waiting += messages.size
      if (isHeld) held += 1
    }
    return {
      live_waiting_messages: waiting,
      live_waiting_bytes: this.#bytes,
      live_deferred_messages_total: this.#deferred,
      live_held_connections: held,
    }
  }

  /** Does anything of the connection wait? What comes then has to wait behind it. */
  isWaiting(connection: LiveConnection): boolean {
    return this.#inboxes.size > 0 && this.#inboxes.has(connection)
  }

  /** Keeps a message for later; false when the connection has more waiting than it may, and has to go. */
  keep(connection: LiveConnection, message: Message): boolean {
    const bytes = bytesOf(message)
    const before = this.#inboxes.get(connection)
    const bytesOfIt = (before?.bytes ?? 0) + bytes
    if (bytesOfIt > MAX_INBOX_BYTES) return false
    // Who has no more than an equal part waiting is not cut off for what others send.
    const isFull = this.#bytes + bytes > MAX_INBOXES_BYTES
    if (isFull && bytesOfIt * (this.#inboxes.size + 1) > MAX_INBOXES_BYTES) return false
    this.#deferred++
    const inbox = before ?? this.#newInbox(connection)
    // Short ones are copied into V8's heap this way, in a tenth of what an ArrayBuffer takes.
    inbox.messages.push({ ...message, bytes: new Uint8Array(message.bytes).slice() })
    this.#count(inbox, bytes)
    return true
  }

  /** After the connection closed: nothing of it is served any more. */
  drop(connection: LiveConnection): void {
    const inbox = this.#inboxes.get(connection)
    if (inbox === undefined) return
    this.#inboxes.delete(connection)
    this.#count(inbox, -inbox.bytes)
    inbox.messages.clear()
  }

  /** The client has read something of what lay unread: is it enough to go on? */
  drained(connection: LiveConnection): void {
    const inbox = this.#inboxes.get(connection)
    if (inbox === undefined || !inbox.isHeld || hasMuchUnread(connection)) return
    inbox.isHeld = false
    this.#turns.later(connection.client, inbox)
  }

  #newInbox(connection: LiveConnection): Inbox {
    const inbox: Inbox = {
      messages: new Fifo(),
      bytes: 0,
      isHeld: false,
      run: (endMs) => this.#run(connection, inbox, endMs),
    }
    this.#inboxes.set(connection, inbox)
    this.#turns.later(connection.client, inbox)
    return inbox
  }

  /** Serves what waits in an inbox; says whether it is to have another turn. */
  #run(connection: LiveConnection, inbox: Inbox, endMs: number): boolean {
    const { messages } = inbox
    for (;;) {
      const message = messages.first()
      if (message === undefined) break
      if (!this.#serve(connection, message)) {
        message.isBegun = true
        inbox.isHeld = hasMuchUnread(connection)
        return !inbox.isHeld
      }
      // Serving it may have closed the connection, and dropped all that waited.
      if (messages.take() !== undefined) this.#count(inbox, -bytesOf(message))
      if (performance.now() >= endMs) break
    }
    if (messages.size > 0) return true
    this.#inboxes.delete(connection)
    return false
  }

  #count(inbox: Inbox, bytes: number): void {
    inbox.bytes += bytes
    this.#bytes += bytes
  }
}

/** What a message counts for that waits. */
function bytesOf({ bytes }: Message): number {
  return bytes.byteLength + INBOX_MESSAGE_BYTES
}
