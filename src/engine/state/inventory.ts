import { copyU64, isZeroAt, numberAt } from '../../base/u64.ts'
import { PositionLane } from './layout.ts'

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

/** The inventory of the position whose lanes begin at `pAt` becomes `to`, which is less; its costs go down with it. */
export function clampInventory(
  p: Uint32Array,
  pf: Float64Array,
  pAt: number,
  to: Uint32Array,
): void {
  const pAtF = pAt >>> 1
  const isEmpty = isZeroAt(to, 0)
  const share = isEmpty ? 0 : numberAt(to, 0) / numberAt(p, pAt + PositionLane.inventoryLo)
  pf[pAtF + PositionLane.costUsdF] = isEmpty
    ? 0
    : Math.round(pf[pAtF + PositionLane.costUsdF] * share)
  pf[pAtF + PositionLane.costSolF] = isEmpty
    ? 0
    : Math.round(pf[pAtF + PositionLane.costSolF] * share)
  copyU64(p, pAt + PositionLane.inventoryLo, to, 0)
}
