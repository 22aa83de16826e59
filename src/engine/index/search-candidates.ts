import { olderLink } from '../../base/errors.ts'
import { ROW_MASK, ROW_SHIFT, Rows, U32List } from '../memory/rows.ts'
import { untouchedByScattered } from '../memory/views.ts'

/** Entries of a block: the filter decides about all of them, and the blocks that it lets through are searched. */
export const ENTRIES_PER_BLOCK = 32
/** 16 bytes an entry: a mint of 44 letters and a name set some sixty bits. */
const BITS_PER_BLOCK = 1 << 12
const LANES_PER_BLOCK = BITS_PER_BLOCK / 32
const HASH_SHIFT = 32 - Math.log2(BITS_PER_BLOCK)
/** Three bytes, and odd ones by themselves: pairs of letters are in every block, by its mints. */
const GRAM_BYTES = 3
/** Of a longer text its beginning decides. */
const GRAMS_MAX = 32

/**
 * Which blocks of entries may hold a text: a bloom filter of the three bytes at each place of their
 * texts (docs/decisions/0012). It never says no where the text is; texts that went are not taken out.
 */
export class GramFilter {
  /** The bits of each block. */
  readonly blocks = new Rows(LANES_PER_BLOCK)

  /** Adds one text of an entry; entries come in order. */
  add(entry: number, bytes: Uint8Array, from: number, to: number): void {
    const block = Math.floor(entry / ENTRIES_PER_BLOCK)
    while (this.blocks.count <= block) this.blocks.add()
    const lanes = this.blocks.u32[block >>> ROW_SHIFT]
    const row = (block & ROW_MASK) * LANES_PER_BLOCK
    let gram = 0
    let wasOdd = 0
    for (let at = from; at < to; at++) {
      const byte = bytes[at]
      gram = ((gram << 8) | byte) & 0xffffff
      if (at - from >= GRAM_BYTES - 1) setBit(lanes, row, bitOf(gram, GRAM_BYTES))
      const odd = IS_ODD[byte]
      if (odd === 1) setBit(lanes, row, bitOf(byte, 1))
      if ((odd | wasOdd) === 1 && at > from) setBit(lanes, row, bitOf(gram & 0xffff, 2))
      wasOdd = odd
    }
  }

  /** The bits that every block with this text has; none when the text is too short to tell. */
  bitsOf(text: Uint8Array): readonly number[] {
    if (text.length < GRAM_BYTES) {
      if (!text.some((byte) => IS_ODD[byte] === 1)) return []
      const gram = text.reduce((left, byte) => (left << 8) | byte, 0)
      return [bitOf(gram, text.length)]
    }
    const bits = new Set<number>()
    for (let at = GRAM_BYTES; at <= text.length && bits.size < GRAMS_MAX; at++)
      bits.add(bitOf((text[at - 3] << 16) | (text[at - 2] << 8) | text[at - 1], GRAM_BYTES))
    return [...bits]
  }

  /** May an entry of the block hold a text with these bits? */
  mayHold(block: number, bits: readonly number[]): boolean {
    const lanes = this.blocks.u32[block >>> ROW_SHIFT]
    const row = (block & ROW_MASK) * LANES_PER_BLOCK
    for (const bit of bits) if (((lanes[row + (bit >>> 5)] >>> (bit & 31)) & 1) === 0) return false
    return true
  }
}

/** By byte: 1 for what is no letter and no digit of a mint, whose letters are folded to small ones. */
const IS_ODD = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x31 && byte <= 0x39) ? 0 : 1,
)

function setBit(lanes: Uint32Array, row: number, bit: number): void {
  lanes[row + (bit >>> 5)] |= 1 << (bit & 31)
}

function bitOf(gram: number, length: number): number {
  return Math.imul(gram + (length << 24), 0x9e3779b1) >>> HASH_SHIFT
}

/** A power of two: the lowest 16 bits of a key count. */
const CHAINS = 1 << 16
const KEY_MASK = CHAINS - 1

/** Numbers from 0 up, each linked to the one before it that has the same key. */
export class NumberChains {
  /** By key: the newest number + 1. */
  readonly #newest = new Uint32Array(CHAINS)
  /** By key: numbers in its chain. */
  readonly #counts = new Uint32Array(CHAINS)
  /** By number: the one before it in its chain + 1. */
  readonly #olders = new U32List()

  get bytes(): number {
    return this.#newest.byteLength + this.#counts.byteLength + this.#olders.bytes
  }

  get untouchedBytes(): number {
    const numbers = this.#olders.length
    const newest = untouchedByScattered(this.#newest.byteLength, numbers)
    const counts = untouchedByScattered(this.#counts.byteLength, numbers)
    return newest + counts + this.#olders.untouchedBytes
  }

  /** How many numbers some chains have. */
  countOf(keys: readonly number[]): number {
    return keys.reduce((sum, key) => sum + this.#counts[key & KEY_MASK], 0)
  }

  clear(): void {
    this.#newest.fill(0)
    this.#counts.fill(0)
    this.#olders.reset(0)
  }

  /** Adds the next number; null: to no chain. */
  push(key: number | null): void {
    this.#olders.push(key === null ? 0 : this.#newest[key & KEY_MASK])
    if (key === null) return
    this.#newest[key & KEY_MASK] = this.#olders.length
    this.#counts[key & KEY_MASK] += 1
  }

  /** The numbers of some chains, of each the newest first. */
  numbersOf(keys: readonly number[]): Uint32Array {
    const numbers = new Uint32Array(this.countOf(keys))
    let count = 0
    for (const key of keys)
      for (
        let next = this.#newest[key & KEY_MASK];
        next !== 0;
        next = olderLink(this.#olders.get(next - 1), next - 1, 'numbers of a key')
      )
        numbers[count++] = next - 1
    return numbers
  }
}
