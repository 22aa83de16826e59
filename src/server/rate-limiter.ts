import { MAX_COUNTED_CLIENTS } from './limits.ts'
import type { RateLimit } from './options.ts'

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
  endsAtMs: number
}

/** Counts the requests of one endpoint. */
export interface RateLimiter {
  take(client: string, nowMs: number): RateVerdict
}

/**
 * A fixed window per client that starts with its first request (contract section 3). The map is
 * in the order of window starts, so ended windows are always in front; when it is full the oldest
 * window is forgotten, which can only be generous to its client.
 */
export function rateLimiter(
  rule: RateLimit,
  maxClients: number = MAX_COUNTED_CLIENTS,
): RateLimiter {
  const windows = new Map<string, Window>()

  function forgetEnded(nowMs: number): void {
    for (const [client, window] of windows) {
      if (window.endsAtMs > nowMs && windows.size < maxClients) return
      windows.delete(client)
    }
  }

  function windowOf(client: string, nowMs: number): Window {
    const running = windows.get(client)
    // A clock that was set back must not hold a client longer than one window.
    if (running && running.endsAtMs > nowMs && running.endsAtMs <= nowMs + rule.windowMs) {
      return running
    }
    windows.delete(client)
    forgetEnded(nowMs)
    const fresh = { count: 0, endsAtMs: nowMs + rule.windowMs }
    windows.set(client, fresh)
    return fresh
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
