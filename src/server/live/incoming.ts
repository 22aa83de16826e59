import { CLOSE_CODES } from '../../wire/errors.ts'
import { type LiveRequest, liveErrorFrame, parseLiveMessage } from '../../wire/live-messages.ts'
import { LIVE_TURN_MS, MAX_MESSAGE_BYTES } from '../limits.ts'
import type { Turns } from '../turns.ts'
import type { LiveConnection } from './connection.ts'
import { Inboxes } from './inbox.ts'
import { MessageBudget, type MessageLimits } from './message-budget.ts'

export interface IncomingParts {
  readonly limits: MessageLimits
  readonly turns: Turns
  readonly send: (connection: LiveConnection, frame: string) => void
  readonly close: (connection: LiveConnection, code: number, reason: string) => void
  /** Applies a request and sends its answers. */
  readonly serve: (connection: LiveConnection, request: LiveRequest) => void
}

const UTF8 = new TextDecoder()

/**
 * What comes from the clients of the live feed. How many and how long messages are is judged when
 * they come, what they ask for when they are served: in the same turn of the loop, or in a later one
 * when the turn has given its time to messages. Those of one connection are served in their order.
 */
export class Incoming {
  readonly #parts: IncomingParts
  readonly #budget: MessageBudget
  readonly #inboxes: Inboxes
  #floods = 0

  constructor(parts: IncomingParts) {
    this.#parts = parts
    this.#budget = new MessageBudget(parts.limits)
    this.#inboxes = new Inboxes(parts.turns, (connection, message, isBinary) =>
      this.#serve(connection, message, isBinary),
    )
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { live_message_floods_total: this.#floods, ...this.#inboxes.figures() }
  }

  /** A message came; its bytes are only lent. */
  heard(connection: LiveConnection, message: ArrayBuffer, isBinary: boolean): void {
    if (connection.isClosed) return
    const nowMs = performance.now()
    if (message.byteLength > MAX_MESSAGE_BYTES) {
      const reason = `messages are limited to ${MAX_MESSAGE_BYTES} bytes`
      this.#parts.close(connection, CLOSE_CODES.messageTooBig, reason)
    } else if (this.#admits(connection, message.byteLength, nowMs)) {
      const hasToWait =
        this.#inboxes.isWaiting(connection) ||
        this.#parts.turns.isOver(connection.client, LIVE_TURN_MS, nowMs)
      if (!hasToWait) this.#serve(connection, message, isBinary)
      else if (!this.#inboxes.keep(connection, message, isBinary))
        this.#closeFlood(connection, 'too many messages wait to be served')
    }
  }

  /** A control frame came; false when the connection is closed. */
  touched(connection: LiveConnection, bytes: number): boolean {
    return !connection.isClosed && this.#admits(connection, bytes, performance.now())
  }

  /** After the connection closed: nothing of it is served any more. */
  drop(connection: LiveConnection): void {
    this.#inboxes.drop(connection)
  }

  /** Marks the connection alive and counts the frame; closes and says false when they are too many. */
  #admits(connection: LiveConnection, bytes: number, nowMs: number): boolean {
    connection.lastHeardMs = nowMs
    const refusal = this.#budget.messageRefusal(connection, bytes, nowMs)
    if (refusal !== null) this.#closeFlood(connection, refusal)
    return refusal === null
  }

  #serve(connection: LiveConnection, message: ArrayBuffer | Uint8Array, isBinary: boolean): void {
    if (isBinary) {
      const text = 'A binary frame came, JSON text is expected.'
      this.#parts.send(connection, liveErrorFrame('binary_frame', text))
      return
    }
    const request = parseLiveMessage(UTF8.decode(message), connection.id)
    const refusal = this.#budget.requestRefusal(connection, request, performance.now())
    if (refusal === null) this.#parts.serve(connection, request)
    else this.#closeFlood(connection, refusal)
  }

  #closeFlood(connection: LiveConnection, reason: string): void {
    this.#floods++
    this.#parts.close(connection, CLOSE_CODES.tooManyMessages, reason)
  }
}
