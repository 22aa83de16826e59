/**
 * Base58 with Bitcoin's alphabet, as Solana writes addresses and signatures. Leading zero bytes
 * are leading `1`s, so every text of the alphabet is the canonical one: decode then encode gives
 * the same text.
 *
 * Limbs instead of BigInt: four characters (58^4 < 2^24) and three bytes (2^24) at a time keep
 * every product below 2^48, exact in a double.
 */
export const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const NOT_IN_ALPHABET = 255
const CHARS_PER_LIMB = 4
const BYTES_PER_LIMB = 3
const BYTE_LIMB = 2 ** 24
const PER_BYTE_LIMB = 2 ** -24

/** The arithmetic is quadratic; the longest instruction data Solana allows (10 KiB) fits. */
const BASE58_CHARS_MAX = 16_384

const CODE_OF_DIGIT = Uint8Array.from(ALPHABET, (char) => char.charCodeAt(0))
const DIGIT_OF_CODE = new Uint8Array(128).fill(NOT_IN_ALPHABET)
for (let digit = 0; digit < CODE_OF_DIGIT.length; digit++) {
  DIGIT_OF_CODE[CODE_OF_DIGIT[digit]] = digit
}

/** Those of a signature: nothing longer is written. */
const WRITTEN_BYTES_MAX = 64
const WRITTEN_HALVES = WRITTEN_BYTES_MAX / 2
const WIDE_CHARS = 5
const WIDE_LIMB = 58 ** WIDE_CHARS
/** 58^90 is more than 2^512. */
const WIDE_LIMBS = 18
/**
 * Every 2^(16 i) in limbs of five characters, WIDE_LIMBS for each i. 32 halves times a limb of 30
 * bits stay below 2^51, so the sums are exact and no step waits for the one before.
 */
const HALF_IN_LIMBS = halvesInLimbs()
const sums = new Float64Array(WIDE_LIMBS)
const codes = Buffer.alloc(WIDE_LIMBS * WIDE_CHARS + WRITTEN_BYTES_MAX)
/** How an address is written: base58 of 32 bytes. Others are no owner or signer that an event could carry. */
export const ADDRESS_PATTERN = '^[1-9A-HJ-NP-Za-km-z]{32,44}$'
const ADDRESS = new RegExp(ADDRESS_PATTERN)

function halvesInLimbs(): Float64Array {
  const table = new Float64Array(WRITTEN_HALVES * WIDE_LIMBS)
  for (let half = 0; half < WRITTEN_HALVES; half++) {
    let left = 1n << BigInt(half * 16)
    for (let limb = 0; limb < WIDE_LIMBS; limb++) {
      table[half * WIDE_LIMBS + limb] = Number(left % BigInt(WIDE_LIMB))
      left /= BigInt(WIDE_LIMB)
    }
  }
  return table
}

/** Scratch, least significant limb first. */
const limbs = new Float64Array(BASE58_CHARS_MAX / CHARS_PER_LIMB + 1)

/** The bytes of `text`, or null when a character is not of the alphabet or the text too long. */
export function decodeBase58(text: string): Uint8Array | null {
  const length = text.length
  if (length > BASE58_CHARS_MAX) return null
  let zeros = 0
  while (zeros < length && text.charCodeAt(zeros) === 49) zeros++
  const used = limbsOfText(text, zeros)
  return used < 0 ? null : bytesOfLimbs(used, zeros)
}

/** Folds the digits from `start` on into `limbs` of 24 bits; the limbs used, -1 on a bad one. */
function limbsOfText(text: string, start: number): number {
  let used = 0
  for (let at = start; at < text.length; ) {
    // The first group takes the odd characters, all later ones four.
    const end = at + ((text.length - at) % CHARS_PER_LIMB || CHARS_PER_LIMB)
    let carry = 0
    let factor = 1
    for (; at < end; at++) {
      const code = text.charCodeAt(at)
      const digit = code < 128 ? DIGIT_OF_CODE[code] : NOT_IN_ALPHABET
      if (digit === NOT_IN_ALPHABET) return -1
      carry = carry * 58 + digit
      factor *= 58
    }
    for (let limb = 0; limb < used; limb++) {
      carry += limbs[limb] * factor
      const high = Math.floor(carry * PER_BYTE_LIMB)
      limbs[limb] = carry - high * BYTE_LIMB
      carry = high
    }
    if (carry > 0) limbs[used++] = carry
  }
  return used
}

function bytesOfLimbs(used: number, zeros: number): Uint8Array {
  const top = used === 0 ? 0 : limbs[used - 1]
  const topBytes = top >= 65_536 ? 3 : top >= 256 ? 2 : top > 0 ? 1 : 0
  const size = used === 0 ? 0 : (used - 1) * BYTES_PER_LIMB + topBytes
  const bytes = new Uint8Array(zeros + size)
  for (let limb = 0, end = bytes.length; limb < used; limb++) {
    for (let value = limbs[limb], n = 0; n < BYTES_PER_LIMB && end > zeros; n++) {
      bytes[--end] = value & 255
      value >>>= 8
    }
  }
  return bytes
}

/**
 * The text of `bytes`: adds up what each half is in base 58^5, then carries once.
 * @throws RangeError above 64 bytes: nothing that is written out in base58 is longer than a signature
 */
export function encodeBase58(bytes: Uint8Array): string {
  const { length } = bytes
  if (length > WRITTEN_BYTES_MAX)
    throw new RangeError(
      `${length} bytes are too many for base58, at most ${WRITTEN_BYTES_MAX} fit`,
    )
  let zeros = 0
  while (zeros < length && bytes[zeros] === 0) zeros++
  sums.fill(0)
  for (let half = 0, at = length - 1; at >= zeros; half++, at -= 2) {
    const value = bytes[at] + (at > 0 ? bytes[at - 1] * 256 : 0)
    const row = half * WIDE_LIMBS
    // 2^16 is less than one limb: no half reaches a limb above its own number.
    const limbs = Math.min(half + 1, WIDE_LIMBS)
    for (let limb = 0; limb < limbs; limb++) sums[limb] += value * HALF_IN_LIMBS[row + limb]
  }
  let start = codes.length
  let carry = 0
  for (let limb = 0; limb < WIDE_LIMBS; limb++) {
    const sum = sums[limb] + carry
    carry = Math.floor(sum / WIDE_LIMB)
    let value = sum - carry * WIDE_LIMB
    for (let n = 0; n < WIDE_CHARS; n++) {
      const rest = (value / 58) | 0
      codes[--start] = CODE_OF_DIGIT[value - rest * 58]
      value = rest
    }
  }
  while (start < codes.length && codes[start] === CODE_OF_DIGIT[0]) start++
  for (let zero = 0; zero < zeros; zero++) codes[--start] = CODE_OF_DIGIT[0]
  return codes.toString('latin1', start)
}

export function isAddress(text: string): boolean {
  return ADDRESS.test(text)
}
