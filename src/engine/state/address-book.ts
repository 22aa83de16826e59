import { ALPHABET, decodeBase58 } from '../../base/base58.ts'
import { Flag, SIGNATURE_LANES, SwapLane } from '../../events/swap-record.ts'
import { HashSlots, ReadTexts, ROW_MASK, ROW_SHIFT, Rows, U32List } from '../memory/rows.ts'
import { growingPart, type MemoryPart, type StatePart } from '../memory/state-part.ts'
import { ORDER_BYTES, orderOfBytes, TextStore } from '../memory/text-store.ts'

/**
 * Lanes of an address: its text, and the rows that it has as a mint and as a wallet. A text of base58 lies in the first nine
 * lanes, six bits for each character, five in a lane, the first one highest; 0 ends it. The two bits above those of lane 0 say
 * of what the last lane is the row. Any other text, and that of an address which is a mint and a wallet, lies elsewhere.
 */
const A = { row: 9, reference: 1, tokenPlus1: 2, walletPlus1: 3, lanes: 10 } as const
const TEXT_LANES = 9
const CHARS_PER_LANE = 5
const TOP_SHIFT = 6 * (CHARS_PER_LANE - 1)
/** An address has 44 characters at most. */
const PACKED_MAX = TEXT_LANES * CHARS_PER_LANE
const ROLE_SHIFT = 30
const TEXT_MASK = 2 ** ROLE_SHIFT - 1
/** What an address is, with the lane of that where its text lies elsewhere. */
const TOKEN = { bit: 1, lane: A.tokenPlus1 } as const
const WALLET = { bit: 2, lane: A.walletPlus1 } as const
type Role = typeof TOKEN | typeof WALLET
/** Lanes of an address in snapshots before version 12, whose texts all lay elsewhere. */
const FORMER = { reference: 0, tokenPlus1: 1, walletPlus1: 2, lanes: 4 } as const
const FORMER_ROLES = [
  [TOKEN, FORMER.tokenPlus1],
  [WALLET, FORMER.walletPlus1],
] as const
const ROWS_WITH_TEXTS = 12

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
  readonly #scratch = Buffer.alloc(ADDRESS_BYTES_MAX)
  /** The text in the scratch as an address has it; the first lane is 0 when it is no base58. */
  readonly #packed = new Uint32Array(TEXT_LANES)
  readonly #read = new ReadTexts()
  /** Address id of each token row and of each wallet row. */
  readonly #tokenAddresses = new U32List()
  readonly #walletAddresses = new U32List()

  readonly parts: readonly StatePart[] = this.#stateParts()

  /** Numbers of addresses, token rows and wallet rows. */
  get counts(): Readonly<Record<'addresses' | 'tokens' | 'wallets', number>> {
    return {
      addresses: this.#rows.count,
      tokens: this.#tokenAddresses.length,
      wallets: this.#walletAddresses.length,
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
    const id = this.#add(length)
    this.#slots.add(hash, id)
    return id
  }

  /** A row for the text in the scratch, which is packed. */
  #add(length: number): number {
    const id = this.#rows.add()
    const lanes = this.#rows.u32[id >>> ROW_SHIFT]
    const at = (id & ROW_MASK) * A.lanes
    lanes.set(this.#packed, at)
    if (this.#packed[0] === 0) this.#putElsewhere(lanes, at, length)
    return id
  }

  /** Puts the text in the scratch among those that do not lie in their row. */
  #putElsewhere(lanes: Uint32Array, at: number, length: number): void {
    lanes.fill(0, at, at + A.lanes)
    lanes[at + A.reference] = this.#texts.putBytes(this.#scratch.subarray(0, length))
  }

  /** Token row of a mint, made on first use. */
  token(mint: string): number {
    return this.giveToken(this.address(mint))
  }

  /** Token row of an address id, made on first use. */
  giveToken(address: number): number {
    const known = this.tokenOf(address)
    if (known >= 0) return known
    this.#tokenAddresses.push(address)
    return this.#setRow(address, TOKEN, this.#tokenAddresses.length - 1)
  }

  /** Wallet row of an address, made on first use. */
  wallet(address: string): number {
    return this.giveWallet(this.address(address))
  }

  /** Wallet row of an address id, made on first use. */
  giveWallet(address: number): number {
    const known = this.walletOf(address)
    if (known >= 0) return known
    this.#walletAddresses.push(address)
    return this.#setRow(address, WALLET, this.#walletAddresses.length - 1)
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
    return this.#rowOf(address, TOKEN)
  }

  /** Wallet row of an address id, or -1. */
  walletOf(address: number): number {
    return this.#rowOf(address, WALLET)
  }

  addressOfToken(token: number): number {
    return this.#tokenAddresses.get(token)
  }

  addressOfWallet(wallet: number): number {
    return this.#walletAddresses.get(wallet)
  }

  /** Copies the UTF-8 of an address to `at` of another array; returns how many bytes it has. */
  copyText(address: number, into: Uint8Array, at: number): number {
    const lanes = this.#rows.u32[address >>> ROW_SHIFT]
    const lane = (address & ROW_MASK) * A.lanes
    if ((lanes[lane] & TEXT_MASK) === 0)
      return this.#texts.copy(lanes[lane + A.reference], into, at)
    return unpack(lanes, lane, into, at)
  }

  /** The beginning of a text as a number: of two texts the lesser one never has the greater number. */
  orderOf(address: number): number {
    const lanes = this.#rows.u32[address >>> ROW_SHIFT]
    const lane = (address & ROW_MASK) * A.lanes
    if ((lanes[lane] & TEXT_MASK) === 0) return this.#texts.orderOf(lanes[lane + A.reference])
    const length = unpack(lanes, lane, this.#scratch, 0, ORDER_LANES)
    return orderOfBytes(this.#scratch, 0, length)
  }

  text(address: number): string {
    const known = this.#read.get(address)
    if (known !== null) return known
    return this.#read.set(address, this.#scratch, this.copyText(address, this.#scratch, 0))
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

  #rowOf(address: number, { bit, lane }: Role): number {
    const lanes = this.#rows.u32[address >>> ROW_SHIFT]
    const at = (address & ROW_MASK) * A.lanes
    if ((lanes[at] & TEXT_MASK) === 0) return lanes[at + lane] - 1
    return lanes[at] >>> ROLE_SHIFT === bit ? lanes[at + A.row] : -1
  }

  #setRow(address: number, role: Role, row: number): number {
    const lanes = this.#rows.u32[address >>> ROW_SHIFT]
    const at = (address & ROW_MASK) * A.lanes
    const isPacked = (lanes[at] & TEXT_MASK) !== 0
    if (isPacked && lanes[at] >>> ROLE_SHIFT === 0) {
      lanes[at] = (lanes[at] | (role.bit << ROLE_SHIFT)) >>> 0
      lanes[at + A.row] = row
      return row
    }
    if (isPacked) {
      const other = role === TOKEN ? WALLET : TOKEN
      const otherPlus1 = lanes[at + A.row] + 1
      this.#putElsewhere(lanes, at, unpack(lanes, at, this.#scratch, 0))
      lanes[at + other.lane] = otherPlus1
    }
    lanes[at + role.lane] = row + 1
    return row
  }

  #find(hash: number, length: number): number {
    pack(this.#scratch, length, this.#packed)
    let id = this.#slots.first(hash)
    while (id >= 0) {
      if (this.#isText(id, length)) return id
      id = this.#slots.next()
    }
    return -1
  }

  /** Is the text in the scratch, which is packed, that of an address? */
  #isText(id: number, length: number): boolean {
    const lanes = this.#rows.u32[id >>> ROW_SHIFT]
    const at = (id & ROW_MASK) * A.lanes
    const first = lanes[at] & TEXT_MASK
    if (first === 0) return this.#texts.equals(lanes[at + A.reference], this.#scratch, length)
    if (first !== this.#packed[0]) return false
    for (let lane = 1; lane < TEXT_LANES; lane++)
      if (lanes[at + lane] !== this.#packed[lane]) return false
    return true
  }

  /** The book as parts of the state; `former` reads those of snapshots before version 12. */
  #stateParts(): StatePart[] {
    const parts = [
      this.#texts.part('address texts'),
      { ...this.#rows.part('addresses'), settle: () => this.#read.clear() },
      this.#slots.part('address slots'),
      this.#tokenAddresses.part('token addresses'),
      this.#walletAddresses.part('wallet addresses'),
    ]
    // Made for the load that needs them; a snapshot that turns out damaged leaves them to the next one.
    let formerParts: readonly StatePart[] | null = null
    const formerAt = (place: number) => {
      formerParts ??= this.#formerParts(parts, () => {
        formerParts = null
      })
      return formerParts[place]
    }
    return parts.map((part, place) => ({
      ...part,
      former: (version) => (version < ROWS_WITH_TEXTS ? formerAt(place) : null),
    }))
  }

  #formerParts(parts: readonly StatePart[], onTaken: () => void): StatePart[] {
    const [textsPart, rowsPart, slotsPart, tokensPart, walletsPart] = parts
    const texts = new TextStore()
    const rows = new Rows(FORMER.lanes)
    const settle = () => {
      rowsPart.settle()
      this.#takeFormer(texts, rows)
      onTaken()
    }
    return [
      texts.part(textsPart.name),
      { ...rows.part(rowsPart.name), settle },
      slotsPart,
      formerList(this.#tokenAddresses, tokensPart.name),
      formerList(this.#walletAddresses, walletsPart.name),
    ]
  }

  /** Rows of a former snapshot, whose slots stay as they are: the hash of a text is that of then. */
  #takeFormer(texts: TextStore, rows: Rows): void {
    this.#texts.reset(1)
    this.#rows.reset(0)
    for (let id = 0; id < rows.count; id++) {
      const length = texts.copy(rows.get(id, FORMER.reference), this.#scratch, 0)
      pack(this.#scratch, length, this.#packed)
      this.#add(length)
      for (const [role, lane] of FORMER_ROLES)
        if (rows.get(id, lane) !== 0) this.#setRow(id, role, rows.get(id, lane) - 1)
    }
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

/** The address of each row, which had a spare lane behind it. */
function formerList(list: U32List, name: string): StatePart {
  const wide = new Rows(2)
  const settle = () => {
    list.reset(wide.count)
    for (let row = 0; row < wide.count; row++) list.set(row, wide.get(row, 0))
  }
  return { ...wide.part(name), settle }
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

/** The six bits of each character; of those that are no base58 a higher one. */
const NO_SIX_BITS = 64
const SIX_BITS = new Uint8Array(256).fill(NO_SIX_BITS)
for (let digit = 0; digit < ALPHABET.length; digit++)
  SIX_BITS[ALPHABET.charCodeAt(digit)] = digit + 1

/** Packs a text into lanes; all are 0 for one that is empty, longer than they are, or no base58. */
function pack(text: Uint8Array, length: number, lanes: Uint32Array): void {
  const end = length > PACKED_MAX ? 0 : length
  let seen = 0
  for (let lane = 0, at = 0; lane < TEXT_LANES; lane++) {
    let packed = 0
    for (let shift = TOP_SHIFT; shift >= 0 && at < end; shift -= 6) {
      const bits = SIX_BITS[text[at++]]
      seen |= bits
      packed |= bits << shift
    }
    lanes[lane] = packed
  }
  if (seen >= NO_SIX_BITS) lanes.fill(0)
}

const CODES = Uint8Array.from(` ${ALPHABET}`, (character) => character.charCodeAt(0))

/** Lanes that have the bytes of an order. */
const ORDER_LANES = Math.ceil(ORDER_BYTES / CHARS_PER_LANE)

/**
 * Copies the text that is packed from a lane on, or its beginning in so many lanes, to `at` of an array, which has room for
 * it; returns how long it is.
 */
function unpack(
  lanes: Uint32Array,
  first: number,
  into: Uint8Array,
  at: number,
  most = TEXT_LANES,
): number {
  let end = at
  for (let lane = first; lane < first + most; lane++) {
    const packed = lanes[lane]
    if ((packed & 63) === 0) {
      for (let shift = TOP_SHIFT; (packed >>> shift) & 63; shift -= 6)
        into[end++] = CODES[(packed >>> shift) & 63]
      break
    }
    // It is full where its last character is there: none is looked at by itself.
    into[end] = CODES[(packed >>> 24) & 63]
    into[end + 1] = CODES[(packed >>> 18) & 63]
    into[end + 2] = CODES[(packed >>> 12) & 63]
    into[end + 3] = CODES[(packed >>> 6) & 63]
    into[end + 4] = CODES[packed & 63]
    end += CHARS_PER_LANE
  }
  return end - at
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
