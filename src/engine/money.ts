import { Quote } from './platform.ts'

/**
 * Integer money from integer amounts and a double price, rounded half up once (contract section 1).
 * Doubles do the work; where one lies too near a half to be sure, exact integers decide.
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
  const { mantissa, exponent } = fractionOf(solPriceUsd)
  const numerator = BigInt(microUsd) * 1000n
  return Number(
    exponent >= 0
      ? halfUp(numerator, mantissa << BigInt(exponent))
      : halfUp(numerator << BigInt(-exponent), mantissa),
  )
}

function timesRounded(
  quoteNumber: number,
  quoteRaw: () => bigint,
  price: number,
  divisor: bigint,
): number {
  const estimate = (quoteNumber * price) / 1000
  if (isClear(estimate)) return Math.floor(estimate + 0.5)
  const { mantissa, exponent } = fractionOf(price)
  const product = quoteRaw() * mantissa
  return Number(
    exponent >= 0
      ? halfUp(product << BigInt(exponent), divisor)
      : halfUp(product, divisor << BigInt(-exponent)),
  )
}

/** Is the estimate so far from a half that its own error (2^-50 of it) cannot move the rounding? */
function isClear(estimate: number): boolean {
  const distance = Math.abs(estimate - Math.floor(estimate) - 0.5)
  return distance > estimate * 2 ** -50 && estimate < 2 ** 50
}

function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n)
}

const view = new DataView(new ArrayBuffer(8))

/** A positive double as mantissa × 2^exponent, exactly. */
function fractionOf(value: number): { mantissa: bigint; exponent: number } {
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  if (biased === 0) return { mantissa: fraction, exponent: -1074 }
  return { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 }
}
