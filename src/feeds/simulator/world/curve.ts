import { mulDivFloor } from '../../../base/u64.ts'

/** The platform's bonding curve: constant product over virtual reserves (its Global account). */

/** Virtual base at launch, raw token units. */
export const VIRTUAL_BASE_RAW = 1_073_000_000_000_000
/** Base for sale on the curve; the curve is complete when none is left. */
export const REAL_BASE_RAW = 793_100_000_000_000
/** Supply of a token, raw. */
export const SUPPLY_RAW = 1_000_000_000_000_000
/** Supply while the mayhem agent's second billion exists. */
export const MAYHEM_SUPPLY_RAW = 2 * SUPPLY_RAW
/** Virtual quote at launch, lamports. */
export const VIRTUAL_QUOTE_LAMPORTS = 30_000_000_000
/** Virtual quote at launch of a USDC curve, millionths of a dollar. */
export const VIRTUAL_QUOTE_MICRO_USDC = 4_292_000_000

/** Base that goes into the pool at migration. */
export const POOL_BASE_RAW = 206_900_000_000_000
/** Base that `quoteRaw` (after fees) buys: never more than the constant product allows. */
export function baseBought(
  virtualBaseRaw: number,
  virtualQuoteRaw: number,
  quoteRaw: number,
): number {
  return mulDivFloor(virtualBaseRaw, quoteRaw, virtualQuoteRaw + quoteRaw)
}

/** Quote (before fees) that `baseRaw` fetches. */
export function quoteFetched(
  virtualBaseRaw: number,
  virtualQuoteRaw: number,
  baseRaw: number,
): number {
  return mulDivFloor(virtualQuoteRaw, baseRaw, virtualBaseRaw + baseRaw)
}
