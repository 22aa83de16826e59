/**
 * One wallet in one mint: balance, weighted-average cost, realised results (contract section 5).
 * Costs and results are integer micro-USD and lamports in doubles.
 */
import { addSaturating } from './exact.ts'
import type { FoldedSwap } from './world.ts'

/** What the tracked inventory cost, in both currencies. */
interface Inventory {
  readonly raw: bigint
  readonly costMicroUsd: number
  readonly costLamports: number
}

export interface Position {
  readonly wallet: string
  readonly mint: string
  balanceRaw: bigint
  /** The balance was above 0 at some time. */
  held: boolean
  inventory: Inventory
  /** The inventory as the last swap left it, before it was clamped to the balance. */
  unclamped: Inventory
  /** Every swap of this wallet in this mint, in order. */
  readonly swaps: FoldedSwap[]
  boughtRaw: bigint
  soldRaw: bigint
  untrackedRaw: bigint
  boughtMicroUsd: number
  soldMicroUsd: number
  boughtLamports: number
  soldLamports: number
  realisedMicroUsd: number
  realisedLamports: number
  feeLamports: number
  /** One of its swaps was judged fresh. */
  fresh: boolean
}

const EMPTY: Inventory = { raw: 0n, costMicroUsd: 0, costLamports: 0 }

export function openPosition(wallet: string, mint: string): Position {
  return {
    wallet,
    mint,
    balanceRaw: 0n,
    held: false,
    inventory: EMPTY,
    unclamped: EMPTY,
    swaps: [],
    boughtRaw: 0n,
    soldRaw: 0n,
    untrackedRaw: 0n,
    boughtMicroUsd: 0,
    soldMicroUsd: 0,
    boughtLamports: 0,
    soldLamports: 0,
    realisedMicroUsd: 0,
    realisedLamports: 0,
    feeLamports: 0,
    fresh: false,
  }
}

/** Folds a swap whose balances are already known into its position. */
export function foldPosition(position: Position, folded: FoldedSwap): void {
  const last = position.swaps.at(-1)
  if (last && last.transaction === folded.transaction) position.inventory = position.unclamped
  if (folded.swap.direction === 'buy') buy(position, folded)
  else sell(position, folded)
  position.unclamped = position.inventory
  position.balanceRaw = folded.balanceAfterRaw
  position.held ||=
    folded.balanceBeforeRaw > 0n || folded.balanceAfterRaw > 0n || folded.swap.baseRaw > 0n
  position.inventory = clamp(position.inventory, position.balanceRaw)
  position.feeLamports += folded.feeLamports
  if (folded.opensTransaction) position.feeLamports += Number(folded.swap.chainFeeRaw ?? 0n)
  position.fresh ||= folded.fresh
  position.swaps.push(folded)
}

function buy(position: Position, { swap, worth }: FoldedSwap): void {
  const { raw, costMicroUsd, costLamports } = position.inventory
  position.inventory = {
    raw: addSaturating(raw, swap.baseRaw),
    costMicroUsd: costMicroUsd + worth.microUsd,
    costLamports: costLamports + worth.lamports,
  }
  position.boughtRaw = addSaturating(position.boughtRaw, swap.baseRaw)
  position.boughtMicroUsd += worth.microUsd
  position.boughtLamports += worth.lamports
}

function sell(position: Position, { swap, worth }: FoldedSwap): void {
  const { raw, costMicroUsd, costLamports } = position.inventory
  const sold = swap.baseRaw
  const tracked = sold < raw ? sold : raw
  const partUsd = costOfPart(costMicroUsd, tracked, raw)
  const partSol = costOfPart(costLamports, tracked, raw)
  position.realisedMicroUsd += proceedsOfPart(worth.microUsd, tracked, sold) - partUsd
  position.realisedLamports += proceedsOfPart(worth.lamports, tracked, sold) - partSol
  position.inventory = {
    raw: raw - tracked,
    costMicroUsd: costMicroUsd - partUsd,
    costLamports: costLamports - partSol,
  }
  position.soldRaw = addSaturating(position.soldRaw, sold)
  position.untrackedRaw = addSaturating(position.untrackedRaw, sold - tracked)
  position.soldMicroUsd += worth.microUsd
  position.soldLamports += worth.lamports
}

function costOfPart(cost: number, part: bigint, inventory: bigint): number {
  return part === inventory ? cost : Math.round(cost * (Number(part) / Number(inventory)))
}

function proceedsOfPart(value: number, part: bigint, sold: bigint): number {
  return part === sold ? value : Math.round(value * (Number(part) / Number(sold)))
}

function clamp(inventory: Inventory, balance: bigint): Inventory {
  if (inventory.raw <= balance) return inventory
  if (balance === 0n) return EMPTY
  const share = Number(balance) / Number(inventory.raw)
  return {
    raw: balance,
    costMicroUsd: Math.round(inventory.costMicroUsd * share),
    costLamports: Math.round(inventory.costLamports * share),
  }
}
