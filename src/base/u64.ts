/*
 * `base` has what every room may use: exact arithmetic (u64.ts), base58, checksums, seeded randomness, bar times, JSON of
 * unknown shape, text from outside (safe-text.ts), errors, thresholds, the program's files and process. It knows no market,
 * feed or server, imports nothing of src, and has no state between calls.
 */

/**
 * u64 integers in two u32 lanes of a Uint32Array, low lane first, and sums of them in two f64 lanes.
 * Raw token amounts pass 2^53 on mints with nine decimals; doubles would lose their last digits and
 * BigInt would leave garbage behind every swap.
 */

export const TWO_32 = 4294967296
const U64_MAX = 2n ** 64n - 1n
const U64_MAX_TEXT = String(U64_MAX)

/** Highest high half of an integer that a double holds exactly. */
const EXACT_HIGH = 2 ** 21

/** Nearest double of a u64. */
function u64ToNumber(lo: number, hi: number): number {
  return hi * TWO_32 + lo
}

function u64ToBigInt(lo: number, hi: number): bigint {
  return (BigInt(hi) << 32n) | BigInt(lo)
}

/** The nearest u64. */
export function asU64(value: bigint): bigint {
  if (value < 0n) return 0n
  return value > U64_MAX ? U64_MAX : value
}

/** Are the decimal digits, twenty at most, those of a u64? */
export function areOfU64(digits: string): boolean {
  // Texts of the same length compare like their numbers.
  return digits.length < U64_MAX_TEXT.length || digits <= U64_MAX_TEXT
}

/** Writes a bigint in 0..2^64-1. */
export function writeU64(lanes: Uint32Array, at: number, value: bigint): void {
  if (value <= 9007199254740991n) {
    const small = Number(value)
    lanes[at] = small >>> 0
    lanes[at + 1] = Math.floor(small / TWO_32)
    return
  }
  lanes[at] = Number(value & 0xffffffffn)
  lanes[at + 1] = Number(value >> 32n)
}

export function readU64(lanes: Uint32Array, at: number): bigint {
  return u64ToBigInt(lanes[at], lanes[at + 1])
}

export function numberAt(lanes: Uint32Array, at: number): number {
  return lanes[at + 1] * TWO_32 + lanes[at]
}

/** Nearest double of a - b, which has digits that are in neither of theirs. */
export function differenceAt(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): number {
  return (a[aAt + 1] - b[bAt + 1]) * TWO_32 + (a[aAt] - b[bAt])
}

export function isZeroAt(lanes: Uint32Array, at: number): boolean {
  return (lanes[at] | lanes[at + 1]) === 0
}

export function copyU64(to: Uint32Array, toAt: number, from: Uint32Array, fromAt: number): void {
  to[toAt] = from[fromAt]
  to[toAt + 1] = from[fromAt + 1]
}

/** Is a < b? */
export function isLess(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): boolean {
  const aHi = a[aAt + 1]
  const bHi = b[bAt + 1]
  return aHi < bHi || (aHi === bHi && a[aAt] < b[bAt])
}

/** to += from, saturating at 2^64 - 1: a sum of hostile amounts must not wrap to a small one. */
export function addU64(to: Uint32Array, toAt: number, from: Uint32Array, fromAt: number): void {
  let lo = to[toAt] + from[fromAt]
  let hi = to[toAt + 1] + from[fromAt + 1]
  if (lo >= TWO_32) {
    lo -= TWO_32
    hi += 1
  }
  if (hi >= TWO_32) {
    lo = TWO_32 - 1
    hi = TWO_32 - 1
  }
  to[toAt] = lo
  to[toAt + 1] = hi
}

/** to -= from, ending at 0 rather than below. */
export function subtractU64(
  to: Uint32Array,
  toAt: number,
  from: Uint32Array,
  fromAt: number,
): void {
  let lo = to[toAt] - from[fromAt]
  let hi = to[toAt + 1] - from[fromAt + 1]
  if (lo < 0) {
    lo += TWO_32
    hi -= 1
  }
  if (hi < 0) {
    lo = 0
    hi = 0
  }
  to[toAt] = lo
  to[toAt + 1] = hi
}

/** A sum of u64 in two f64 lanes (low 32 bits, the rest): exact up to 2^85, so adding and taking away always meets 0 again. */
export function addToSum(sums: Float64Array, at: number, lo: number, hi: number): void {
  let low = sums[at] + lo
  let high = sums[at + 1] + hi
  if (low >= TWO_32) {
    low -= TWO_32
    high += 1
  }
  sums[at] = low
  sums[at + 1] = high
}

export function takeFromSum(sums: Float64Array, at: number, lo: number, hi: number): void {
  let low = sums[at] - lo
  let high = sums[at + 1] - hi
  if (low < 0) {
    low += TWO_32
    high -= 1
  }
  sums[at] = low
  sums[at + 1] = high
}

/** A sum of two f64 lanes as the nearest double. */
export function sumAt(sums: Float64Array, at: number): number {
  return u64ToNumber(sums[at], sums[at + 1])
}

const POWERS_OF_TEN = Array.from({ length: 19 }, (_, exponent) => 10 ** exponent)

/**
 * Whole units of a raw amount: the double nearest to raw / 10^decimals (contract section 1).
 * `decimals` 0 to 18.
 */
function wholeOf(lo: number, hi: number, decimals: number): number {
  if (hi < EXACT_HIGH) return (hi * TWO_32 + lo) / POWERS_OF_TEN[decimals]
  return wholeOfLarge(u64ToBigInt(lo, hi), decimals)
}

export function wholeAt(lanes: Uint32Array, at: number, decimals: number): number {
  return wholeOf(lanes[at], lanes[at + 1], decimals)
}

/** Reading decimal text rounds once; dividing a rounded double would round twice. */
function wholeOfLarge(raw: bigint, decimals: number): number {
  const digits = raw.toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return Number(`${digits.slice(0, point)}.${digits.slice(point)}`)
}

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
