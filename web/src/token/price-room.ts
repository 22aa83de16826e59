/** Least height of the price scale, as a part of the prices on it. */
const LEAST_PART = 1e-4

export interface PriceSpan {
  readonly minValue: number
  readonly maxValue: number
}

/**
 * The span to show prices of. Bars that are flat, or nearly so, get some room around them: on a scale
 * finer than the numbers themselves the library looks for the next mark for ever, and the page hangs.
 */
export function priceRoom({ minValue, maxValue }: PriceSpan): PriceSpan {
  const least = Math.max(Math.abs(minValue), Math.abs(maxValue)) * LEAST_PART
  const missing = least - (maxValue - minValue)
  if (missing <= 0) return { minValue, maxValue }
  return { minValue: minValue - missing / 2, maxValue: maxValue + missing / 2 }
}
