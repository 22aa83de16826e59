/** Paths with a window of their own that are remembered; past it the one noted first is forgotten. */
const WINDOWS_MAX = 256

/** What the service said of its rate limits, so that a request waits here instead of being refused. */
export class RatePacer {
  readonly #windows = new Map<string, { remaining: number; readonly endsMs: number }>()

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
    const isSame = before !== undefined && before.endsMs > nowMs
    const remaining = isSame ? Math.min(told, before.remaining) : told
    this.#windows.delete(endpoint)
    this.#windows.set(endpoint, { remaining, endsMs: nowMs + resetS * 1000 })
    if (this.#windows.size <= WINDOWS_MAX) return
    const [oldest] = this.#windows.keys()
    this.#windows.delete(oldest)
  }
}

/** Whole seconds, at most a day; null for anything else. */
function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Math.min(Number(text), 86_400) : null
}
