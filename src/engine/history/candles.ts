import { Budget, within } from '../../base/budget.ts'
import { stepped, TapeDamage } from '../../base/errors.ts'
import { SwapLane, volumeMicroUsdOf } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { type ChainCopy, CopiedChains } from '../state/dormant.ts'
import type { SwapContext } from '../state/lanes.ts'
import { Bar, BarPrice, LifecycleLane, TokenFlag, TokenLane } from '../state/layout.ts'
import { lamportsOfSwap, priceSwap, QUOTE_COINS_MAX } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { linkOf } from './swap-chains.ts'

/** Prices of one series in a bar, side by side (`BarPrice`). */
const BAR_PRICES = 4
/** Name of the chain in an error. */
const BARS = 'bars of a mint'

/**
 * Widths that are stored, in seconds: 1 s gives the second bars, a minute the minute bars, an hour
 * all longer ones. Every width is the exact fold of the trades, so folding narrow bars gives it.
 */
export const BASE_WIDTHS_SECONDS = [1, 60, 3600] as const

/** From this many swaps on a mint stores its bars; below, a read folds its swaps. */
export const STORED_FROM_SWAPS = 2_048
/** From so many swaps on, each `COPIED_EVERY`th copies so many trades: all are copied before bars are stored. */
const COPIED_FROM_SWAPS = STORED_FROM_SWAPS / 2
const COPIED_EVERY = 16
const COPIED_TRADES = 64

/** Open and close of the two series. */
const SERIES = [
  { open: Bar.openUsdF, close: Bar.closeUsdF },
  { open: Bar.openSolF, close: Bar.closeSolF },
] as const

/** Copied trades of all mints, of 40 bytes each. */
const COPIED_MAX = 1 << 19
const MINTS_MAX = 1 << 12
/** Lanes of a copied trade. */
const TRADE_LANES = 5
/** More than there are kinds of prices: quote mints times decimals of a mint. */
const PRICINGS = 1 << 22
const QUOTES = QUOTE_COINS_MAX * 2

/**
 * The stored bars of busy mints: per base width a chain of bars, newest first. Inside a bar trades
 * count in order of time, equal times in the total order; on a chain whose clock never steps back
 * that is the total order, and it makes a wide bar the fold of the narrow ones in every case.
 */
export class Candles {
  readonly trades: ChartTrades
  readonly #state: State
  readonly #trade = noTrade()

  constructor(state: State) {
    this.#state = state
    this.trades = new ChartTrades(state)
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

  #store(swap: SwapContext, trade: ChartTrade): void {
    const newest = swap.t[swap.tAt + TokenLane.barsPlus1]
    const isBehind = newest !== 0 && trade.timestamp < this.#timeOf(newest - 1)
    for (let width = 0; width < BASE_WIDTHS_SECONDS.length; width++) {
      const seconds = BASE_WIDTHS_SECONDS[width]
      const time = trade.timestamp - (trade.timestamp % seconds)
      const bar = this.#place(swap, swap.tAt + TokenLane.barsPlus1 + width, time, trade)
      if (isBehind && width > 0) this.#reopen(swap, bar, width)
    }
  }

  /**
   * Trades of a bar count in order of time. A trade with a time before newer bars may arrive last and be
   * neither first nor last of its wide bar: open and close are read off the narrower bars.
   */
  #reopen(swap: SwapContext, bar: number, width: number): void {
    const { bars } = this.#state
    const f64 = bars.f64[bar >>> ROW_SHIFT]
    const at = ((bar & ROW_MASK) * Bar.lanes) >>> 1
    const from = this.#timeOf(bar)
    const to = from + BASE_WIDTHS_SECONDS[width]
    let next = swap.t[swap.tAt + TokenLane.barsPlus1 + width - 1]
    for (const series of SERIES) {
      f64[at + series.open] = 0
      f64[at + series.close] = 0
    }
    for (let steps = 0; next !== 0 && this.#timeOf(next - 1) >= from; ) {
      steps = stepped(steps, bars.count, BARS)
      const narrow = bars.f64[(next - 1) >>> ROW_SHIFT]
      const narrowAt = ((next - 1) & ROW_MASK) * Bar.lanes
      if (this.#timeOf(next - 1) < to) {
        for (const { open, close } of SERIES) {
          const first = narrow[(narrowAt >>> 1) + open]
          if (first === 0) continue
          f64[at + open] = first
          if (f64[at + close] === 0) f64[at + close] = narrow[(narrowAt >>> 1) + close]
        }
      }
      next = bars.u32[(next - 1) >>> ROW_SHIFT][narrowAt + Bar.previousPlus1]
    }
  }

  #timeOf(bar: number): number {
    return this.#state.bars.get(bar, Bar.time)
  }

  /** Finds or makes the bar at `time` in the chain headed by a token lane. */
  #place(swap: SwapContext, headAt: number, time: number, trade: ChartTrade): number {
    const { bars, undo, barsUndo } = this.#state
    let later = 0
    let next = swap.t[headAt]
    for (let steps = 0; next !== 0; ) {
      steps = stepped(steps, bars.count, BARS)
      const barTime = this.#timeOf(next - 1)
      if (barTime <= time) {
        if (barTime < time) break
        undo.save(barsUndo, next - 1)
        this.#addTo(next - 1, trade)
        return next - 1
      }
      later = next
      next = this.#state.bars.get(next - 1, Bar.previousPlus1)
    }
    const bar = bars.add()
    this.#open(bar, time, next, trade)
    if (later === 0) swap.t[headAt] = bar + 1
    else {
      undo.save(barsUndo, later - 1)
      const at = ((later - 1) & ROW_MASK) * Bar.lanes
      bars.u32[(later - 1) >>> ROW_SHIFT][at + Bar.previousPlus1] = bar + 1
    }
    return bar
  }

  #open(bar: number, time: number, previousPlus1: number, trade: ChartTrade): void {
    const u32 = this.#state.bars.u32[bar >>> ROW_SHIFT]
    const f64 = this.#state.bars.f64[bar >>> ROW_SHIFT]
    const at = (bar & ROW_MASK) * Bar.lanes
    u32[at + Bar.time] = time
    u32[at + Bar.previousPlus1] = previousPlus1
    const atF = at >>> 1
    for (let i = Bar.openUsdF; i <= Bar.closeUsdF; i++) f64[atF + i] = trade.priceUsd
    for (let i = Bar.openSolF; i <= Bar.closeSolF; i++) f64[atF + i] = trade.priceSol
    f64[atF + Bar.volumeMicroUsdF] = trade.microUsd
    f64[atF + Bar.volumeLamportsF] = trade.lamports
  }

  #addTo(bar: number, trade: ChartTrade): void {
    const f64 = this.#state.bars.f64[bar >>> ROW_SHIFT]
    const at = ((bar & ROW_MASK) * Bar.lanes) >>> 1
    extend(f64, at + Bar.openUsdF, trade.priceUsd)
    extend(f64, at + Bar.openSolF, trade.priceSol)
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

/** One trade as the chart sees it. */
export interface ChartTrade {
  timestamp: number
  priceUsd: number
  priceSol: number
  microUsd: number
  lamports: number
}

function noTrade(): ChartTrade {
  return { timestamp: 0, priceUsd: 0.5, priceSol: 0.5, microUsd: 0.5, lamports: 0.5 }
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

/**
 * Decimals and quote of a mint, on which the prices of its trades depend, as one number. A late creation
 * may change it.
 */
export function pricingOf({ births }: State, token: number): number {
  const b = births.u32[token >>> ROW_SHIFT]
  const at = (token & ROW_MASK) * LifecycleLane.lanes
  return b[at + LifecycleLane.decimals] * QUOTES + b[at + LifecycleLane.quote]
}

/** Price in USD that swap `index` of the tape was traded at, of a mint with this `pricingOf`; 0: not known. */
export function tradePriceUsd({ tape }: State, index: number, pricing: number): number {
  const [r, rf] = [tape.u32Of(index), tape.f64Of(index)]
  const decimals = Math.floor(pricing / QUOTES)
  return priceSwap(r, rf, tape.at(index), pricing % QUOTES, decimals).usd
}

function takeTrade(f64: Float64Array, at: number, trade: ChartTrade): void {
  trade.timestamp = f64[at]
  trade.priceUsd = f64[at + 1]
  trade.priceSol = f64[at + 2]
  trade.microUsd = f64[at + 3]
  trade.lamports = f64[at + 4]
}

/** Reads swap `index` of the tape as a trade. */
function readTrade(state: State, index: number, trade: ChartTrade): void {
  const { tape } = state
  const r = tape.u32Of(index)
  const rf = tape.f64Of(index)
  const at = tape.at(index)
  const token = r[at + SwapLane.token]
  const b = state.births.u32[token >>> ROW_SHIFT]
  const bAt = (token & ROW_MASK) * LifecycleLane.lanes
  const quote = b[bAt + LifecycleLane.quote]
  const swapPrice = priceSwap(r, rf, at, quote, b[bAt + LifecycleLane.decimals])
  trade.timestamp = r[at + SwapLane.timestamp]
  trade.priceUsd = swapPrice.usd
  trade.priceSol = swapPrice.sol
  trade.microUsd = volumeMicroUsdOf(r, rf, at)
  trade.lamports = lamportsOfSwap(r, rf, at, quote)
}
