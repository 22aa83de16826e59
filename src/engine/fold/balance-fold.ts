import { copyU64, isLess, isZeroAt, subtractU64, writeU64 } from '../../base/u64.ts'
import type { Balance } from '../../events/event.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { isNeverHolder } from '../state/lanes.ts'
import { LifecycleLane, PositionFlag, PositionLane, TokenFlag, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { clampInventory } from './inventory-clamp.ts'
import type { SwapFold } from './swap-fold.ts'

/** Scratch u64 amounts: the balance told, and what is gone of the one before. */
const told = new Uint32Array(2)
const left = new Uint32Array(2)

/**
 * A balance that the chain tells apart from swaps (contract sections 2 and 7): it is the truth for that
 * owner, and who was handed tokens is a holder.
 */
export class BalanceFold {
  readonly #state: State
  readonly #swaps: SwapFold

  constructor(state: State, swaps: SwapFold) {
    this.#state = state
    this.#swaps = swaps
  }

  /** Is it more than there is of the mint, as far as a supply was told? */
  isBeyondSupply(token: number, balanceRaw: bigint): boolean {
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const supplyAt = (token & ROW_MASK) * TokenLane.lanes + TokenLane.supplyLo
    writeU64(told, 0, balanceRaw)
    const flags = t[(token & ROW_MASK) * TokenLane.lanes + TokenLane.flags]
    if ((flags & TokenFlag.supplySeen) === 0 || isZeroAt(t, supplyAt)) return false
    return isLess(t, supplyAt, told, 0)
  }

  /** Folds a balance of a wallet whose row is there; of a mint that is not known, nothing. */
  fold(token: number, wallet: number, event: Balance): void {
    const state = this.#state
    const t = state.tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    if ((t[tAt + TokenLane.flags] & TokenFlag.exists) === 0) return
    if (this.isBeyondSupply(token, event.balanceRaw)) return
    state.undo.save(state.tokensUndo, token)
    const position = this.#take(token, wallet)
    if (position < 0) return
    const { holders, clamp } = this.#swaps
    const p = state.positions.u32[position >>> ROW_SHIFT]
    const pf = state.positions.f64[position >>> ROW_SHIFT]
    const pAt = (position & ROW_MASK) * PositionLane.lanes
    holders.takeOut(position)
    if (p[pAt + PositionLane.buys] + p[pAt + PositionLane.sells] === 0)
      p[pAt + PositionLane.lastBuyAt] = event.timestamp
    if (isLess(told, 0, p, pAt + PositionLane.balanceLo)) this.#noteLeft(token, p, pAt, event)
    copyU64(p, pAt + PositionLane.balanceLo, told, 0)
    if (isLess(told, 0, p, pAt + PositionLane.inventoryLo)) clampInventory(p, pf, pAt, told)
    if (!isZeroAt(told, 0)) this.#hold(t[tAt + TokenLane.flags], p, pAt)
    clamp.settle(position)
    holders.putBack(position)
  }

  /** The position, which can be put back; one is made for who holds some. -1: nothing is to be kept. */
  #take(token: number, wallet: number): number {
    const state = this.#state
    const known = state.findPosition(token, wallet)
    if (isNeverHolder(state, token, wallet) || (known < 0 && isZeroAt(told, 0))) return -1
    const position = known < 0 ? state.addPosition(token, wallet) : known
    state.changePosition(position)
    const p = state.positions.u32[position >>> ROW_SHIFT]
    const pAt = (position & ROW_MASK) * PositionLane.lanes
    const b = state.births.u32[token >>> ROW_SHIFT]
    if (b[(token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.creatorPlus1] === wallet + 1) {
      p[pAt + PositionLane.flags] |= PositionFlag.creator
      const t = state.tokens.u32[token >>> ROW_SHIFT]
      t[(token & ROW_MASK) * TokenLane.lanes + TokenLane.creatorPositionPlus1] = position + 1
    }
    return position
  }

  /** It holds some: without a swap of its own it was handed them. */
  #hold(tokenFlags: number, p: Uint32Array, pAt: number): void {
    p[pAt + PositionLane.flags] |= PositionFlag.held
    if (p[pAt + PositionLane.buys] + p[pAt + PositionLane.sells] > 0) return
    p[pAt + PositionLane.flags] |= PositionFlag.handed
    const isCreator = (p[pAt + PositionLane.flags] & PositionFlag.creator) !== 0
    if (tokenFlags & TokenFlag.creationKnown && !isCreator)
      p[pAt + PositionLane.flags] |= PositionFlag.insider
  }

  /** Some left it without a sale; what was burned in the same transaction was not given away. */
  #noteLeft(token: number, p: Uint32Array, pAt: number, { signature }: Balance): void {
    copyU64(left, 0, p, pAt + PositionLane.balanceLo)
    subtractU64(left, 0, told, 0)
    const signatureHash = this.#state.book.hashSignature(signature)
    if (this.#swaps.clamp.burns.isHandedOn(left, token, signatureHash[0], signatureHash[1]))
      p[pAt + PositionLane.flags] |= PositionFlag.gaveAway
  }
}
