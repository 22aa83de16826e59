import { decodeBase58 } from '../../base/base58.ts'
import { Flag, SIGNATURE_LANES, SwapLane } from '../../events/swap-record.ts'
import { HashSlots, Rows } from '../memory/rows.ts'
import {
  growingPart,
  type MemoryPart,
  StateError,
  type StatePart,
  sizesOf,
} from '../memory/state-part.ts'

/** Lanes of an address row. */
const A = { text: 0, token: 1, wallet: 2, lanes: 4 } as const

/** Bytes of the longest text of an address or signature; a longer one is cut. */
export const ADDRESS_BYTES_MAX = 512

const encoder = new TextEncoder()

/**
 * Interned text: mints, wallets, pools, programs. Every distinct text has one address id; a mint
 * has a token row too, and a signer a wallet row. Ids are dense and given in order of first use,
 * so that the same events always give the same ids.
 */
export class AddressBook {
  readonly #texts = new TextStore()
  readonly #rows = new Rows(A.lanes)
  readonly #slots = new HashSlots()
  readonly #scratch = new Uint8Array(ADDRESS_BYTES_MAX)
  /** Address id of each token row and of each wallet row. */
  readonly #tokenAddresses = new Rows(2)
  readonly #walletAddresses = new Rows(2)

  readonly parts: readonly StatePart[] = [
    this.#texts.part('address texts'),
    this.#rows.part('addresses'),
    this.#slots.part('address slots'),
    this.#tokenAddresses.part('token addresses'),
    this.#walletAddresses.part('wallet addresses'),
  ]

  /** Numbers of addresses, token rows and wallet rows. */
  get counts(): Readonly<Record<'addresses' | 'tokens' | 'wallets', number>> {
    return {
      addresses: this.#rows.count,
      tokens: this.#tokenAddresses.count,
      wallets: this.#walletAddresses.count,
    }
  }

  /** All of it in memory. */
  get memory(): MemoryPart {
    const rows = [this.#rows, this.#tokenAddresses, this.#walletAddresses]
    return growingPart('addresses', this.#texts, this.#slots, ...rows)
  }

  /** Address id of a text, made on first use. */
  address(text: string): number {
    return this.#intern(this.#load(text))
  }

  /** As `address`, of the text whose UTF-8 lies in `bytes` from `from` to before `to`. */
  addressOfBytes(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) this.#scratch[at - from] = bytes[at]
    return this.#intern(to - from)
  }

  #intern(length: number): number {
    const hash = hashBytes(this.#scratch, length)
    const found = this.#find(hash, length)
    if (found >= 0) return found
    const id = this.#rows.add()
    this.#rows.set(id, A.text, this.#texts.putBytes(this.#scratch.subarray(0, length)))
    this.#slots.add(hash, id)
    return id
  }

  /** Token row of a mint, made on first use. */
  token(mint: string): number {
    return this.giveToken(this.address(mint))
  }

  /** Token row of an address id, made on first use. */
  giveToken(address: number): number {
    return this.#role(address, A.token, this.#tokenAddresses)
  }

  /** Wallet row of an address, made on first use. */
  wallet(address: string): number {
    return this.giveWallet(this.address(address))
  }

  /** Wallet row of an address id, made on first use. */
  giveWallet(address: number): number {
    return this.#role(address, A.wallet, this.#walletAddresses)
  }

  /** -1 when the text was never seen. */
  findAddress(text: string): number {
    const length = this.#load(text)
    return this.#find(hashBytes(this.#scratch, length), length)
  }

  /** Token row, or -1. */
  findToken(mint: string): number {
    const id = this.findAddress(mint)
    return id < 0 ? -1 : this.tokenOf(id)
  }

  /** Wallet row, or -1. */
  findWallet(address: string): number {
    const id = this.findAddress(address)
    return id < 0 ? -1 : this.walletOf(id)
  }

  /** Token row of an address id, or -1. */
  tokenOf(address: number): number {
    return this.#rows.get(address, A.token) - 1
  }

  /** Wallet row of an address id, or -1. */
  walletOf(address: number): number {
    return this.#rows.get(address, A.wallet) - 1
  }

  addressOfToken(token: number): number {
    return this.#tokenAddresses.get(token, 0)
  }

  addressOfWallet(wallet: number): number {
    return this.#walletAddresses.get(wallet, 0)
  }

  /** Copies the UTF-8 of an address to `at` of another array; returns how many bytes it has. */
  copyText(address: number, into: Uint8Array, at: number): number {
    return this.#texts.copy(this.#rows.get(address, A.text), into, at)
  }

  /** The beginning of a text as a number: of two texts the lesser one never has the greater number. */
  orderOf(address: number): number {
    return this.#texts.orderOf(this.#rows.get(address, A.text))
  }

  text(address: number): string {
    return this.#texts.get(this.#rows.get(address, A.text))
  }

  mintOf(token: number): string {
    return this.text(this.addressOfToken(token))
  }

  walletText(wallet: number): string {
    return this.text(this.addressOfWallet(wallet))
  }

  /**
   * Packs a signature into SIGNATURE_LANES zeroed lanes: its 64 bytes when it is base58, else the id
   * of its text in the first lane. True when it is such a text.
   */
  packSignature(signature: string, u32: Uint32Array, at: number): boolean {
    const bytes = bytesOf(signature)
    if (bytes === null) {
      u32[at] = this.address(signature)
      return true
    }
    scratchBytes.set(bytes)
    u32.set(scratch, at)
    return false
  }

  /** As `hashSignature`, of the signature of an event that is no swap. */
  hashSignature(signature: string): Readonly<typeof signatureHash> {
    scratch.fill(0)
    this.packSignature(signature, scratch, 0)
    return hashSignature(scratch, 0)
  }

  #role(address: number, lane: number, rows: Rows): number {
    const known = this.#rows.get(address, lane)
    if (known !== 0) return known - 1
    const row = rows.add()
    rows.set(row, 0, address)
    this.#rows.set(address, lane, row + 1)
    return row
  }

  #find(hash: number, length: number): number {
    let id = this.#slots.first(hash)
    while (id >= 0) {
      if (this.#texts.equals(this.#rows.get(id, A.text), this.#scratch, length)) return id
      id = this.#slots.next()
    }
    return -1
  }

  /** Puts the UTF-8 of a text into the scratch and returns its length in bytes. */
  #load(text: string): number {
    const length = text.length
    if (length > ADDRESS_BYTES_MAX) return encoder.encodeInto(text, this.#scratch).written
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 127) return encoder.encodeInto(text, this.#scratch).written
      this.#scratch[i] = unit
    }
    return length
  }
}

/** FNV-1a, then mixed: mints differ early, but their last characters are often alike. */
function hashBytes(bytes: Uint8Array, length: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const SIGNATURE_BYTES = SIGNATURE_LANES * 4
/** Characters of the longest base58 text of 64 bytes. */
const SIGNATURE_CHARACTERS_MAX = 88

/** What `hashSignature` gives: two signed 32-bit halves, in one array for all signatures. */
const signatureHash = new Int32Array(2)

const scratch = new Uint32Array(SIGNATURE_LANES)
const scratchBytes = new Uint8Array(scratch.buffer)

/** Hash of the packed signature at a lane, in two halves; good until the next call. */
export function hashSignature(source: Uint32Array, at: number): Readonly<typeof signatureHash> {
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
  return signatureHash
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

/**
 * Append-only UTF-8 text off the heap. A reference is a u32; 0 stands for "no text".
 * A text is [u32 byte length][bytes], 4-byte aligned, never across two chunks.
 */
const CHUNK_BYTES = 1 << 20
const UNITS_PER_CHUNK = CHUNK_BYTES / 4
/** A reference to a unit is a u32. */
const UNITS_MAX = 2 ** 32

/** Longest text it takes: a description of 4,096 code points of 4 bytes fits. */
const TEXT_BYTES_MAX = 65_536

/** Texts that were read lately, each at a place of its own; one that falls on it takes it. */
const READ_TEXTS = 1 << 12
const READ_SHIFT = 32 - 12
/** Longer ones are seldom read, and decoded each time. */
const READ_BYTES_MAX = 128

/** So many bytes of a text make a number that is exact. */
const ORDER_BYTES = 6
/** Stands for all that is not ASCII: UTF-8 and UTF-16 agree that it comes behind ASCII, and no further. */
const NOT_ASCII = 0x80

/** By itself it leaves out a byte order mark that a text begins with, as a name of the chain may. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export class TextStore {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = []
  readonly #lengths: Uint32Array<ArrayBuffer>[] = []
  /** Next free unit (4 bytes); 0 is never given out. */
  #next = 1
  readonly #readTexts = new Array<string>(READ_TEXTS).fill('')
  /** References of those texts; 0 is the empty one's, as which each begins. */
  readonly #readReferences = new Float64Array(READ_TEXTS)

  get bytes(): number {
    return this.#chunks.length * CHUNK_BYTES
  }

  /** Bytes of the last chunk behind the texts. */
  get untouchedBytes(): number {
    return Math.max(0, this.bytes - this.#next * 4)
  }

  put(text: string): number {
    return this.replace(0, text)
  }

  /** Reference of a text that comes in the place of another: that one's own, where it is the same text. */
  replace(reference: number, text: string): number {
    if (text === '') return 0
    const bytes = encoder.encode(text)
    const isSame = reference !== 0 && this.equals(reference, bytes, bytes.length)
    return isSame ? reference : this.putBytes(bytes)
  }

  /** Keeps a copy of `bytes`; at most TEXT_BYTES_MAX of them. */
  putBytes(bytes: Uint8Array): number {
    const length = Math.min(bytes.length, TEXT_BYTES_MAX)
    const units = 1 + ((length + 3) >>> 2)
    let unit = this.#next
    if (unit % UNITS_PER_CHUNK === 0 || (unit % UNITS_PER_CHUNK) + units > UNITS_PER_CHUNK)
      unit = Math.ceil(unit / UNITS_PER_CHUNK) * UNITS_PER_CHUNK
    if (unit === 0) unit = 1
    const chunk = Math.floor(unit / UNITS_PER_CHUNK)
    while (this.#chunks.length <= chunk) this.#addChunk()
    const at = unit % UNITS_PER_CHUNK
    this.#lengths[chunk][at] = length
    this.#chunks[chunk].set(length === bytes.length ? bytes : bytes.subarray(0, length), at * 4 + 4)
    this.#next = unit + units
    return unit
  }

  get(reference: number): string {
    if (reference === 0) return ''
    const place = Math.imul(reference, 0x9e3779b1) >>> READ_SHIFT
    if (this.#readReferences[place] === reference) return this.#readTexts[place]
    const bytes = this.view(reference)
    const text = decoder.decode(bytes)
    if (bytes.length > READ_BYTES_MAX) return text
    this.#readReferences[place] = reference
    this.#readTexts[place] = text
    return text
  }

  /** The bytes themselves, not a copy. */
  view(reference: number): Uint8Array {
    if (reference === 0) return new Uint8Array(0)
    const chunk = Math.floor(reference / UNITS_PER_CHUNK)
    const at = reference % UNITS_PER_CHUNK
    const length = this.#lengths[chunk][at]
    return this.#chunks[chunk].subarray(at * 4 + 4, at * 4 + 4 + length)
  }

  /** Copies the bytes to `at` of another array, which has room for them; returns how many. */
  copy(reference: number, into: Uint8Array, at: number): number {
    if (reference === 0) return 0
    const chunkIndex = Math.floor(reference / UNITS_PER_CHUNK)
    const unit = reference % UNITS_PER_CHUNK
    const length = this.#lengths[chunkIndex][unit]
    const chunk = this.#chunks[chunkIndex]
    const start = unit * 4 + 4
    // Addresses are short: a loop is over before a view of them would be made.
    for (let i = 0; i < length; i++) into[at + i] = chunk[start + i]
    return length
  }

  /** The beginning of a text as a number: of two texts the lesser one never has the greater number. */
  orderOf(reference: number): number {
    if (reference === 0) return 0
    const chunkIndex = Math.floor(reference / UNITS_PER_CHUNK)
    const unit = reference % UNITS_PER_CHUNK
    const length = this.#lengths[chunkIndex][unit]
    const chunk = this.#chunks[chunkIndex]
    let order = 0
    let isAscii = true
    for (let at = 0; at < ORDER_BYTES; at++) {
      const byte: number = isAscii && at < length ? chunk[unit * 4 + 4 + at] : 0
      isAscii &&= byte < NOT_ASCII
      order = order * 256 + Math.min(byte, NOT_ASCII)
    }
    return order
  }

  equals(reference: number, bytes: Uint8Array, length: number): boolean {
    const chunkIndex = Math.floor(reference / UNITS_PER_CHUNK)
    const unit = reference % UNITS_PER_CHUNK
    if (this.#lengths[chunkIndex][unit] !== length) return false
    const chunk = this.#chunks[chunkIndex]
    const start = unit * 4 + 4
    for (let i = 0; i < length; i++) if (chunk[start + i] !== bytes[i]) return false
    return true
  }

  /** The store as a part of the state: its units in use. */
  part(name: string): StatePart {
    return {
      name,
      facts: () => [this.#next],
      views: () => this.#views(),
      open: (facts) => {
        const [next] = sizesOf(name, facts, [UNITS_MAX])
        if (next === 0) throw new StateError(`the state's ${name} gives out unit 0`)
        this.#reset(next)
        return this.#views()
      },
      settle() {},
    }
  }

  #views(): Uint8Array[] {
    return this.#chunks.map((chunk, i) => {
      const units = Math.min(this.#next - i * UNITS_PER_CHUNK, UNITS_PER_CHUNK)
      return chunk.subarray(0, units * 4)
    })
  }

  #reset(next: number): void {
    this.#chunks.length = 0
    this.#lengths.length = 0
    this.#readReferences.fill(0)
    // Unit 0 is skipped, not used: a store that was never written to has no chunk.
    while (next > 1 && this.#chunks.length * UNITS_PER_CHUNK < next) this.#addChunk()
    this.#next = next
  }

  #addChunk(): void {
    const buffer = new ArrayBuffer(CHUNK_BYTES)
    this.#chunks.push(new Uint8Array(buffer))
    this.#lengths.push(new Uint32Array(buffer))
  }
}
