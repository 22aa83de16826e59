import { encodeBase58 } from '../../../base/base58.ts'
import type { WireTransaction } from './wire-form.ts'

/** First byte of a transaction of version 1; those before begin with a count of signatures. */
export const V1_BYTE = 0x81

const SIGNATURE_BYTES = 64
const ADDRESS_BYTES = 32
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
export function readWireTransactionV1(bytes: Uint8Array): WireTransaction | null {
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
