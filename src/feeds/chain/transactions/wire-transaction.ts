import { encodeBase58 } from '../../../base/base58.ts'

/** What is read of a serialised transaction. */
export interface WireTransaction {
  readonly signature: string
  /** The keys written in the message; those of lookup tables are in the transaction's meta. */
  readonly accountKeys: readonly string[]
  /** So many of the keys, from the first on, signed it. */
  readonly signersCount: number
}

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

/** First byte of a transaction of version 1; those before begin with a count of signatures. */
const V1_BYTE = 0x81

/** Version, three counts of the header, mask of the settings, blockhash, counts of instructions and addresses. */
const SIGNERS_AT = 1
const MASK_AT = 4
const INSTRUCTIONS_AT = 40
const ADDRESSES_AT = 42
const SETTING_BYTES = 4
/** Index of the program, number of accounts (u8), bytes of data (u16). */
const INSTRUCTION_HEADER_BYTES = 4

/**
 * A serialised transaction of version 1 (SIMD-0385): message first, signatures behind it without a
 * count, all addresses in the message; behind these a value of four bytes for each bit of the mask, the
 * headers of the instructions, and their accounts and data. null when the bytes are cut.
 */
function readWireTransactionV1(bytes: Uint8Array): WireTransaction | null {
  if (bytes.length < ADDRESSES_AT || bytes[0] !== V1_BYTE) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const signersCount = bytes[SIGNERS_AT]
  const instructionsCount = bytes[INSTRUCTIONS_AT]
  const addressesCount = bytes[INSTRUCTIONS_AT + 1]
  if (signersCount === 0 || signersCount > addressesCount) return null
  const addressesEnd = ADDRESSES_AT + addressesCount * ADDRESS_BYTES
  const headers = addressesEnd + bitsOf(view.getUint32(MASK_AT, true)) * SETTING_BYTES
  let signatures = headers + instructionsCount * INSTRUCTION_HEADER_BYTES
  if (bytes.length < signatures) return null
  for (let n = 0; n < instructionsCount; n++) {
    const header = headers + n * INSTRUCTION_HEADER_BYTES
    signatures += bytes[header + 1] + view.getUint16(header + 2, true)
  }
  if (bytes.length < signatures + signersCount * SIGNATURE_BYTES) return null
  return {
    signature: encodeBase58(bytes.subarray(signatures, signatures + SIGNATURE_BYTES)),
    accountKeys: Array.from({ length: addressesCount }, (_, index) => {
      const start = ADDRESSES_AT + index * ADDRESS_BYTES
      return encodeBase58(bytes.subarray(start, start + ADDRESS_BYTES))
    }),
    signersCount,
  }
}

function bitsOf(mask: number): number {
  let bits = 0
  for (let rest = mask; rest !== 0; rest >>>= 1) bits += rest & 1
  return bits
}
