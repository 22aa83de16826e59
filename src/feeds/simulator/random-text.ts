import type { Random } from '../../base/random.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const ALPHABET_CODES = Uint8Array.from(ALPHABET, (char) => char.charCodeAt(0))
const ADDRESS_CHARS = 44
/**
 * 44 characters that begin with one of the first 17 digits are always below 2^256: real addresses.
 */
const LEADING_DIGITS = 16
const SUFFIX = 'pump'

/**
 * Character codes by a random byte: 58 does not divide 256, the small bias does not matter here.
 */
const CODE_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) =>
  ALPHABET.charCodeAt(Math.floor((byte * 58) / 256)),
)
const scratch = Buffer.alloc(128)

function fillChars(random: Random, chars: number): void {
  for (let i = 0; i < chars; i += 4) {
    const bits = random.next()
    scratch[i] = CODE_OF_BYTE[bits & 0xff]!
    scratch[i + 1] = CODE_OF_BYTE[(bits >>> 8) & 0xff]!
    scratch[i + 2] = CODE_OF_BYTE[(bits >>> 16) & 0xff]!
    scratch[i + 3] = CODE_OF_BYTE[bits >>> 24]!
  }
  scratch[0] = ALPHABET.charCodeAt(1 + ((scratch[0]! * 7) % LEADING_DIGITS))
}

/** A random address: 44 base58 characters that decode to 32 bytes. */
export function randomAddress(random: Random): string {
  fillChars(random, ADDRESS_CHARS)
  return scratch.toString('latin1', 0, ADDRESS_CHARS)
}

/** A random mint, with the platform's suffix or without. */
export function randomMint(random: Random, withSuffix: boolean): string {
  fillChars(random, ADDRESS_CHARS)
  if (withSuffix) scratch.write(SUFFIX, ADDRESS_CHARS - SUFFIX.length, 'latin1')
  return scratch.toString('latin1', 0, ADDRESS_CHARS)
}

/** The shape of an IPFS content id, version 0. */
export function randomCid(random: Random): string {
  fillChars(random, ADDRESS_CHARS)
  return `Qm${scratch.toString('latin1', 0, ADDRESS_CHARS)}`
}

const LIMB_BITS = 23
const LIMB = 2 ** LIMB_BITS
/** 512 bits in limbs of 23, the first one short. */
const LIMBS = 23
const FIRST_LIMB_BITS = 512 - LIMB_BITS * (LIMBS - 1)
/** Five base58 digits at a time: rest * 2^23 + limb stays below 2^53. */
const FIVE_DIGITS = 58 ** 5
const PER_FIVE_DIGITS = 1 / FIVE_DIGITS
const limbs = new Float64Array(LIMBS)
const PAIRS = 58 * 58
/** Character codes of two digits. */
const CODES_OF_PAIR = Uint16Array.from(
  { length: PAIRS },
  (_, pair) => ALPHABET.charCodeAt(Math.floor(pair / 58)) | (ALPHABET.charCodeAt(pair % 58) << 8),
)

/** Base58 of the 64 bytes in `lanes` (16 of them); the first byte must not be zero. */
export function signatureText(lanes: Uint32Array): string {
  splitIntoLimbs(lanes)
  let first = 0
  let end = scratch.length
  while (first < LIMBS) {
    let rest = 0
    for (let i = first; i < LIMBS; i++) {
      const value = rest * LIMB + limbs[i]!
      // The product with the reciprocal can miss the quotient by one.
      let quotient = Math.floor(value * PER_FIVE_DIGITS)
      rest = value - quotient * FIVE_DIGITS
      if (rest < 0) {
        rest += FIVE_DIGITS
        quotient--
      } else if (rest >= FIVE_DIGITS) {
        rest -= FIVE_DIGITS
        quotient++
      }
      limbs[i] = quotient
    }
    while (first < LIMBS && limbs[first] === 0) first++
    end = writeFiveDigits(rest | 0, end)
  }
  while (scratch[end] === 0x31) end++
  return scratch.toString('latin1', end, scratch.length)
}

function splitIntoLimbs(lanes: Uint32Array): void {
  let bits = 0
  let value = 0
  let limb = 0
  let wanted = FIRST_LIMB_BITS
  for (let lane = 0; lane < 16; lane++) {
    const word = lanes[lane]!
    for (let shift = 0; shift < 32; shift += 8) {
      value = (value << 8) | ((word >>> shift) & 0xff)
      bits += 8
      if (bits < wanted) continue
      bits -= wanted
      limbs[limb++] = value >>> bits
      value &= (1 << bits) - 1
      wanted = LIMB_BITS
    }
  }
}

/** Writes the digits before `end` in the scratch and returns where they begin. */
function writeFiveDigits(value: number, end: number): number {
  const upper = (value / PAIRS) | 0
  const low = CODES_OF_PAIR[value - upper * PAIRS]!
  const top = (upper / PAIRS) | 0
  const high = CODES_OF_PAIR[upper - top * PAIRS]!
  scratch[end - 1] = low >>> 8
  scratch[end - 2] = low & 0xff
  scratch[end - 3] = high >>> 8
  scratch[end - 4] = high & 0xff
  scratch[end - 5] = ALPHABET_CODES[top]!
  return end - 5
}
