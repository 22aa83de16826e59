import { widened } from '../memory/widened.ts'
import { type ChainCopy, CopiedChains } from './copied-chains.ts'
import type { CopiedRecords, Dormant } from './dormant.ts'
import { D, P_LANES } from './layout.ts'

/** Copied records of all wallets, of 160 bytes each. */
const COPIED_MAX = 1 << 19
const WALLETS_MAX = 1 << 12
const FIRST_RECORDS = 64
/** What a record takes: its lanes, and its number. */
const RECORD_BYTES = P_LANES * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT

class RecordCopy implements ChainCopy<RecordCopy>, CopiedRecords {
  readonly records: number[] = []
  readonly newestPlus1: number
  readonly #dormant: Dormant
  lanes = new Uint32Array(FIRST_RECORDS * P_LANES)
  nextPlus1: number

  constructor(dormant: Dormant, newestPlus1: number) {
    this.#dormant = dormant
    this.newestPlus1 = newestPlus1
    this.nextPlus1 = newestPlus1
  }

  get count(): number {
    return this.records.length
  }

  takeNext(): void {
    const record = this.nextPlus1 - 1
    const at = this.records.length * P_LANES
    if (at === this.lanes.length) this.#widen(at * 2)
    this.#dormant.copy(record, this.lanes, at)
    this.nextPlus1 = this.#dormant.previous(record, D.previousOfWalletPlus1)
    this.records.push(record)
  }

  takeAll(older: RecordCopy): void {
    const at = this.records.length * P_LANES
    const lanes = older.lanes.subarray(0, older.records.length * P_LANES)
    if (at + lanes.length > this.lanes.length) this.#widen(at + lanes.length)
    this.lanes.set(lanes, at)
    for (const record of older.records) this.records.push(record)
    this.nextPlus1 = 0
  }

  #widen(lanes: number): void {
    this.lanes = widened(new Uint32Array(lanes), this.lanes)
  }
}

/**
 * Copies of the resting positions of wallets that are asked for: what a wallet's page is ordered by is
 * known only when all of them have been read.
 */
export class RestingRecords {
  readonly #dormant: Dormant
  readonly #wallets: CopiedChains<RecordCopy>

  constructor(dormant: Dormant, copiedMax = COPIED_MAX) {
    this.#dormant = dormant
    const begin = (newestPlus1: number) => new RecordCopy(dormant, newestPlus1)
    this.#wallets = new CopiedChains(begin, { records: copiedMax, chains: WALLETS_MAX })
  }

  get bytes(): number {
    return this.#wallets.count * RECORD_BYTES
  }

  /** Forgets all: the tape is another one. */
  drop(): void {
    this.#wallets.drop()
    this.#dormant.near = null
  }

  /** As `CopiedChains.areNear`, by a wallet and its newest record (+ 1). */
  areNear(wallet: number, newestPlus1: number, mayGoOn: () => boolean): boolean {
    return this.#wallets.areNear(wallet, newestPlus1, mayGoOn)
  }

  /** All records of a wallet whose newest is this one (+ 1); null when they are not copied. */
  of(wallet: number, newestPlus1: number): CopiedRecords | null {
    const whole = this.#wallets.whole(wallet)
    return whole?.newestPlus1 === newestPlus1 ? whole : null
  }
}
