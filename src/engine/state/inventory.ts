import { copyU64, isZeroAt, numberAt } from '../../base/u64.ts'
import { PositionLane } from './layout.ts'
import type { PositionRecord } from './position-rows.ts'

/**
 * Weighted-average cost (contract section 5). Costs are integers; a part of a cost is rounded to the nearest. The fold
 * does this once for each swap, a read of days does it again for the swaps of one position.
 */

/** Takes the sold share out of the cost; returns what was realised. */
export function realize(
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

/** The inventory of a position becomes `to`, which is less; its costs go down with it. */
export function clampInventory({ u32, f64 }: PositionRecord, to: Uint32Array): void {
  const isEmpty = isZeroAt(to, 0)
  const share = isEmpty ? 0 : numberAt(to, 0) / numberAt(u32, PositionLane.inventoryLo)
  f64[PositionLane.costUsdF] = isEmpty ? 0 : Math.round(f64[PositionLane.costUsdF] * share)
  f64[PositionLane.costSolF] = isEmpty ? 0 : Math.round(f64[PositionLane.costSolF] * share)
  copyU64(u32, PositionLane.inventoryLo, to, 0)
}
