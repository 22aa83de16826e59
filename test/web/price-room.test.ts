import fc from 'fast-check'
import { expect, test } from 'vitest'
import { priceRoom } from '../../web/src/token/price-room.ts'

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
