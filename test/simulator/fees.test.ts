import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import {
  feeOf,
  TIER_CREATOR_BPS,
  TIER_LIQUIDITY_BPS,
  TIER_MIN_SOL,
  TIER_MIN_USDC,
  TIER_PLATFORM_BPS,
  tierOf,
} from '../../src/feeds/simulator/world/fee-schedule.ts'
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
    expect(TIER_MIN_SOL[tier]).toBe(minSol)
    expect(TIER_LIQUIDITY_BPS[tier]).toBe(liquidity)
    expect(TIER_PLATFORM_BPS[tier]).toBe(platform)
    expect(TIER_CREATOR_BPS[tier]).toBe(creator)
    for (const last of [0, 12, TIERS_FROM_FACTS.length - 1]) {
      expect(tierOf(minSol, TIER_MIN_SOL, last)).toBe(tier)
      if (tier > 0) expect(tierOf(minSol - 0.001, TIER_MIN_SOL, last)).toBe(tier - 1)
    }
  })
  expect(TIER_MIN_SOL).toHaveLength(TIERS_FROM_FACTS.length + 1)
})

test('USDC pools have thresholds of their own', () => {
  expect(TIER_MIN_USDC).toHaveLength(TIERS_FROM_FACTS.length + 1)
  expect(TIER_MIN_USDC[1]).toBe(59_000)
  TIERS_FROM_FACTS.forEach(([minSol], tier) => {
    expect(TIER_MIN_USDC[tier]).toBe(usdcThreshold(minSol))
  })
  expect(tierOf(58_999, TIER_MIN_USDC, 3)).toBe(0)
  expect(tierOf(59_000, TIER_MIN_USDC, 0)).toBe(1)
})
