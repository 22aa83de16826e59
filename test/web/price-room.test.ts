import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compact } from '../../web/src/text/number-form.ts'
import { priceDigits, priceRoom } from '../../web/src/token/price-room.ts'

test('a span that is high enough stays as it is', () => {
  expect(priceRoom({ minValue: 1, maxValue: 2 })).toEqual({ minValue: 1, maxValue: 2 })
  expect(priceRoom({ minValue: 0, maxValue: 0 })).toEqual({ minValue: 0, maxValue: 0 })
})

test('flat bars stand in the middle of a span that numbers can divide', () => {
  const price = fc.double({ min: 1e-15, max: 1e30, noNaN: true })
  fc.assert(
    fc.property(price, fc.integer({ min: 0, max: 20 }), (low, steps) => {
      const high = low * (1 + steps * Number.EPSILON)
      const { minValue, maxValue } = priceRoom({ minValue: low, maxValue: high })
      expect(minValue).toBeLessThanOrEqual(low)
      expect(maxValue).toBeGreaterThanOrEqual(high)
      expect((maxValue - minValue) / high).toBeGreaterThan(0.9e-4)
    }),
  )
})

test('a wide span needs no more than three digits, a narrow one more', () => {
  expect(priceDigits({ minValue: 0, maxValue: 8_000 })).toBe(3)
  expect(priceDigits({ minValue: 8_060, maxValue: 8_080 })).toBe(5)
  expect(priceDigits({ minValue: 8_060, maxValue: 8_060 })).toBe(3)
  const flat = priceRoom({ minValue: 8_060, maxValue: 8_060 })
  expect(priceDigits(flat)).toBe(6)
})

/** Marks that the library puts on the scale of a chart, at most. */
const MARKS = 20

test('no two marks of a scale have the same label', () => {
  const price = fc.double({ min: 1e-15, max: 1e30, noNaN: true })
  fc.assert(
    fc.property(price, fc.double({ min: 0, max: 1, noNaN: true }), (low, part) => {
      const span = priceRoom({ minValue: low, maxValue: low * (1 + part ** 8) })
      const step = (span.maxValue - span.minValue) / MARKS
      const digits = priceDigits(span)
      const labels = Array.from({ length: MARKS }, (_, at) =>
        compact(span.minValue + at * step, digits),
      )
      expect(new Set(labels).size).toBe(MARKS)
    }),
  )
})
