import { afterEach, expect, test, vi } from 'vitest'
import { type ClientOptions, type FetchAnswer, Mintfeed } from '../../client/src/mintfeed.ts'

const LIMIT = 120
const WINDOW_MS = 60_000

afterEach(() => {
  vi.useRealTimers()
})

/** A service with its usual rate limit, 5 ms away: the window begins with the first request. */
class LimitedService {
  requests = 0
  #startMs = Number.NEGATIVE_INFINITY
  #count = 0

  readonly fetch = async (): Promise<FetchAnswer> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    this.requests += 1
    const nowMs = performance.now()
    if (nowMs - this.#startMs >= WINDOW_MS) {
      this.#startMs = nowMs
      this.#count = 0
    }
    this.#count += 1
    const isRefused = this.#count > LIMIT
    const seconds = String(Math.ceil((this.#startMs + WINDOW_MS - nowMs) / 1000))
    const headers = new Map([
      ['x-ratelimit-limit', String(LIMIT)],
      ['x-ratelimit-remaining', String(Math.max(LIMIT - this.#count, 0))],
      ['x-ratelimit-reset', seconds],
    ])
    if (isRefused) headers.set('retry-after', seconds)
    const refusal = '{"code":"rate_limited","message":"too many","details":[]}'
    return {
      status: isRefused ? 429 : 200,
      headers: { get: (name) => headers.get(name) ?? null },
      text: () => Promise.resolve(isRefused ? refusal : '1795427393'),
    }
  }
}

async function burst(count: number, options: ClientOptions = {}) {
  vi.useFakeTimers()
  const service = new LimitedService()
  const client = new Mintfeed('http://127.0.0.1:1', { fetch: service.fetch, ...options })
  const answers = Array.from({ length: count }, () => client.read.udfTime())
  await vi.advanceTimersByTimeAsync(2 * WINDOW_MS)
  const all = await Promise.all(answers)
  return { good: all.filter(({ ok }) => ok).length, requests: service.requests }
}

test('two hundred reads at once, more than a window allows, all come with the next window', async () => {
  expect(await burst(200)).toEqual({ good: 200, requests: 280 })
})

test('who waits for half a minute only gets what one window allows', async () => {
  expect((await burst(200, { rateWaitMs: 30_000 })).good).toBe(LIMIT)
})
