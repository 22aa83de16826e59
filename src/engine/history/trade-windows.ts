import { isHistoryDamage } from '../../base/errors.ts'
import { WINDOW_SECONDS } from '../../base/trade-window.ts'
import { Flag, SwapFloatLane, SwapLane, volumeMicroUsdOf } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT, Rows, U32List } from '../memory/rows.ts'
import { TradeWindowLane as Row, TokenLane } from '../state/layout.ts'
import { pricingOf, tradePriceUsd } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { RecentSwaps } from './recent-swaps.ts'
import { linkOf } from './swap-chains.ts'

const WINDOWS = WINDOW_SECONDS.length
const WIDEST = WINDOWS - 1

const LOW_SHIFT = 8
/** Swaps that are read at once as they are made. */
const SWAPS_A_PIECE = 4_096
const ALL_STALE = (2 ** WINDOWS - 1) * (1 + 2 ** LOW_SHIFT)

/** A token's trades in one window. */
export interface WindowSums {
  buys: number
  sells: number
  /** Distinct wallets. */
  traders: number
  firstBuys: number
  buyMicroUsd: number
  sellMicroUsd: number
}

/**
 * Sums of every token over the windows of `WINDOW_SECONDS`, exact to the second. The clock moves a trade from age to age
 * (`leave`), so the sums of a token without trades empty by themselves: then its row is given back, and it costs the 4
 * bytes that name its row. Derived from the tape and the chains of seconds (RollingWindow): no part of the state.
 */
export class TradeWindows {
  readonly #state: State
  readonly #chains: SecondChains
  readonly #recent: RecentSwaps
  readonly #rows = new Rows(Row.lanes)
  /** By token: its row + 1. */
  readonly #rowOf = new U32List()
  /** The state was loaded, or a swap could not be read: nothing is kept until the windows are made anew. */
  #isStale = false
  /** Why they could not be made anew, and the second of it. */
  #failure: { readonly now: number; readonly error: unknown } | null = null
  /** Lanes of the row in work. */
  #w: Uint32Array = new Uint32Array(0)
  #wf: Float64Array = new Float64Array(0)
  #at = 0
  readonly #moveTrader = (before: number | null, after: number | null): void => {
    const { now } = this.#state
    if (before !== null) this.#w[this.#at + Row.traders + ageOf(now - before)] -= 1
    if (after !== null) this.#w[this.#at + Row.traders + ageOf(now - after)] += 1
  }

  constructor(state: State, chains: SecondChains) {
    this.#state = state
    this.#chains = chains
    this.#recent = new RecentSwaps(state)
  }

  get bytes(): number {
    return this.#rows.bytes + this.#rowOf.bytes + this.#recent.bytes
  }

  get untouchedBytes(): number {
    return this.#rows.untouchedBytes + this.#rowOf.untouchedBytes
  }

  /** The rows of the state are other ones: `begin`, or the next read, makes the windows anew. */
  startAnew(): void {
    this.#isStale = true
    this.#failure = null
  }

  /**
   * Makes them in pieces, between which no event may come. Until then a fold takes no time for them. Where a swap cannot
   * be read, who reads them is told so.
   */
  *begin(): Generator<number, void> {
    try {
      if (this.#isStale) yield* this.#making()
    } catch (error) {
      this.#giveUp(error)
    }
  }

  /** Makes them at once, if they have to be. @throws TapeDamage when a swap cannot be read */
  #read(): void {
    if (!this.#isStale) return
    // Each row of an answer asks: what could not be read at this second is not read again in it.
    if (this.#failure?.now === this.#state.now) throw this.#failure.error
    try {
      for (const making = this.#making(); making.next().done !== true; );
    } catch (error) {
      this.#failure = { now: this.#state.now, error }
      throw error
    }
  }

  *#making(): Generator<number, void> {
    const { tape, windowChanges } = this.#state
    const found: number[] = []
    for (const index of this.#chains.swaps())
      if (found.push(index) % SWAPS_A_PIECE === 0) yield found.length
    const swaps = Float64Array.from(found).sort()
    this.#rows.reset(0)
    this.#rowOf.reset(0)
    this.#recent.reset(swaps.length === 0 ? tape.count : swaps[0])
    for (const [i, index] of swaps.entries()) {
      this.#add(index, tape.u32Of(index)[tape.at(index) + SwapLane.timestamp])
      if (i % SWAPS_A_PIECE === 0) yield i
    }
    windowChanges.noteAll(this.#state.tokens.count)
    this.#isStale = false
  }

  /** A swap was folded, and is not linked in its second yet. */
  add(index: number, timestamp: number): void {
    this.#keep('add', index, timestamp)
  }

  #add(index: number, timestamp: number): void {
    const { now, tape } = this.#state
    const age = now - timestamp
    const r = tape.u32Of(index)
    const token = r[tape.at(index) + SwapLane.token]
    if (age >= 0 && age < WINDOW_SECONDS[WIDEST]) {
      this.#take(token, index, r[tape.at(index) + SwapLane.previousInMint])
      this.#count(index, ageOf(age))
      this.#recent.add(index, timestamp, this.#moveTrader)
      return
    }
    this.#recent.passOver(index, -age > this.#chains.aheadSecondsMax ? 0 : timestamp)
    // It has a price that is the newest, whether it counts or not.
    this.#state.windowChanges.note(token)
    if (age >= 0 && this.#find(token)) this.#passed(index, WIDEST)
  }

  /** Counts a swap whose time the clock has reached. */
  enter(index: number): void {
    this.#keep('enter', index, 0)
  }

  #enter(index: number): void {
    const { now, tape } = this.#state
    const r = tape.u32Of(index)
    const at = tape.at(index)
    const timestamp = r[at + SwapLane.timestamp]
    this.#take(r[at + SwapLane.token], index, r[at + SwapLane.previousInMint])
    this.#count(index, ageOf(now - timestamp))
    this.#recent.enter(index, timestamp, this.#moveTrader)
  }

  /** Takes out the newest swap, which is still linked in its second: an undo goes from the newest back. */
  remove(index: number, timestamp: number): void {
    this.#keep('remove', index, timestamp)
  }

  #remove(index: number, timestamp: number): void {
    const { now, tape } = this.#state
    const r = tape.u32Of(index)
    const at = tape.at(index)
    const previous = r[at + SwapLane.previousInMint]
    const isCounted = this.#recent.isCounted(index)
    const hasRow = this.#find(r[at + SwapLane.token])
    this.#recent.remove(index, this.#moveTrader)
    if (!hasRow) return
    this.#state.windowChanges.note(r[at + SwapLane.token])
    for (let lane = this.#at + Row.before; lane < this.#at + Row.before + WINDOWS; lane++)
      if (this.#w[lane] === index + 1) this.#w[lane] = previous
    if (this.#w[this.#at + Row.firstOfMint] === index + 1) this.#w[this.#at + Row.firstOfMint] = 0
    if (!isCounted) return
    const age = ageOf(now - timestamp)
    this.#sum(index, age, -1)
    this.#lower(index, age, WIDEST)
    this.#giveBackIfEmpty(r[at + SwapLane.token])
  }

  /** The swaps of a second, from its newest on, leave a window: they are as old as the next one, or out of all. */
  leave(index: number, window: number): void {
    this.#keep('leave', index, window)
  }

  #leave(index: number, window: number): void {
    const { tape } = this.#state
    const token = tape.u32Of(index)[tape.at(index) + SwapLane.token]
    if (!this.#find(token)) return
    this.#state.windowChanges.note(token, window)
    const isLatest = this.#recent.isLatest(index)
    this.#sum(index, window, -1)
    this.#lower(index, window, window)
    if (isLatest) this.#w[this.#at + Row.traders + window] -= 1
    if (window === WIDEST) {
      this.#recent.leave(index)
      this.#passed(index, WIDEST)
      this.#giveBackIfEmpty(token)
      return
    }
    this.#sum(index, window + 1, 1)
    if (isLatest) this.#w[this.#at + Row.traders + window + 1] += 1
    if (this.#w[this.#at + Row.before + window] <= index)
      this.#w[this.#at + Row.before + window] = index + 1
  }

  /** Reads a word of each line of a token's row that a swap needs, so that they are in the cache; it means nothing. */
  touch(token: number): number {
    const row = this.#rowOf.get(token) - 1
    if (row < 0) return 0
    const w = this.#rows.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * Row.lanes
    return w[at] + w[at + 2 * Row.highUsdF] + w[at + Row.buys] + w[at + Row.firstBuys]
  }

  /** The same of the swap that stands for a trader until now. */
  touchSwap(index: number): number {
    return this.#recent.touch(index)
  }

  #keep(change: 'add' | 'enter' | 'remove' | 'leave', index: number, value: number): void {
    if (this.#isStale) return
    try {
      if (change === 'add') this.#add(index, value)
      else if (change === 'leave')
        for (let next = index + 1; next !== 0; ) {
          this.#leave(next - 1, value)
          next = linkOf(this.#state, next - 1, SwapLane.nextInSecond)
        }
      else if (change === 'enter') this.#enter(index)
      else this.#remove(index, value)
    } catch (error) {
      this.#giveUp(error)
    }
  }

  /** The fold goes on where a swap of the past cannot be read. What was read of windows is read anew, until they can be made. */
  #giveUp(error: unknown): void {
    if (!isHistoryDamage(error)) throw error
    this.#isStale = true
    this.#state.windowChanges.noteAll(this.#state.tokens.count)
  }

  /** The clock has moved. */
  advanced(): void {
    if (!this.#isStale) this.#recent.forget()
  }

  /** Adds up a token's trades in a window. */
  sums(token: number, window: number, sums: WindowSums): void {
    this.#read()
    sums.buys = 0
    sums.sells = 0
    sums.traders = 0
    sums.firstBuys = 0
    sums.buyMicroUsd = 0
    sums.sellMicroUsd = 0
    if (!this.#find(token)) return
    const [w, wf, at] = [this.#w, this.#wf, this.#at]
    for (let age = 0; age <= window; age++) {
      sums.buys += w[at + Row.buys + age]
      sums.sells += w[at + Row.sells + age]
      sums.traders += w[at + Row.traders + age]
      sums.firstBuys += w[at + Row.firstBuys + age]
      sums.buyMicroUsd += wf[(at >>> 1) + Row.buyMicroUsdF + age]
      sums.sellMicroUsd += wf[(at >>> 1) + Row.sellMicroUsdF + age]
    }
  }

  /** Tape index of a token's newest swap at or before the begin of a window it has a trade in; -1: none. */
  swapBefore(token: number, window: number): number {
    this.#read()
    if (!this.#find(token)) return -1
    const { now, tape } = this.#state
    const begin = now - WINDOW_SECONDS[window]
    let next = this.#w[this.#at + Row.before + window]
    while (next !== 0 && tape.u32Of(next - 1)[tape.at(next - 1) + SwapLane.timestamp] > begin)
      next = linkOf(this.#state, next - 1, SwapLane.previousInMint)
    this.#w[this.#at + Row.before + window] = next
    return next - 1
  }

  /** Tape index of a token's first swap in a window, where none is before it; -1: none. */
  firstOfMint(token: number, window: number): number {
    if (!this.#find(token)) return -1
    const first = this.#w[this.#at + Row.firstOfMint] - 1
    if (first >= 0) return first
    // The first of all is ahead of the clock.
    const { now } = this.#state
    let found = -1
    let next = this.#state.tokens.get(token, TokenLane.lastSwapPlus1)
    for (; next !== 0; next = linkOf(this.#state, next - 1, SwapLane.previousInMint)) {
      const age = now - this.#recent.timeOf(next - 1)
      if (age >= 0 && age < WINDOW_SECONDS[window]) found = next - 1
    }
    return found
  }

  /** No swap before this tape index is in a window. */
  firstIn(window: number): number {
    return this.#recent.firstIn(window)
  }

  /** The highest and lowest price of a window; null: they have to be found (`keepExtremes`). */
  extremesOf(token: number, window: number): Extremes | null {
    this.#read()
    if (!this.#find(token)) return { highUsd: 0, lowUsd: 0 }
    this.#judgePricing(token)
    const bits = (1 << window) | (1 << (window + LOW_SHIFT))
    if ((this.#w[this.#at + Row.stale] & bits) !== 0) return null
    const atF = (this.#at >>> 1) + window
    return {
      highUsd: this.#wf[atF + Row.highUsdF],
      lowUsd: this.#wf[atF + Row.lowUsdF],
    }
  }

  /** Keeps what was found where `extremesOf` was null. */
  keepExtremes(token: number, window: number, { highUsd, lowUsd }: Extremes): void {
    if (!this.#find(token)) return
    this.#w[this.#at + Row.stale] &= ~((1 << window) | (1 << (window + LOW_SHIFT)))
    this.#wf[(this.#at >>> 1) + Row.highUsdF + window] = highUsd
    this.#wf[(this.#at >>> 1) + Row.lowUsdF + window] = lowUsd
  }

  #find(token: number): boolean {
    const row = this.#rowOf.get(token) - 1
    if (row < 0) return false
    this.#select(row)
    return true
  }

  /** Finds a token's row, or takes one, for a swap that counts and has another before it in its mint. */
  #take(token: number, index: number, previousPlus1: number): void {
    if (!this.#find(token)) {
      const row = this.#rows.add()
      this.#rowOf.set(token, row + 1)
      this.#select(row)
      const newest = this.#state.tokens.get(token, TokenLane.lastSwapPlus1)
      const before = this.#at + Row.before
      // Behind one that was ahead of the clock, or is loaded, may be others that are too old to count.
      this.#w.fill(newest === index + 1 ? previousPlus1 : newest, before, before + WINDOWS)
      this.#w[this.#at + Row.pricing] = pricingOf(this.#state, token)
    }
    if (previousPlus1 === 0) this.#w[this.#at + Row.firstOfMint] = index + 1
  }

  #select(row: number): void {
    this.#w = this.#rows.u32[row >>> ROW_SHIFT]
    this.#wf = this.#rows.f64[row >>> ROW_SHIFT]
    this.#at = (row & ROW_MASK) * Row.lanes
  }

  #giveBackIfEmpty(token: number): void {
    for (let age = 0; age < WINDOWS; age++)
      if (this.#w[this.#at + Row.buys + age] + this.#w[this.#at + Row.sells + age] !== 0) return
    this.#rows.giveBack(this.#rowOf.get(token) - 1)
    this.#rowOf.set(token, 0)
  }

  /** Counts a swap in the windows that are as wide as it is old, or wider. */
  #count(index: number, age: number): void {
    const { tape, windowChanges } = this.#state
    windowChanges.note(tape.u32Of(index)[tape.at(index) + SwapLane.token])
    this.#raise(index, age)
    this.#passed(index, age - 1)
    this.#sum(index, age, 1)
  }

  #sum(index: number, age: number, sign: number): void {
    const { tape } = this.#state
    const r = tape.u32Of(index)
    const rf = tape.f64Of(index)
    const rAt = tape.at(index)
    const [w, wf, at] = [this.#w, this.#wf, this.#at]
    const isSell = (r[rAt + SwapLane.flags] & Flag.sell) !== 0
    const count = at + age + (isSell ? Row.sells : Row.buys)
    const sum = (at >>> 1) + age + (isSell ? Row.sellMicroUsdF : Row.buyMicroUsdF)
    const lane = rf[(rAt >>> 1) + SwapFloatLane.volumeMicroUsd]
    w[count] += sign
    // Beyond 2^53 micro-USD a sum is rounded, but an empty one has exactly none.
    if (w[count] === 0) wf[sum] = 0
    // The lane has it, except for quotes in a coin: a call would put its double on the heap.
    else wf[sum] += sign * (lane >= 0 ? lane : volumeMicroUsdOf(r, rf, rAt))
    if (!isSell && r[rAt + SwapLane.previousInPosition] === 0) w[at + Row.firstBuys + age] += sign
  }

  /** A swap is before the windows up to one. */
  #passed(index: number, window: number): void {
    for (let lane = this.#at + Row.before + window; lane >= this.#at + Row.before; lane--)
      if (this.#w[lane] <= index) this.#w[lane] = index + 1
  }

  /** Before it is counted: its price may be the highest or lowest of its windows. */
  #raise(index: number, age: number): void {
    const price = this.#priceUsd(index)
    const [w, wf, at] = [this.#w, this.#wf, this.#at]
    let trades = 0
    for (let window = 0; window < WINDOWS; window++) {
      // A wider window has what a narrower one has.
      if (trades === 0) trades = w[at + Row.buys + window] + w[at + Row.sells + window]
      if (window < age) continue
      const atF = (at >>> 1) + window
      if (trades === 0) {
        w[at + Row.stale] &= ~((1 << window) | (1 << (window + LOW_SHIFT)))
        wf[atF + Row.highUsdF] = price
        wf[atF + Row.lowUsdF] = price
      } else if (price > 0) {
        if (price > wf[atF + Row.highUsdF]) wf[atF + Row.highUsdF] = price
        if (wf[atF + Row.lowUsdF] === 0 || price < wf[atF + Row.lowUsdF])
          wf[atF + Row.lowUsdF] = price
      }
    }
  }

  /** A swap leaves the windows from one to another: their highest or lowest price may have been its own. */
  #lower(index: number, from: number, to: number): void {
    const price = this.#priceUsd(index)
    if (price === 0) return
    const [w, wf, at] = [this.#w, this.#wf, this.#at]
    for (let window = from; window <= to; window++) {
      const atF = (at >>> 1) + window
      if (price >= wf[atF + Row.highUsdF]) w[at + Row.stale] |= 1 << window
      if (price <= wf[atF + Row.lowUsdF]) w[at + Row.stale] |= 1 << (window + LOW_SHIFT)
    }
  }

  #priceUsd(index: number): number {
    return tradePriceUsd(this.#state, index, this.#w[this.#at + Row.pricing])
  }

  /** Another creation may have become known: then all prices are other ones. */
  #judgePricing(token: number): void {
    const pricing = pricingOf(this.#state, token)
    if (this.#w[this.#at + Row.pricing] === pricing) return
    this.#w[this.#at + Row.pricing] = pricing
    this.#w[this.#at + Row.stale] = ALL_STALE
  }
}

/** The narrowest window that a trade of so many seconds ago is in; `WINDOWS`: none. */
function ageOf(seconds: number): number {
  let age = 0
  while (age < WINDOWS && seconds >= WINDOW_SECONDS[age]) age++
  return age
}

/** The highest and the lowest price of a window in USD; 0: none is known. */
export interface Extremes {
  readonly highUsd: number
  readonly lowUsd: number
}

/** The chains of seconds of RollingWindow. */
export interface SecondChains {
  /** Tape indexes of the swaps of the last 24 h and of those ahead of the clock, in any order. */
  swaps(): Iterable<number>
  /** A swap that is further ahead is in no chain. */
  readonly aheadSecondsMax: number
}
