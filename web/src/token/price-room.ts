import { DIGITS } from '../text/number-form.ts'

/** Least height of the price scale, as a part of the prices on it. */
const LEAST_PART = 1e-4
/** Prices that lie this part of the span apart are told apart: there are fewer marks on a scale. */
const TOLD_PART = 1 / 50

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

/** Digits that tell the prices of a span apart: three, or more where it is low beside them. */
export function priceDigits({ minValue, maxValue }: PriceSpan): number {
  const told = (maxValue - minValue) * TOLD_PART
  if (told <= 0) return DIGITS
  const size = Math.max(Math.abs(minValue), Math.abs(maxValue))
  return Math.max(magnitude(size) - magnitude(told) + 1, DIGITS)
}

function magnitude(value: number): number {
  return Math.floor(Math.log10(value))
}
