import { expect, test } from 'vitest'
import { retryAfterMs } from '../../src/feeds/backoff.ts'

const [DATE, LATER] = ['Wed, 21 Oct 2015 07:28:00 GMT', 'Wed, 21 Oct 2015 07:28:30 GMT']

test('seconds need no date of the answer, and a date is no wait without one', () => {
  expect(retryAfterMs('30')).toBe(30_000)
  expect(retryAfterMs('30', DATE)).toBe(30_000)
  expect(retryAfterMs(LATER, DATE)).toBe(30_000)
  const nextMinute = new Date(Date.now() + 60_000).toUTCString()
  for (const date of ['', 'soon', nextMinute]) expect(retryAfterMs(nextMinute, date)).toBe(0)
  expect(retryAfterMs(nextMinute)).toBe(0)
  expect(retryAfterMs(undefined, DATE)).toBe(0)
})
