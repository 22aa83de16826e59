import { differenceAt, numberAt, wholeAt } from '../../base/u64.ts'
import { Quote } from '../../events/platform.ts'

/** Price in quote units per whole token, from standing virtual reserves; 0 while there are none. */
export function priceInQuote(
  lanes: Uint32Array,
  baseAt: number,
  quoteAt: number,
  decimals: number,
  quoteDecimals: number,
): number {
  const base = wholeAt(lanes, baseAt, decimals)
  return base === 0 ? 0 : wholeAt(lanes, quoteAt, quoteDecimals) / base
}

/** Dollars of an amount in whole quote units. */
export function usdOfQuote(quoteWhole: number, quote: number, solPriceUsd: number): number {
  if (quote === Quote.usdc) return quoteWhole
  return quote === Quote.sol ? quoteWhole * solPriceUsd : 0
}

/** SOL of an amount in whole quote units; 0 when it hangs on an unknown SOL price. */
export function solOfQuote(quoteWhole: number, quote: number, solPriceUsd: number): number {
  if (quote === Quote.sol) return quoteWhole
  return quote === Quote.usdc && solPriceUsd > 0 ? quoteWhole / solPriceUsd : 0
}

/**
 * `part` of `total` in percent, clamped to 0..100 (contract section 1). Multiplied first: 7 of 100 are
 * 7 percent then, where 0.07 × 100 is another double, which a filter of 7 leaves out.
 */
export function percentOf(part: number, total: number): number {
  if (total <= 0 || part <= 0) return 0
  const percent = (part * 100) / total
  return percent > 100 ? 100 : percent
}

/** Percent of the curve's initial real base that is sold; unclamped below by nothing but 0. */
export function soldPercent(
  real: Uint32Array,
  realAt: number,
  initial: Uint32Array,
  initialAt: number,
): number {
  const whole = numberAt(initial, initialAt)
  return percentOf(differenceAt(initial, initialAt, real, realAt), whole)
}
