import { expect, test } from 'vitest'
import { age, exactTime, parseTime } from '../../web/src/text/time-form.ts'

test.each([
  [-3, '0s'],
  [0, '0s'],
  [59.9, '59s'],
  [60, '1m'],
  [3_599, '59m'],
  [7_200, '2h'],
  [86_400, '1d'],
  [90 * 86_400, '3mo'],
])('an age of %d seconds reads %s', (seconds, text) => {
  expect(age(seconds)).toBe(text)
})

test('the times of the API are read as UTC and shown as they were', () => {
  const seconds = parseTime('2026-11-20 12:04:54')
  expect(seconds).toBe(Date.UTC(2026, 10, 20, 12, 4, 54) / 1000)
  expect(exactTime(seconds ?? 0)).toBe('2026-11-20 12:04:54 UTC')
  expect(parseTime('')).toBeNull()
  expect(parseTime(null)).toBeNull()
})
