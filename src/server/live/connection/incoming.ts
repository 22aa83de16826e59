import { CLOSE_CODES } from '../../../protocol/errors.ts'
import { type LiveRequest, parseLiveMessage } from '../../../protocol/live/live-messages.ts'
import { liveErrorFrame, STARTING } from '../../../protocol/live/live-notices.ts'
import type { IsTold } from '../../../protocol/requests/address.ts'
import { LIVE_TURN_MS, MAX_MESSAGE_BYTES } from '../../load/limits.ts'
import type { Turns } from '../../load/turns.ts'
import type { LiveConnection, Send } from './connection.ts'
import { Inboxes, type Message } from './inbox.ts'
import type { LiveFailures } from './live-failures.ts'
import { MessageBudget, type MessageLimits } from './message-budget.ts'

export interface IncomingParts {
  readonly limits: MessageLimits
  readonly turns: Turns
  readonly send: Send
  readonly isTold: IsTold
  /** Is the state being recovered, so that nobody knows what the feeds told? */
  readonly isStarting: () => boolean
  readonly close: (connection: LiveConnection, code: number, reason: string) => void
  /** Applies a request and sends its answers; false: it is to be served again in a later turn. */
  readonly serve: (connection: LiveConnection, request: LiveRequest) => boolean
  readonly failures: LiveFailures
}

const ADDRESS_CODES: readonly string[] = ['invalid_mint', 'invalid_wallet']
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
    this.#inboxes = new Inboxes(parts.turns, (connection, message) =>
      this.#serve(connection, message),
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
      const { turns } = this.#parts
      const hasToWait =
        this.#inboxes.isWaiting(connection) || turns.isOver(connection.client, LIVE_TURN_MS, nowMs)
      if (!hasToWait) {
        const isServed = this.#serve(connection, { bytes: message, isBinary, isBegun: false })
        turns.done()
        if (isServed) return
      }
      if (!this.#inboxes.keep(connection, { bytes: message, isBinary, isBegun: !hasToWait }))
        this.#closeFlood(connection, 'too many messages wait to be served')
    }
  }

  /** A control frame came; false when the connection is closed. */
  touched(connection: LiveConnection, bytes: number): boolean {
    return !connection.isClosed && this.#admits(connection, bytes, performance.now())
  }

  /** The client has read something of what lay unread. */
  drained(connection: LiveConnection): void {
    this.#inboxes.drained(connection)
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

  /** False: it is to be served again in a later turn. */
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
    const request = parseLiveMessage(text, connection.id, this.#parts.isTold)
    const isOfAddress = request.kind === 'refused' && ADDRESS_CODES.includes(request.code)
    return isOfAddress && this.#parts.isStarting() ? STARTING : request
  }

  #closeFlood(connection: LiveConnection, reason: string): void {
    this.#floods++
    this.#parts.close(connection, CLOSE_CODES.tooManyMessages, reason)
  }
}
