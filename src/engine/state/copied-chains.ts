import { LRUCache } from 'lru-cache'
import { type Budget, OutOfTime } from '../../base/budget.ts'

/** Copies of the records of a chain, from one of them back to where the next would be. */
export interface ChainCopy<Self> {
  /** The first that was copied, + 1. */
  readonly newestPlus1: number
  /** The record behind the last that was copied, + 1; 0 at the end of the chain. */
  readonly nextPlus1: number
  /** Records copied. */
  readonly count: number
  /** Copies the next record of the chain. */
  takeNext(): void
  /** Takes in all of one that goes on where this ends, to the end of the chain. */
  takeAll(older: Self): void
}

interface CopyLimits {
  /** Records of all chains; beyond it those of the chain that was asked for longest ago go. */
  readonly records: number
  /** Chains with copies: many have a few records each. */
  readonly chains: number
}

interface Copies<Copy> {
  /** All records of the chain, as it was when it was read last. */
  whole: Copy | null
  /** The newer ones, as far back as they were copied. */
  begun: Copy | null
}

/**
 * Copies of chains whose records lie all over a tape on the disk, each a read of it, and of which a read
 * needs all at one moment: they are taken in pieces, and not again. A record never changes, and new
 * ones come before the others.
 */
export class CopiedChains<Copy extends ChainCopy<Copy>> {
  readonly #begin: (newestPlus1: number) => Copy
  readonly #limits: CopyLimits
  /** Null until the first: few engines read back what is on the disk, and the columns take a while to make. */
  #chains: LRUCache<number, Copies<Copy>> | null = null

  /** `begin` gives a copy of nothing yet, from a record (+ 1) on. */
  constructor(begin: (newestPlus1: number) => Copy, limits: CopyLimits) {
    this.#begin = begin
    this.#limits = limits
  }

  /** Records that are kept, more or less: chains without any count as one. */
  get count(): number {
    return this.#chains?.calculatedSize ?? 0
  }

  /** Forgets all: the tape is another one. */
  drop(): void {
    this.#chains?.clear()
  }

  /**
   * The copies of a chain, from its newest (+ 1) on; null: they are more than are kept, and have to be read
   * where they lie.
   * @throws OutOfTime before all are copied
   * @throws TapeDamage when one cannot be read
   */
  copy(chain: number, newestPlus1: number, budget: Budget): Copy | null {
    const copies: Copies<Copy> = this.#chains?.get(chain) ?? { whole: null, begun: null }
    while (copies.whole?.newestPlus1 !== newestPlus1) {
      copies.begun ??= this.#begin(newestPlus1)
      const { begun, whole } = copies
      while (begun.nextPlus1 !== 0 && begun.nextPlus1 !== whole?.newestPlus1) {
        begun.takeNext()
        if (countOf(copies) > this.#limits.records) {
          this.#chains?.delete(chain)
          return null
        }
        if (budget.hasTime()) continue
        this.#keep(chain, copies)
        throw new OutOfTime()
      }
      if (whole !== null && begun.nextPlus1 !== 0) begun.takeAll(whole)
      copies.whole = begun
      copies.begun = null
    }
    this.#keep(chain, copies)
    return copies.whole
  }

  /** As another object each time: one that is kept already is not measured again, though it has grown. */
  #keep(chain: number, copies: Copies<Copy>): void {
    this.#chains ??= new LRUCache({
      max: this.#limits.chains,
      maxSize: this.#limits.records,
      sizeCalculation: (kept) => Math.max(1, countOf(kept)),
    })
    this.#chains.set(chain, { ...copies })
  }
}

function countOf<Copy extends ChainCopy<Copy>>({ whole, begun }: Copies<Copy>): number {
  return (whole?.count ?? 0) + (begun?.count ?? 0)
}
