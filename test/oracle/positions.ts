/**
 * One wallet in one mint: balance, weighted-average cost, realised results (contract section 5).
 * Costs and results are integer micro-USD and lamports in doubles.
 */
import type { Balance } from '../../src/events/event.ts'
import { addSaturating } from './exact.ts'
import type { Worth } from './quote.ts'
import type { FoldedSwap } from './world.ts'

/** What the chain said of a balance beside swaps. */
export interface BalanceTold {
  readonly raw: bigint
  readonly signature: string
  /** How many burns of the mint were told before. */
  readonly burns: number
}

/** What the tracked inventory cost, in both currencies. */
export interface Inventory {
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
  /** The same with what was told between them. */
  readonly history: (FoldedSwap | BalanceTold)[]
  /** When a balance was told last. */
  toldAt: number
  /** It was given some before it had a swap of its own. */
  wasHanded: boolean
  /** Of each sale the part that came out of the inventory. */
  readonly trackedRaw: Map<FoldedSwap, bigint>
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
  /** What each swap cost or brought in micro-USD, by the hop of its route that says so. */
  readonly paidMicroUsd: Map<FoldedSwap, number>
}

export const EMPTY: Inventory = { raw: 0n, costMicroUsd: 0, costLamports: 0 }

export function openPosition(wallet: string, mint: string): Position {
  return {
    wallet,
    mint,
    balanceRaw: 0n,
    held: false,
    inventory: EMPTY,
    unclamped: EMPTY,
    swaps: [],
    history: [],
    toldAt: 0,
    wasHanded: false,
    trackedRaw: new Map(),
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
    paidMicroUsd: new Map(),
  }
}

/**
 * Folds a swap whose balances are already known into its position. `payer` is the hop of a route that
 * paid for it, in the place of its own quote.
 */
export function foldPosition(
  position: Position,
  folded: FoldedSwap,
  payer: FoldedSwap | null = null,
): void {
  const last = position.swaps.at(-1)
  const { swap } = folded
  if (last && last.transaction === folded.transaction) position.inventory = position.unclamped
  else if (swap.baseBalanceBeforeRaw !== undefined)
    position.inventory = clamp(position.inventory, swap.baseBalanceBeforeRaw)
  if (swap.direction === 'buy') buy(position, folded, (payer ?? folded).worth)
  else sell(position, folded)
  position.unclamped = position.inventory
  position.balanceRaw = folded.balanceAfterRaw
  position.held ||= folded.balanceBeforeRaw > 0n || folded.balanceAfterRaw > 0n || swap.baseRaw > 0n
  position.inventory = clamp(position.inventory, position.balanceRaw)
  payFees(position, folded)
  if (payer) payFees(position, payer)
  position.fresh ||= folded.fresh
  position.paidMicroUsd.set(folded, (payer ?? folded).worth.microUsd)
  position.swaps.push(folded)
  position.history.push(folded)
}

/** The balance is truth; a lower one than the inventory clamps it for good. */
export function foldBalance(
  position: Position,
  { balanceRaw, signature, timestamp }: Balance,
  burns: number,
): void {
  if (position.swaps.length === 0 && balanceRaw > 0n) position.wasHanded = true
  position.held ||= balanceRaw > 0n
  position.balanceRaw = balanceRaw
  position.inventory = clamp(position.inventory, balanceRaw)
  position.unclamped = position.inventory
  position.history.push({ raw: balanceRaw, signature, burns })
  position.toldAt = timestamp
}

/** A sale in a route brought what its next hop did, not what the middle coin was worth. */
export function foldProceeds(position: Position, sale: FoldedSwap, next: FoldedSwap): void {
  const sold = sale.swap.baseRaw
  const tracked = position.trackedRaw.get(sale) ?? 0n
  const more = (now: number, before: number) =>
    proceedsOfPart(now, tracked, sold) - proceedsOfPart(before, tracked, sold)
  position.soldMicroUsd += next.worth.microUsd - sale.worth.microUsd
  position.paidMicroUsd.set(sale, next.worth.microUsd)
  position.soldLamports += next.worth.lamports - sale.worth.lamports
  position.realisedMicroUsd += more(next.worth.microUsd, sale.worth.microUsd)
  position.realisedLamports += more(next.worth.lamports, sale.worth.lamports)
  payFees(position, next)
}

function payFees(position: Position, { swap, feeLamports, opensTransaction }: FoldedSwap): void {
  position.feeLamports += feeLamports
  if (opensTransaction) position.feeLamports += Number(swap.chainFeeRaw ?? 0n)
}

function buy(position: Position, { swap }: FoldedSwap, worth: Worth): void {
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

function sell(position: Position, folded: FoldedSwap): void {
  const { swap, worth } = folded
  const { raw, costMicroUsd, costLamports } = position.inventory
  const sold = swap.baseRaw
  const tracked = sold < raw ? sold : raw
  position.trackedRaw.set(folded, tracked)
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

export function costOfPart(cost: number, part: bigint, inventory: bigint): number {
  return part === inventory ? cost : Math.round(cost * (Number(part) / Number(inventory)))
}

export function proceedsOfPart(value: number, part: bigint, sold: bigint): number {
  return part === sold ? value : Math.round(value * (Number(part) / Number(sold)))
}

export function clamp(inventory: Inventory, balance: bigint): Inventory {
  if (inventory.raw <= balance) return inventory
  if (balance === 0n) return EMPTY
  const share = Number(balance) / Number(inventory.raw)
  return {
    raw: balance,
    costMicroUsd: Math.round(inventory.costMicroUsd * share),
    costLamports: Math.round(inventory.costLamports * share),
  }
}
