import { CHAINS, NumberChains } from '../memory/number-chains.ts'

/**
 * So many first bytes have a chain each: what is typed is looked for in the longest that it fills. Of
 * 13,083 recorded names and symbols a chain has 1.8, 0.7 and 0.08 in a hundred tokens.
 */
const BEGINNING_BYTES = [2, 3, 8] as const
const BYTE_VALUES = 1 << 8

/** Texts, numbered from 0 up, in chains of those that begin with the same bytes. */
export class BeginningChains {
  readonly #levels = BEGINNING_BYTES.map((length) => ({ length, chains: new NumberChains() }))

  get bytes(): number {
    return this.#levels.reduce((sum, { chains }) => sum + chains.bytes, 0)
  }

  get untouchedBytes(): number {
    return this.#levels.reduce((sum, { chains }) => sum + chains.untouchedBytes, 0)
  }

  clear(): void {
    for (const { chains } of this.#levels) chains.clear()
  }

  /** Adds the next text, of which no byte is missing: what stands behind it counts as well. */
  push(bytes: Uint8Array, from: number): void {
    for (const { length, chains } of this.#levels) chains.push(keyOf(bytes, from, length))
  }

  /** Numbers a text that is in no chain. */
  skip(): void {
    for (const { chains } of this.#levels) chains.push(null)
  }

  /**
   * Numbers of the texts that may begin with the needle, those that do among them, newest first; null
   * when it is so short that all of them do, and they are more than `most`.
   */
  candidates(needle: Uint8Array, most: number): Uint32Array | null {
    const [shortest] = this.#levels
    const { length, chains } =
      this.#levels.findLast((level) => level.length <= needle.length) ?? shortest
    const keys = needle.length < length ? keysOf(needle[0]) : [keyOf(needle, 0, length)]
    const haveAll = needle.length <= shortest.length
    return haveAll && chains.countOf(keys) > most ? null : chains.numbersOf(keys)
  }
}

/** Of two bytes the chain is their own, of more one that few others have. */
function keyOf(bytes: Uint8Array, from: number, length: number): number {
  let key = bytes[from] * BYTE_VALUES + bytes[from + 1]
  for (let at = from + 2; at < from + length; at++)
    key = (Math.imul(key ^ bytes[at], 0x9e3779b1) >>> 16) ^ key
  return key & (CHAINS - 1)
}

/** Chains of the texts that begin with one byte, whatever stands behind it. */
function keysOf(byte: number): readonly number[] {
  return Array.from({ length: BYTE_VALUES }, (_, next) => byte * BYTE_VALUES + next)
}
