import type { Budget } from '../../base/budget.ts'
import { addU64, copyU64, isLess, numberAt, subtractU64 } from '../../base/u64.ts'
import { type PositionTrades, TradeFlag, TradeLane } from '../history/position-trades.ts'
import type { ChainCopy } from '../state/dormant.ts'
import { PositionLane } from '../state/layout.ts'
import { clampInventory, PositionRecord, realize } from '../state/position-rows.ts'

const DAY_SECONDS = 86_400
/** Block times may step back by so much: a trade between the first and the last one is no further outside of them. */
const STEP_BACK_SECONDS = 600

/** Number of the UTC day of unix seconds. */
export function dayOf(seconds: number): number {
  return Math.floor(seconds / DAY_SECONDS)
}

/** What one UTC day adds to a position, in micro-USD. */
export type AddDay = (day: number, realized: number, volume: number, trades: number) => void

/**
 * What each UTC day added to a position. One that was traded within a day has its sums in its own lanes; of others the
 * swaps are folded again, as the fold did (contract section 5). What transfers that no swap shows took from its
 * inventory in between is not on the tape: the difference to the position's own result counts for its last sale.
 */
export class PositionDays {
  readonly #trades: PositionTrades
  /** A position that is folded again. */
  readonly #record = new PositionRecord()
  /** Inventory and cost behind the swap before, as they were before they were clamped to its balance. */
  readonly #unclamped = new Uint32Array(PositionLane.lanes)
  readonly #quantity = new Uint32Array(2)
  readonly #balance = new Uint32Array(2)
  #hasEarlier = false

  constructor(trades: PositionTrades) {
    this.#trades = trades
  }

  /**
   * Calls `add` with what the position got by each day, none or some of them before `fromDay`.
   * @throws OutOfTime before the first, while its swaps are read
   */
  visit(
    position: number,
    { u32: p, f64: pf }: PositionRecord,
    fromDay: number,
    add: AddDay,
    budget: Budget,
  ): void {
    const trades = p[PositionLane.buys] + p[PositionLane.sells]
    const { first, last } = timesOf(p)
    if (trades === 0 || dayOf(last + STEP_BACK_SECONDS) < fromDay) return
    const realized = pf[PositionLane.realizedUsdF]
    const day = dayOf(first)
    if (isKnownAt(p, first, last) && dayOf(last) === day) {
      add(day, realized, pf[PositionLane.boughtUsdF] + pf[PositionLane.soldUsdF], trades)
      return
    }
    const copies = this.#trades.of(position, budget)
    const found = this.#foldAgain(copies, add)
    if (found !== realized) add(dayOf(p[PositionLane.lastSellAt]), realized - found, 0, 0)
  }

  /** Returns what was realised in all. */
  #foldAgain(copies: readonly ChainCopy[], add: AddDay): number {
    this.#record.u32.fill(0)
    this.#hasEarlier = false
    let found = 0
    for (const copy of copies)
      for (let place = 0; place < copy.count; place++) {
        const at = place * TradeLane.lanes
        const flags = copy.u32[at + TradeLane.flags]
        if ((flags & TradeFlag.sameTransaction) === 0) this.#hasEarlier = false
        if (flags & TradeFlag.passed) continue
        const realized = this.#fold(copy, at, flags)
        const paid = copy.f64[(at >>> 1) + TradeLane.paidF]
        add(dayOf(copy.u32[at + TradeLane.timestamp]), realized, paid, 1)
        found += realized
      }
    return found
  }

  #fold({ u32, f64 }: ChainCopy, at: number, flags: number): number {
    const p = this.#record.u32
    const paid = f64[(at >>> 1) + TradeLane.paidF]
    if (this.#hasEarlier) p.set(this.#unclamped)
    else this.#clamp(u32, at + TradeLane.balanceBeforeLo)
    const realized = flags & TradeFlag.sell ? this.#sell(u32, at, paid) : this.#buy(u32, at, paid)
    this.#unclamped.set(p)
    this.#hasEarlier = true
    this.#clamp(u32, at + TradeLane.balanceAfterLo)
    return realized
  }

  #clamp(u32: Uint32Array, balanceAt: number): void {
    if (!isLess(u32, balanceAt, this.#record.u32, PositionLane.inventoryLo)) return
    copyU64(this.#balance, 0, u32, balanceAt)
    clampInventory(this.#record, this.#balance)
  }

  #buy(u32: Uint32Array, at: number, paid: number): number {
    addU64(this.#record.u32, PositionLane.inventoryLo, u32, at + TradeLane.baseLo)
    this.#record.f64[PositionLane.costUsdF] += paid
    return 0
  }

  #sell(u32: Uint32Array, at: number, paid: number): number {
    const p = this.#record.u32
    const soldAt = at + TradeLane.baseLo
    const isBeyond = isLess(p, PositionLane.inventoryLo, u32, soldAt)
    copyU64(this.#quantity, 0, isBeyond ? p : u32, isBeyond ? PositionLane.inventoryLo : soldAt)
    const tracked = numberAt(this.#quantity, 0)
    const inventory = numberAt(p, PositionLane.inventoryLo)
    const ofInventory = tracked === inventory ? 1 : tracked / inventory
    const ofSold = isBeyond ? tracked / numberAt(u32, soldAt) : 1
    subtractU64(p, PositionLane.inventoryLo, this.#quantity, 0)
    return realize(this.#record.f64, PositionLane.costUsdF, paid, ofInventory, ofSold)
  }
}

/** Unix seconds of the earliest and of the latest trade that the lanes name. */
function timesOf(p: Uint32Array): { readonly first: number; readonly last: number } {
  const { buys, sells, firstBuyAt, lastBuyAt, firstSellAt, lastSellAt } = PositionLane
  const ofBuys = p[buys] > 0 ? [p[firstBuyAt], p[lastBuyAt]] : []
  const ofSells = p[sells] > 0 ? [p[firstSellAt], p[lastSellAt]] : []
  const times = [...ofBuys, ...ofSells]
  return { first: Math.min(...times), last: Math.max(...times) }
}

/** Are all trades known to lie in the days from `first` to `last`? The lanes name four of them. */
function isKnownAt(p: Uint32Array, first: number, last: number): boolean {
  if (p[PositionLane.buys] <= 2 && p[PositionLane.sells] <= 2) return true
  return dayOf(first - STEP_BACK_SECONDS) === dayOf(last + STEP_BACK_SECONDS)
}
