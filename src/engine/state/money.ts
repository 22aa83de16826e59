import { Quote } from '../../events/platform.ts'

/**
 * Integer money from integer amounts and a price, rounded half up once (contract section 1).
 * Doubles do the work; where one lies too near a half to be sure, exact integers decide. The price
 * counts as the decimal number it was written as: of its double, half of all halves lie below one.
 */

/** micro-USD of a quote amount. `quoteRaw` is lamports (SOL) or micro-USDC. */
export function microUsdOf(
  quoteNumber: number,
  quoteRaw: () => bigint,
  quote: number,
  solPriceUsd: number,
): number {
  if (quote === Quote.usdc) return quoteNumber
  if (quote === Quote.other || solPriceUsd === 0) return 0
  return timesRounded(quoteNumber, quoteRaw, solPriceUsd, 1000n)
}

/** Lamports that a micro-USD amount was worth; 0 when the price was unknown. */
export function lamportsOf(microUsd: number, solPriceUsd: number): number {
  if (solPriceUsd === 0) return 0
  // What was beyond all numbers in dollars, at a price near the greatest, is no integer.
  if (microUsd === Number.POSITIVE_INFINITY) return microUsd
  const estimate = (microUsd * 1000) / solPriceUsd
  if (isClear(estimate)) return Math.floor(estimate + 0.5)
  const price = decimalOf(solPriceUsd)
  return Number(halfUp(BigInt(microUsd) * 1000n * price.denominator, price.numerator))
}

function timesRounded(
  quoteNumber: number,
  quoteRaw: () => bigint,
  price: number,
  divisor: bigint,
): number {
  const estimate = (quoteNumber * price) / 1000
  if (isClear(estimate)) return Math.floor(estimate + 0.5)
  const { numerator, denominator } = decimalOf(price)
  return Number(halfUp(quoteRaw() * numerator, divisor * denominator))
}

/** Is the estimate so far from a half that its own error (2^-50 of it) cannot move the rounding? */
function isClear(estimate: number): boolean {
  const distance = Math.abs(estimate - Math.floor(estimate) - 0.5)
  return distance > estimate * 2 ** -50 && estimate < 2 ** 50
}

function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n)
}

/** A positive double as the shortest decimal number that reads as it. */
function decimalOf(value: number): { numerator: bigint; denominator: bigint } {
  const [digits, power = '0'] = String(value).split('e')
  const [whole, decimals = ''] = digits.split('.')
  const exponent = Number(power) - decimals.length
  const numerator = BigInt(whole + decimals)
  return exponent < 0
    ? { numerator, denominator: 10n ** BigInt(-exponent) }
    : { numerator: numerator * 10n ** BigInt(exponent), denominator: 1n }
}
