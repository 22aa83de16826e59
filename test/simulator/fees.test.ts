import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import {
  feeOf,
  TIER_CREATOR_TENTH_BPS,
  TIER_LIQUIDITY_TENTH_BPS,
  TIER_MIN_SOL,
  TIER_PLATFORM_TENTH_BPS,
  tierOf,
} from '../../src/feeds/simulator/fees.ts'
import { TIERS_FROM_FACTS } from './fee-facts.ts'

test('a fee is the exact ceiling up to the largest amount it is made for', () => {
  const random = new Random(9)
  for (let i = 0; i < 300_000; i++) {
    const rate = random.pick([20, 50, 175, 200, 275, 300, 930, 950])
    // One above, on and one below a whole fee, where rounding would show.
    const whole = Math.floor((random.unit() * 7e12) / 100_000) * 100_000
    const amount = Math.max(0, whole + random.between(-1, 1))
    const exact = (BigInt(amount) * BigInt(rate) + 99_999n) / 100_000n
    if (BigInt(feeOf(amount, rate)) !== exact) expect.fail(`${amount} at ${rate}`)
  }
})

test('the tiers are those of the platform, and are found from any tier before', () => {
  expect(TIER_PLATFORM_TENTH_BPS).toHaveLength(TIERS_FROM_FACTS.length)
  TIERS_FROM_FACTS.forEach(([minSol, liquidity, platform, creator], tier) => {
    expect(TIER_MIN_SOL[tier]).toBe(minSol)
    expect(TIER_LIQUIDITY_TENTH_BPS[tier]).toBe(liquidity * 10)
    expect(TIER_PLATFORM_TENTH_BPS[tier]).toBe(platform * 10)
    expect(TIER_CREATOR_TENTH_BPS[tier]).toBe(creator * 10)
    for (const last of [0, 12, TIERS_FROM_FACTS.length - 1]) {
      expect(tierOf(minSol, last)).toBe(tier)
      if (tier > 0) expect(tierOf(minSol - 0.001, last)).toBe(tier - 1)
    }
  })
})
