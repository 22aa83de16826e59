import type { Budget } from '../../base/budget.ts'
import { SwapLane, volumeMicroUsdOf } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { widened } from '../memory/views.ts'
import { type ChainCopy, CopiedChains } from '../state/copied-chains.ts'
import { tokenLane } from '../state/lanes.ts'
import { LIFECYCLE_LANES, LifecycleLane, TokenLane } from '../state/layout.ts'
import { QUOTE_COINS_MAX } from '../state/quotes.ts'
import type { State } from '../state/state.ts'
import { lamportsOfSwap, priceSwap, swapPrice } from '../state/swap-value.ts'
import { linkOf } from './swap-chains.ts'

/** Copied trades of all mints, of 40 bytes each. */
const COPIED_MAX = 1 << 19
const MINTS_MAX = 1 << 12
const FIRST_TRADES = 64
/** f64 lanes of a copied trade. */
const TRADE_LANES = 5
/** More than there are kinds of prices: quote mints times decimals of a mint. */
const PRICINGS = 1 << 22
const QUOTES = QUOTE_COINS_MAX * 2

/** One trade as the chart sees it. */
export interface ChartTrade {
  timestamp: number
  priceUsd: number
  priceSol: number
  microUsd: number
  lamports: number
}

export function noTrade(): ChartTrade {
  return { timestamp: 0, priceUsd: 0.5, priceSol: 0.5, microUsd: 0.5, lamports: 0.5 }
}

/**
 * The trades of a mint as its chart sees them. Those that have left memory lie all over the disk, each a
 * read of it, and a chart needs all of them: they are copied in pieces.
 */
export class ChartTrades {
  readonly #state: State
  readonly #mints: CopiedChains<TradeCopy>
  /** By token: its newest swap that has left memory, + 1, or 0. Newer ones come before it, so that it stays. */
  readonly #newestGone = new Map<number, number>()
  /** `firstInMemory` of the tape they hold for. */
  #goneBefore = 0

  constructor(state: State) {
    this.#state = state
    const begin = (newestPlus1: number) => new TradeCopy(state, newestPlus1)
    this.#mints = new CopiedChains(begin, { records: COPIED_MAX, chains: MINTS_MAX })
  }

  get bytes(): number {
    return this.#mints.count * TRADE_LANES * Float64Array.BYTES_PER_ELEMENT
  }

  /** Forgets all: the tape is another one. */
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
    let next = tokenLane(this.#state, token, TokenLane.lastSwapPlus1)
    while (next !== 0 && next !== copied?.newestPlus1) {
      later.push(next - 1)
      next = linkOf(this.#state, next - 1, SwapLane.previousInMint)
    }
    const trade = noTrade()
    if (next !== 0) copied?.visit(trade, visit)
    for (let i = later.length - 1; i >= 0; i--) {
      readTrade(this.#state, later[i], trade)
      visit(trade)
    }
  }

  /**
   * Copies of the trades of a mint that have left memory; null: there are none, or too many to be kept.
   * @throws OutOfTime before all are copied
   */
  copied(token: number, budget: Budget): TradeCopy | null {
    const next = this.#mayHaveLeft(token) ? this.#newestGoneOf(token) : 0
    return next === 0 ? null : this.#mints.copy(this.#chainOf(token), next, budget)
  }

  /** Looked for once: a busy mint is asked about again and again, with thousands of swaps behind each other. */
  #newestGoneOf(token: number): number {
    const { firstInMemory } = this.#state.tape
    const isFull = this.#newestGone.size === MINTS_MAX && !this.#newestGone.has(token)
    if (this.#goneBefore !== firstInMemory || isFull) this.#newestGone.clear()
    this.#goneBefore = firstInMemory
    const known = this.#newestGone.get(token)
    if (known !== undefined) return known
    let next = tokenLane(this.#state, token, TokenLane.lastSwapPlus1)
    while (next > firstInMemory) next = linkOf(this.#state, next - 1, SwapLane.previousInMint)
    this.#newestGone.set(token, next)
    return next
  }

  /** Not when it was born after the oldest swap that is in memory. */
  #mayHaveLeft(token: number): boolean {
    const { tape, births } = this.#state
    if (tape.firstInMemory === 0) return false
    const oldest = tape.firstInMemory
    if (oldest >= tape.count) return true
    const createdAt =
      births.u32[token >>> ROW_SHIFT][
        (token & ROW_MASK) * LIFECYCLE_LANES + LifecycleLane.createdAt
      ]
    return createdAt <= tape.u32Of(oldest)[tape.at(oldest) + SwapLane.timestamp]
  }

  /** Prices of before a change of what they are made with are of another chain. */
  #chainOf(token: number): number {
    return token * PRICINGS + pricingOf(this.#state, token)
  }
}

/**
 * What the prices of a mint's trades are made with, its decimals and quote, as one number. A creation
 * that is told late may change it.
 */
export function pricingOf({ births }: State, token: number): number {
  const b = births.u32[token >>> ROW_SHIFT]
  const at = (token & ROW_MASK) * LIFECYCLE_LANES
  return b[at + LifecycleLane.decimals] * QUOTES + b[at + LifecycleLane.quote]
}

class TradeCopy implements ChainCopy<TradeCopy> {
  readonly newestPlus1: number
  nextPlus1: number
  count = 0
  readonly #state: State
  readonly #trade = noTrade()
  #lanes = new Float64Array(FIRST_TRADES * TRADE_LANES)

  constructor(state: State, newestPlus1: number) {
    this.#state = state
    this.newestPlus1 = newestPlus1
    this.nextPlus1 = newestPlus1
  }

  takeNext(): void {
    const at = this.count * TRADE_LANES
    if (at === this.#lanes.length) this.#widen(at * 2)
    const index = this.nextPlus1 - 1
    readTrade(this.#state, index, this.#trade)
    const { timestamp, priceUsd, priceSol, microUsd, lamports } = this.#trade
    this.#lanes[at] = timestamp
    this.#lanes[at + 1] = priceUsd
    this.#lanes[at + 2] = priceSol
    this.#lanes[at + 3] = microUsd
    this.#lanes[at + 4] = lamports
    this.nextPlus1 = linkOf(this.#state, index, SwapLane.previousInMint)
    this.count += 1
  }

  takeAll(older: TradeCopy): void {
    const at = this.count * TRADE_LANES
    const lanes = older.#lanes.subarray(0, older.count * TRADE_LANES)
    if (at + lanes.length > this.#lanes.length) this.#widen(at + lanes.length)
    this.#lanes.set(lanes, at)
    this.count += older.count
    this.nextPlus1 = 0
  }

  /** Oldest first. */
  visit(trade: ChartTrade, visit: (trade: ChartTrade) => void): void {
    for (let i = this.count - 1; i >= 0; i--) {
      const at = i * TRADE_LANES
      trade.timestamp = this.#lanes[at]
      trade.priceUsd = this.#lanes[at + 1]
      trade.priceSol = this.#lanes[at + 2]
      trade.microUsd = this.#lanes[at + 3]
      trade.lamports = this.#lanes[at + 4]
      visit(trade)
    }
  }

  #widen(lanes: number): void {
    this.#lanes = widened(new Float64Array(lanes), this.#lanes)
  }
}

/** Reads swap `index` of the tape as a trade. */
function readTrade(state: State, index: number, trade: ChartTrade): void {
  const { tape } = state
  const r = tape.u32Of(index)
  const rf = tape.f64Of(index)
  const at = tape.at(index)
  const token = r[at + SwapLane.token]
  const b = state.births.u32[token >>> ROW_SHIFT]
  const bAt = (token & ROW_MASK) * LIFECYCLE_LANES
  const quote = b[bAt + LifecycleLane.quote]
  priceSwap(r, rf, at, quote, b[bAt + LifecycleLane.decimals])
  trade.timestamp = r[at + SwapLane.timestamp]
  trade.priceUsd = swapPrice.usd
  trade.priceSol = swapPrice.sol
  trade.microUsd = volumeMicroUsdOf(r, rf, at)
  trade.lamports = lamportsOfSwap(r, rf, at, quote)
}
