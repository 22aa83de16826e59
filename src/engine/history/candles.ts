import { Budget, within } from '../../base/budget.ts'
import { stepped, TapeDamage } from '../../base/errors.ts'
import { SwapLane } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT, ROWS_MAX, type Rows } from '../memory/rows.ts'
import { type ChainCopy, CopiedChains } from '../state/dormant.ts'
import type { SwapContext } from '../state/lanes.ts'
import {
  BASE,
  BASE_WIDTHS_SECONDS,
  Bar,
  BarPrice,
  LifecycleLane,
  TokenFlag,
  TokenLane,
  WideBar,
} from '../state/layout.ts'
import { pricingOf } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { type ChartTrade, linkOf, noTrade, readTrade } from './swap-chains.ts'

/** Prices of one series in a bar, side by side (`BarPrice`). */
const BAR_PRICES = 4
/** Name of the chain in an error. */
const BARS = 'bars of a mint'

/** From this many swaps on a mint stores its bars; below, a read folds its swaps. */
export const STORED_FROM_SWAPS = 2_048
/** From so many swaps on, each `COPIED_EVERY`th copies so many trades: all are copied before bars are stored. */
const COPIED_FROM_SWAPS = STORED_FROM_SWAPS / 2
const COPIED_EVERY = 16
const COPIED_TRADES = 64
/** More rows than one event adds, which may store all bars of a mint anew. */
const ROWS_SPARE = 1 << 26

/** Copied trades of all mints, of 48 bytes each. */
const COPIED_MAX = 1 << 19
const MINTS_MAX = 1 << 12
/** Lanes of a copied trade. */
const TRADE_LANES = 6
/** More than there are kinds of prices: quote mints times decimals of a mint. */
const PRICINGS = 1 << 22

/**
 * The stored bars of busy mints: per base width a chain of bars, newest first. Inside a bar trades
 * count in order of time, equal times in the total order; on a chain whose clock never steps back
 * that is the total order, and it makes a wide bar the fold of the narrow ones in every case.
 */
export class Candles {
  readonly trades: ChartTrades
  readonly #state: State
  readonly #trade = noTrade()
  /** By base width. */
  readonly #undo: readonly number[]

  constructor(state: State) {
    this.#state = state
    this.trades = new ChartTrades(state)
    const { undo, barsUndo, minutes, hours } = state
    this.#undo = [barsUndo, undo.register(minutes), undo.register(hours)]
  }

  /** Folds a swap whose record is already in the mint's chain. */
  fold(swap: SwapContext): void {
    const { t, tAt } = swap
    if ((t[tAt + TokenLane.flags] & TokenFlag.barsStored) === 0) {
      const swaps = t[tAt + TokenLane.swaps]
      if (swaps >= STORED_FROM_SWAPS) this.#startStoring(swap)
      else if (swaps >= COPIED_FROM_SWAPS && swaps % COPIED_EVERY === 0)
        this.#copyTrades(swap.token)
      return
    }
    const trade = this.#trade
    trade.index = swap.t[swap.tAt + TokenLane.lastSwapPlus1] - 1
    trade.timestamp = swap.timestamp
    trade.priceUsd = swap.priceUsd
    trade.priceSol = swap.priceSol
    trade.microUsd = swap.microUsd
    trade.lamports = swap.lamports
    this.#store(swap, trade)
  }

  /** Most trades of the first bars may be on the disk: they are copied in pieces, before. */
  #copyTrades(token: number): void {
    let left = COPIED_TRADES
    try {
      within(new Budget(() => --left > 0), (budget) => this.trades.copied(token, budget))
    } catch (error) {
      // Damage is reported when bars are first stored: only then the trades are needed.
      if (!(error instanceof TapeDamage)) throw error
    }
  }

  #startStoring(swap: SwapContext): void {
    const { t, tAt } = swap
    t[tAt + TokenLane.flags] |= TokenFlag.barsStored
    this.trades.visit(swap.token, (trade) => this.#store(swap, trade), Budget.unlimited)
  }

  /** The wide bars first: each notes where the narrow ones of its time begin. */
  #store(swap: SwapContext, trade: ChartTrade): void {
    this.#place(swap, BASE.hour, trade)
    this.#place(swap, BASE.minute, trade)
    this.#place(swap, BASE.second, trade)
  }

  /** Adds a trade to the bar of a base width that it is in, or makes that. What a bar is given whose narrow ones are gone is not read. */
  #place(swap: SwapContext, base: number, trade: ChartTrade): void {
    const { barWidths, barHeads, undo } = this.#state
    const rows = barWidths[base]
    const heads = barHeads.take(swap.token)
    const time = trade.timestamp - (trade.timestamp % BASE_WIDTHS_SECONDS[base])
    let later = 0
    let next = barHeads.rows.get(heads, base)
    for (let steps = 0; next > rows.first; ) {
      steps = stepped(steps, rows.count, BARS)
      const barTime = rows.get(next - 1, Bar.time)
      if (barTime <= time) {
        if (barTime < time) break
        undo.save(this.#undo[base], next - 1)
        this.#addTo(base, next - 1, trade)
        return
      }
      later = next
      next = rows.get(next - 1, Bar.previousPlus1)
    }
    const bar = rows.add()
    this.#open(rows, bar, time, next, trade)
    if (base > BASE.second) this.#openWide(base, bar, later, trade)
    if (later === 0) barHeads.rows.set(heads, base, bar + 1)
    else {
      undo.save(this.#undo[base], later - 1)
      rows.set(later - 1, Bar.previousPlus1, bar + 1)
    }
  }

  /** Whoever comes behind a later bar has its narrow bars no longer than that: they are reached by way of those of the later one. */
  #openWide(base: number, bar: number, laterPlus1: number, trade: ChartTrade): void {
    const { barWidths } = this.#state
    const rows = barWidths[base]
    const { count } = barWidths[base - 1]
    // Past the last number of a row none is stored any more.
    const next = count < ROWS_MAX - ROWS_SPARE ? count : 0
    const later = laterPlus1 === 0 ? next : rows.get(laterPlus1 - 1, WideBar.firstNarrow)
    rows.set(bar, WideBar.firstNarrow, Math.min(next, later))
    rows.set(bar, WideBar.firstSwap, trade.index)
    rows.set(bar, WideBar.lastSwapPlus1, trade.index + 1)
    for (let lane = WideBar.openUsdTime; lane <= WideBar.closeSolTime; lane++)
      rows.set(bar, lane, trade.timestamp)
  }

  #open(rows: Rows, bar: number, time: number, previousPlus1: number, trade: ChartTrade): void {
    const u32 = rows.u32[bar >>> ROW_SHIFT]
    const f64 = rows.f64[bar >>> ROW_SHIFT]
    const at = (bar & ROW_MASK) * rows.lanes
    u32[at + Bar.time] = time
    u32[at + Bar.previousPlus1] = previousPlus1
    const atF = at >>> 1
    for (let i = Bar.openUsdF; i <= Bar.closeUsdF; i++) f64[atF + i] = trade.priceUsd
    for (let i = Bar.openSolF; i <= Bar.closeSolF; i++) f64[atF + i] = trade.priceSol
    f64[atF + Bar.volumeMicroUsdF] = trade.microUsd
    f64[atF + Bar.volumeLamportsF] = trade.lamports
  }

  #addTo(base: number, bar: number, trade: ChartTrade): void {
    const rows = this.#state.barWidths[base]
    const u32 = rows.u32[bar >>> ROW_SHIFT]
    const f64 = rows.f64[bar >>> ROW_SHIFT]
    const lane = (bar & ROW_MASK) * rows.lanes
    const at = lane >>> 1
    if (base === BASE.second) {
      extend(f64, at + Bar.openUsdF, trade.priceUsd)
      extend(f64, at + Bar.openSolF, trade.priceSol)
    } else {
      const { priceUsd, priceSol, timestamp } = trade
      extendWide(f64, at + Bar.openUsdF, priceUsd, timestamp, u32, lane + WideBar.openUsdTime)
      extendWide(f64, at + Bar.openSolF, priceSol, timestamp, u32, lane + WideBar.openSolTime)
      u32[lane + WideBar.lastSwapPlus1] = trade.index + 1
    }
    f64[at + Bar.volumeMicroUsdF] += trade.microUsd
    f64[at + Bar.volumeLamportsF] += trade.lamports
  }
}

/**
 * Adds a price to the open, high, low and close from lane `at` on. A price of 0 is unknown: it has no part
 * in a bar that has another (contract section 3.6).
 */
function extend(f64: Float64Array, at: number, price: number): void {
  if (price === 0) return
  if (f64[at] === 0) {
    f64.fill(price, at, at + BAR_PRICES)
    return
  }
  if (price > f64[at + BarPrice.high]) f64[at + BarPrice.high] = price
  if (price < f64[at + BarPrice.low]) f64[at + BarPrice.low] = price
  f64[at + BarPrice.close] = price
}

/**
 * The same to a minute or an hour, whose trades count in order of time, equal times in the total order: one that comes last may
 * be neither its first nor its last. Lanes `times` and the next have the times of the two.
 */
function extendWide(
  f64: Float64Array,
  at: number,
  price: number,
  time: number,
  u32: Uint32Array,
  times: number,
): void {
  const isFirst = f64[at] === 0
  const close = f64[at + BarPrice.close]
  extend(f64, at, price)
  if (price !== 0 && (isFirst || time < u32[times])) {
    f64[at] = price
    u32[times] = time
  }
  if (price !== 0 && (isFirst || time >= u32[times + 1])) u32[times + 1] = time
  else f64[at + BarPrice.close] = close
}

/**
 * The trades of a mint as its chart sees them. A chart needs all of them, and each that has left memory is a
 * read of the disk: these are copied in pieces.
 */
export class ChartTrades {
  readonly #state: State
  readonly #mints: CopiedChains
  /** By token: its newest swap that has left memory + 1, or 0. */
  readonly #newestGone = new Map<number, number>()
  /** `firstInMemory` of the tape that they are valid for. */
  #goneBefore = 0

  constructor(state: State) {
    this.#state = state
    this.#mints = new CopiedChains(
      TRADE_LANES,
      { records: COPIED_MAX, chains: MINTS_MAX },
      (index, copy) => this.#copy(index, copy),
    )
  }

  get bytes(): number {
    return this.#mints.bytes
  }

  /** Forgets all: the tape was replaced. */
  drop(): void {
    this.#mints.drop()
    this.#newestGone.clear()
  }

  /**
   * Calls `visit` with every trade of a mint in the total order, oldest first; the object is the same each time.
   * @throws OutOfTime before the first, while trades that have left memory are copied
   * @throws TapeDamage when one cannot be read
   */
  visit(token: number, visit: (trade: ChartTrade) => void, budget: Budget): void {
    const copied = this.copied(token, budget)
    const later: number[] = []
    let next = this.#state.tokens.get(token, TokenLane.lastSwapPlus1)
    while (next !== 0 && next !== copied?.newestPlus1) {
      later.push(next - 1)
      next = linkOf(this.#state, next - 1, SwapLane.previousInMint)
    }
    const trade = noTrade()
    if (next !== 0 && copied !== null)
      for (let i = 0; i < copied.count; i++) {
        takeTrade(copied.f64, i * TRADE_LANES, trade)
        visit(trade)
      }
    for (let i = later.length - 1; i >= 0; i--) {
      readTrade(this.#state, later[i], trade)
      visit(trade)
    }
  }

  /**
   * Copies of the trades of a mint that have left memory; null: there are none, or too many for the cache.
   * @throws OutOfTime before all are copied
   */
  copied(token: number, budget: Budget): ChainCopy | null {
    const next = this.#mayHaveLeft(token) ? this.#newestGoneOf(token) : 0
    return next === 0 ? null : this.#mints.copy(this.#chainOf(token), next, budget)
  }

  #copy(index: number, copy: ChainCopy): number {
    const trade = noTrade()
    readTrade(this.#state, index, trade)
    const nextPlus1 = linkOf(this.#state, index, SwapLane.previousInMint)
    const at = copy.add()
    copy.f64[at] = trade.timestamp
    copy.f64[at + 1] = trade.priceUsd
    copy.f64[at + 2] = trade.priceSol
    copy.f64[at + 3] = trade.microUsd
    copy.f64[at + 4] = trade.lamports
    copy.f64[at + 5] = index
    return nextPlus1
  }

  /** Searched once: a busy mint is read often, and its chain has thousands of swaps in memory. */
  #newestGoneOf(token: number): number {
    const { firstInMemory } = this.#state.tape
    const isFull = this.#newestGone.size === MINTS_MAX && !this.#newestGone.has(token)
    if (this.#goneBefore !== firstInMemory || isFull) this.#newestGone.clear()
    this.#goneBefore = firstInMemory
    const known = this.#newestGone.get(token)
    if (known !== undefined) return known
    let next = this.#state.tokens.get(token, TokenLane.lastSwapPlus1)
    while (next > firstInMemory) next = linkOf(this.#state, next - 1, SwapLane.previousInMint)
    this.#newestGone.set(token, next)
    return next
  }

  /** False when the mint was born after the oldest swap in memory. */
  #mayHaveLeft(token: number): boolean {
    const { tape, births } = this.#state
    if (tape.firstInMemory === 0) return false
    const oldest = tape.firstInMemory
    if (oldest >= tape.count) return true
    const createdAt =
      births.u32[token >>> ROW_SHIFT][
        (token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.createdAt
      ]
    return createdAt <= tape.u32Of(oldest)[tape.at(oldest) + SwapLane.timestamp]
  }

  /** Another pricing is another chain, so that no old price is read. */
  #chainOf(token: number): number {
    return token * PRICINGS + pricingOf(this.#state, token)
  }
}

function takeTrade(f64: Float64Array, at: number, trade: ChartTrade): void {
  trade.timestamp = f64[at]
  trade.priceUsd = f64[at + 1]
  trade.priceSol = f64[at + 2]
  trade.microUsd = f64[at + 3]
  trade.lamports = f64[at + 4]
  trade.index = f64[at + 5]
}
