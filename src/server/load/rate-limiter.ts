import { randomInt } from 'node:crypto'
import { Fifo } from './loop-scheduler.ts'

/** Clients counted per endpoint; when full of running windows, new clients share windows. */
const MAX_COUNTED_CLIENTS = 100_000
/** Windows per endpoint that clients share when there is no room for one of their own. */
const SHARED_WINDOWS = 4096

/** A fixed-window limit per endpoint and client address. */
export interface RateLimit {
  /** Requests a window. */
  readonly limit: number
  readonly windowMs: number
}

interface Window {
  /** Empty: several clients share it. */
  readonly client: string
  readonly endsAtMs: number
  count: number
}

/**
 * Counts the requests of one endpoint in a fixed window per client that starts with its first request (contract
 * section 3). Beside the map the windows stand in the order in which they began, those that have ended in front:
 * to find the first place of a map is to pass all that were emptied before it. When the map is full of running
 * windows, new clients share a window with others: a shared count is never below that of one client, so no client
 * ever passes the limit, and nothing grows.
 */
export class RateLimiter {
  readonly #rule: RateLimit
  readonly #maxClients: number
  readonly #sharedWindows: number
  readonly #windows = new Map<string, Window>()
  readonly #begun = new Fifo<Window>()
  readonly #shared = new Map<number, Window>()
  readonly #salt = randomInt(2 ** 32)

  constructor(rule: RateLimit, maxClients = MAX_COUNTED_CLIENTS, sharedWindows = SHARED_WINDOWS) {
    this.#rule = rule
    this.#maxClients = maxClients
    this.#sharedWindows = sharedWindows
  }

  /** Counts a request; `resetS`: whole seconds until the client's window ends, at least 1. */
  take(client: string, nowMs: number) {
    const { limit } = this.#rule
    const window = this.#windowOf(client, nowMs)
    window.count++
    return {
      allowed: window.count <= limit,
      limit,
      remaining: Math.max(0, limit - window.count),
      resetS: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000)),
    }
  }

  #windowOf(client: string, nowMs: number): Window {
    const own = this.#windows.get(client)
    if (own !== undefined && this.#isRunning(own, nowMs)) return own
    this.#forgetEnded(nowMs)
    const place = saltedHash(client, this.#salt) % this.#sharedWindows
    const common = this.#shared.get(place)
    // A client that began in a shared window stays there to its end: two windows would be two limits.
    if (common !== undefined && this.#isRunning(common, nowMs)) return common
    const hasRoom = this.#windows.size < this.#maxClients || own !== undefined
    const endsAtMs = nowMs + this.#rule.windowMs
    const window = { client: hasRoom ? client : '', endsAtMs, count: 0 }
    if (hasRoom) {
      this.#windows.set(client, window)
      this.#begun.push(window)
    } else this.#shared.set(place, window)
    return window
  }

  // A clock that was set back must not hold a client longer than one window.
  #isRunning({ endsAtMs }: Window, nowMs: number): boolean {
    return endsAtMs > nowMs && endsAtMs <= nowMs + this.#rule.windowMs
  }

  #forgetEnded(nowMs: number): void {
    for (let first = this.#begun.first(); first !== undefined; first = this.#begun.first()) {
      if (this.#isRunning(first, nowMs)) return
      this.#begun.take()
      // Its client may have begun another one.
      if (this.#windows.get(first.client) === first) this.#windows.delete(first.client)
    }
  }
}

/** FNV-1a from a secret start, so that clients cannot choose with which others they share a window. */
function saltedHash(text: string, salt: number): number {
  let hash = salt
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
