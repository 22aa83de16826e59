import {
  addU64,
  copyU64,
  isLess,
  isZeroAt,
  numberAt,
  subtractU64,
  wholeAt,
} from '../../base/u64.ts'
import { Flag, Hop, hopOf, SwapLane } from '../../events/swap-record.ts'
import { Rows } from '../memory/rows.ts'
import type { Sized, StatePart } from '../memory/state-part.ts'
import { hashSignature, isSameSignature } from '../state/address-book.ts'
import type { SwapContext } from '../state/lanes.ts'
import { PositionFlag, PositionLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { Burns } from './burns.ts'

/** A row of what a clamp took from a position. */
const ClampLane = { position: 0, inventoryLo: 2, costUsdF: 2, costSolF: 3 } as const
const CLAMP_LANES = 8

/** Positions of one transaction whose clamp can be undone; further ones stay clamped. */
const CLAMPS_MAX = 16

/** Beside a clamp: what the swaps of the transaction come to, and the flags before it. */
const E = { expectedLo: 0, flags: 2 } as const
const E_LANES = 4

/** Scratch u64 amounts. */
const expected = new Uint32Array(2)
const left = new Uint32Array(2)

/**
 * Inventory follows the chain's balance down: tokens that left without a sale take their cost with
 * them. It is clamped once to the balance before a transaction and once to that behind it (contract
 * section 5). The balance given with a swap is that after its whole transaction (sections 2 and 8), so
 * a clamp to it holds only until the next swap of the same transaction in the same position: it is
 * undone, the swap folded, and the clamp applied anew.
 */
export class InventoryClamp {
  readonly #clamps = new Rows(CLAMP_LANES)
  readonly #count = new Rows(2)
  readonly #expected = new Rows(E_LANES)
  readonly parts: readonly StatePart[]
  readonly #own: readonly StatePart[] = [
    this.#clamps.part('clamps', CLAMPS_MAX),
    this.#count.part('clamp count', 1),
    this.#expected.part('clamp balances', CLAMPS_MAX),
  ]
  readonly #state: State
  readonly burns: Burns
  readonly #clampsUndo: number
  readonly #countUndo: number
  readonly #expectedUndo: number

  constructor(state: State) {
    this.#state = state
    this.#clampsUndo = state.undo.register(this.#clamps)
    this.#countUndo = state.undo.register(this.#count)
    this.#expectedUndo = state.undo.register(this.#expected)
    this.burns = new Burns(state)
    this.parts = [...this.#own, this.burns.part]
    for (let i = 0; i < CLAMPS_MAX; i++) {
      this.#clamps.add()
      this.#expected.add()
    }
    this.#count.add()
  }

  get sized(): readonly Sized[] {
    return [this.#clamps, this.#count, this.#expected, ...this.burns.sized]
  }

  /** Another transaction: no clamp of the one before can be undone, whoever trades in this one. */
  beginTransaction(): void {
    if (this.#count.u32[0][0] === 0) return
    this.#state.undo.save(this.#countUndo, 0)
    this.#count.u32[0][0] = 0
  }

  /** Before the balance of the swap that is folded is set: undoes the clamp behind the swap before it, or clamps to the balance before. */
  begin(swap: SwapContext, isFirstOfTransaction: boolean): void {
    const { p, pAt, r, rAt } = swap
    copyU64(expected, 0, p, pAt + PositionLane.balanceLo)
    if (!isFirstOfTransaction && this.#goOn(swap)) return
    if ((swap.flags & Flag.balanceBeforeGiven) === 0) return
    copyU64(expected, 0, r, rAt + SwapLane.balanceBeforeLo)
    if (isLess(expected, 0, p, pAt + PositionLane.balanceLo))
      this.#noteLeft(swap, p, pAt + PositionLane.balanceLo)
    if (isLess(expected, 0, p, pAt + PositionLane.inventoryLo)) clamp(swap, expected)
  }

  /** After the swap is folded and the balance set. */
  apply(swap: SwapContext): void {
    const { p, pAt, r, rAt } = swap
    // Two calls, each of one function: which one to call would be looked up every time.
    if (swap.isBuy) addU64(expected, 0, r, rAt + SwapLane.baseLo)
    else subtractU64(expected, 0, r, rAt + SwapLane.baseLo)
    const balanceAt = pAt + PositionLane.balanceLo
    const isExpected = p[balanceAt] === expected[0] && p[balanceAt + 1] === expected[1]
    const isClamped = isLess(p, balanceAt, p, pAt + PositionLane.inventoryLo)
    if (!isExpected || isClamped) this.#clampBehind(swap, isClamped)
    else if (this.#count.u32[0][0] !== 0) this.#forget(swap.position)
  }

  #clampBehind(swap: SwapContext, isClamped: boolean): void {
    const { p, pAt } = swap
    const balanceAt = pAt + PositionLane.balanceLo
    this.#remember(swap)
    if (isLess(p, balanceAt, expected, 0)) {
      copyU64(left, 0, expected, 0)
      subtractU64(left, 0, p, balanceAt)
      this.#judgeLeft(swap)
    }
    if (!isClamped) return
    copyU64(left, 0, p, balanceAt)
    clamp(swap, left)
  }

  /** A balance was told for a position apart from its swaps: what was clamped of it stays clamped. */
  settle(position: number): void {
    this.#forget(position)
  }

  /** Goes on behind a swap of the same transaction and position; false: there is none. */
  #goOn(swap: SwapContext): boolean {
    const found = this.#find(swap.position, this.#count.u32[0][0])
    if (found >= 0) this.#undo(swap, found)
    return found >= 0 || this.#hasSwapOfTransaction(swap)
  }

  /** Is a swap of the position before this one of the same transaction? */
  #hasSwapOfTransaction(swap: SwapContext): boolean {
    const { tape } = this.#state
    let next = swap.p[swap.pAt + PositionLane.lastSwapPlus1]
    // A transaction is a run of neighbours with one signature.
    for (let index = swap.index - 1; index >= tape.firstInMemory && next !== 0; index--) {
      const [r, at] = [tape.u32Of(index), tape.at(index)]
      if (!isSameSignature(r, at, swap.r, swap.rAt)) return false
      if (index !== next - 1) continue
      if (hopOf(r, at) !== Hop.passed) return true
      next = r[at + SwapLane.previousInPosition]
    }
    return false
  }

  /** The position had more (the balance at a lane) than the transaction began with: the rest left before. */
  #noteLeft(swap: SwapContext, p: Uint32Array, balanceAt: number): void {
    copyU64(left, 0, p, balanceAt)
    subtractU64(left, 0, expected, 0)
    if (wholeAt(left, 0, swap.decimals) > this.#state.rules.soldAllWhole)
      swap.p[swap.pAt + PositionLane.flags] |= PositionFlag.gaveAway
  }

  /** What left in this transaction, if no burn of it says where to. */
  #judgeLeft(swap: SwapContext): void {
    const signatureHash = hashSignature(swap.r, swap.rAt + SwapLane.signature)
    if (this.burns.isHandedOn(left, swap.token, signatureHash[0], signatureHash[1]))
      swap.p[swap.pAt + PositionLane.flags] |= PositionFlag.gaveAway
  }

  #undo(swap: SwapContext, row: number): void {
    const at = row * CLAMP_LANES
    const f64 = this.#clamps.f64[0]
    copyU64(
      swap.p,
      swap.pAt + PositionLane.inventoryLo,
      this.#clamps.u32[0],
      at + ClampLane.inventoryLo,
    )
    swap.pf[swap.pAtF + PositionLane.costUsdF] = f64[(at >>> 1) + ClampLane.costUsdF]
    swap.pf[swap.pAtF + PositionLane.costSolF] = f64[(at >>> 1) + ClampLane.costSolF]
    const beside = this.#expected.u32[0]
    copyU64(expected, 0, beside, row * E_LANES + E.expectedLo)
    if ((beside[row * E_LANES + E.flags] & PositionFlag.gaveAway) === 0)
      swap.p[swap.pAt + PositionLane.flags] &= ~PositionFlag.gaveAway
  }

  #remember(swap: SwapContext): void {
    const count = this.#count.u32[0][0]
    let row = this.#find(swap.position, count)
    if (row < 0) {
      if (count === CLAMPS_MAX) return
      row = count
      this.#state.undo.save(this.#countUndo, 0)
      this.#count.u32[0][0] = count + 1
    }
    this.#state.undo.save(this.#clampsUndo, row)
    this.#state.undo.save(this.#expectedUndo, row)
    const at = row * CLAMP_LANES
    const u32 = this.#clamps.u32[0]
    const f64 = this.#clamps.f64[0]
    u32[at + ClampLane.position] = swap.position
    copyU64(u32, at + ClampLane.inventoryLo, swap.p, swap.pAt + PositionLane.inventoryLo)
    f64[(at >>> 1) + ClampLane.costUsdF] = swap.pf[swap.pAtF + PositionLane.costUsdF]
    f64[(at >>> 1) + ClampLane.costSolF] = swap.pf[swap.pAtF + PositionLane.costSolF]
    const beside = this.#expected.u32[0]
    copyU64(beside, row * E_LANES + E.expectedLo, expected, 0)
    beside[row * E_LANES + E.flags] = swap.p[swap.pAt + PositionLane.flags]
  }

  /** The clamp no longer bites: nothing is left to undo. */
  #forget(position: number): void {
    const count = this.#count.u32[0][0]
    if (count === 0) return
    const found = this.#find(position, count)
    if (found < 0) return
    this.#state.undo.save(this.#clampsUndo, found)
    this.#clamps.u32[0][found * CLAMP_LANES + ClampLane.position] = NO_POSITION
  }

  #find(position: number, count: number): number {
    const u32 = this.#clamps.u32[0]
    for (let row = 0; row < count; row++)
      if (u32[row * CLAMP_LANES + ClampLane.position] === position) return row
    return -1
  }
}

const NO_POSITION = 0xffffffff

/** The inventory of the position becomes `to`, which is less; its costs go down with it. */
function clamp(swap: SwapContext, to: Uint32Array): void {
  clampInventory(swap.p, swap.pf, swap.pAt, to)
}

/** As `clamp`, of the position whose lanes begin at `pAt`. */
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
