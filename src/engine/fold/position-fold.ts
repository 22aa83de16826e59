import { addU64, copyU64, isLess, isZeroAt, numberAt, subtractU64 } from '../../base/u64.ts'
import { Flag, SwapLane } from '../../events/swap-record.ts'
import type { Hand } from '../state/hand.ts'
import { PositionFlag, PositionLane, WalletLane } from '../state/layout.ts'

/** Scratch u64 amounts: what was sold within the inventory, and beyond it. */
const quantity = new Uint32Array(2)
const excess = new Uint32Array(2)

/**
 * What the swap does to the trader's record: amounts, weighted-average cost, realised PnL in both
 * series (contract section 5). Costs are integers; a part of a cost is rounded to the nearest.
 */
export function foldPosition(hand: Hand): void {
  const { p, pAt, r, rAt } = hand
  if (hand.isBuy) foldBuy(hand)
  else foldSell(hand)
  if (!isZeroAt(p, pAt + PositionLane.balanceLo) || !isZeroAt(r, rAt + SwapLane.balanceBeforeLo))
    p[pAt + PositionLane.flags] |= PositionFlag.held
}

function foldBuy(hand: Hand): void {
  const { p, pf, pAt, pAtF, r, rAt, timestamp } = hand
  addU64(p, pAt + PositionLane.boughtLo, r, rAt + SwapLane.baseLo)
  addU64(p, pAt + PositionLane.inventoryLo, r, rAt + SwapLane.baseLo)
  pf[pAtF + PositionLane.boughtUsdF] += hand.paidMicroUsd
  pf[pAtF + PositionLane.boughtSolF] += hand.paidLamports
  pf[pAtF + PositionLane.costUsdF] += hand.paidMicroUsd
  pf[pAtF + PositionLane.costSolF] += hand.paidLamports
  if (p[pAt + PositionLane.buys] === 0) p[pAt + PositionLane.firstBuyAt] = timestamp
  p[pAt + PositionLane.buys] += 1
  p[pAt + PositionLane.lastBuyAt] = timestamp
}

function foldSell(hand: Hand): void {
  const { p, pf, pAt, pAtF, r, rAt, timestamp } = hand
  const soldAt = rAt + SwapLane.baseLo
  const inventoryAt = pAt + PositionLane.inventoryLo
  const isBeyond = isLess(p, inventoryAt, r, soldAt)
  copyU64(quantity, 0, isBeyond ? p : r, isBeyond ? inventoryAt : soldAt)
  const tracked = numberAt(quantity, 0)
  const sold = numberAt(r, soldAt)
  const inventory = numberAt(p, inventoryAt)
  const ofInventory = tracked === inventory ? 1 : tracked / inventory
  const ofSold = isBeyond ? tracked / sold : 1
  hand.soldShare = ofSold
  const usd = realize(pf, pAtF + PositionLane.costUsdF, hand.paidMicroUsd, ofInventory, ofSold)
  pf[pAtF + PositionLane.realizedUsdF] += usd
  hand.lf[hand.lAtF + WalletLane.realizedMicroUsdF] += usd
  const sol = realize(pf, pAtF + PositionLane.costSolF, hand.paidLamports, ofInventory, ofSold)
  pf[pAtF + PositionLane.realizedSolF] += sol
  pf[pAtF + PositionLane.soldUsdF] += hand.paidMicroUsd
  pf[pAtF + PositionLane.soldSolF] += hand.paidLamports
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
export function leaveUntold({ r, rAt, flags }: Hand): void {
  if ((flags & Flag.balanceBeforeGiven) === 0)
    r.fill(0, rAt + SwapLane.balanceBeforeLo, rAt + SwapLane.balanceBeforeLo + 2)
  if ((flags & Flag.balanceAfterGiven) === 0)
    r.fill(0, rAt + SwapLane.balanceAfterLo, rAt + SwapLane.balanceAfterLo + 2)
}

/** The balance after the swap, into record and position: given, else by the own ledger. */
export function foldBalance(hand: Hand): void {
  const { p, pAt, r, rAt, flags } = hand
  const before = rAt + SwapLane.balanceBeforeLo
  const after = rAt + SwapLane.balanceAfterLo
  if ((flags & Flag.balanceBeforeGiven) === 0) copyU64(r, before, p, pAt + PositionLane.balanceLo)
  if ((flags & Flag.balanceAfterGiven) === 0) {
    copyU64(r, after, r, before)
    if (hand.isBuy) addU64(r, after, r, rAt + SwapLane.baseLo)
    else subtractU64(r, after, r, rAt + SwapLane.baseLo)
  }
  copyU64(p, pAt + PositionLane.balanceLo, r, after)
}
