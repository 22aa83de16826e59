import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RatePacer } from '../../client/src/rate-pacer.ts'
import { RateLimiter } from '../../src/server/load/rate-limiter.ts'

/** Requests at these gaps through a pacer to a limit as the service counts it: waits and refusals. */
function paced(rule: { limit: number; windowMs: number }, gapsMs: readonly number[]) {
  const service = new RateLimiter(rule)
  const pacer = new RatePacer()
  const seen = { waitedMs: 0, refused: 0 }
  let nowMs = 1_000_000
  for (const gapMs of gapsMs) {
    nowMs += gapMs
    for (let waitMs = pacer.take('e', nowMs); waitMs > 0; waitMs = pacer.take('e', nowMs)) {
      seen.waitedMs += waitMs
      nowMs += waitMs
    }
    const { allowed, remaining, resetS } = service.take('me', nowMs)
    if (!allowed) seen.refused += 1
    const headers: Readonly<Record<string, string>> = {
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(resetS),
      ...(!allowed && { 'retry-after': String(resetS) }),
    }
    pacer.note('e', nowMs, (name) => headers[name] ?? null)
  }
  return seen
}

test('who asks less often than the limit never waits, over hours', () => {
  const rule = { limit: 120, windowMs: 60_000 }
  const gapMs = fc.integer({ min: 510, max: 5_000 })
  fc.assert(
    fc.property(gapMs, (gap) => {
      expect(paced(rule, Array<number>(10_000).fill(gap))).toEqual({ waitedMs: 0, refused: 0 })
    }),
    { numRuns: 50 },
  )
})

test('who asks as fast as possible is never refused, and waits a second too long at most', () => {
  const windowMs = fc.constantFrom(1_000, 1_500, 6_000, 60_000)
  const gapsMs = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 200, maxLength: 400 })
  fc.assert(
    fc.property(windowMs, gapsMs, (window, gaps) => {
      const { waitedMs, refused } = paced({ limit: 20, windowMs: window }, gaps)
      expect(refused).toBe(0)
      expect(waitedMs).toBeLessThanOrEqual((gaps.length / 20) * (window + 1_000))
    }),
  )
})

test.each([
  [{ 'x-ratelimit-reset': '60' }, 0],
  [{ 'x-ratelimit-remaining': '0' }, 0],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }, 0],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }, 60_000],
  [{ 'x-ratelimit-remaining': '5', 'retry-after': '9' }, 9_000],
  [{ 'retry-after': '999999999' }, 86_400_000],
])('after an answer with %o the next request waits %i ms', (headers, waitMs) => {
  const pacer = new RatePacer()
  const told: Readonly<Record<string, string>> = headers
  pacer.note('e', 1_000, (name) => told[name] ?? null)
  expect(pacer.take('e', 1_000)).toBe(waitMs)
  expect(pacer.take('another', 1_000)).toBe(0)
})
