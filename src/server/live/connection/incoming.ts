import { CLOSE_CODES } from '../../../protocol/errors.ts'
import {
  type LiveRequest,
  parseLiveMessage,
  STARTING,
} from '../../../protocol/live/live-messages.ts'
import type { Queries } from '../../../protocol/queries.ts'
import { liveErrorFrame } from '../../../protocol/wire.ts'
import { Fifo, type LoopScheduler, type Waiting } from '../../load/loop-scheduler.ts'
import {
  hasMuchUnread,
  type LiveConnection,
  MAX_MESSAGE_BYTES_PER_SECOND,
  MessageBudget,
  type MessageLimits,
  type Send,
} from './connection.ts'
import type { LiveFailures } from './live-failures.ts'

/** Messages of live connections are served at once for this long in one turn of the loop: to wait costs them next to nothing. */
const LIVE_TURN_MS = 1

/** Bytes of a client's live message at most; past it the connection closes with 1009. */
const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * Bytes of messages of one live connection that wait for a later turn at most, as much as it may send
 * in a second; past it the connection closes with 4010.
 */
const MAX_INBOX_BYTES = MAX_MESSAGE_BYTES_PER_SECOND

/** What keeping one waiting message takes beside its bytes. */
const INBOX_MESSAGE_BYTES = 256

/**
 * Bytes of waiting messages of all connections; past it those close that have more than an equal part
 * waiting, so that there is never more than twice as much.
 */
const MAX_INBOXES_BYTES = 32 * 1024 * 1024

interface IncomingParts {
  readonly limits: MessageLimits
  readonly turns: LoopScheduler
  readonly send: Send
  readonly isKnownAddress: Queries['isKnownAddress']
  /** Is the state being recovered, so that no address is known yet? */
  readonly isStarting: () => boolean
  readonly close: (connection: LiveConnection, code: number, reason: string) => void
  /** Applies a request and sends its answers; false: it has to be served again in a later turn. */
  readonly serve: (connection: LiveConnection, request: LiveRequest) => boolean
  readonly failures: LiveFailures
}

const ADDRESS_CODES: readonly string[] = ['invalid_mint', 'invalid_wallet']
const UTF8 = new TextDecoder()

/**
 * The messages of clients. Their count and length are checked when they arrive, their requests when they are served:
 * in the same turn of the loop, or in a later one when the turn has no time left for messages. The messages of a
 * connection are served in order.
 */
export class Incoming {
  readonly #parts: IncomingParts
  readonly #budget: MessageBudget
  readonly #inboxes: Inboxes
  #floods = 0

  constructor(parts: IncomingParts) {
    this.#parts = parts
    this.#budget = new MessageBudget(parts.limits)
    this.#inboxes = new Inboxes(parts.turns, (connection, message) =>
      this.#serve(connection, message),
    )
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { live_message_floods_total: this.#floods, ...this.#inboxes.figures() }
  }

  /** A message came; its bytes are good until the call returns. */
  receive(connection: LiveConnection, message: ArrayBuffer, isBinary: boolean): void {
    if (connection.isClosed) return
    const nowMs = performance.now()
    if (message.byteLength > MAX_MESSAGE_BYTES) {
      const reason = `messages are limited to ${MAX_MESSAGE_BYTES} bytes`
      this.#parts.close(connection, CLOSE_CODES.messageTooBig, reason)
    } else if (this.#admits(connection, message.byteLength, nowMs)) {
      const { turns } = this.#parts
      const hasToWait =
        this.#inboxes.isWaiting(connection) || turns.isOverBudget(connection, LIVE_TURN_MS, nowMs)
      if (!hasToWait) {
        const isServed = this.#serve(connection, { bytes: message, isBinary, isBegun: false })
        turns.done()
        if (isServed) return
      }
      if (!this.#inboxes.push(connection, { bytes: message, isBinary, isBegun: !hasToWait }))
        this.#closeFlood(connection, 'too many messages wait to be served')
    }
  }

  /** A control frame came; false when the connection is closed. */
  receiveControl(connection: LiveConnection, bytes: number): boolean {
    return !connection.isClosed && this.#admits(connection, bytes, performance.now())
  }

  /** The client has read some bytes. */
  drained(connection: LiveConnection): void {
    this.#inboxes.drained(connection)
  }

  /** After the connection closed: drops its messages. */
  drop(connection: LiveConnection): void {
    this.#inboxes.drop(connection)
  }

  /** Marks the connection alive and counts the frame; too many close it, and the result is false. */
  #admits(connection: LiveConnection, bytes: number, nowMs: number): boolean {
    connection.lastReceivedMs = nowMs
    const refusal = this.#budget.messageRefusal(connection, bytes, nowMs)
    if (refusal !== null) this.#closeFlood(connection, refusal)
    return refusal === null
  }

  /** False: it has to be served again in a later turn. */
  #serve(connection: LiveConnection, message: Message): boolean {
    return this.#parts.failures.guarded(connection, () => this.#serveText(connection, message))
  }

  #serveText(connection: LiveConnection, { bytes, isBinary, isBegun }: Message): boolean {
    if (isBinary) {
      const text = 'A binary frame came, JSON text is expected.'
      this.#parts.send(connection, liveErrorFrame('binary_frame', text))
      return true
    }
    const request = this.#read(UTF8.decode(bytes), connection)
    const refusal = isBegun
      ? null
      : this.#budget.requestRefusal(connection, request, performance.now())
    if (refusal === null) return this.#parts.serve(connection, request)
    this.#closeFlood(connection, refusal)
    return true
  }

  #read(text: string, connection: LiveConnection): LiveRequest {
    const request = parseLiveMessage(text, connection.id, this.#parts.isKnownAddress)
    const isOfAddress = request.kind === 'refused' && ADDRESS_CODES.includes(request.code)
    return isOfAddress && this.#parts.isStarting() ? STARTING : request
  }

  #closeFlood(connection: LiveConnection, reason: string): void {
    this.#floods++
    this.#parts.close(connection, CLOSE_CODES.tooManyMessages, reason)
  }
}

interface Message {
  /** A copy while it waits. */
  readonly bytes: ArrayBuffer | Uint8Array
  readonly isBinary: boolean
  /** Was it served before without being finished? Its request is not checked again. */
  isBegun: boolean
}

/** Messages of one connection that wait, in their order. */
interface Inbox extends Waiting {
  readonly messages: Fifo<Message>
  /** Bytes that its messages count for. */
  bytes: number
  /** Is it skipped until its client has read on? */
  isHeld: boolean
}

/**
 * Messages of live connections that wait for a later turn of the loop, each behind those of its
 * connection; or until the client has read on, when one of them asks for a snapshot and much is unread.
 * Only messages that wait are copied: uWebSockets.js lends a message for the call.
 */
export class Inboxes {
  readonly #turns: LoopScheduler
  readonly #serve: (connection: LiveConnection, message: Message) => boolean
  /** Of connections with messages that wait. */
  readonly #inboxes = new Map<LiveConnection, Inbox>()
  #bytes = 0
  #deferred = 0

  /** `serve` returns false when the message has to be served again in a later turn. */
  constructor(
    turns: LoopScheduler,
    serve: (connection: LiveConnection, message: Message) => boolean,
  ) {
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

  /** Do messages of the connection wait? Later ones have to wait behind them. */
  isWaiting(connection: LiveConnection): boolean {
    return this.#inboxes.size > 0 && this.#inboxes.has(connection)
  }

  /** Adds a message; false when the inbox is full, so that the connection has to be closed. */
  push(connection: LiveConnection, message: Message): boolean {
    const bytes = bytesOf(message)
    const before = this.#inboxes.get(connection)
    const bytesOfIt = (before?.bytes ?? 0) + bytes
    if (bytesOfIt > MAX_INBOX_BYTES) return false
    // A connection with at most an equal part is not closed for the messages of others.
    const isFull = this.#bytes + bytes > MAX_INBOXES_BYTES
    if (isFull && bytesOfIt * (this.#inboxes.size + 1) > MAX_INBOXES_BYTES) return false
    this.#deferred++
    const inbox = before ?? this.#newInbox(connection)
    // A short copy made this way is in V8's heap and takes a tenth of the memory of an ArrayBuffer.
    inbox.messages.push({ ...message, bytes: new Uint8Array(message.bytes).slice() })
    this.#count(inbox, bytes)
    return true
  }

  /** After the connection closed: drops its messages. */
  drop(connection: LiveConnection): void {
    const inbox = this.#inboxes.get(connection)
    if (inbox === undefined) return
    this.#inboxes.delete(connection)
    this.#count(inbox, -inbox.bytes)
    inbox.messages.clear()
  }

  /** The client has read some bytes; serves on when few enough are unread. */
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

  /** Serves the messages of an inbox; returns whether it needs another turn. */
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

/** Bytes that a waiting message counts for. */
function bytesOf({ bytes }: Message): number {
  return bytes.byteLength + INBOX_MESSAGE_BYTES
}
