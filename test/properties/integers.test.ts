import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addToSum,
  addU64,
  copyU64,
  differenceAt,
  isLess,
  isZeroAt,
  numberAt,
  readU64,
  subtractU64,
  takeFromSum,
  wholeAt,
  writeU64,
} from '../../src/base/u64.ts'
import { lamportsOf, microUsdOf } from '../../src/engine/state/money.ts'
import { Quote } from '../../src/events/platform.ts'
import { lamportsOfMicroUsd, microUsdOfLamports, whole } from '../oracle/exact.ts'

const MAX = 2n ** 64n - 1n
const TWO_32 = 2n ** 32n
const RUNS = { numRuns: 5_000 }
const u64 = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX }),
  fc.bigInt({ min: 0n, max: 2n ** 54n }),
  fc.constantFrom(0n, 1n, TWO_32 - 1n, TWO_32, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, MAX),
)
const price = fc.oneof(
  fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
  fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 100),
  fc.constantFrom(0.5, 1, 100, 150, 0.001),
)

const lanesOf = (...values: readonly bigint[]): Uint32Array => {
  const lanes = new Uint32Array(values.length * 2)
  values.forEach((value, i) => {
    writeU64(lanes, i * 2, value)
  })
  return lanes
}

test('a u64 is read as it was written, as integer and as nearest double', () => {
  fc.assert(
    fc.property(u64, (value) => {
      const lanes = lanesOf(0n, value)
      expect(readU64(lanes, 2)).toBe(value)
      expect(numberAt(lanes, 2)).toBe(Number(value))
      expect(isZeroAt(lanes, 2)).toBe(value === 0n)
      copyU64(lanes, 0, lanes, 2)
      expect(readU64(lanes, 0)).toBe(value)
    }),
    RUNS,
  )
})

test('u64 addition saturates, subtraction ends at 0, comparison is that of BigInt', () => {
  fc.assert(
    fc.property(u64, u64, (a, b) => {
      const sum = lanesOf(a, b)
      addU64(sum, 0, sum, 2)
      expect(readU64(sum, 0)).toBe(a + b > MAX ? MAX : a + b)
      const rest = lanesOf(a, b)
      subtractU64(rest, 0, rest, 2)
      expect(readU64(rest, 0)).toBe(a > b ? a - b : 0n)
      expect(isLess(lanesOf(a), 0, lanesOf(b), 0)).toBe(a < b)
    }),
    RUNS,
  )
})

test('the difference of two u64 is the double nearest to it, also where neither is one', () => {
  const near = fc.tuple(u64, fc.integer({ min: -1_000, max: 1_000 }))
  const pair = fc.oneof(
    fc.tuple(u64, u64),
    near.map(([a, apart]) => [a, BigInt.asUintN(64, a + BigInt(apart))] as const),
  )
  fc.assert(
    fc.property(pair, ([a, b]) => {
      expect(differenceAt(lanesOf(a, b), 0, lanesOf(a, b), 2)).toBe(Number(a - b))
    }),
    RUNS,
  )
})

test('sums of u64 are exact and meet 0 again when all is taken away', () => {
  fc.assert(
    fc.property(
      fc.array(u64, { size: 'max', maxLength: 200 }),
      fc.infiniteStream(fc.nat()),
      (all, order) => {
        const sums = new Float64Array(2)
        for (const value of all) {
          const [lo, hi] = lanesOf(value)
          addToSum(sums, 0, lo, hi)
        }
        const total = all.reduce((sum, value) => sum + value, 0n)
        expect(BigInt(sums[1]) * TWO_32 + BigInt(sums[0])).toBe(total)
        const left = [...all]
        while (left.length > 0) {
          const place = (order.next().value ?? 0) % left.length
          const [lo, hi] = lanesOf(...left.splice(place, 1))
          takeFromSum(sums, 0, lo, hi)
        }
        expect([...sums]).toEqual([0, 0])
      },
    ),
    { numRuns: 300 },
  )
})

test('whole units are the double nearest to raw / 10^decimals', () => {
  fc.assert(
    fc.property(u64, fc.integer({ min: 0, max: 18 }), (raw, decimals) => {
      expect(wholeAt(lanesOf(raw), 0, decimals)).toBe(whole(raw, decimals))
    }),
    RUNS,
  )
})

test('micro-USD of lamports round half up once, as exact rationals do', () => {
  fc.assert(
    fc.property(u64, price, (lamports, usd) => {
      const actual = microUsdOf(Number(lamports), () => lamports, Quote.sol, usd)
      expect(actual).toBe(Number(microUsdOfLamports(lamports, usd)))
    }),
    RUNS,
  )
})

test('micro-USD that fall exactly on a half are rounded up', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 40n }), (half) => {
      const lamports = 2n * half + 1n
      expect(microUsdOf(Number(lamports), () => lamports, Quote.sol, 500)).toBe(Number(half + 1n))
    }),
    RUNS,
  )
})

test('a price is the decimal number that it is written as, so that a half of it is one', () => {
  // By hand: 0.505 × 213.5135 = 107.8243175, 0.1975 × 216.2162 = 42.7026995, 0.5 × 1.000005 = 0.5000025,
  // 0.05 × 0.00001 = 0.0000005; the doubles of the first two prices lie a little below.
  const rows = [
    [505_000_000n, 213.5135, 107_824_318],
    [197_500_000n, 216.2162, 42_702_700],
    [500_000_000n, 1.000005, 500_003],
    [50_000_000n, 1e-5, 1],
  ] as const
  for (const [lamports, usd, microUsd] of rows) {
    expect(microUsdOf(Number(lamports), () => lamports, Quote.sol, usd)).toBe(microUsd)
    expect(microUsdOfLamports(lamports, usd)).toBe(BigInt(microUsd))
  }
  // 8 micro-USD at 25.6 USD are 312.5 lamports; the double of 25.6 lies a little above.
  expect(lamportsOf(8, 25.6)).toBe(313)
  expect(lamportsOfMicroUsd(8n, 25.6)).toBe(313n)
})

test('lamports of micro-USD round half up once, as exact rationals do', () => {
  const microUsd = fc.maxSafeNat()
  fc.assert(
    fc.property(microUsd, price, (amount, usd) => {
      expect(lamportsOf(amount, usd)).toBe(Number(lamportsOfMicroUsd(BigInt(amount), usd)))
    }),
    RUNS,
  )
})

test('USDC is worth itself, an unknown quote or price nothing', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), price, (amount, usd) => {
      const raw = () => BigInt(amount)
      expect(microUsdOf(amount, raw, Quote.usdc, usd)).toBe(amount)
      expect(microUsdOf(amount, raw, Quote.other, usd)).toBe(0)
      expect(microUsdOf(amount, raw, Quote.sol, 0)).toBe(0)
      expect(lamportsOf(amount, 0)).toBe(0)
    }),
    RUNS,
  )
})
