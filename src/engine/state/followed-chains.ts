import { LRUCache } from 'lru-cache'
import { stepped } from '../../base/errors.ts'
import { widened } from '../memory/views.ts'

/** Chains shorter than this are followed each time. */
const REMEMBERED_FROM = 256
/** Rows of all remembered chains, of 4 bytes each; beyond it those that were read longest ago are forgotten. */
const REMEMBERED_ROWS_MAX = 1 << 22
/** So many rows in a row may have left a chain, and its list still goes on behind them. */
const LEFT_MAX = 64

const NO_ROWS = new Uint32Array(0)

/**
 * Rows of long chains, by the chain. To follow a chain is to wait for memory at each link before the
 * next one is known: 100 ns each when its rows lie far apart. A list of the rows it had when it was
 * followed last lets those waits overlap. The list is a guess, and the chain the truth: every link is
 * compared, so that nobody has to say when a chain changes.
 */
export class FollowedChains {
  readonly #next: (row: number) => number
  readonly #rowsMax: () => number
  readonly #rememberedFrom: number
  readonly #lists = new LRUCache<number, Uint32Array>({
    maxSize: REMEMBERED_ROWS_MAX,
    sizeCalculation: (rows) => rows.length,
  })
  #found = new Uint32Array(REMEMBERED_FROM)
  #count = 0

  /** `next` gives the row behind a row + 1, or 0; no chain has more rows than `rowsMax`. */
  constructor(
    next: (row: number) => number,
    rowsMax: () => number,
    rememberedFrom = REMEMBERED_FROM,
  ) {
    this.#rowsMax = rowsMax
    this.#next = next
    this.#rememberedFrom = rememberedFrom
  }

  get bytes(): number {
    return this.#lists.calculatedSize * Uint32Array.BYTES_PER_ELEMENT + this.#found.byteLength
  }

  /** Rows of a chain from its first row (+ 1; 0: it is empty) on; not to be changed, good until the next call. */
  rows(chain: number, firstPlus1: number): Uint32Array {
    const known = this.#lists.get(chain) ?? NO_ROWS
    if (this.#isWhole(known, firstPlus1)) return known
    this.#count = 0
    let place = 0
    let nextPlus1 = firstPlus1
    const rowsMax = this.#rowsMax()
    while (nextPlus1 !== 0) {
      stepped(this.#count, rowsMax, 'positions of a mint or wallet')
      const row = nextPlus1 - 1
      const found = placeOf(known, row, place)
      if (found < 0) {
        this.#add(row)
        nextPlus1 = this.#next(row)
      } else {
        const last = this.#agreeing(known, found)
        this.#addAll(known.subarray(found, last + 1))
        nextPlus1 = this.#next(known[last])
        place = last + 1
      }
    }
    const rows = this.#found.subarray(0, this.#count)
    if (rows.length >= this.#rememberedFrom) this.#lists.set(chain, rows.slice())
    else if (known.length > 0) this.#lists.delete(chain)
    return rows
  }

  /** Is a list all of its chain, as it is now? */
  #isWhole(known: Uint32Array, firstPlus1: number): boolean {
    if (known.length === 0 || known[0] + 1 !== firstPlus1) return false
    const last = this.#agreeing(known, 0)
    return last === known.length - 1 && this.#next(known[last]) === 0
  }

  /** Last place of a list up to which each link from `from` on is still that of the chain. */
  #agreeing(known: Uint32Array, from: number): number {
    let place = from
    while (place + 1 < known.length && this.#next(known[place]) === known[place + 1] + 1) place++
    return place
  }

  #add(row: number): void {
    if (this.#count === this.#found.length) this.#widen(this.#count + 1)
    this.#found[this.#count++] = row
  }

  #addAll(rows: Uint32Array): void {
    if (this.#count + rows.length > this.#found.length) this.#widen(this.#count + rows.length)
    this.#found.set(rows, this.#count)
    this.#count += rows.length
  }

  #widen(count: number): void {
    this.#found = widened(new Uint32Array(Math.max(count, this.#found.length * 2)), this.#found)
  }
}

/** Place of a row in a list, from a place on as far as rows may have left; -1 when it is not there. */
function placeOf(known: Uint32Array, row: number, from: number): number {
  const end = Math.min(known.length, from + LEFT_MAX)
  for (let place = from; place < end; place++) if (known[place] === row) return place
  return -1
}
