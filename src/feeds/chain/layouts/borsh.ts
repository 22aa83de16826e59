import { encodeBase58 } from '../../../base/base58.ts'
import type { FieldType, FieldValue, Shareholder } from './event-layout.ts'
import { ZERO_ADDRESS } from './programs.ts'

const PUBKEY_BYTES = 32
const SHAREHOLDER_BYTES = PUBKEY_BYTES + 2

/** Reads borsh values; null means that the bytes end before the value does, and nothing moves. */
export class BorshReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = Math.min(start, bytes.byteLength)
  }

  /** Bytes not read yet. */
  get rest(): number {
    return this.#bytes.length - this.#at
  }

  read(type: FieldType): FieldValue | null {
    switch (type) {
      case 'u8':
        return this.rest < 1 ? null : this.#bytes[this.#take(1)]
      case 'bool':
        return this.rest < 1 ? null : this.#bytes[this.#take(1)] !== 0
      case 'u16':
        return this.rest < 2 ? null : this.#bytes.readUInt16LE(this.#take(2))
      case 'u64':
        return this.rest < 8 ? null : this.#bytes.readBigUInt64LE(this.#take(8))
      case 'i64':
        return this.rest < 8 ? null : this.#bytes.readBigInt64LE(this.#take(8))
      case 'i128':
        return this.#i128()
      case 'pubkey':
        return this.rest < PUBKEY_BYTES ? null : this.#pubkey()
      case 'string':
        return this.#string()
      case '[pubkey;7]':
        return this.#pubkeys(7)
      case '[pubkey;8]':
        return this.#pubkeys(8)
      case 'vec<Shareholder>':
        return this.#shareholders()
    }
  }

  #take(size: number): number {
    const start = this.#at
    this.#at += size
    return start
  }

  #i128(): bigint | null {
    if (this.rest < 16) return null
    const start = this.#take(16)
    const low = this.#bytes.readBigUInt64LE(start)
    return (this.#bytes.readBigInt64LE(start + 8) << 64n) | low
  }

  #pubkey(): string {
    const start = this.#take(PUBKEY_BYTES)
    return encodeBase58(this.#bytes.subarray(start, start + PUBKEY_BYTES))
  }

  #string(): string | null {
    if (this.rest < 4) return null
    const size = this.#bytes.readUInt32LE(this.#at)
    if (this.rest < 4 + size) return null
    const start = this.#take(4 + size) + 4
    return this.#bytes.toString('utf8', start, start + size)
  }

  #pubkeys(count: number): readonly string[] | null {
    if (this.rest < count * PUBKEY_BYTES) return null
    return Array.from({ length: count }, () => this.#pubkey())
  }

  #shareholders(): readonly Shareholder[] | null {
    if (this.rest < 4) return null
    const count = this.#bytes.readUInt32LE(this.#at)
    // Checked before anything is allocated: the count comes from outside.
    if (this.rest < 4 + count * SHAREHOLDER_BYTES) return null
    this.#take(4)
    return Array.from({ length: count }, () => ({
      address: this.#pubkey(),
      share_bps: this.#bytes.readUInt16LE(this.#take(2)),
    }))
  }
}

/** What a field is when the bytes end before it: the zero of its type. */
export function defaultOf(type: FieldType): FieldValue {
  switch (type) {
    case 'u8':
    case 'u16':
      return 0
    case 'u64':
    case 'i64':
    case 'i128':
      return 0n
    case 'bool':
      return false
    case 'pubkey':
      return ZERO_ADDRESS
    case 'string':
      return ''
    case '[pubkey;7]':
      return Array<string>(7).fill(ZERO_ADDRESS)
    case '[pubkey;8]':
      return Array<string>(8).fill(ZERO_ADDRESS)
    case 'vec<Shareholder>':
      return []
  }
}
