/**
 * What a SOL may cost, in USD. Below a micro-USD, the unit that money is kept in, no amount is worth anything;
 * and at the most the dollars of the largest amounts there are (2^64 lamports, coins quoted in coins) stay far
 * below what a double holds: infinite sums become NaN, for good.
 */
export const SOL_PRICE_USD_MIN = 0.000_001
export const SOL_PRICE_USD_MAX = 1_000_000

/** For sentences that say what is allowed. */
export const SOL_PRICE_RANGE = '0.000001 to 1000000'

/** False for NaN too. */
export function isSolPrice(usd: number): boolean {
  return usd >= SOL_PRICE_USD_MIN && usd <= SOL_PRICE_USD_MAX
}
