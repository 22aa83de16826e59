import type { Budget } from '../../base/budget.ts'
import { SwapLane, volumeMicroUsdOf } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { type ChainCopy, CopiedChains } from '../state/dormant.ts'
import { LifecycleLane, TokenLane } from '../state/layout.ts'
import { lamportsOfSwap, priceSwap, QUOTE_COINS_MAX } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { linkOf } from './swap-chains.ts'

/** Copied trades of all mints, of 40 bytes each. */
const COPIED_MAX = 1 << 19
const MINTS_MAX = 1 << 12
/** Lanes of a copied trade. */
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
  readonly #mints: CopiedChains
  /** By token: its newest swap that has left memory, + 1, or 0. Newer ones come before it, so that it stays. */
  readonly #newestGone = new Map<number, number>()
  /** `firstInMemory` of the tape they hold for. */
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
   * Copies of the trades of a mint that have left memory; null: there are none, or too many to be kept.
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

  /** Looked for once: a busy mint is asked about again and again, with thousands of swaps behind each other. */
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

  /** Not when it was born after the oldest swap that is in memory. */
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
  const at = (token & ROW_MASK) * LifecycleLane.lanes
  return b[at + LifecycleLane.decimals] * QUOTES + b[at + LifecycleLane.quote]
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
