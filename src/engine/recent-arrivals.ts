import { F, U } from './swap-record.ts'
import type { Tape } from './tape.ts'
import { comparePlace, firstAtPlace } from './tape-place.ts'

/** Trades whose place is remembered; the oldest goes. 28 bytes each. */
export const RECENT_ARRIVALS_MAX = 1 << 16
const MASK = RECENT_ARRIVALS_MAX - 1

/**
 * Where the newest swaps stand in the tape, by the order in which they arrived. Late ones move the
 * records behind them, so a place is kept as the key of the total order and a word of the signature.
 */
export class RecentArrivals {
  readonly #tape: Tape
  readonly #slots = new Float64Array(RECENT_ARRIVALS_MAX)
  readonly #txIndexes = new Uint32Array(RECENT_ARRIVALS_MAX)
  readonly #ordinals = new Uint32Array(RECENT_ARRIVALS_MAX)
  readonly #words = new Uint32Array(RECENT_ARRIVALS_MAX)
  readonly #wallets = new Uint32Array(RECENT_ARRIVALS_MAX)
  #first: number
  #last: number

  /** `arrived`: swaps that arrived before this process began to look. */
  constructor(tape: Tape, arrived: number) {
    this.#tape = tape
    this.#first = arrived
    this.#last = arrived
  }

  get bytes(): number {
    const columns = [this.#slots, this.#txIndexes, this.#ordinals, this.#words, this.#wallets]
    return columns.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Swaps that arrived in all, up to the newest noted. */
  get last(): number {
    return this.#last
  }

  /** Arrivals behind this number are remembered. */
  get first(): number {
    return Math.max(this.#first, this.#last - RECENT_ARRIVALS_MAX)
  }

  /** Notes the newest arrival, record `index` of the tape. */
  note(index: number): void {
    const u32 = this.#tape.u32Of(index)
    const at = this.#tape.at(index)
    const place = this.#last & MASK
    this.#slots[place] = this.#tape.f64Of(index)[(at >>> 1) + F.slot]
    this.#txIndexes[place] = u32[at + U.txIndex]
    this.#ordinals[place] = u32[at + U.ordinal]
    this.#words[place] = u32[at + U.signature]
    this.#wallets[place] = u32[at + U.wallet]
    this.#last += 1
  }

  /** Wallet row of arrival `number`, from 1. */
  walletOf(number: number): number {
    return this.#wallets[(number - 1) & MASK]
  }

  /** Tape index of arrival `number`, from 1; good until the next event. -1 should it not be there. */
  indexOf(number: number): number {
    const place = (number - 1) & MASK
    const wanted = {
      slot: this.#slots[place],
      txIndex: this.#txIndexes[place],
      ordinal: this.#ordinals[place],
    }
    const { count } = this.#tape
    for (let index = firstAtPlace(this.#tape, wanted); index < count; index++) {
      if (comparePlace(this.#tape, index, wanted) !== 0) return -1
      if (this.#tape.u32Of(index)[this.#tape.at(index) + U.signature] === this.#words[place])
        return index
    }
    return -1
  }
}
