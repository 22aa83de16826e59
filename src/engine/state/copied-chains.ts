import { LRUCache } from 'lru-cache'
import type { Budget } from '../../base/budget.ts'
import { widened } from '../memory/views.ts'

const FIRST_COPIES = 16

/** Copies of records of a chain, the oldest first, each of so many lanes of 8 bytes. */
export class ChainCopy {
  /** The newest record that is copied, + 1; 0 for none. */
  newestPlus1: number
  count = 0
  f64: Float64Array
  /** The same lanes, two for each. */
  u32: Uint32Array
  readonly #width: number

  constructor(width: number, newestPlus1 = 0) {
    this.#width = width
    this.newestPlus1 = newestPlus1
    this.f64 = new Float64Array(FIRST_COPIES * width)
    this.u32 = new Uint32Array(this.f64.buffer)
  }

  /** Adds a copy; returns its first lane. */
  add(): number {
    const at = this.count * this.#width
    if (at === this.f64.length) this.#widen(at * 2)
    this.count += 1
    return at
  }

  /** Adds copies that were taken the newest first. */
  addReversed(newer: ChainCopy): void {
    const width = this.#width
    const lanes = (this.count + newer.count) * width
    if (lanes > this.f64.length) this.#widen(Math.max(lanes, this.f64.length * 2))
    for (let from = (newer.count - 1) * width; from >= 0; from -= width)
      this.f64.set(newer.f64.subarray(from, from + width), this.add())
    this.newestPlus1 = newer.newestPlus1
  }

  #widen(lanes: number): void {
    this.f64 = widened(new Float64Array(lanes), this.f64)
    this.u32 = new Uint32Array(this.f64.buffer)
  }
}

interface ChainOptions {
  /** Lanes of a copy. */
  readonly width: number
  /** Records of all chains; beyond it those of the chain that was asked for longest ago go. */
  readonly records: number
  /** Chains with copies: many have a few records each. */
  readonly chains: number
  /**
   * Adds a record to a copy, or passes it over; returns the one behind it, + 1, or 0.
   * @throws TapeDamage when it cannot be read, before it is added
   */
  readonly read: (record: number, copy: ChainCopy) => number
}

interface Copies {
  /** All records of the chain, as it was when it was read last. */
  readonly whole: ChainCopy
  /** The newer ones, the newest first, as far back as they were read; null: none is being read. */
  begun: ChainCopy | null
  /** The record with which reading goes on, + 1; 0: the end of the chain. */
  nextPlus1: number
}

/**
 * Copies of chains whose records lie all over a tape on the disk, each a read of it, and of which a read
 * needs all at one moment: they are taken in pieces, and not again. A record never changes, and new
 * ones come before the others.
 */
export class CopiedChains {
  readonly #options: ChainOptions
  /** Null until the first: few engines read back what is on the disk, and the columns take a while to make. */
  #chains: LRUCache<number, Copies> | null = null
  #isFull = false

  constructor(options: ChainOptions) {
    this.#options = options
  }

  /** Records that are kept, more or less: chains without any count as one. */
  get count(): number {
    return this.#chains?.calculatedSize ?? 0
  }

  get bytes(): number {
    let sum = 0
    for (const { whole, begun } of this.#chains?.values() ?? [])
      sum += whole.f64.byteLength + (begun?.f64.byteLength ?? 0)
    return sum
  }

  /** Had chains to go because there is no room for all? */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Forgets all: the tape is another one. */
  drop(): void {
    this.#chains?.clear()
    this.#isFull = false
  }

  /**
   * The copies of a chain, from its newest record (+ 1) on; null: they are more than are kept, and have to be
   * read where they lie.
   * @throws OutOfTime before all are copied
   * @throws TapeDamage when one cannot be read
   */
  copy(chain: number, newestPlus1: number, budget: Budget): ChainCopy | null {
    const known = this.#chains?.get(chain)
    if (known?.whole.newestPlus1 === newestPlus1) return known.whole
    const { width, records } = this.#options
    const copies = known ?? { whole: new ChainCopy(width), begun: null, nextPlus1: 0 }
    try {
      this.#readOn(copies, newestPlus1, budget)
    } finally {
      this.#keep(chain, copies)
    }
    return countOf(copies) > records ? null : copies.whole
  }

  #readOn(copies: Copies, newestPlus1: number, budget: Budget): void {
    const { width, records, read } = this.#options
    const { whole } = copies
    while (whole.newestPlus1 !== newestPlus1) {
      if (copies.begun === null) {
        copies.begun = new ChainCopy(width, newestPlus1)
        copies.nextPlus1 = newestPlus1
      }
      while (copies.nextPlus1 !== 0 && copies.nextPlus1 !== whole.newestPlus1) {
        copies.nextPlus1 = read(copies.nextPlus1 - 1, copies.begun)
        if (countOf(copies) > records) return
        budget.throwIfSpent()
      }
      whole.addReversed(copies.begun)
      copies.begun = null
    }
  }

  /** As another object each time: one that is kept already is not measured again, though it has grown. */
  #keep(chain: number, copies: Copies): void {
    this.#chains ??= new LRUCache({
      max: this.#options.chains,
      maxSize: this.#options.records,
      sizeCalculation: (kept) => Math.max(1, countOf(kept)),
      dispose: (_copies, _chain, reason) => {
        if (reason === 'evict') this.#isFull = true
      },
    })
    this.#chains.set(chain, { ...copies })
  }
}

function countOf({ whole, begun }: Copies): number {
  return whole.count + (begun?.count ?? 0)
}
