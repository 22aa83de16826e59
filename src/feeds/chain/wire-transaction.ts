import { encodeBase58 } from '../../base/base58.ts'

const SIGNATURE_BYTES = 64
const ADDRESS_BYTES = 32
const HEADER_BYTES = 3
/** Highest bit of the byte after the signatures: a versioned message, the rest is its number. */
const VERSION_BIT = 0x80

export interface WireTransaction {
  readonly signature: string
  /** The keys written in the message; those of lookup tables are in the transaction's meta. */
  readonly accountKeys: readonly string[]
}

/**
 * First signature and account keys of a serialised transaction (legacy or version 0); null when
 * the bytes are cut or of a later version.
 */
export function readWireTransaction(bytes: Uint8Array): WireTransaction | null {
  const signatures = readCount(bytes, 0)
  if (signatures === null || signatures.count === 0) return null
  const message = signatures.end + signatures.count * SIGNATURE_BYTES
  if (bytes.length < message + 1 + HEADER_BYTES) return null
  const isVersioned = (bytes[message] & VERSION_BIT) !== 0
  if (isVersioned && bytes[message] !== VERSION_BIT) return null
  const keys = readCount(bytes, message + (isVersioned ? 1 : 0) + HEADER_BYTES)
  if (keys === null || bytes.length < keys.end + keys.count * ADDRESS_BYTES) return null
  return {
    signature: encodeBase58(bytes.subarray(signatures.end, signatures.end + SIGNATURE_BYTES)),
    accountKeys: Array.from({ length: keys.count }, (_, index) => {
      const start = keys.end + index * ADDRESS_BYTES
      return encodeBase58(bytes.subarray(start, start + ADDRESS_BYTES))
    }),
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
