import { expect, test } from 'vitest'
import { continued, isSparse } from '../../web/src/token/continuous.ts'

const bar = (time: number, open: number, high: number, low: number, close: number) => ({
  ...{ time, open, high, low, close },
  volume: 1,
})

test('a candle opens at the close before it and reaches to there', () => {
  const bars = [bar(1, 10, 12, 9, 11), bar(2, 13, 14, 12, 12), bar(3, 8, 9, 8, 9)]
  expect(continued(bars)).toEqual([bars[0], bar(2, 11, 14, 11, 12), bar(3, 12, 12, 8, 9)])
})

test('a candle without a price stays as it is, and so does the one behind it', () => {
  const bars = [bar(1, 10, 12, 9, 11), bar(2, 0, 0, 0, 0), bar(3, 8, 9, 8, 9)]
  expect(continued(bars)).toEqual(bars)
})

test('bars are sparse when a tenth of the newest 120 has one price', () => {
  const flat = bar(1, 5, 5, 5, 5)
  const moved = bar(1, 5, 6, 4, 5)
  const bars = (flats: number, others: number) => [
    ...Array.from({ length: others }, () => moved),
    ...Array.from({ length: flats }, () => flat),
  ]
  expect(isSparse(bars(1, 0))).toBe(true)
  expect(isSparse(bars(12, 108))).toBe(true)
  expect(isSparse(bars(11, 109))).toBe(false)
  // What lies further back says nothing of what is looked at.
  expect(isSparse([...bars(500, 0), ...bars(0, 120)])).toBe(false)
})
