interface Window {
  remaining: number
  /** Not before the service's own end, and less than a second behind it. */
  readonly endsMs: number
  /** Seconds to the end as told last. */
  readonly resetS: number
}

/** What the service said of its rate limits, so that a request waits here instead of being refused. */
export class RatePacer {
  /** By endpoint; the service has some twenty. */
  readonly #windows = new Map<string, Window>()

  /** Milliseconds to wait before a request of the endpoint; counts the request when it is 0. */
  take(endpoint: string, nowMs: number): number {
    const window = this.#windows.get(endpoint)
    if (window === undefined || window.endsMs <= nowMs) return 0
    if (window.remaining <= 0) return window.endsMs - nowMs
    window.remaining -= 1
    return 0
  }

  /** Reads the headers of an answer: `X-RateLimit-Remaining`, `-Reset`, `Retry-After` (seconds). */
  note(endpoint: string, nowMs: number, header: (name: string) => string | null): void {
    const retryS = secondsOf(header('retry-after'))
    const resetS = retryS ?? secondsOf(header('x-ratelimit-reset'))
    const told = retryS === null ? secondsOf(header('x-ratelimit-remaining')) : 0
    if (resetS === null || told === null) return
    const before = this.#windows.get(endpoint)
    // The seconds are rounded up, so that the service's next window begins while this one seems to run.
    const isSame = before !== undefined && before.endsMs > nowMs && resetS <= before.resetS
    const endsMs = nowMs + resetS * 1000
    this.#windows.set(endpoint, {
      remaining: isSame ? Math.min(told, before.remaining) : told,
      endsMs: isSame ? Math.min(endsMs, before.endsMs) : endsMs,
      resetS,
    })
  }
}

/** Whole seconds, at most a day; null for anything else. */
function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Math.min(Number(text), 86_400) : null
}
