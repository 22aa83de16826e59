import { Budget } from '../../base/budget.ts'
import { WINDOW_SECONDS } from '../../base/trade-window.ts'
import { SwapLane } from '../../events/swap-record.ts'
import { linkOf } from '../history/swap-chains.ts'
import type { Extremes, TradeWindows, WindowSums } from '../history/trade-windows.ts'
import { TokenFlag, TokenLane } from '../state/layout.ts'
import { pricingOf, tradePriceUsd } from '../state/money.ts'
import type { State } from '../state/state.ts'
import type { Chart, ChartBar } from './chart.ts'

const MICRO = 1e6
const MINUTE = 60

/**
 * A token's trades in one window, in the units of the wire, at the state's now (contract section 10). `at` selects token
 * and window for every getter after it. Prices are those that trades were made at, so a token without trades does not move.
 */
export class WindowReader {
  readonly #state: State
  readonly #trades: TradeWindows
  readonly #chart: Chart
  readonly #sums: WindowSums = {
    ...{ buys: 0, sells: 0, traders: 0, firstBuys: 0 },
    ...{ buyMicroUsd: 0.5, sellMicroUsd: 0.5 },
  }
  #token = 0
  #window = 0

  constructor(state: State, trades: TradeWindows, chart: Chart) {
    this.#state = state
    this.#trades = trades
    this.#chart = chart
  }

  /** `window` is a place in WINDOW_SECONDS. */
  at(token: number, window: number): this {
    this.#token = token
    this.#window = window
    this.#trades.sums(token, window, this.#sums)
    return this
  }

  get buys(): number {
    return this.#sums.buys
  }

  get sells(): number {
    return this.#sums.sells
  }

  get swaps(): number {
    return this.buys + this.sells
  }

  /** Distinct wallets. */
  get traders(): number {
    return this.#sums.traders
  }

  /** Wallets whose first trade of the token was a buy in the window. */
  get newHolders(): number {
    return this.#sums.firstBuys
  }

  get buyVolumeUsd(): number {
    return this.#sums.buyMicroUsd / MICRO
  }

  get sellVolumeUsd(): number {
    return this.#sums.sellMicroUsd / MICRO
  }

  get volumeUsd(): number {
    return (this.#sums.buyMicroUsd + this.#sums.sellMicroUsd) / MICRO
  }

  /** From the last trade before the window, else from the first in it, to the newest; 0 where a price is not known. */
  get priceChangePercent(): number {
    if (this.swaps === 0) return 0
    const before = this.#trades.swapBefore(this.#token, this.#window)
    const from = before >= 0 ? before : this.#trades.firstOfMint(this.#token, this.#window)
    const newest = this.#state.tokens.get(this.#token, TokenLane.lastSwapPlus1) - 1
    if (from < 0 || newest < 0) return 0
    const pricing = pricingOf(this.#state, this.#token)
    const fromUsd = tradePriceUsd(this.#state, from, pricing)
    const toUsd = tradePriceUsd(this.#state, newest, pricing)
    return fromUsd === 0 || toUsd === 0 ? 0 : (toUsd / fromUsd - 1) * 100
  }

  /** Highest and lowest price of a trade; 0 without one. */
  get extremes(): Extremes {
    const known = this.#trades.extremesOf(this.#token, this.#window)
    if (known !== null) return known
    const flags = this.#state.tokens.get(this.#token, TokenLane.flags)
    const found = { highUsd: 0, lowUsd: 0 }
    if ((flags & TokenFlag.barsStored) === 0) this.#readSwaps(found)
    else this.#readBars(found)
    this.#trades.keepExtremes(this.#token, this.#window, found)
    return found
  }

  #readSwaps(found: { highUsd: number; lowUsd: number }): void {
    const state = this.#state
    const pricing = pricingOf(state, this.#token)
    const first = this.#trades.firstIn(this.#window)
    const begin = state.now - WINDOW_SECONDS[this.#window]
    let next = state.tokens.get(this.#token, TokenLane.lastSwapPlus1)
    for (; next > first; next = linkOf(state, next - 1, SwapLane.previousInMint)) {
      const { tape } = state
      const timestamp = tape.u32Of(next - 1)[tape.at(next - 1) + SwapLane.timestamp]
      if (timestamp <= begin || timestamp > state.now) continue
      const price = tradePriceUsd(state, next - 1, pricing)
      include(found, price, price)
    }
  }

  /** Whole minutes by their bars, the minutes of the two ends by those of their seconds. */
  #readBars(found: { highUsd: number; lowUsd: number }): void {
    const { now } = this.#state
    const first = now - WINDOW_SECONDS[this.#window] + 1
    const firstMinute = Math.ceil(first / MINUTE) * MINUTE
    const lastMinute = now - (now % MINUTE)
    const from = (time: number) => (bar: ChartBar) => {
      if (bar.time < time) return false
      include(found, bar.usd.high, bar.usd.low)
      return true
    }
    const visit = (width: number, to: number, visited: (bar: ChartBar) => boolean) =>
      this.#chart.visit(this.#token, width, to, visited, Budget.unlimited)
    visit(1, now, from(Math.max(first, lastMinute)))
    if (firstMinute < lastMinute) visit(MINUTE, lastMinute - 1, from(firstMinute))
    if (first < Math.min(firstMinute, lastMinute))
      visit(1, Math.min(firstMinute, lastMinute) - 1, from(first))
  }
}

/** Widens what was found by prices; 0 is an unknown one. */
function include(found: { highUsd: number; lowUsd: number }, high: number, low: number): void {
  if (high > found.highUsd) found.highUsd = high
  if (low > 0 && (found.lowUsd === 0 || low < found.lowUsd)) found.lowUsd = low
}
