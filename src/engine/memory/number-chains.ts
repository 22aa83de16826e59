import { U32List } from './u32-list.ts'

/** Keys are 16 bits. */
export const CHAINS = 1 << 16

/** Numbers from 0 up, each linked to the one before it that has the same key. */
export class NumberChains {
  /** By key: the newest number + 1. */
  readonly #newest = new Uint32Array(CHAINS)
  /** By number: the one before it in its chain + 1. */
  readonly #olders = new U32List()

  get bytes(): number {
    return this.#newest.byteLength + this.#olders.bytes
  }

  get untouchedBytes(): number {
    return this.#olders.untouchedBytes
  }

  clear(): void {
    this.#newest.fill(0)
    this.#olders.reset(0)
  }

  /** Adds the next number; null: to no chain. */
  push(key: number | null): void {
    this.#olders.push(key === null ? 0 : this.#newest[key])
    if (key !== null) this.#newest[key] = this.#olders.length
  }

  /** The newest number of a chain + 1; 0: there is none. */
  newestOf(key: number): number {
    return this.#newest[key]
  }

  /** The number before this one in its chain, both + 1; 0: there is none. */
  olderThan(next: number): number {
    return this.#olders.get(next - 1)
  }
}
