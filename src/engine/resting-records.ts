import { LRUCache } from 'lru-cache'
import type { CopiedRecords, Dormant } from './dormant.ts'
import { D, P_LANES } from './layout.ts'

/** Copied records of all wallets, of 160 bytes each; beyond it those that were read longest ago go. */
const COPIED_MAX = 1 << 19
/** Wallets with copies at most: many have a few records each. */
const WALLETS_MAX = 1 << 12
const FIRST_RECORDS = 64
/** What a record takes: its lanes, and its number. */
const RECORD_BYTES = P_LANES * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT

/** Records from one of the chain back to where `nextPlus1` goes on. */
class Copy implements CopiedRecords {
  readonly records: number[] = []
  lanes = new Uint32Array(FIRST_RECORDS * P_LANES)
  nextPlus1: number

  constructor(newestPlus1: number) {
    this.nextPlus1 = newestPlus1
  }

  /** The newest of them + 1. */
  get newestPlus1(): number {
    return this.records[0] + 1
  }

  /** Copies the next record of the chain. */
  takeNext(dormant: Dormant): void {
    const record = this.nextPlus1 - 1
    const at = this.records.length * P_LANES
    if (at === this.lanes.length) this.#widen(at * 2)
    dormant.copy(record, this.lanes, at)
    this.nextPlus1 = dormant.previous(record, D.previousOfWalletPlus1)
    this.records.push(record)
  }

  /** Takes in all of one that goes on where this ends. */
  takeAll(older: CopiedRecords): void {
    const at = this.records.length * P_LANES
    const lanes = older.lanes.subarray(0, older.records.length * P_LANES)
    if (at + lanes.length > this.lanes.length) this.#widen(at + lanes.length)
    this.lanes.set(lanes, at)
    for (const record of older.records) this.records.push(record)
    this.nextPlus1 = 0
  }

  #widen(lanes: number): void {
    const wider = new Uint32Array(lanes)
    wider.set(this.lanes)
    this.lanes = wider
  }
}

interface Copies {
  /** All records of the wallet, as they were when it was read last. */
  whole: Copy | null
  /** The newer ones, as far back as was come by. */
  begun: Copy | null
}

/**
 * Copies of the resting positions of wallets that are asked for. They lie all over the dormant tape, each
 * a read of the disk, and what a wallet's page is ordered by is known only when all have been read: that
 * is done in pieces, and not again. A record never changes, and new ones come before the others.
 */
export class RestingRecords {
  readonly #dormant: Dormant
  readonly #copiedMax: number
  readonly #wallets: LRUCache<number, Copies>

  constructor(dormant: Dormant, copiedMax = COPIED_MAX) {
    this.#dormant = dormant
    this.#copiedMax = copiedMax
    this.#wallets = new LRUCache({
      max: WALLETS_MAX,
      maxSize: copiedMax,
      sizeCalculation: (copies) => Math.max(1, countOf(copies)),
    })
  }

  get bytes(): number {
    return this.#wallets.calculatedSize * RECORD_BYTES
  }

  /** Forgets all: the tape is another one. */
  drop(): void {
    this.#wallets.clear()
    this.#dormant.near = null
  }

  /**
   * Reads records of a wallet, from its newest (+ 1) on, for as long as `mayGoOn` says. True: all are
   * copied, or they are more than are kept, and are read where they lie.
   * @throws TapeDamage when one cannot be read
   */
  areNear(wallet: number, newestPlus1: number, mayGoOn: () => boolean): boolean {
    const copies = this.#wallets.get(wallet) ?? { whole: null, begun: null }
    while (copies.whole?.newestPlus1 !== newestPlus1) {
      copies.begun ??= new Copy(newestPlus1)
      const { begun, whole } = copies
      while (begun.nextPlus1 !== 0 && begun.nextPlus1 !== whole?.newestPlus1) {
        begun.takeNext(this.#dormant)
        if (countOf(copies) > this.#copiedMax) {
          this.#wallets.delete(wallet)
          return true
        }
        if (mayGoOn()) continue
        this.#wallets.set(wallet, copies)
        return false
      }
      if (whole !== null && begun.nextPlus1 !== 0) begun.takeAll(whole)
      copies.whole = begun
      copies.begun = null
    }
    this.#wallets.set(wallet, copies)
    return true
  }

  /** All records of a wallet whose newest is this one (+ 1); null when they are not copied. */
  of(wallet: number, newestPlus1: number): CopiedRecords | null {
    const whole = this.#wallets.get(wallet)?.whole ?? null
    return whole?.newestPlus1 === newestPlus1 ? whole : null
  }
}

function countOf({ whole, begun }: Copies): number {
  return (whole?.records.length ?? 0) + (begun?.records.length ?? 0)
}
