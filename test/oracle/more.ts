/** Chances of the kinds that are on: of draws of their own, so that those that are off change nothing. */
import type { Kind, Kinds } from './kinds.ts'
import type { Random } from './random.ts'

export class More {
  readonly random: Random
  readonly #kinds: Kinds

  constructor(random: Random, kinds: Kinds) {
    this.random = random
    this.#kinds = kinds
  }

  /** Does one of this kind come now? `share` is how often it does at the weight 1. */
  has(kind: Kind, share: number): boolean {
    const weight = this.#kinds[kind]
    return weight > 0 && this.random.chance(share * weight)
  }

  some<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : items[this.random.integer(0, items.length - 1)]
  }

  mint(): string {
    return `${this.random.base58(44).slice(0, 40)}pump`
  }
}
