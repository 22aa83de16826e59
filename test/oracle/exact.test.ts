import fc from 'fast-check'
import { expect, test } from 'vitest'
import { U64_MAX, whole } from './exact.ts'

const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER)
/** Around the largest integers that doubles hold, and anywhere. */
const amounts = fc.oneof(
  fc.bigInt({ min: EXACT_MAX - 50n, max: EXACT_MAX + 50n }),
  fc.bigInt({ min: 0n, max: EXACT_MAX }),
  fc.bigInt({ min: 0n, max: U64_MAX }),
)

test('an amount is the double nearest to what its digits say', () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 0, max: 30 }), (raw, decimals) => {
      expect(whole(raw, decimals)).toBe(Number(`${raw}e-${decimals}`))
    }),
    { numRuns: 20_000 },
  )
})
