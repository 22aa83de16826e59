/**
 * Trading fees. Rates are in tenths of a basis point, since the pool's table has half points;
 * each fee is rounded up by itself, as on chain.
 */

const TENTH_BPS_PER_WHOLE = 100_000

export const CURVE_PLATFORM_TENTH_BPS = 950
export const CURVE_CREATOR_TENTH_BPS = 300

/**
 * The pool's tiers as of October 2026 (FeeConfig account
 * 5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx):
 * lowest market cap in SOL, then bps to liquidity, platform and creator.
 */
const TIERS: readonly (readonly [number, number, number, number])[] = [
  [0, 2, 93, 30],
  [420, 20, 5, 95],
  [1470, 20, 5, 90],
  [2460, 20, 5, 85],
  [3440, 20, 5, 80],
  [4420, 20, 5, 75],
  [9820, 20, 5, 70],
  [14740, 20, 5, 65],
  [19650, 20, 5, 60],
  [24560, 20, 5, 55],
  [29470, 20, 5, 50],
  [34380, 20, 5, 45],
  [39300, 20, 5, 40],
  [44210, 20, 5, 35],
  [49120, 20, 5, 30],
  [54030, 20, 5, 27.5],
  [58940, 20, 5, 25],
  [63860, 20, 5, 22.5],
  [68770, 20, 5, 20],
  [73681, 20, 5, 17.5],
  [78590, 20, 5, 15],
  [83500, 20, 5, 12.5],
  [88400, 20, 5, 10],
  [93330, 20, 5, 7.5],
  [98240, 20, 5, 5],
]

/** By tier: lowest market cap in SOL. The entry after the last is never reached. */
export const TIER_MIN_SOL = Float64Array.from([...TIERS.map((tier) => tier[0]), Infinity])
export const TIER_LIQUIDITY_TENTH_BPS = Float64Array.from(TIERS, (tier) => tier[1] * 10)
export const TIER_PLATFORM_TENTH_BPS = Float64Array.from(TIERS, (tier) => tier[2] * 10)
export const TIER_CREATOR_TENTH_BPS = Float64Array.from(TIERS, (tier) => tier[3] * 10)

/**
 * USDC pools climb the same tiers at this many dollars per SOL: their table starts at 59,000 dollars
 * where the SOL table has 420 SOL.
 */
export const STABLE_TIER_USD_PER_SOL = 59_000 / 420

/** The tier of a market cap, searched from the tier the pool was in, which is most often right. */
export function tierOf(marketCapSol: number, lastTier: number): number {
  let tier = lastTier
  while (marketCapSol >= TIER_MIN_SOL[tier + 1]) tier++
  while (marketCapSol < TIER_MIN_SOL[tier]) tier--
  return tier
}

/**
 * ceil(amount * rate), exact for amounts below 7e12: there the product is a safe integer, and the
 * quotient, below 2^36, has steps finer than the 1e-5 that can lie between it and an integer.
 */
export function feeOf(amountRaw: number, tenthBps: number): number {
  return Math.ceil((amountRaw * tenthBps) / TENTH_BPS_PER_WHOLE)
}
