/**
 * Numbers of the oracle (contract section 1): raw integers are bigint, money is whole micro-USD
 * and lamports, and a division happens once, on the way to the wire.
 */

export const U64_MAX = 2n ** 64n - 1n

interface Rational {
  readonly numerator: bigint
  readonly denominator: bigint
}

const rationals = new Map<number, Rational>()

/** The decimal number that a finite double >= 0 is written as, exactly. */
function rational(value: number): Rational {
  const known = rationals.get(value)
  if (known) return known
  const [mantissa, power] = value.toExponential().split('e')
  const [whole, decimals = ''] = mantissa.split('.')
  const exponent = Number(power) - decimals.length
  const exact = {
    numerator: BigInt(whole + decimals) * 10n ** BigInt(Math.max(0, exponent)),
    denominator: 10n ** BigInt(Math.max(0, -exponent)),
  }
  rationals.set(value, exact)
  return exact
}

function roundHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator)
}

/** Micro-USD of lamports at a SOL price: lamports * price * 1e6 / 1e9. */
export function microUsdOfLamports(lamports: bigint, solPriceUsd: number): bigint {
  if (solPriceUsd === 0) return 0n
  const price = rational(solPriceUsd)
  return roundHalfUp(lamports * price.numerator, price.denominator * 1000n)
}

/** Lamports of micro-USD at a SOL price: micro-USD * 1000 / price; 0 without a price. */
export function lamportsOfMicroUsd(microUsd: bigint, solPriceUsd: number): bigint {
  if (solPriceUsd === 0) return 0n
  const price = rational(solPriceUsd)
  return roundHalfUp(microUsd * 1000n * price.denominator, price.numerator)
}

/** Up to here integers are doubles exactly. */
const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER)
/** Powers of ten that are doubles exactly. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, decimals) => Number(`1e${decimals}`))

/** raw / 10^decimals, correctly rounded. */
export function whole(raw: bigint, decimals: number): number {
  const power = EXACT_POWERS[decimals]
  // The quotient of two doubles is rounded once; what is not exactly one is read from its text.
  return raw <= EXACT_MAX && power !== undefined
    ? Number(raw) / power
    : Number(`${raw}e-${decimals}`)
}

/** The share of `part` in `total`, 0 to 100; 0 of nothing. */
export function percent(part: bigint, total: bigint): number {
  if (total === 0n) return 0
  return clampPercent((Number(part) * 100) / Number(total))
}

export function clampPercent(value: number): number {
  return Math.min(100, Math.max(0, wire(value)))
}

/** What may stand on the wire: finite, and never -0. */
export function wire(value: number): number {
  return Number.isFinite(value) && value !== 0 ? value : 0
}

export function addSaturating(a: bigint, b: bigint): bigint {
  const sum = a + b
  return sum > U64_MAX ? U64_MAX : sum
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export function dateText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}

/** Code unit order, as addresses are ordered everywhere. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
