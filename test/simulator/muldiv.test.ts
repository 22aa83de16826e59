import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { mulDivCeil, mulDivFloor } from '../../src/base/u64.ts'

const CASES = 1_000_000
const MAX = Number.MAX_SAFE_INTEGER
const EDGES = [
  0,
  1,
  2,
  3,
  2 ** 26,
  2 ** 27 + 1,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 52,
  2 ** 52 + 1,
  MAX - 1,
  MAX,
]

/** An integer below 2^53 whose size is as likely to be any power of two. */
function anySize(random: Random): number {
  const bits = random.between(1, 53)
  const value = (random.next() * 2 ** 21 + (random.next() >>> 11)) % 2 ** bits
  return random.chance(0.1) ? 2 ** bits - 1 : value
}

/** Says what is wrong with a * b / c, or null; quotients beyond 2^53 are out of bounds. */
function fault(a: number, b: number, c: number): string | null {
  const product = BigInt(a) * BigInt(b)
  const floor = product / BigInt(c)
  if (floor >= BigInt(MAX)) return null
  const ceil = floor + (product % BigInt(c) === 0n ? 0n : 1n)
  const isRight = BigInt(mulDivFloor(a, b, c)) === floor && BigInt(mulDivCeil(a, b, c)) === ceil
  return isRight ? null : `${a} * ${b} / ${c}`
}

test('floor and ceil of a * b / c are exact on a million random integers of any size', () => {
  const random = new Random(1)
  for (let i = 0; i < CASES; ) {
    const a = anySize(random)
    const b = anySize(random)
    const c = Math.max(1, anySize(random))
    // Quotients beyond 2^53 are out of bounds and do not count.
    if ((a / c) * b >= MAX) continue
    i++
    const wrong = fault(a, b, c)
    if (wrong !== null) expect.fail(wrong)
  }
})

test('quotients near an integer from either side are exact', () => {
  const random = new Random(2)
  for (let i = 0; i < CASES / 4; i++) {
    const c = Math.max(1, anySize(random))
    const q = anySize(random)
    for (const shift of [-1, 0, 1]) {
      // a * b = q * c + shift * b: lands just below, on and just above a multiple of c.
      const wrong = fault(Math.min(MAX, Math.max(0, q + shift)), c, Math.max(1, c - shift))
      if (wrong !== null) expect.fail(wrong)
    }
  }
})

test('zero, one and the largest safe integers are exact in every place', () => {
  for (const a of EDGES) {
    for (const b of EDGES) {
      for (const c of EDGES) {
        if (c > 0) expect(fault(a, b, c)).toBeNull()
      }
    }
  }
})
