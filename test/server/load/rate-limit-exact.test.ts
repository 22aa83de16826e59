import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RateLimiter } from '../../../src/server/load/rate-limiter.ts'
import { leastMs } from '../../least-time.ts'

const WINDOW_MS = 100

/** Requests of a few clients at times that never go back. */
const requests = fc.array(
  fc.record({ client: fc.integer({ min: 0, max: 9 }), waitMs: fc.integer({ min: 0, max: 40 }) }),
  { maxLength: 400, size: 'max' },
)

/** Every window of a client, as the rule has it: it begins with the first request after the last. */
class NaiveWindows {
  readonly #windows = new Map<number, { startMs: number; allowed: number }>()

  /** The window of the request at `nowMs`. */
  of(client: number, nowMs: number) {
    let window = this.#windows.get(client)
    if (window === undefined || nowMs >= window.startMs + WINDOW_MS) {
      window = { startMs: nowMs, allowed: 0 }
      this.#windows.set(client, window)
    }
    return window
  }
}

test('with room for everybody exactly the limit passes in every window', () => {
  fc.assert(
    fc.property(requests, fc.integer({ min: 1, max: 5 }), (asked, limit) => {
      const limiter = new RateLimiter({ limit, windowMs: WINDOW_MS })
      const naive = new NaiveWindows()
      let nowMs = 0
      for (const { client, waitMs } of asked) {
        nowMs += waitMs
        const window = naive.of(client, nowMs)
        const { allowed } = limiter.take(String(client), nowMs)
        expect(allowed).toBe(window.allowed < limit)
        if (allowed) window.allowed++
      }
    }),
  )
})

test('with less room than clients no client passes the limit in the window that the answer names', () => {
  fc.assert(
    fc.property(
      requests,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      (asked, limit, room, shared) => {
        // In whole seconds, so that the answer's seconds tell where a window ends.
        const limiter = new RateLimiter({ limit, windowMs: WINDOW_MS * 1000 }, room, shared)
        const allowed = new Map<string, number>()
        let nowS = 0
        for (const { client, waitMs } of asked) {
          nowS += waitMs
          const verdict = limiter.take(String(client), nowS * 1000)
          const window = `${client} until ${nowS + verdict.resetS}`
          const count = (allowed.get(window) ?? 0) + (verdict.allowed ? 1 : 0)
          expect(count).toBeLessThanOrEqual(limit)
          allowed.set(window, count)
        }
      },
    ),
  )
})

test('a flood of addresses neither grows the count nor resets a window', () => {
  const limiter = new RateLimiter({ limit: 2, windowMs: 60_000 }, 100, 10)
  expect(limiter.take('victim', 0).allowed).toBe(true)
  expect(limiter.take('victim', 0).allowed).toBe(true)
  let allowed = 0
  for (let index = 0; index < 50_000; index++)
    if (limiter.take(`flood-${index}`, 1).allowed) allowed++
  expect(limiter.take('victim', 2).allowed).toBe(false)
  // One window for each of the other 99 that there is room for, and ten that all others share.
  expect(allowed).toBe(99 + 10 * 2)
})

test('places of clients whose windows have ended are taken by others, which share nothing', () => {
  const room = 10
  const limiter = new RateLimiter({ limit: 1, windowMs: WINDOW_MS }, room, 1)
  for (let round = 0; round < 5; round++)
    for (let client = 0; client < room; client++)
      expect(limiter.take(`${round} ${client}`, round * WINDOW_MS).allowed).toBe(true)
})

test('a window that is shared ends as others do, also where the clock is set back', () => {
  const limiter = new RateLimiter({ limit: 1, windowMs: WINDOW_MS }, 1, 1)
  for (const nowMs of [1e6, 1e6 + WINDOW_MS, 1e3, 1e3 + WINDOW_MS])
    for (const client of ['own', 'shared']) {
      expect(limiter.take(client, nowMs).allowed).toBe(true)
      expect(limiter.take(client, nowMs + WINDOW_MS - 1).allowed).toBe(false)
    }
})

test('a request costs the same while some hundred thousand clients come and go', () => {
  const rule = { limit: 5, windowMs: 60_000 }
  const few = comers(new RateLimiter(rule))
  const many = comers(new RateLimiter(rule))
  // Two windows of them, so that as many have ended as are running.
  many(2 * 80_000)
  expect(leastMs(() => many(2_000))).toBeLessThan(10 * leastMs(() => few(2_000)))
})

/** Lets clients that nobody has seen ask once each, at a steady pace. */
function comers(limiter: RateLimiter): (count: number) => void {
  let clients = 0
  return (count) => {
    for (let i = 0; i < count; i++) {
      clients += 1
      limiter.take(`2001:db8:${clients}`, clients * 0.75)
    }
  }
}
