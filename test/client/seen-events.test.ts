import { expect, test } from 'vitest'
import { SeenEvents } from '../../client/src/live/seen-events.ts'
import { leastMs } from '../least-time.ts'

/** So many are remembered at least. */
const REMEMBERED = 16_384

test('an event is known again among the thousands before it, and not for ever', () => {
  const seen = new SeenEvents()
  let wrong = 0
  for (let i = 0; i < 5 * REMEMBERED; i += 1) {
    if (!seen.add(`event ${i}`)) wrong += 1
    const before = i - (i % REMEMBERED)
    if (i % 1_000 === 0 && seen.add(`event ${before}`)) wrong += 1
  }
  expect(wrong).toBe(0)
  expect(seen.add(`event ${4 * REMEMBERED}`)).toBe(false)
  expect(seen.add('event 0')).toBe(true)
})

test('an event costs the same when thousands were forgotten before it', () => {
  const few = adder()
  const many = adder()
  many(3 * REMEMBERED)
  expect(leastMs(() => many(2_000))).toBeLessThan(5 * leastMs(() => few(2_000)))
})

/** Adds events that nobody has seen. */
function adder(): (count: number) => void {
  const seen = new SeenEvents()
  let events = 0
  return (count) => {
    for (let i = 0; i < count; i += 1) seen.add(`event ${events++}`)
  }
}
