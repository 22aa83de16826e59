import { WINDOW_SECONDS } from '../../base/trade-window.ts'
import { SwapLane, walletOf } from '../../events/swap-record.ts'
import { untouchedByScattered } from '../memory/views.ts'
import { PositionRowLane, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { indexOfMark, markOf, type Tape } from '../state/tape.ts'
import { linkOf } from './swap-chains.ts'

const WIDEST = WINDOW_SECONDS.length - 1
/** Swaps of a page. */
const PAGE_SHIFT = 16
const PAGE_SWAPS = 1 << PAGE_SHIFT
const PAGE_MASK = PAGE_SWAPS - 1
/** What is known of a swap. */
const LANES = 2
const Lane = { mark: 0, timestamp: 1 } as const

/**
 * What a swap is among those of its trader in its mint. A number below these is the tape index + 1 of the swap that came
 * after it: it counts, and is not the latest.
 */
const Mark = {
  /** It is in no window, and neither is any older one of its trader there. */
  none: 0,
  /** It counts in no window, but an older one of its trader may: its time is ahead of the clock, or was too old. */
  passedOver: 0xfffffffe,
  /** Of all that count it has the latest time, and the last place among equal times. */
  latest: 0xffffffff,
} as const

/**
 * Time and mark of each swap of the last 24 h, by tape index: a trader counts in a window when its latest swap is in it.
 * 8 bytes a swap; what has left the 24 h leaves memory. `now` is the state's.
 */
export class RecentSwaps {
  readonly #state: State
  /** By tape index >>> PAGE_SHIFT; those before the first are gone. */
  readonly #pages: (Uint32Array | undefined)[] = []
  #pageCount = 0
  /** By window: no swap before this tape index is in it, or ahead of the clock. */
  readonly #firsts = new Float64Array(WINDOW_SECONDS.length)

  constructor(state: State) {
    this.#state = state
  }

  get bytes(): number {
    return this.#pageCount * PAGE_SWAPS * LANES * Uint32Array.BYTES_PER_ELEMENT
  }

  reset(first: number): void {
    this.#pages.length = 0
    this.#pageCount = 0
    this.#firsts.fill(first)
  }

  /** No swap before this tape index is in a window. */
  firstIn(window: number): number {
    return this.#firsts[window]
  }

  get #first(): number {
    return this.#firsts[WIDEST]
  }

  /** Reads a word of a swap, so that it is in the cache; it means nothing. */
  touch(index: number): number {
    const page = this.#pages[index >>> PAGE_SHIFT]
    return page === undefined ? 0 : page[(index & PAGE_MASK) * LANES]
  }

  /** Unix seconds; 0 for a swap that is in no window. */
  timeOf(index: number): number {
    const page = index < this.#first ? undefined : this.#pages[index >>> PAGE_SHIFT]
    return page === undefined ? 0 : page[(index & PAGE_MASK) * LANES + Lane.timestamp]
  }

  /** Does a swap stand for its trader? */
  isLatest(index: number): boolean {
    return this.#markOf(index) === Mark.latest
  }

  /** Was a swap counted, and is it inside still? */
  isCounted(index: number): boolean {
    const mark = this.#markOf(index)
    return mark !== Mark.none && mark !== Mark.passedOver && this.#isInside(this.timeOf(index))
  }

  /** Notes a swap that is in no window now. */
  passOver(index: number, timestamp: number): void {
    const before = this.#previousOf(index)
    const isAlone = before < 0 || this.#markOf(before) === Mark.none
    const isAhead = timestamp > this.#state.now
    this.#set(index, timestamp, isAlone && !isAhead ? Mark.none : Mark.passedOver)
  }

  /**
   * Counts the newest swap of its trader in the total order. `moved` is told the time of the swap that stood for the
   * trader, or null, and of the one that does now.
   */
  add(index: number, timestamp: number, moved: Moved): void {
    const before = this.#previousOf(index)
    const mark = before < 0 ? Mark.none : this.#markOf(before)
    if (mark === Mark.none) {
      this.#set(index, timestamp, Mark.latest)
      moved(null, timestamp)
    } else if (mark === Mark.latest && this.timeOf(before) <= timestamp) {
      this.#mark(before, index + 1)
      this.#set(index, timestamp, Mark.latest)
      moved(this.timeOf(before), timestamp)
    } else {
      this.#set(index, timestamp, index + 1)
      this.#judge(index + 1, -1, moved)
    }
  }

  /** Counts a swap that was ahead of the clock: newer ones of its trader may count already. */
  enter(index: number, timestamp: number, moved: Moved): void {
    this.#set(index, timestamp, index + 1)
    const newestPlus1 = this.#newestOfTrader(index)
    for (let next = newestPlus1; next > index + 1; next = this.#previousOf(next - 1) + 1)
      // It has left, and was the last of those that counted until now.
      if (this.#markOf(next - 1) === Mark.none) this.#mark(next - 1, Mark.passedOver)
    this.#judge(newestPlus1, -1, moved)
  }

  /** Takes the newest swap of the total order out; `moved` is told as in `add`. */
  remove(index: number, moved: Moved): void {
    const wasLatest = this.isLatest(index)
    const timestamp = this.timeOf(index)
    this.#mark(index, Mark.none)
    for (let window = 0; window <= WIDEST; window++)
      this.#firsts[window] = Math.min(this.#firsts[window], index)
    if (!wasLatest) return
    const before = this.#previousOf(index)
    const mark = before < 0 ? Mark.none : this.#markOf(before)
    if (mark === Mark.none) moved(timestamp, null)
    else if (mark === index + 1 && this.#isInside(this.timeOf(before))) {
      this.#mark(before, Mark.latest)
      moved(timestamp, this.timeOf(before))
    } else this.#judge(before + 1, timestamp, moved)
  }

  /** A swap leaves the widest window. */
  leave(index: number): void {
    if (this.isLatest(index)) this.#mark(index, Mark.none)
  }

  /** The clock has moved: forgets what no window has any more. */
  forget(): void {
    const gone = this.#first >>> PAGE_SHIFT
    for (let window = 0; window <= WIDEST; window++) this.#passOld(window)
    for (let page = gone; page < this.#first >>> PAGE_SHIFT; page++) {
      if (this.#pages[page] !== undefined) this.#pageCount -= 1
      this.#pages[page] = undefined
    }
  }

  #passOld(window: number): void {
    const { count } = this.#state.tape
    const begin = this.#state.now - WINDOW_SECONDS[window]
    let first = this.#firsts[window]
    for (; first < count; first++) {
      const page = this.#pages[first >>> PAGE_SHIFT]
      // Nothing of it is known: on to the next one.
      if (page === undefined) first += PAGE_MASK - (first & PAGE_MASK)
      else if (page[(first & PAGE_MASK) * LANES + Lane.timestamp] > begin) break
    }
    this.#firsts[window] = Math.min(first, count)
  }

  /**
   * Finds which of a trader's swaps stands for it, from a swap + 1 back. `standing`: time of the one that did so and was
   * taken out, else -1. Only where times run against the order: else the one before is the latest.
   */
  #judge(fromPlus1: number, standing: number, moved: Moved): void {
    let before = standing
    let latest = -1
    const counted: number[] = []
    for (let next = fromPlus1; next > this.#first; ) {
      const index = next - 1
      if (this.isLatest(index)) before = this.timeOf(index)
      if (this.isCounted(index)) {
        counted.push(index)
        // Of equal times the last in the order: it is met first.
        if (latest < 0 || this.timeOf(index) > this.timeOf(latest)) latest = index
      }
      next = linkOf(this.#state, index, SwapLane.previousInPosition)
    }
    for (const index of counted) this.#mark(index, index === latest ? Mark.latest : latest + 1)
    moved(before < 0 ? null : before, latest < 0 ? null : this.timeOf(latest))
  }

  /** Tape index + 1 of the newest swap of a swap's trader in its mint. */
  #newestOfTrader(index: number): number {
    const state = this.#state
    const { tape } = state
    const token = tape.u32Of(index)[tape.at(index) + SwapLane.token]
    const wallet = walletOf(tape.u32Of(index), tape.at(index))
    const position = state.findPosition(token, wallet)
    if (position >= 0) return state.positions.get(position, PositionRowLane.lastSwapPlus1)
    // A dormant token's positions are no rows.
    let next = state.tokens.get(token, TokenLane.lastSwapPlus1)
    while (next > index && walletOf(tape.u32Of(next - 1), tape.at(next - 1)) !== wallet)
      next = linkOf(state, next - 1, SwapLane.previousInMint)
    return next
  }

  #previousOf(index: number): number {
    const { tape } = this.#state
    return tape.u32Of(index)[tape.at(index) + SwapLane.previousInPosition] - 1
  }

  #isInside(timestamp: number): boolean {
    const { now } = this.#state
    return timestamp <= now && timestamp > now - WINDOW_SECONDS[WIDEST]
  }

  #markOf(index: number): number {
    if (index < this.#first) return Mark.none
    const page = this.#pages[index >>> PAGE_SHIFT]
    const at = (index & PAGE_MASK) * LANES
    // A load places none but those that count: a swap among them that is too old may have older ones that do.
    if (page === undefined || page[at + Lane.timestamp] === 0) return Mark.passedOver
    return page[at]
  }

  #mark(index: number, mark: number): void {
    const page = this.#pages[index >>> PAGE_SHIFT]
    if (page !== undefined) page[(index & PAGE_MASK) * LANES] = mark
  }

  #set(index: number, timestamp: number, mark: number): void {
    let page = this.#pages[index >>> PAGE_SHIFT]
    if (page === undefined) {
      page = new Uint32Array(new SharedArrayBuffer(PAGE_SWAPS * LANES * 4))
      this.#pages[index >>> PAGE_SHIFT] = page
      this.#pageCount += 1
    }
    page[(index & PAGE_MASK) * LANES] = mark
    page[(index & PAGE_MASK) * LANES + Lane.timestamp] = timestamp
  }
}

/** Another swap stands for a trader: times of the one before and of this one, in unix seconds; null: none. */
type Moved = (before: number | null, after: number | null) => void

/**
 * The places of the newest swaps by arrival. A late swap moves the records behind it, so each place has a mark by which
 * its swap is found there or further on.
 */
export class RecentArrivals {
  readonly #tape: Tape
  readonly #indexes: Float64Array
  readonly #ordinals: Uint32Array
  readonly #words: Uint32Array
  readonly #wallets: Uint32Array
  /** By the last bits of a wallet's row: number of the newest arrival of such a wallet. */
  readonly #newest: Float64Array
  /** Number of the one before it of such a wallet; forgotten ones are numbers up to `first`. */
  readonly #olders: Float64Array
  readonly #first: number
  #last: number
  readonly #mask: number

  /**
   * @param arrived swaps that arrived before the recovery was done
   * @param arrivalsMax how many are remembered, a power of two
   */
  constructor(tape: Tape, arrived: number, arrivalsMax: number) {
    this.#tape = tape
    this.#mask = arrivalsMax - 1
    this.#indexes = new Float64Array(arrivalsMax)
    this.#ordinals = new Uint32Array(arrivalsMax)
    this.#words = new Uint32Array(arrivalsMax)
    this.#wallets = new Uint32Array(arrivalsMax)
    this.#newest = new Float64Array(arrivalsMax)
    this.#olders = new Float64Array(arrivalsMax)
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
    const { length } = this.#indexes
    const placeBytes = (this.bytes - byWallet) / length
    return placeBytes * (length - noted) + untouchedByScattered(byWallet, noted)
  }

  /** Arrivals behind this number are remembered. */
  get first(): number {
    return Math.max(this.#first, this.#last - this.#indexes.length)
  }

  /** Notes the newest arrival, record `index` of the tape. */
  readonly note = (index: number): void => {
    const { ordinal, word } = markOf(this.#tape, index)
    const place = this.#last & this.#mask
    this.#indexes[place] = index
    this.#ordinals[place] = ordinal
    this.#words[place] = word
    const wallet = walletOf(this.#tape.u32Of(index), this.#tape.at(index))
    this.#wallets[place] = wallet
    this.#last += 1
    this.#olders[place] = this.#newest[wallet & this.#mask] ?? 0
    this.#newest[wallet & this.#mask] = this.#last
  }

  /**
   * Numbers of the newest `count` arrivals of a wallet row, oldest first; null when fewer are remembered. Follows the
   * wallet's own arrivals alone: a client asks for hundreds of wallets in one message.
   */
  ofWallet(wallet: number, count: number): number[] | null {
    const found: number[] = []
    let number = this.#newest[wallet & this.#mask] ?? 0
    while (found.length < count && number > this.first) {
      const place = (number - 1) & this.#mask
      if (this.#wallets[place] === wallet) found.push(number)
      number = this.#olders[place] ?? 0
    }
    return found.length < count ? null : found.reverse()
  }

  /** Tape index of arrival `number`, from 1; valid until the next event. -1: it is not there. */
  indexOf(number: number): number {
    const place = (number - 1) & this.#mask
    const { [place]: index = 0 } = this.#indexes
    const { [place]: ordinal = 0 } = this.#ordinals
    const { [place]: word = 0 } = this.#words
    return indexOfMark(this.#tape, { index, ordinal, word }, this.#tape.count)
  }
}
