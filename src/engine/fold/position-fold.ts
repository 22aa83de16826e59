import { addU64, copyU64, isLess, isZeroAt, numberAt, subtractU64 } from '../../base/u64.ts'
import { Flag, SwapLane } from '../../events/swap-record.ts'
import type { SwapContext } from '../state/lanes.ts'
import { PositionFlag, PositionLane, WalletLane } from '../state/layout.ts'

/** Scratch u64 amounts: what was sold within the inventory, and beyond it. */
const quantity = new Uint32Array(2)
const excess = new Uint32Array(2)

/**
 * What the swap does to the trader's record: amounts, weighted-average cost, realised PnL in both
 * series (contract section 5). Costs are integers; a part of a cost is rounded to the nearest.
 */
export function foldPosition(swap: SwapContext): void {
  const { p, pAt, r, rAt } = swap
  if (swap.isBuy) foldBuy(swap)
  else foldSell(swap)
  if (!isZeroAt(p, pAt + PositionLane.balanceLo) || !isZeroAt(r, rAt + SwapLane.balanceBeforeLo))
    p[pAt + PositionLane.flags] |= PositionFlag.held
}

function foldBuy(swap: SwapContext): void {
  const { p, pf, pAt, pAtF, r, rAt, timestamp } = swap
  addU64(p, pAt + PositionLane.boughtLo, r, rAt + SwapLane.baseLo)
  addU64(p, pAt + PositionLane.inventoryLo, r, rAt + SwapLane.baseLo)
  pf[pAtF + PositionLane.boughtUsdF] += swap.paidMicroUsd
  pf[pAtF + PositionLane.boughtSolF] += swap.paidLamports
  pf[pAtF + PositionLane.costUsdF] += swap.paidMicroUsd
  pf[pAtF + PositionLane.costSolF] += swap.paidLamports
  if (p[pAt + PositionLane.buys] === 0) p[pAt + PositionLane.firstBuyAt] = timestamp
  p[pAt + PositionLane.buys] += 1
  p[pAt + PositionLane.lastBuyAt] = timestamp
}

function foldSell(swap: SwapContext): void {
  const { p, pf, pAt, pAtF, r, rAt, timestamp } = swap
  const soldAt = rAt + SwapLane.baseLo
  const inventoryAt = pAt + PositionLane.inventoryLo
  const isBeyond = isLess(p, inventoryAt, r, soldAt)
  copyU64(quantity, 0, isBeyond ? p : r, isBeyond ? inventoryAt : soldAt)
  const tracked = numberAt(quantity, 0)
  const sold = numberAt(r, soldAt)
  const inventory = numberAt(p, inventoryAt)
  const ofInventory = tracked === inventory ? 1 : tracked / inventory
  const ofSold = isBeyond ? tracked / sold : 1
  swap.soldShare = ofSold
  const usd = realize(pf, pAtF + PositionLane.costUsdF, swap.paidMicroUsd, ofInventory, ofSold)
  pf[pAtF + PositionLane.realizedUsdF] += usd
  swap.lf[swap.lAtF + WalletLane.realizedMicroUsdF] += usd
  const sol = realize(pf, pAtF + PositionLane.costSolF, swap.paidLamports, ofInventory, ofSold)
  pf[pAtF + PositionLane.realizedSolF] += sol
  pf[pAtF + PositionLane.soldUsdF] += swap.paidMicroUsd
  pf[pAtF + PositionLane.soldSolF] += swap.paidLamports
  addU64(p, pAt + PositionLane.soldLo, r, soldAt)
  if (isBeyond) {
    copyU64(excess, 0, r, soldAt)
    subtractU64(excess, 0, quantity, 0)
    addU64(p, pAt + PositionLane.untrackedLo, excess, 0)
  }
  subtractU64(p, inventoryAt, quantity, 0)
  if (p[pAt + PositionLane.sells] === 0) p[pAt + PositionLane.firstSellAt] = timestamp
  p[pAt + PositionLane.sells] += 1
  p[pAt + PositionLane.lastSellAt] = timestamp
}

/** Takes the sold share out of the cost; returns what was realised. */
function realize(
  costs: Float64Array,
  at: number,
  value: number,
  ofInventory: number,
  ofSold: number,
): number {
  const cost = costs[at]
  const part = ofInventory === 1 ? cost : Math.round(cost * ofInventory)
  costs[at] = cost - part
  return shareOf(value, ofSold) - part
}

/** Part of an amount of money, to the nearest integer. */
export function shareOf(value: number, share: number): number {
  return share === 1 ? value : Math.round(value * share)
}

/** Of a coin that passes through nobody counts balances: those that were not told are 0. */
export function leaveUntold({ r, rAt, flags }: SwapContext): void {
  if ((flags & Flag.balanceBeforeGiven) === 0)
    r.fill(0, rAt + SwapLane.balanceBeforeLo, rAt + SwapLane.balanceBeforeLo + 2)
  if ((flags & Flag.balanceAfterGiven) === 0)
    r.fill(0, rAt + SwapLane.balanceAfterLo, rAt + SwapLane.balanceAfterLo + 2)
}

/** The balance after the swap, into record and position: given, else by the own ledger. */
export function foldBalance(swap: SwapContext): void {
  const { p, pAt, r, rAt, flags } = swap
  const before = rAt + SwapLane.balanceBeforeLo
  const after = rAt + SwapLane.balanceAfterLo
  if ((flags & Flag.balanceBeforeGiven) === 0) copyU64(r, before, p, pAt + PositionLane.balanceLo)
  if ((flags & Flag.balanceAfterGiven) === 0) {
    copyU64(r, after, r, before)
    if (swap.isBuy) addU64(r, after, r, rAt + SwapLane.baseLo)
    else subtractU64(r, after, r, rAt + SwapLane.baseLo)
  }
  copyU64(p, pAt + PositionLane.balanceLo, r, after)
}
