import { LRUCache } from 'lru-cache'
import { type Budget, OutOfTime } from '../../base/budget.ts'
import { SwapLane } from '../../events/swap-record.ts'
import { BASE_WIDTHS_SECONDS, Bar, BarPrice, WideBar } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { type ChartTrade, linkOf, noTrade, readTrade } from './swap-chains.ts'

/** Folded bars that are remembered, of 88 bytes each: those read longest ago go first. */
const REMEMBERED_MAX = 1 << 18
/** Swaps read between two checks of the budget: each may be a read of the disk. */
const SWAPS_A_LOOK = 16

/** Lanes of a folded bar: its time, then those of `Bar` from `openUsdF` to `volumeLamportsF`. */
export const FOLDED = { open: 1, lanes: Bar.volumeLamportsF + 1 } as const
/** From the open in USD on: that in SOL, and from an open to the volume behind its prices. */
const SOL = Bar.openSolF - Bar.openUsdF
const VOLUME = Bar.volumeMicroUsdF - Bar.openUsdF
const FIRST_BARS = 8

/** More than the seconds of the widest bar that is folded. */
const WIDTHS = 1 << 12

/**
 * What minutes and hours are made of whose own narrow bars are gone, folded from the swaps: those of the time alone, since
 * its bar knows where they are. A bar that no late event takes back is folded in pieces, and remembered: no more bars than a read asks for,
 * or a long one would push its own first ones out, and never end.
 */
export class PastBars {
  readonly #state: State
  readonly #settledBars: (base: number) => number
  readonly #trade = noTrade()
  /** By row, base width and width: other prices of a mint are other rows (`BarChains.restart`). */
  readonly #known = new LRUCache<number, Folding>({
    maxSize: REMEMBERED_MAX,
    sizeCalculation: ({ count }) => count + 1,
  })

  /** `settledBars`: row of a base width up to which no bar is taken back any more. */
  constructor(state: State, settledBars: (base: number) => number) {
    this.#state = state
    this.#settledBars = settledBars
  }

  get bytes(): number {
    return this.#known.calculatedSize * FOLDED.lanes * Float64Array.BYTES_PER_ELEMENT
  }

  /** Forgets all: the rows are other ones. */
  drop(): void {
    this.#known.clear()
  }

  /**
   * The bars of `width` seconds, newest first, in a stored bar of a minute or an hour.
   * @throws OutOfTime while its swaps are read: the next call goes on from there
   * @throws TapeDamage when one cannot be read
   */
  of(base: number, row: number, width: number, budget: Budget): Pick<Folding, 'f64' | 'count'> {
    const rows = this.#state.barWidths[base]
    const lastPlus1 = rows.get(row, WideBar.lastSwapPlus1)
    // A swap of it that comes, late or not, moves the last one on.
    const isSettled = row < this.#settledBars(base)
    const key = (row * BASE_WIDTHS_SECONDS.length + base) * WIDTHS + width
    const known = this.#known.get(key)
    const folding = known?.lastPlus1 === lastPlus1 ? known : new Folding(lastPlus1)
    if (folding.isWhole) return folding
    const from = rows.get(row, Bar.time)
    const end = { time: from + BASE_WIDTHS_SECONDS[base], swap: rows.get(row, WideBar.firstSwap) }
    while (folding.nextPlus1 > end.swap) {
      for (let i = 0; i < SWAPS_A_LOOK && folding.nextPlus1 > end.swap; i++)
        this.#take(folding, from, end.time)
      if (!isSettled || budget.hasTime()) continue
      this.#remember(key, folding)
      throw new OutOfTime()
    }
    folding.end(width)
    if (!isSettled) return folding
    this.#remember(key, folding)
    budget.throwIfSpent()
    return folding
  }

  #take(folding: Folding, from: number, to: number): void {
    const { tape } = this.#state
    const index = folding.nextPlus1 - 1
    const time = tape.u32Of(index)[tape.at(index) + SwapLane.timestamp]
    const previousPlus1 = linkOf(this.#state, index, SwapLane.previousInMint)
    if (time >= from && time < to) {
      readTrade(this.#state, index, this.#trade)
      folding.add(this.#trade)
    }
    folding.nextPlus1 = previousPlus1
  }

  /** Taken out first: the cache would not measure a known one again, though it has grown. */
  #remember(key: number, folding: Folding): void {
    this.#known.delete(key)
    this.#known.set(key, folding)
  }
}

/** A fold that goes from the newest swap to the oldest. */
class Folding {
  readonly lastPlus1: number
  /** Tape index + 1 of the swap that is read next. */
  nextPlus1: number
  isWhole = false
  count = 0
  f64 = new Float64Array(FIRST_BARS * FOLDED.lanes)
  /** First lane of a bar by its second. */
  readonly #places = new Map<number, number>()

  constructor(lastPlus1: number) {
    this.lastPlus1 = lastPlus1
    this.nextPlus1 = lastPlus1
  }

  /** Adds a trade before those that were added: in a second all times are equal, so the total order counts. */
  add(trade: ChartTrade): void {
    const at = (this.#places.get(trade.timestamp) ?? this.#add(trade.timestamp)) + FOLDED.open
    prepend(this.f64, at, trade.priceUsd)
    prepend(this.f64, at + SOL, trade.priceSol)
    this.f64[at + VOLUME] += trade.microUsd
    this.f64[at + SOL + VOLUME] += trade.lamports
  }

  #add(second: number): number {
    const at = this.count * FOLDED.lanes
    if (at === this.f64.length) {
      const wider = new Float64Array(at * 2)
      wider.set(this.f64)
      this.f64 = wider
    }
    this.f64[at] = second
    this.#places.set(second, at)
    this.count += 1
    return at
  }

  /** All swaps are in: puts the bars in order, those of `width` seconds into one. */
  end(width: number): void {
    const { lanes } = FOLDED
    const seconds = this.f64
    const newestFirst = [...this.#places].sort(([a], [b]) => b - a)
    const times = new Set(newestFirst.map(([second]) => second - (second % width)))
    this.f64 = new Float64Array(times.size * lanes)
    this.count = 0
    for (const [second, at] of newestFirst) {
      const time = second - (second % width)
      if (this.count === 0 || this.f64[(this.count - 1) * lanes] !== time) {
        this.f64.set(seconds.subarray(at, at + lanes), this.count * lanes)
        this.f64[this.count++ * lanes] = time
      } else prependBar(this.f64, (this.count - 1) * lanes + FOLDED.open, seconds, at + FOLDED.open)
    }
    this.#places.clear()
    this.isWhole = true
  }
}

/** Puts an earlier bar, whose prices may be unknown (0), before the one from lane `at` on. */
export function prependBar(
  f64: Float64Array,
  at: number,
  earlier: Float64Array,
  from: number,
): void {
  for (const series of [0, SOL]) {
    const [to, open] = [at + series, earlier[from + series]]
    f64[to + VOLUME] += earlier[from + series + VOLUME]
    if (open === 0) continue
    const close = f64[to] === 0 ? earlier[from + series + BarPrice.close] : f64[to + BarPrice.close]
    prepend(f64, to, earlier[from + series + BarPrice.high])
    prepend(f64, to, earlier[from + series + BarPrice.low])
    f64[to] = open
    f64[to + BarPrice.close] = close
  }
}

/** Puts an earlier price, unless it is unknown (0), before the open, high, low and close from lane `at` on. */
function prepend(f64: Float64Array, at: number, price: number): void {
  if (price === 0) return
  if (f64[at] === 0) {
    f64.fill(price, at, at + VOLUME)
    return
  }
  f64[at] = price
  if (price > f64[at + BarPrice.high]) f64[at + BarPrice.high] = price
  if (price < f64[at + BarPrice.low]) f64[at + BarPrice.low] = price
}
