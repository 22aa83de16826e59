import { encodeBase58 } from '../../../base/base58.ts'
import type { WireTransaction } from './wire-form.ts'
import { readWireTransactionV1, V1_BYTE } from './wire-transaction-v1.ts'

const SIGNATURE_BYTES = 64
const ADDRESS_BYTES = 32
const HEADER_BYTES = 3
/** Highest bit of the byte after the signatures: a versioned message, the rest is its number. */
const VERSION_BIT = 0x80

/**
 * First signature and account keys of a serialised transaction (legacy, version 0 or 1); null when
 * the bytes are cut or of a later version.
 */
export function readWireTransaction(bytes: Uint8Array): WireTransaction | null {
  // A count of signatures never has this bit: no transaction has so many.
  if (bytes[0] === V1_BYTE) return readWireTransactionV1(bytes)
  const signatures = readCount(bytes, 0)
  if (signatures === null || signatures.count === 0) return null
  const message = signatures.end + signatures.count * SIGNATURE_BYTES
  if (bytes.length < message + 1 + HEADER_BYTES) return null
  const isVersioned = (bytes[message] & VERSION_BIT) !== 0
  if (isVersioned && bytes[message] !== VERSION_BIT) return null
  const header = message + (isVersioned ? 1 : 0)
  const keys = readCount(bytes, header + HEADER_BYTES)
  if (keys === null || bytes.length < keys.end + keys.count * ADDRESS_BYTES) return null
  return {
    signature: encodeBase58(bytes.subarray(signatures.end, signatures.end + SIGNATURE_BYTES)),
    accountKeys: Array.from({ length: keys.count }, (_, index) => {
      const start = keys.end + index * ADDRESS_BYTES
      return encodeBase58(bytes.subarray(start, start + ADDRESS_BYTES))
    }),
    signersCount: bytes[header],
  }
}

/** Solana's compact u16: seven bits a byte, low ones first. */
function readCount(bytes: Uint8Array, start: number): { count: number; end: number } | null {
  let count = 0
  for (let n = 0; n < 3; n++) {
    if (start + n >= bytes.length) return null
    const byte = bytes[start + n]
    count |= (byte & 0x7f) << (7 * n)
    if ((byte & 0x80) === 0) return { count, end: start + n + 1 }
  }
  return null
}
