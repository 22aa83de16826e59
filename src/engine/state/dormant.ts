import { LRUCache } from 'lru-cache'
import type { Budget } from '../../base/budget.ts'
import { TapeDamage } from '../../base/errors.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import type { StatePart } from '../memory/state-part.ts'
import { widened } from '../memory/views.ts'
import { ColdPositionLane, ColdRunLane, ColdWalletLane, PositionLane } from './layout.ts'
import { Tape } from './tape.ts'

const FIRST_COPIES = 16

/** Copies of the records of a chain, the oldest first, each of `width` lanes of 8 bytes. */
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

interface Copies {
  /** All records of the chain, as it was when it was read last. */
  readonly whole: ChainCopy
  /** The newer ones, the newest first, as far back as they were read; null: none is being read. */
  begun: ChainCopy | null
  /** The record with which reading goes on, + 1; 0: the end of the chain. */
  nextPlus1: number
}

/**
 * Copies of chains whose records are scattered over a tape on the disk, where each is a read of it. An answer
 * that needs a whole chain copies it in pieces, once. A record never changes, and new ones come before the others.
 */
export class CopiedChains {
  readonly #width: number
  readonly #recordsMax: number
  readonly #chainsMax: number
  readonly #read: (record: number, copy: ChainCopy) => number
  /** Null until the first: few engines read back what is on the disk, and the columns take a while to make. */
  #chains: LRUCache<number | string, Copies> | null = null
  #isFull = false

  /**
   * Copies of `width` lanes, of at most `records` records in `chains` chains; beyond it the chain that was
   * asked for longest ago goes.
   * @param read adds a record to a copy, or passes it over; returns the one behind it, + 1, or 0; throws
   * TapeDamage when it cannot be read, before it is added
   */
  constructor(
    width: number,
    limits: { readonly records: number; readonly chains: number },
    read: (record: number, copy: ChainCopy) => number,
  ) {
    this.#width = width
    this.#recordsMax = limits.records
    this.#chainsMax = limits.chains
    this.#read = read
  }

  /** Copied records; a chain without any counts as one. */
  get count(): number {
    return this.#chains?.calculatedSize ?? 0
  }

  get bytes(): number {
    let sum = 0
    for (const { whole, begun } of this.#chains?.values() ?? [])
      sum += whole.f64.byteLength + (begun?.f64.byteLength ?? 0)
    return sum
  }

  /** Were chains dropped because there is no room for all? */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Drops all copies: the tape is another one. */
  drop(): void {
    this.#chains?.clear()
    this.#isFull = false
  }

  /**
   * The copies of a chain, from its newest record (+ 1) on; null: it is longer than the limit, so its records
   * are read one by one.
   * @throws OutOfTime before all are copied
   * @throws TapeDamage when one cannot be read
   */
  copy(chain: number | string, newestPlus1: number, budget: Budget): ChainCopy | null {
    const known = this.#chains?.get(chain)
    if (known?.whole.newestPlus1 === newestPlus1) return known.whole
    const copies = known ?? { whole: new ChainCopy(this.#width), begun: null, nextPlus1: 0 }
    try {
      this.#readOn(copies, newestPlus1, budget)
    } finally {
      this.#store(chain, copies)
    }
    return countOf(copies) > this.#recordsMax ? null : copies.whole
  }

  /**
   * A whole chain, oldest first, as copies to be read one after the other. Its records from `reach` on may still change,
   * and are read each time.
   * @throws OutOfTime, TapeDamage as `copy` does
   */
  whole(
    chain: number | string,
    newestPlus1: number,
    reach: number,
    budget: Budget,
  ): readonly ChainCopy[] {
    const newer = new ChainCopy(this.#width)
    let next = newestPlus1
    while (next > reach) next = this.#read(next - 1, newer)
    const copied = next === 0 ? null : this.copy(chain, next, budget)
    // More than are cached: they are read one by one.
    if (copied === null) while (next !== 0) next = this.#read(next - 1, newer)
    const later = new ChainCopy(this.#width)
    later.addReversed(newer)
    return copied === null ? [later] : [copied, later]
  }

  #readOn(copies: Copies, newestPlus1: number, budget: Budget): void {
    const { whole } = copies
    while (whole.newestPlus1 !== newestPlus1) {
      if (copies.begun === null) {
        copies.begun = new ChainCopy(this.#width, newestPlus1)
        copies.nextPlus1 = newestPlus1
      }
      while (copies.nextPlus1 !== 0 && copies.nextPlus1 !== whole.newestPlus1) {
        copies.nextPlus1 = this.#read(copies.nextPlus1 - 1, copies.begun)
        if (countOf(copies) > this.#recordsMax) return
        budget.throwIfSpent()
      }
      whole.addReversed(copies.begun)
      copies.begun = null
    }
  }

  /** A new object each time: the cache would not measure a known one again, though it has grown. */
  #store(chain: number | string, copies: Copies): void {
    this.#chains ??= new LRUCache({
      max: this.#chainsMax,
      maxSize: this.#recordsMax,
      sizeCalculation: (stored) => Math.max(1, countOf(stored)),
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

/** A copied record in lanes of 8 bytes: its own lanes, and behind them its number. */
export const COPIED_RECORD = {
  number: PositionLane.lanes / 2,
  width: PositionLane.lanes / 2 + 1,
} as const

/**
 * Positions of dormant tokens: records on a tape of their own, one run for each token, in the order of its
 * chain. Nothing on the tape changes or is taken back: a token that is traded again leaves its run behind,
 * and a later eviction writes another.
 */
export class Dormant {
  readonly tape: Tape
  /** Runs of the tokens that are dormant now. */
  readonly runs = new Rows(ColdRunLane.lanes)
  /** Wallets that ever had a position on the tape. */
  readonly wallets = new Rows(ColdWalletLane.lanes)
  /** Tokens that are dormant now, and positions of theirs. */
  tokens = 0
  positions = 0
  /** Dormant tokens that an event restored since this process began to fold. */
  wakings = 0
  /** Copies that `copyCached` looks in first: those of the wallet that a read goes through. */
  cached: ChainCopy | null = null
  readonly parts: readonly StatePart[]

  constructor(chunkRecords?: number) {
    this.tape = new Tape(chunkRecords, PositionLane.lanes)
    this.parts = [
      this.runs.reusedPart('dormant runs', () => this.#count()),
      this.wallets.part('dormant wallets'),
      this.tape.part('dormant tape', () => this.tape.count),
    ]
  }

  #count(): void {
    this.tokens = this.runs.count - this.runs.free
    this.positions = 0
    for (let run = 0; run < this.runs.count; run++)
      this.positions += this.runs.get(run, ColdRunLane.count)
  }

  /** One u32 lane (`PositionLane` or `ColdPositionLane`) of a record. */
  lane(record: number, lane: number): number {
    return this.tape.u32Of(record)[this.tape.at(record) + lane]
  }

  /**
   * The record before one in a chain of its wallet (`ColdPositionLane`), + 1; 0 for none.
   * @throws TapeDamage when it is not before it: a chunk that is whole but of another run of the
   * program would lead round in circles
   */
  previous(record: number, lane: number): number {
    const previousPlus1 = this.lane(record, lane)
    if (previousPlus1 <= record) return previousPlus1
    throw notOfThisRun(record)
  }

  /** Does a run hold a record? */
  holds(run: number, record: number): boolean {
    const first = this.runs.get(run, ColdRunLane.first)
    return record >= first && record < first + this.runs.get(run, ColdRunLane.count)
  }

  /** Copies the lanes of a record to `to`. */
  copy(record: number, into: Uint32Array, to: number): void {
    const { tape } = this
    const u32 = tape.u32Of(record)
    const at = tape.at(record)
    for (let i = 0; i < PositionLane.lanes; i++) into[to + i] = u32[at + i]
  }

  /** As `copy`, from the cached copies if they have the record. */
  copyCached(record: number, into: Uint32Array): void {
    const { cached } = this
    const place = cached === null ? -1 : placeOf(cached, record)
    if (cached === null || place < 0) this.copy(record, into, 0)
    else {
      const at = place * COPIED_RECORD.width * 2
      into.set(cached.u32.subarray(at, at + PositionLane.lanes))
    }
  }

  /** Adds a record to a copy; returns the one before it of its wallet, + 1. */
  copyTo(record: number, copy: ChainCopy): number {
    const nextPlus1 = this.previous(record, ColdPositionLane.previousOfWalletPlus1)
    const at = copy.add()
    this.copy(record, copy.u32, at * 2)
    copy.f64[at + COPIED_RECORD.number] = record
    return nextPlus1
  }

  /** Appends a position of wallet row `row` here. */
  append(row: number, p: Uint32Array, pAt: number, isHolder: boolean): void {
    const record = this.tape.add()
    const u32 = this.tape.u32Of(record)
    const at = this.tape.at(record)
    const heads = this.wallets.u32[row >>> ROW_SHIFT]
    const head = (row & ROW_MASK) * ColdWalletLane.lanes
    for (let i = 0; i < PositionLane.lanes; i++) u32[at + i] = p[pAt + i]
    u32[at + ColdPositionLane.previousOfWalletPlus1] = heads[head + ColdWalletLane.newestPlus1]
    u32[at + ColdPositionLane.previousHolderPlus1] = heads[head + ColdWalletLane.newestHolderPlus1]
    heads[head + ColdWalletLane.newestPlus1] = record + 1
    if (isHolder) heads[head + ColdWalletLane.newestHolderPlus1] = record + 1
  }
}

/** Place of a record among copies, the oldest first; -1 when it is not there. */
function placeOf({ f64, count }: ChainCopy, record: number): number {
  const { width, number } = COPIED_RECORD
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (f64[middle * width + number] < record) low = middle + 1
    else high = middle
  }
  return low < count && f64[low * width + number] === record ? low : -1
}

export function notOfThisRun(record: number): TapeDamage {
  return new TapeDamage(
    `Record ${record} of the dormant positions is none of this journal's: put the positions-*.mfp ` +
      'files of the folder back from one copy.',
  )
}

/** The record that a position below 0 names, for reads. */
export function recordOf(position: number): number {
  return -1 - position
}
