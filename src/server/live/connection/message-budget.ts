import type { AdjustableLimits } from '../../../config/surface.ts'
import type { LiveRequest } from '../../../protocol/live/live-messages.ts'

/**
 * Bytes a second of one live connection's messages at most, and of all that one address has: long
 * ones cost more than short ones.
 */
export const MAX_MESSAGE_BYTES_PER_SECOND = 16 * 1024 * 1024

const WINDOW_MS = 1000

/** All live connections of one client address. */
export interface ClientLoad {
  /** Open ones. */
  connections: number
  /** What came on all of them. */
  readonly rate: MessageRate
}

export type MessageLimits = Pick<
  AdjustableLimits,
  'messagesPerSecond' | 'messagesPerSecondPerAddress' | 'subscriptionsPerSecondPerAddress'
>

/** A connection that sends and, unless it comes from this machine, its client. */
export interface Sending {
  readonly rate: MessageRate
  readonly load: ClientLoad | null
}

/**
 * How much may come in one second. A connection has limits of its own, and a client address has
 * limits over all of its connections. When an address is past one of its limits, those of its
 * connections go that have sent more than an equal part of it: what an innocent neighbour behind
 * the same address sends, pongs for instance, costs it nothing. So an address never has more than
 * twice its limit served.
 */
export class MessageBudget {
  readonly #limits: MessageLimits

  constructor(limits: MessageLimits) {
    this.#limits = limits
  }

  /** Counts a frame; null, or why the connection has to go. */
  messageRefusal({ rate, load }: Sending, bytes: number, nowMs: number): string | null {
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

  /** Counts what a frame asks for; null, or why the connection has to go. */
  requestRefusal({ rate, load }: Sending, request: LiveRequest, nowMs: number): string | null {
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

/** What came in the present second: of one connection, or of all that one client has. */
export class MessageRate {
  #endsAtMs = 0
  #messages = 0
  #bytes = 0
  #keys = 0

  /** Frames of any kind. */
  get messages(): number {
    return this.#messages
  }

  /** Bytes of their payloads. */
  get bytes(): number {
    return this.#bytes
  }

  /** Mints, wallets, tables and candles that were subscribed to or left. */
  get keys(): number {
    return this.#keys
  }

  hasEnded(nowMs: number): boolean {
    return nowMs >= this.#endsAtMs
  }

  /** Counts a frame. */
  tookMessage(bytes: number, nowMs: number): void {
    this.#turn(nowMs)
    this.#messages++
    this.#bytes += bytes
  }

  /** Counts what a frame asks for. */
  tookKeys(keys: number, nowMs: number): void {
    this.#turn(nowMs)
    this.#keys += keys
  }

  #turn(nowMs: number): void {
    if (!this.hasEnded(nowMs)) return
    this.#endsAtMs = nowMs + WINDOW_MS
    this.#messages = 0
    this.#bytes = 0
    this.#keys = 0
  }
}
