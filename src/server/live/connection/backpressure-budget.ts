import type { LiveConnection } from './connection.ts'

/** uWebSockets.js cuts a socket that was closed and is not read on after about twelve seconds. */
const CLOSING_MS = 16_000

/** Buffers are looked at whenever this many bytes were published since the last look. */
const BUFFER_CHECK_BYTES = 64 * 1024

/** Buffers are looked at this long after a publish at the latest. */
const BUFFER_CHECK_MS = 10

/** Share of the bound past which readers are closed. */
const CUT_FROM_SHARE = 3 / 4
/** They are closed until no more than this share is left. */
const CUT_TO_SHARE = 1 / 2
/** Share for closed readers, which may still read the rest and the code. */
const CLOSING_SHARE = 1 / 4

/**
 * Bounds the bytes that readers of the live feed leave unread, each of them and all together.
 *
 * Each: `publish` of uWebSockets.js says nothing of single readers, and with a limit of its own it drops messages and
 * even the close frame without a word. So it has no limit there; the buffers of everyone published to are checked
 * after every 64 KiB and at most 10 ms later instead, which bounds the overshoot and costs 12 ns a reader.
 *
 * All together: a thousand that do not read would take a gigabyte, though none of them leaves more than it may.
 * uWebSockets.js has no sum of them, so they are added up whenever they may have reached the bound. Then each client
 * has an equal part, and of a client with more than that the connections with most are closed.
 */
export class BackpressureBudget {
  readonly #connections: ReadonlySet<LiveConnection>
  readonly #bytesMax: number
  readonly #cutOff: (connection: LiveConnection) => void
  readonly #checkReader: (connection: LiveConnection) => void
  /** Followers that something was published to since the last check. */
  readonly #published = new Set<ReadonlySet<LiveConnection>>()
  #publishedBytes = 0
  #timer: NodeJS.Timeout | null = null
  /** Unread bytes of closed connections, which may still read them, the oldest first. */
  readonly #closing: { readonly bytes: number; readonly endMs: number }[] = []
  #closingBytes = 0
  /** Unread bytes at the last sum, and all bytes sent since. */
  #possibleBytes = 0

  /**
   * @param bytesMax unread bytes at most; the bytes of one publish come on top
   * @param cutOff closes a connection at once and drops its unread bytes
   * @param checkReader closes a connection that buffers too much
   */
  constructor(
    connections: ReadonlySet<LiveConnection>,
    bytesMax: number,
    cutOff: (connection: LiveConnection) => void,
    checkReader: (connection: LiveConnection) => void,
  ) {
    this.#connections = connections
    this.#bytesMax = bytesMax
    this.#cutOff = cutOff
    this.#checkReader = checkReader
  }

  /** After bytes were published to each of these followers; they are checked later. */
  readonly published = (followers: ReadonlySet<LiveConnection>, bytes: number): void => {
    this.#published.add(followers)
    this.#publishedBytes += bytes
    if (this.#publishedBytes >= BUFFER_CHECK_BYTES) this.#checkPublished()
    else this.#timer ??= setTimeout(() => this.#checkPublished(), BUFFER_CHECK_MS)
    this.sent(bytes * followers.size)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #checkPublished(): void {
    this.stop()
    this.#publishedBytes = 0
    for (const followers of this.#published)
      for (const reader of followers) this.#checkReader(reader)
    this.#published.clear()
  }

  /** Unread bytes at this time, in ms. */
  bytes(nowMs: number): number {
    let bytes = this.#closingBytesAt(nowMs)
    for (const connection of this.#connections) bytes += unreadBytesOf(connection)
    return bytes
  }

  /** After bytes were sent; of a publish the sum over all followers. */
  sent(bytes: number): void {
    this.#possibleBytes += bytes
    if (this.#possibleBytes > this.#bytesMax) this.#look(performance.now())
  }

  /** Before a connection is closed: is there room for its unread bytes until it is gone? */
  keepsClosing({ socket }: LiveConnection): boolean {
    const bytes = socket.getBufferedAmount()
    if (bytes === 0) return true
    const nowMs = performance.now()
    if (this.#closingBytesAt(nowMs) + bytes > this.#bytesMax * CLOSING_SHARE) return false
    this.#closing.push({ bytes, endMs: nowMs + CLOSING_MS })
    this.#closingBytes += bytes
    return true
  }

  /** uWebSockets.js reports a socket as closed while it still holds unread bytes. */
  #closingBytesAt(nowMs: number): number {
    let over = 0
    for (const { bytes, endMs } of this.#closing) {
      if (endMs > nowMs) break
      this.#closingBytes -= bytes
      over += 1
    }
    if (over > 0) this.#closing.splice(0, over)
    return this.#closingBytes
  }

  #look(nowMs: number): void {
    this.#possibleBytes = this.bytes(nowMs)
    if (this.#possibleBytes <= this.#bytesMax * CUT_FROM_SHARE) return
    const unread = [...this.#connections]
      .map((connection) => ({ connection, bytes: unreadBytesOf(connection) }))
      .filter(({ bytes }) => bytes > 0)
    const clients = Map.groupBy(unread, ({ connection }) => connection.client)
    const part = (this.#bytesMax * CUT_TO_SHARE - this.#closingBytes) / clients.size
    for (const readers of clients.values()) this.#cutDown(readers, part)
  }

  /** Closes the readers with most unread bytes, until the client has no more than its part. */
  #cutDown(
    readers: { readonly connection: LiveConnection; readonly bytes: number }[],
    part: number,
  ): void {
    let left = readers.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { connection, bytes } of readers.sort((a, b) => b.bytes - a.bytes)) {
      if (left <= part) return
      this.#cutOff(connection)
      this.#possibleBytes -= bytes
      left -= bytes
    }
  }
}

/** A socket that is being closed must not be asked. */
function unreadBytesOf({ isClosed, socket }: LiveConnection): number {
  return isClosed ? 0 : socket.getBufferedAmount()
}
