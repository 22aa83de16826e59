import { CLOSING_MS } from '../../load/limits.ts'
import type { LiveConnection } from './connection.ts'

/** So much of the bound may lie unread at a look; readers are cut off past it, which is seldom then. */
const CUT_FROM_SHARE = 3 / 4
/** Until no more than this share of it is left. */
const CUT_TO_SHARE = 1 / 2
/** Share of it for readers that were closed and may still read what is left, and the code. */
const CLOSING_SHARE = 1 / 4

interface Unread {
  readonly connection: LiveConnection
  readonly bytes: number
}

/**
 * Keeps what all readers of the live feed together leave unread below a bound: a thousand that do not read take
 * a gigabyte else, though none of them leaves more than it may. uWebSockets.js does not tell what lies unread
 * in all, so that it is looked at whenever as much may. Then each client has an equal part, and of who has more the
 * connections go that have most.
 */
export class BackpressureBudget {
  readonly #connections: ReadonlySet<LiveConnection>
  readonly #bytesMax: number
  readonly #cutOff: (connection: LiveConnection) => void
  /** What those left unread that were closed and may still read it, the oldest first. */
  readonly #closing: { readonly bytes: number; readonly endMs: number }[] = []
  #closingBytes = 0
  /** What lay unread at the last look, and all that was sent since. */
  #possibleBytes = 0

  /**
   * @param bytesMax bytes that lie unread at most; what was sent in one go comes on top
   * @param cutOff closes a connection at once, whatever it has not read
   */
  constructor(
    connections: ReadonlySet<LiveConnection>,
    bytesMax: number,
    cutOff: (connection: LiveConnection) => void,
  ) {
    this.#connections = connections
    this.#bytesMax = bytesMax
    this.#cutOff = cutOff
  }

  /** Bytes that lie unread at this time, in ms. */
  bytes(nowMs: number): number {
    let bytes = this.#closingBytesAt(nowMs)
    for (const connection of this.#connections) bytes += unreadBytesOf(connection)
    return bytes
  }

  /** So much was sent, to all who got it together. */
  sent(bytes: number): void {
    this.#possibleBytes += bytes
    if (this.#possibleBytes > this.#bytesMax) this.#look(performance.now())
  }

  /** A connection is about to be closed: true when there is room for what it has not read until it is gone. */
  keepsClosing({ socket }: LiveConnection): boolean {
    const bytes = socket.getBufferedAmount()
    if (bytes === 0) return true
    const nowMs = performance.now()
    if (this.#closingBytesAt(nowMs) + bytes > this.#bytesMax * CLOSING_SHARE) return false
    this.#closing.push({ bytes, endMs: nowMs + CLOSING_MS })
    this.#closingBytes += bytes
    return true
  }

  /** uWebSockets.js says of a socket that it is closed while it still holds what was not read. */
  #closingBytesAt(nowMs: number): number {
    let over = 0
    for (; (this.#closing[over]?.endMs ?? nowMs + 1) <= nowMs; over++)
      this.#closingBytes -= this.#closing[over].bytes
    if (over > 0) this.#closing.splice(0, over)
    return this.#closingBytes
  }

  #look(nowMs: number): void {
    this.#possibleBytes = this.bytes(nowMs)
    if (this.#possibleBytes <= this.#bytesMax * CUT_FROM_SHARE) return
    const clients = Map.groupBy(this.#unread(), ({ connection }) => connection.client)
    const part = (this.#bytesMax * CUT_TO_SHARE - this.#closingBytes) / clients.size
    for (const readers of clients.values()) this.#cutDown(readers, part)
  }

  #unread(): Unread[] {
    return [...this.#connections]
      .map((connection) => ({ connection, bytes: unreadBytesOf(connection) }))
      .filter(({ bytes }) => bytes > 0)
  }

  /** Cuts those off that have most, until the client has no more than its part. */
  #cutDown(readers: Unread[], part: number): void {
    let left = readers.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { connection, bytes } of readers.sort((a, b) => b.bytes - a.bytes)) {
      if (left <= part) return
      this.#cutOff(connection)
      this.#possibleBytes -= bytes
      left -= bytes
    }
  }
}

/** Of one that is being closed nothing can be asked any more. */
function unreadBytesOf({ isClosed, socket }: LiveConnection): number {
  return isClosed ? 0 : socket.getBufferedAmount()
}
