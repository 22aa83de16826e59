/**
 * Exact a * b / c for integers whose product does not fit a double.
 *
 * Dekker's product (1971) gives a * b as the unevaluated sum of two doubles without error, so the
 * remainder a * b - q * c of an estimated quotient q is known exactly and corrects the estimate.
 */

/** Veltkamp's constant: splits 53 bits into two halves of at most 26 bits and a sign. */
const SPLITTER = 2 ** 27 + 1

/** a * b minus its rounded value `product`, exact. */
function productError(a: number, b: number, product: number): number {
  const aScaled = SPLITTER * a
  const aHigh = aScaled - (aScaled - a)
  const aLow = a - aHigh
  const bScaled = SPLITTER * b
  const bHigh = bScaled - (bScaled - b)
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/**
 * floor(a * b / c), exact. a, b, c are safe integers, a and b not negative, c positive, and the
 * quotient is a safe integer.
 */
export function mulDivFloor(a: number, b: number, c: number): number {
  const product = a * b
  let quotient = Math.floor(product / c)
  if (product <= Number.MAX_SAFE_INTEGER) {
    // The product is exact; the quotient can only have been rounded up to the next integer.
    return quotient * c > product ? quotient - 1 : quotient
  }
  const error = productError(a, b, product)
  for (;;) {
    const back = quotient * c
    // Both differences are exact (Sterbenz; each error is at most 2^52), and rounding their sum
    // changes neither its sign nor its place relative to c.
    const remainder = product - back + (error - productError(quotient, c, back))
    if (remainder < 0) quotient--
    else if (remainder >= c) quotient++
    else return quotient
  }
}

/** ceil(a * b / c), exact; the same bounds as `mulDivFloor`. */
export function mulDivCeil(a: number, b: number, c: number): number {
  const quotient = mulDivFloor(a, b, c)
  const product = a * b
  const back = quotient * c
  const remainder = product - back + (productError(a, b, product) - productError(quotient, c, back))
  return remainder > 0 ? quotient + 1 : quotient
}
