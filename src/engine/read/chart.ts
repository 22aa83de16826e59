import { barTime, nextBarTime, type Width } from '../../base/bar-time.ts'
import type { Budget } from '../../base/budget.ts'
import type { BarChains } from '../history/bar-chains.ts'
import type { ChartTrades } from '../history/candles.ts'
import { prependBar } from '../history/past-bars.ts'
import type { ChartTrade } from '../history/swap-chains.ts'
import { BASE_WIDTHS_SECONDS, Bar, BarPrice, TokenFlag, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'

const HOUR = 3_600
const MINUTE = 60
/** Later than every swap, whose time has 32 bits: some swaps are ahead of the clock. */
const EVER = 2 ** 32 - 1

/** A bar of any width; USD and SOL series. Volumes are integers: micro-USD and lamports. */
export interface ChartBar {
  time: number
  readonly usd: { open: number; high: number; low: number; close: number }
  readonly sol: { open: number; high: number; low: number; close: number }
  microUsd: number
  lamports: number
}

/** Bars of one mint, newest first, of any width: the fold of its trades. */
export class Chart {
  readonly #state: State
  readonly #trades: ChartTrades
  readonly #chains: BarChains
  /** Of the token asked for last: its changes, its highest prices, the first hour of the highest in USD. */
  #high = { token: -1, changes: -1, usd: 0, sol: 0, hour: EVER }

  constructor(state: State, trades: ChartTrades, chains: BarChains) {
    this.#state = state
    this.#trades = trades
    this.#chains = chains
  }

  /**
   * Calls `visit` with each bar that opens at or before `to`, newest first, while it returns true. The
   * visitor may keep the bars.
   * @throws OutOfTime before the first, or behind some of stored ones: a read that goes on begins with an empty visitor
   */
  visit(
    token: number,
    width: Width,
    to: number,
    visit: (bar: ChartBar) => boolean,
    budget: Budget,
  ): void {
    const end = nextBarTime(width, barTime(width, to))
    const flags = this.#state.tokens.get(token, TokenLane.flags)
    if ((flags & TokenFlag.barsStored) !== 0) {
      this.#visitStored(token, width, end, visit, budget)
      return
    }
    // Few swaps: all of them are folded, in order of time.
    const bars = new Map<number, ChartBar>()
    for (const trade of this.#tradesByTime(token, budget))
      if (trade.timestamp < end) addTrade(bars, width, trade)
    for (const bar of [...bars.values()].sort((a, b) => b.time - a.time)) if (!visit(bar)) return
  }

  /**
   * The highest prices a token had; 0 and null without swaps.
   * @throws OutOfTime as `visit` does
   */
  allTimeHigh(
    token: number,
    budget: Budget,
  ): {
    readonly usd: number
    readonly sol: number
    /** Unix seconds: the minute in which the price in USD was highest first. */
    readonly time: number | null
  } {
    const { usd, sol, hour } = this.#hourlyHigh(token, budget)
    if (hour === EVER) return { usd, sol, time: null }
    let time = hour
    const take = (bar: ChartBar) => {
      if (bar.time >= hour && bar.usd.high === usd) time = bar.time
      return bar.time >= hour
    }
    // Its hours are few, but their minutes may be hundreds of thousands of bars back.
    this.visit(token, MINUTE, hour + HOUR - 1, take, budget)
    return { usd, sol, time }
  }

  /** Remembered while the read of its minutes is made again in later turns. */
  #hourlyHigh(token: number, budget: Budget): { usd: number; sol: number; hour: number } {
    const changes = this.#state.changes.of(token)
    if (token === this.#high.token && changes === this.#high.changes) return this.#high
    const high = { token, changes, usd: 0, sol: 0, hour: EVER }
    const take = (bar: ChartBar) => {
      if (high.hour === EVER || bar.usd.high >= high.usd) {
        high.usd = bar.usd.high
        high.hour = bar.time
      }
      if (bar.sol.high > high.sol) high.sol = bar.sol.high
      return true
    }
    this.visit(token, HOUR, EVER, take, budget)
    this.#high = high
    return high
  }

  /** The mint's trades, oldest first; equal times stay in the total order. */
  #tradesByTime(token: number, budget: Budget): ChartTrade[] {
    const trades: ChartTrade[] = []
    this.#trades.visit(token, (trade) => trades.push({ ...trade }), budget)
    const isSorted = trades.every(
      ({ timestamp }, place) => place === 0 || trades[place - 1].timestamp <= timestamp,
    )
    return isSorted ? trades : trades.sort((a, b) => a.timestamp - b.timestamp)
  }

  #visitStored(
    token: number,
    width: Width,
    end: number,
    visit: (bar: ChartBar) => boolean,
    budget: Budget,
  ): void {
    // Lanes of a bar as it is stored, from its open in USD on; without a time before the first.
    const wide = new Float64Array(STORED_LANES)
    let wideTime = Number.NaN
    const take = (time: number, f64: Float64Array, at: number) => {
      if (time >= wideTime) {
        prependBar(wide, 0, f64, at)
        return true
      }
      if (!Number.isNaN(wideTime) && !visit(storedBar(wideTime, wide))) return false
      wideTime = barTime(width, time)
      wide.set(f64.subarray(at, at + STORED_LANES))
      return true
    }
    const base = baseOf(width)
    const seconds = typeof width === 'number' ? width : HOUR
    const wereAllTaken = this.#chains.visit(token, { base, seconds }, end, take, budget)
    if (wereAllTaken && !Number.isNaN(wideTime)) visit(storedBar(wideTime, wide))
  }
}

/** Lanes of a stored bar from its open in USD on. */
const SOL = Bar.openSolF - Bar.openUsdF
const MICRO_USD = Bar.volumeMicroUsdF - Bar.openUsdF
const LAMPORTS = Bar.volumeLamportsF - Bar.openUsdF
const STORED_LANES = LAMPORTS + 1

function storedBar(time: number, f64: Float64Array): ChartBar {
  const [microUsd, lamports] = [f64[MICRO_USD], f64[LAMPORTS]]
  return { time, usd: storedSeries(f64, 0), sol: storedSeries(f64, SOL), microUsd, lamports }
}

/** The open, high, low and close from f64 lane `at` on. */
function storedSeries(f64: Float64Array, at: number): ChartBar['usd'] {
  const [open, high] = [f64[at + BarPrice.open], f64[at + BarPrice.high]]
  return { open, high, low: f64[at + BarPrice.low], close: f64[at + BarPrice.close] }
}

/** Which stored width a width is folded from: the widest that divides it. */
function baseOf(width: Width): number {
  if (typeof width !== 'number') return BASE_WIDTHS_SECONDS.length - 1
  for (let base = BASE_WIDTHS_SECONDS.length - 1; base > 0; base--)
    if (width % BASE_WIDTHS_SECONDS[base] === 0) return base
  return 0
}

function addTrade(bars: Map<number, ChartBar>, width: Width, trade: ChartTrade): void {
  const time = barTime(width, trade.timestamp)
  const bar = bars.get(time)
  if (bar === undefined) {
    const { priceUsd, priceSol, microUsd, lamports } = trade
    bars.set(time, { time, usd: seriesOf(priceUsd), sol: seriesOf(priceSol), microUsd, lamports })
    return
  }
  extend(bar.usd, trade.priceUsd)
  extend(bar.sol, trade.priceSol)
  bar.microUsd += trade.microUsd
  bar.lamports += trade.lamports
}

function seriesOf(price: number): ChartBar['usd'] {
  return { open: price, high: price, low: price, close: price }
}

/** Folds a price into a series; 0 is an unknown price (contract section 3.6). */
function extend(series: ChartBar['usd'], price: number): void {
  if (price === 0) return
  if (series.open === 0) {
    Object.assign(series, seriesOf(price))
    return
  }
  if (price > series.high) series.high = price
  if (price < series.low) series.low = price
  series.close = price
}
