import { randomInt } from 'node:crypto'
import { Fifo } from './fair-queue.ts'

/** Clients counted per endpoint; when full of running windows, those that come new share windows. */
const MAX_COUNTED_CLIENTS = 100_000

/** Windows per endpoint that clients share when there is no room for one of their own. */
const SHARED_WINDOWS = 4096

/** A fixed-window limit per endpoint and client address. */
export interface RateLimit {
  /** Requests a window. */
  readonly limit: number
  readonly windowMs: number
}

/** Where a client stands after its request was counted. */
export interface RateVerdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the window ends, at least 1. */
  readonly resetS: number
}

interface Window {
  count: number
  readonly endsAtMs: number
}

/** A window of one client alone. */
interface OwnWindow extends Window {
  readonly client: string
}

/** Counts the requests of one endpoint. */
export interface RateLimiter {
  take(client: string, nowMs: number): RateVerdict
}

/**
 * A fixed window per client that starts with its first request (contract section 3). Beside the map they
 * stand in the order in which they began, those that have ended in front: to find the first place of a map
 * is to pass all that were emptied before it. When it is full of running windows, clients that come new
 * share a window with others: a shared count is never below that of one client, so nobody ever passes the
 * limit, and nothing grows.
 */
export function rateLimiter(
  rule: RateLimit,
  maxClients: number = MAX_COUNTED_CLIENTS,
  sharedWindows: number = SHARED_WINDOWS,
): RateLimiter {
  const windows = new Map<string, OwnWindow>()
  const begun = new Fifo<OwnWindow>()
  const shared = new Map<number, Window>()
  const salt = randomInt(2 ** 32)

  function forgetEnded(nowMs: number): void {
    for (let first = begun.first(); first !== undefined; first = begun.first()) {
      if (isRunning(first, nowMs)) return
      begun.take()
      // Its client may have begun another one.
      if (windows.get(first.client) === first) windows.delete(first.client)
    }
  }

  // A clock that was set back must not hold a client longer than one window.
  function isRunning(window: Window, nowMs: number): boolean {
    return window.endsAtMs > nowMs && window.endsAtMs <= nowMs + rule.windowMs
  }

  function ownWindow(client: string, nowMs: number): Window {
    const window = { client, count: 0, endsAtMs: nowMs + rule.windowMs }
    windows.set(client, window)
    begun.push(window)
    return window
  }

  function sharedWindow(place: number, nowMs: number): Window {
    const window = { count: 0, endsAtMs: nowMs + rule.windowMs }
    shared.set(place, window)
    return window
  }

  function windowOf(client: string, nowMs: number): Window {
    const own = windows.get(client)
    if (own !== undefined && isRunning(own, nowMs)) return own
    forgetEnded(nowMs)
    const place = saltedHash(client, salt) % sharedWindows
    const common = shared.get(place)
    // Who began in a shared window stays there to its end: two windows would be two limits.
    if (common !== undefined && isRunning(common, nowMs)) return common
    if (windows.size < maxClients || own !== undefined) return ownWindow(client, nowMs)
    return sharedWindow(place, nowMs)
  }

  return {
    take(client, nowMs) {
      const window = windowOf(client, nowMs)
      window.count++
      return {
        allowed: window.count <= rule.limit,
        limit: rule.limit,
        remaining: Math.max(0, rule.limit - window.count),
        resetS: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000)),
      }
    },
  }
}

/** FNV-1a from a start nobody outside knows, so that clients cannot choose whom they share with. */
function saltedHash(text: string, salt: number): number {
  let hash = salt
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
