import { indexOfMark, markOf } from '../engine/history/swap-mark.ts'
import { untouchedByScattered } from '../engine/memory/scattered-writes.ts'
import type { Tape } from '../engine/state/tape.ts'
import { walletOf } from '../events/swap-record.ts'
import { RECENT_ARRIVALS_MAX } from '../protocol/streams.ts'

const MASK = RECENT_ARRIVALS_MAX - 1

/**
 * Where the newest swaps stand in the tape, by the order in which they arrived. Late ones move the
 * records behind them, so a place is kept as where it was, and what the swap is known by there or further on.
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

  /** `arrived`: swaps that arrived before this process began to look. */
  constructor(tape: Tape, arrived: number) {
    this.#tape = tape
    this.#first = arrived
    this.#last = arrived
  }

  get bytes(): number {
    const columns = [this.#indexes, this.#ordinals, this.#words, this.#wallets]
    const chains = [this.#newest, this.#olders]
    return [...columns, ...chains].reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Places are written one behind the other; those by wallet, all over. */
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
    this.#olders[place] = this.#newest[wallet & MASK]
    this.#newest[wallet & MASK] = this.#last
  }

  /**
   * Numbers of the newest `count` arrivals of a wallet row, oldest first; null when not so many are
   * remembered. Looks at its own alone: a client asks for hundreds of wallets in one message.
   */
  ofWallet(wallet: number, count: number): number[] | null {
    const found: number[] = []
    let number = this.#newest[wallet & MASK]
    for (; found.length < count && number > this.first; number = this.#olders[(number - 1) & MASK])
      if (this.#wallets[(number - 1) & MASK] === wallet) found.push(number)
    return found.length < count ? null : found.reverse()
  }

  /** Tape index of arrival `number`, from 1; good until the next event. -1 should it not be there. */
  indexOf(number: number): number {
    const place = (number - 1) & MASK
    const [index, ordinal, word] = [this.#indexes[place], this.#ordinals[place], this.#words[place]]
    return indexOfMark(this.#tape, { index, ordinal, word }, this.#tape.count)
  }
}
