/** xorshift32: the same numbers for the same seed. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1
  }

  next(): number {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x >>> 0
    return this.#state
  }

  below(limit: number): number {
    return this.next() % limit
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.next() >>> 8)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]
  }
}
