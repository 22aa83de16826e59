import { indexOfMark, markOf } from '../engine/history/swap-chains.ts'
import { untouchedByScattered } from '../engine/memory/views.ts'
import type { Tape } from '../engine/state/tape.ts'
import { walletOf } from '../events/swap-record.ts'
import { RECENT_ARRIVALS_MAX } from '../protocol/queries.ts'

const MASK = RECENT_ARRIVALS_MAX - 1

/**
 * The places of the newest swaps by arrival. A late swap moves the records behind it, so each place has a mark by which
 * its swap is found there or further on.
 */
export class RecentArrivals {
  readonly #tape: Tape
  readonly #indexes = new Float64Array(RECENT_ARRIVALS_MAX)
  readonly #ordinals = new Uint32Array(RECENT_ARRIVALS_MAX)
  readonly #words = new Uint32Array(RECENT_ARRIVALS_MAX)
  readonly #wallets = new Uint32Array(RECENT_ARRIVALS_MAX)
  /** By the last bits of a wallet's row: number of the newest arrival of such a wallet. */
  readonly #newest = new Float64Array(RECENT_ARRIVALS_MAX)
  /** Number of the one before it of such a wallet; forgotten ones are numbers up to `first`. */
  readonly #olders = new Float64Array(RECENT_ARRIVALS_MAX)
  readonly #first: number
  #last: number

  /** `arrived`: swaps that arrived before the recovery was done. */
  constructor(tape: Tape, arrived: number) {
    this.#tape = tape
    this.#first = arrived
    this.#last = arrived
  }

  get bytes(): number {
    const places = [this.#indexes, this.#ordinals, this.#words, this.#wallets, this.#olders]
    return places.reduce((sum, one) => sum + one.byteLength, this.#newest.byteLength)
  }

  /** Arrivals are written one behind the other; the columns by wallet at scattered places. */
  get untouchedBytes(): number {
    const noted = this.#last - this.first
    const byWallet = this.#newest.byteLength
    const placeBytes = (this.bytes - byWallet) / RECENT_ARRIVALS_MAX
    return placeBytes * (RECENT_ARRIVALS_MAX - noted) + untouchedByScattered(byWallet, noted)
  }

  /** Arrivals behind this number are remembered. */
  get first(): number {
    return Math.max(this.#first, this.#last - RECENT_ARRIVALS_MAX)
  }

  /** Notes the newest arrival, record `index` of the tape. */
  note(index: number): void {
    const { ordinal, word } = markOf(this.#tape, index)
    const place = this.#last & MASK
    this.#indexes[place] = index
    this.#ordinals[place] = ordinal
    this.#words[place] = word
    const wallet = walletOf(this.#tape.u32Of(index), this.#tape.at(index))
    this.#wallets[place] = wallet
    this.#last += 1
    this.#olders[place] = this.#newest[wallet & MASK] ?? 0
    this.#newest[wallet & MASK] = this.#last
  }

  /**
   * Numbers of the newest `count` arrivals of a wallet row, oldest first; null when fewer are remembered. Follows the
   * wallet's own arrivals alone: a client asks for hundreds of wallets in one message.
   */
  ofWallet(wallet: number, count: number): number[] | null {
    const found: number[] = []
    let number = this.#newest[wallet & MASK] ?? 0
    while (found.length < count && number > this.first) {
      const place = (number - 1) & MASK
      if (this.#wallets[place] === wallet) found.push(number)
      number = this.#olders[place] ?? 0
    }
    return found.length < count ? null : found.reverse()
  }

  /** Tape index of arrival `number`, from 1; valid until the next event. -1: it is not there. */
  indexOf(number: number): number {
    const place = (number - 1) & MASK
    const { [place]: index = 0 } = this.#indexes
    const { [place]: ordinal = 0 } = this.#ordinals
    const { [place]: word = 0 } = this.#words
    return indexOfMark(this.#tape, { index, ordinal, word }, this.#tape.count)
  }
}
