import { type RateLimiter, rateLimiter } from '../load/rate-limiter.ts'
import { type ClientAddresses, isLoopback } from './client-address.ts'

/** About as long as uWebSockets.js keeps a socket open that brings nothing, or no whole request. */
const NEW_SOCKETS_WINDOW_MS = 10_000

/** Share of all sockets that one address may begin in that time at most, where there are few. */
const NEW_SOCKETS_SHARE = 1 / 8

/**
 * Keeps one address from taking every socket. uWebSockets.js does not tell whose socket has closed, so
 * none can be counted for as long as it is open; but one that brings nothing is closed after some ten
 * seconds, and so many of one address may begin in that time. Programs of this machine and proxies that
 * are trusted stand for others and are not counted.
 */
export class NewSockets {
  readonly #limiter: RateLimiter
  readonly #addresses: ClientAddresses
  readonly #nowMs: () => number

  /** `nowMs`: a monotonic clock. */
  constructor(
    limits: { readonly sockets: number; readonly newSocketsPerAddress: number },
    addresses: ClientAddresses,
    nowMs: () => number = () => performance.now(),
  ) {
    const share = Math.ceil(limits.sockets * NEW_SOCKETS_SHARE)
    const limit = Math.min(limits.newSocketsPerAddress, share)
    this.#limiter = rateLimiter({ limit, windowMs: NEW_SOCKETS_WINDOW_MS })
    this.#addresses = addresses
    this.#nowMs = nowMs
  }

  /** Counts a socket that begins; true: it is one more than its address may begin. */
  isOneTooMany(remote: ArrayBuffer): boolean {
    // Reset before anybody looked: it has no address any more.
    if (remote.byteLength === 0 || this.#addresses.isTrusted(remote)) return false
    const client = this.#addresses.keyOf(remote, '')
    return !isLoopback(client) && !this.#limiter.take(client, this.#nowMs()).allowed
  }
}
