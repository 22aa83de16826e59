import { ALPHABET, encodeBase58 } from '../../../base/base58.ts'
import type { Random } from '../../../base/random.ts'

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
const scratch = Buffer.alloc(ADDRESS_CHARS)

function fillChars(random: Random): void {
  for (let i = 0; i < ADDRESS_CHARS; i += 4) {
    const bits = random.next()
    scratch[i] = CODE_OF_BYTE[bits & 0xff]
    scratch[i + 1] = CODE_OF_BYTE[(bits >>> 8) & 0xff]
    scratch[i + 2] = CODE_OF_BYTE[(bits >>> 16) & 0xff]
    scratch[i + 3] = CODE_OF_BYTE[bits >>> 24]
  }
  scratch[0] = ALPHABET.charCodeAt(1 + ((scratch[0] * 7) % LEADING_DIGITS))
}

/** A random address: 44 base58 characters that decode to 32 bytes. */
export function randomAddress(random: Random): string {
  fillChars(random)
  return scratch.toString('latin1')
}

/** A random mint, with the platform's suffix or without. */
export function randomMint(random: Random, withSuffix: boolean): string {
  fillChars(random)
  if (withSuffix) scratch.write(SUFFIX, ADDRESS_CHARS - SUFFIX.length, 'latin1')
  return scratch.toString('latin1')
}

/** The shape of an IPFS content id, version 0. */
export function randomCid(random: Random): string {
  return `Qm${randomAddress(random)}`
}

/**
 * Was a uri made here? Behind `Qm` no content id of a file has a digit as low as those that ours begin
 * with, which tells the simulator's tokens from all others.
 */
export function isMadeUpUri(uri: string): boolean {
  const at = uri.lastIndexOf('/Qm') + '/Qm'.length
  const digit = ALPHABET.indexOf(uri.charAt(at))
  return at > 2 && uri.length === at + ADDRESS_CHARS && digit >= 1 && digit <= LEADING_DIGITS
}

/** Base58 of the 64 bytes in `lanes` (16 of them). */
export function signatureText(lanes: Uint32Array): string {
  return encodeBase58(new Uint8Array(lanes.buffer, lanes.byteOffset, lanes.byteLength))
}
