import { olderLink } from '../../base/errors.ts'
import { U32List } from './u32-list.ts'
import { untouchedByScattered } from './views.ts'

/** Keys are 16 bits. */
export const CHAINS = 1 << 16

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
    return keys.reduce((sum, key) => sum + this.#counts[key], 0)
  }

  clear(): void {
    this.#newest.fill(0)
    this.#counts.fill(0)
    this.#olders.reset(0)
  }

  /** Adds the next number; null: to no chain. */
  push(key: number | null): void {
    this.#olders.push(key === null ? 0 : this.#newest[key])
    if (key === null) return
    this.#newest[key] = this.#olders.length
    this.#counts[key] += 1
  }

  /** The numbers of some chains, of each the newest first. */
  numbersOf(keys: readonly number[]): Uint32Array {
    const numbers = new Uint32Array(this.countOf(keys))
    let count = 0
    for (const key of keys)
      for (
        let next = this.#newest[key];
        next !== 0;
        next = olderLink(this.#olders.get(next - 1), next - 1, 'numbers of a key')
      )
        numbers[count++] = next - 1
    return numbers
  }
}
