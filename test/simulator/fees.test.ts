import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { feeOf, TIERS, tierOf } from '../../src/feeds/simulator/world/fee-schedule.ts'
import { TIERS_FROM_FACTS, usdcThreshold } from './fee-facts.ts'

test('a fee is the exact ceiling of any amount of a token', () => {
  const random = new Random(9)
  for (let i = 0; i < 300_000; i++) {
    const rate = random.pick([2, 5, 8, 13, 18, 20, 23, 28, 30, 93, 95])
    // One above, on and one below a whole fee, where rounding would show; up to 4e15 of a coin.
    const largest = random.pick([1e6, 7e12, 9e13, 4e15])
    const whole = Math.floor((random.unit() * largest) / 10_000) * 10_000
    const amount = Math.max(0, whole + random.between(-1, 1))
    const exact = (BigInt(amount) * BigInt(rate) + 9_999n) / 10_000n
    if (BigInt(feeOf(amount, rate)) !== exact) expect.fail(`${amount} at ${rate}`)
  }
})

test('the tiers are those of the platform, in whole points, and are found from any tier before', () => {
  TIERS_FROM_FACTS.forEach(([minSol, liquidity, platform, creator], tier) => {
    expect(TIERS[tier]).toEqual([minSol, usdcThreshold(minSol), liquidity, platform, creator])
    for (const last of [0, 12, TIERS_FROM_FACTS.length - 1]) {
      expect(tierOf(minSol, false, last)).toBe(tier)
      if (tier > 0) expect(tierOf(minSol - 0.001, false, last)).toBe(tier - 1)
    }
  })
  expect(TIERS).toHaveLength(TIERS_FROM_FACTS.length)
})

test('USDC pools have thresholds of their own', () => {
  expect(TIERS[1][1]).toBe(59_000)
  expect(tierOf(58_999, true, 3)).toBe(0)
  expect(tierOf(59_000, true, 0)).toBe(1)
})
