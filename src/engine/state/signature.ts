import { decodeBase58 } from '../../base/base58.ts'
import { Flag, SIGNATURE_LANES, SwapLane } from '../../events/swap-record.ts'
import type { AddressBook } from './address-book.ts'

const SIGNATURE_BYTES = SIGNATURE_LANES * 4
/** Characters of the longest base58 text of 64 bytes. */
const SIGNATURE_CHARACTERS_MAX = 88

/** Result of `hashSignature`: two signed 32-bit halves. */
export const signatureHash = new Int32Array(2)

const scratch = new Uint32Array(SIGNATURE_LANES)
const scratchBytes = new Uint8Array(scratch.buffer)

/**
 * Packs a signature into SIGNATURE_LANES zeroed lanes: its 64 bytes when it is base58, else the id
 * of its text in the first lane. True when it is such a text.
 */
export function packSignature(
  signature: string,
  book: AddressBook,
  u32: Uint32Array,
  at: number,
): boolean {
  const bytes = bytesOf(signature)
  if (bytes === null) {
    u32[at] = book.address(signature)
    return true
  }
  scratchBytes.set(bytes)
  u32.set(scratch, at)
  return false
}

/** Hashes a signature that is no swap's as `hashSignature` does a packed one. */
export function hashSignatureText(signature: string, book: AddressBook): void {
  scratch.fill(0)
  packSignature(signature, book, scratch, 0)
  hashSignature(scratch, 0)
}

/** Hashes the packed signature at a lane into `signatureHash`. */
export function hashSignature(source: Uint32Array, at: number): void {
  let a = 0x3c6ef372
  let b = 0x1f83d9ab
  for (let i = 0; i < SIGNATURE_LANES; i++) {
    const lane = source[at + i]
    a = Math.imul((a << 13) | (a >>> 19), 5) + Math.imul(lane, 0xcc9e2d51)
    b = Math.imul((b << 15) | (b >>> 17), 9) + Math.imul(lane ^ (lane >>> 15), 0x1b873593)
    a ^= b >>> 7
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d)
  b = Math.imul(b ^ (b >>> 15) ^ a, 0x846ca68b)
  signatureHash[0] = a ^ (a >>> 15)
  signatureHash[1] = b ^ (b >>> 16)
}

/** The 64 bytes of a base58 signature; null for any other text. */
function bytesOf(signature: string): Uint8Array | null {
  if (signature.length < SIGNATURE_BYTES || signature.length > SIGNATURE_CHARACTERS_MAX) return null
  const decoded = decodeBase58(signature)
  return decoded?.length === SIGNATURE_BYTES ? decoded : null
}

/** Do two records carry the same signature? */
export function isSameSignature(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): boolean {
  for (let i = 0; i < SIGNATURE_LANES; i++)
    if (a[aAt + SwapLane.signature + i] !== b[bAt + SwapLane.signature + i]) return false
  return ((a[aAt + SwapLane.flags] ^ b[bAt + SwapLane.flags]) & Flag.textSignature) === 0
}
