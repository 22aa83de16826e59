import { copyU64, isLess, isZeroAt, numberAt } from '../base/u64.ts'
import type { Hand } from './hand.ts'
import { C, C_LANES, P } from './layout.ts'
import { Rows } from './memory/rows.ts'
import { rowsPart } from './memory/rows-part.ts'
import type { StatePart } from './memory/state-part.ts'
import type { State } from './state.ts'

/** Positions of one transaction whose clamp can be undone; further ones stay clamped. */
const CLAMPS_MAX = 16

/**
 * Inventory follows the chain's balance down: tokens that left without a sale take their cost with
 * them. The balance given with a swap is that after its whole transaction (contract sections 2
 * and 8), so a clamp holds only until the next swap of the same transaction in the same position:
 * it is undone, the swap folded, and the clamp applied anew.
 */
export class InventoryClamp {
  readonly #clamps = new Rows(C_LANES)
  readonly #count = new Rows(2)
  readonly parts: readonly StatePart[] = [
    rowsPart('clamps', this.#clamps, CLAMPS_MAX),
    rowsPart('clamp count', this.#count, 1),
  ]
  readonly #state: State
  readonly #clampsUndo: number
  readonly #countUndo: number

  constructor(state: State) {
    this.#state = state
    this.#clampsUndo = state.undo.register(this.#clamps)
    this.#countUndo = state.undo.register(this.#count)
    for (let i = 0; i < CLAMPS_MAX; i++) this.#clamps.add()
    this.#count.add()
  }

  /** Before the swap is folded. */
  undo(hand: Hand, isFirstOfTransaction: boolean): void {
    const count = this.#count.u32[0][0]
    if (count === 0) return
    if (isFirstOfTransaction) {
      this.#state.undo.save(this.#countUndo, 0)
      this.#count.u32[0][0] = 0
      return
    }
    const found = this.#find(hand.position, count)
    if (found < 0) return
    const at = found * C_LANES
    const f64 = this.#clamps.f64[0]
    copyU64(hand.p, hand.pAt + P.inventoryLo, this.#clamps.u32[0], at + C.inventoryLo)
    hand.pf[hand.pAtF + P.costUsdF] = f64[(at >>> 1) + C.costUsdF]
    hand.pf[hand.pAtF + P.costSolF] = f64[(at >>> 1) + C.costSolF]
  }

  /** After the swap is folded and the balance set. */
  apply(hand: Hand): void {
    const { p, pf, pAt, pAtF } = hand
    if (!isLess(p, pAt + P.balanceLo, p, pAt + P.inventoryLo)) {
      this.#forget(hand.position)
      return
    }
    this.#remember(hand)
    const share = numberAt(p, pAt + P.balanceLo) / numberAt(p, pAt + P.inventoryLo)
    const isEmpty = isZeroAt(p, pAt + P.balanceLo)
    pf[pAtF + P.costUsdF] = isEmpty ? 0 : Math.round(pf[pAtF + P.costUsdF] * share)
    pf[pAtF + P.costSolF] = isEmpty ? 0 : Math.round(pf[pAtF + P.costSolF] * share)
    copyU64(p, pAt + P.inventoryLo, p, pAt + P.balanceLo)
  }

  #remember(hand: Hand): void {
    const count = this.#count.u32[0][0]
    let row = this.#find(hand.position, count)
    if (row < 0) {
      if (count === CLAMPS_MAX) return
      row = count
      this.#state.undo.save(this.#countUndo, 0)
      this.#count.u32[0][0] = count + 1
    }
    this.#state.undo.save(this.#clampsUndo, row)
    const at = row * C_LANES
    const u32 = this.#clamps.u32[0]
    const f64 = this.#clamps.f64[0]
    u32[at + C.position] = hand.position
    copyU64(u32, at + C.inventoryLo, hand.p, hand.pAt + P.inventoryLo)
    f64[(at >>> 1) + C.costUsdF] = hand.pf[hand.pAtF + P.costUsdF]
    f64[(at >>> 1) + C.costSolF] = hand.pf[hand.pAtF + P.costSolF]
  }

  /** The clamp no longer bites: nothing is left to undo. */
  #forget(position: number): void {
    const count = this.#count.u32[0][0]
    if (count === 0) return
    const found = this.#find(position, count)
    if (found < 0) return
    this.#state.undo.save(this.#clampsUndo, found)
    this.#clamps.u32[0][found * C_LANES + C.position] = NO_POSITION
  }

  #find(position: number, count: number): number {
    const u32 = this.#clamps.u32[0]
    for (let row = 0; row < count; row++)
      if (u32[row * C_LANES + C.position] === position) return row
    return -1
  }
}

const NO_POSITION = 0xffffffff
