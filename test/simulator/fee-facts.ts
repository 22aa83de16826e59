/**
 * The platform's table of October 2026: market cap in SOL, bps to liquidity, platform, creator. The chain
 * holds whole points: 27.5 of the published picture is 28.
 */
export const TIERS_FROM_FACTS: readonly (readonly [number, number, number, number])[] = [
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
  [54030, 20, 5, 28],
  [58940, 20, 5, 25],
  [63860, 20, 5, 23],
  [68770, 20, 5, 20],
  [73681, 20, 5, 18],
  [78590, 20, 5, 15],
  [83500, 20, 5, 13],
  [88400, 20, 5, 10],
  [93330, 20, 5, 8],
  [98240, 20, 5, 5],
]

/** The table of USDC pools starts at 59,000 dollars where that of SOL has 420 SOL. */
export function usdcThreshold(minSol: number): number {
  return Math.round((minSol * 59) / 420) * 1000
}
