import {
  addU64,
  copyU64,
  isLess,
  isZeroAt,
  subtractU64,
  wholeAt,
  writeU64,
} from '../../base/u64.ts'
import type { Balance } from '../../events/event.ts'
import { Flag, Hop, hopOf, SwapLane } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import type { Sized, StatePart } from '../memory/state-part.ts'
import { hashSignature, isSameSignature } from '../state/address-book.ts'
import { hasTradedRow, isNeverHolder, type SwapContext } from '../state/lanes.ts'
import {
  LifecycleLane,
  PositionFlag,
  PositionLane,
  PositionRowLane,
  ProfileLane,
  TokenFlag,
  TokenLane,
} from '../state/layout.ts'
import { clampInventory, PositionRecord } from '../state/position-rows.ts'
import type { State } from '../state/state.ts'
import type { Holders } from './position-fold.ts'

/** A row of what a clamp took from a position. */
const ClampLane = { position: 0, inventoryLo: 2, costUsdF: 2, costSolF: 3 } as const
const CLAMP_LANES = 8

/** Positions of one transaction whose clamp can be undone; further ones stay clamped. */
const CLAMPS_MAX = 16

/** Row of a clamp that is over. */
const NO_POSITION = 0xffffffff

/** Beside a clamp: the balance by the swaps of the transaction, and the flags before it. */
const E = { expectedLo: 0, flags: 2 } as const
const E_LANES = 4

/** The newest burn: its mint, its amount, and a hash of its transaction's signature. */
const BURN = { token: 0, signatureHigh: 1, signatureLow: 2, burnedLo: 4 } as const
const BURN_LANES = 6

/** Scratch u64 amounts: the balance by the swaps, what left without a sale, the balance of an event. */
const expected = new Uint32Array(2)
const left = new Uint32Array(2)
const balance = new Uint32Array(2)

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
    this.parts = [
      this.#clamps.part('clamps', CLAMPS_MAX),
      this.#count.part('clamp count', 1),
      this.#expected.part('clamp balances', CLAMPS_MAX),
      this.burns.rows.part('last burn', 1),
    ]
    for (let i = 0; i < CLAMPS_MAX; i++) {
      this.#clamps.add()
      this.#expected.add()
    }
    this.#count.add()
  }

  get sized(): readonly Sized[] {
    return [this.#clamps, this.#count, this.#expected, this.burns.rows]
  }

  /** Another transaction: no clamp of the one before can be undone, whoever trades in this one. */
  beginTransaction(): void {
    if (this.#count.u32[0][0] === 0) return
    this.#state.undo.save(this.#countUndo, 0)
    this.#count.u32[0][0] = 0
  }

  /** Before the swap's balance is set: undoes the clamp behind the swap before it, or clamps to the balance before. */
  begin(swap: SwapContext, isFirstOfTransaction: boolean): void {
    const { p, pAt, r, rAt } = swap
    copyU64(expected, 0, p, pAt + PositionRowLane.balanceLo)
    if (!isFirstOfTransaction && this.#resume(swap)) return
    if ((swap.flags & Flag.balanceBeforeGiven) === 0) return
    copyU64(expected, 0, r, rAt + SwapLane.balanceBeforeLo)
    if (isLess(expected, 0, p, pAt + PositionRowLane.balanceLo))
      this.#noteLeft(swap, p, pAt + PositionRowLane.balanceLo)
    if (isLess(expected, 0, swap.amounts.u32, PositionLane.inventoryLo))
      clampInventory(swap.amounts, expected)
  }

  /** After the swap is folded and the balance set. */
  apply(swap: SwapContext): void {
    const { p, pAt, r, rAt } = swap
    // Two calls, each of one function: which one to call would be looked up every time.
    if (swap.isBuy) addU64(expected, 0, r, rAt + SwapLane.baseLo)
    else subtractU64(expected, 0, r, rAt + SwapLane.baseLo)
    const balanceAt = pAt + PositionRowLane.balanceLo
    const isExpected = p[balanceAt] === expected[0] && p[balanceAt + 1] === expected[1]
    const isClamped = isLess(p, balanceAt, swap.amounts.u32, PositionLane.inventoryLo)
    if (!isExpected || isClamped) this.#clampBehind(swap, isClamped)
    else if (this.#count.u32[0][0] !== 0) this.forget(swap.position)
  }

  #clampBehind(swap: SwapContext, isClamped: boolean): void {
    const { p, pAt } = swap
    const balanceAt = pAt + PositionRowLane.balanceLo
    this.#remember(swap)
    if (isLess(p, balanceAt, expected, 0)) {
      copyU64(left, 0, expected, 0)
      subtractU64(left, 0, p, balanceAt)
      this.#judgeLeft(swap)
    }
    if (!isClamped) return
    copyU64(left, 0, p, balanceAt)
    clampInventory(swap.amounts, left)
  }

  /** Continues after a swap of the same transaction and position; false: there is none. */
  #resume(swap: SwapContext): boolean {
    const found = this.#find(swap.position, this.#count.u32[0][0])
    if (found >= 0) this.#undo(swap, found)
    return found >= 0 || this.#hasSwapOfTransaction(swap)
  }

  /** Is a swap of the position before this one of the same transaction? */
  #hasSwapOfTransaction(swap: SwapContext): boolean {
    const { tape } = this.#state
    let next = swap.p[swap.pAt + PositionRowLane.lastSwapPlus1]
    // A transaction is a run of neighbours with one signature.
    for (let index = swap.index - 1; index >= 0 && next !== 0; index--) {
      const [r, at] = [tape.u32Of(index), tape.at(index)]
      if (!isSameSignature(r, at, swap.r, swap.rAt)) return false
      if (index !== next - 1) continue
      if (hopOf(r, at) !== Hop.passed) return true
      next = r[at + SwapLane.previousInPosition]
    }
    return false
  }

  /** The position had more (the balance at a lane) than the transaction started with: the rest left before. */
  #noteLeft(swap: SwapContext, p: Uint32Array, balanceAt: number): void {
    copyU64(left, 0, p, balanceAt)
    subtractU64(left, 0, expected, 0)
    if (wholeAt(left, 0, swap.decimals) > this.#state.rules.soldAllWhole)
      swap.p[swap.pAt + PositionRowLane.flags] |= PositionFlag.gaveAway
  }

  /** Judges what left in this transaction: a burn of it would explain that. */
  #judgeLeft(swap: SwapContext): void {
    const signatureHash = hashSignature(swap.r, swap.rAt + SwapLane.signature)
    if (this.burns.isHandedOn(left, swap.token, signatureHash[0], signatureHash[1]))
      swap.p[swap.pAt + PositionRowLane.flags] |= PositionFlag.gaveAway
  }

  #undo(swap: SwapContext, row: number): void {
    const at = row * CLAMP_LANES
    const [u32, f64] = [this.#clamps.u32[0], this.#clamps.f64[0]]
    const { p, pAt, amounts } = swap
    copyU64(amounts.u32, PositionLane.inventoryLo, u32, at + ClampLane.inventoryLo)
    amounts.f64[PositionLane.costUsdF] = f64[(at >>> 1) + ClampLane.costUsdF]
    amounts.f64[PositionLane.costSolF] = f64[(at >>> 1) + ClampLane.costSolF]
    const beside = this.#expected.u32[0]
    copyU64(expected, 0, beside, row * E_LANES + E.expectedLo)
    if ((beside[row * E_LANES + E.flags] & PositionFlag.gaveAway) === 0)
      p[pAt + PositionRowLane.flags] &= ~PositionFlag.gaveAway
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
    copyU64(u32, at + ClampLane.inventoryLo, swap.amounts.u32, PositionLane.inventoryLo)
    f64[(at >>> 1) + ClampLane.costUsdF] = swap.amounts.f64[PositionLane.costUsdF]
    f64[(at >>> 1) + ClampLane.costSolF] = swap.amounts.f64[PositionLane.costSolF]
    const beside = this.#expected.u32[0]
    copyU64(beside, row * E_LANES + E.expectedLo, expected, 0)
    beside[row * E_LANES + E.flags] = swap.p[swap.pAt + PositionRowLane.flags]
  }

  /** The clamp of a position is over, or a feed reported its balance: what was clamped stays clamped. */
  forget(position: number): void {
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

/**
 * The largest burn of the newest transaction that burned tokens: burned tokens left their wallet, but
 * were neither sold nor handed on (contract section 2, `devSoldAll`).
 */
export class Burns {
  readonly #state: State
  /** One row. */
  readonly rows = new Rows(BURN_LANES)
  readonly #undo: number

  constructor(state: State) {
    this.#state = state
    this.#undo = state.undo.register(this.rows)
    this.rows.add()
  }

  /** The supply of a mint fell by the u64 in `burned`. */
  note(burned: Uint32Array, token: number, signatureHigh: number, signatureLow: number): void {
    this.#state.undo.save(this.#undo, 0)
    const [lanes] = this.rows.u32
    const isSame = this.#isOf(token, signatureHigh, signatureLow)
    if (isSame && isLess(burned, 0, lanes, BURN.burnedLo)) return
    lanes[BURN.token] = token
    lanes[BURN.signatureHigh] = signatureHigh
    lanes[BURN.signatureLow] = signatureLow
    copyU64(lanes, BURN.burnedLo, burned, 0)
  }

  /**
   * Was the u64 in `left`, which left a wallet without a sale, handed on? Not if it is next to nothing, or
   * if the same transaction burned it.
   */
  isHandedOn(
    left: Uint32Array,
    token: number,
    signatureHigh: number,
    signatureLow: number,
  ): boolean {
    const decimals = this.#state.profiles.get(token, ProfileLane.decimals)
    if (wholeAt(left, 0, decimals) <= this.#state.rules.soldAllWhole) return false
    const [lanes] = this.rows.u32
    const isBurned = !isLess(lanes, BURN.burnedLo, left, 0)
    return !(isBurned && this.#isOf(token, signatureHigh, signatureLow))
  }

  #isOf(token: number, signatureHigh: number, signatureLow: number): boolean {
    const [lanes] = this.rows.u32
    return (
      lanes[BURN.token] === token &&
      lanes[BURN.signatureHigh] === signatureHigh >>> 0 &&
      lanes[BURN.signatureLow] === signatureLow >>> 0
    )
  }
}

/**
 * Balances that a feed reports apart from swaps (contract sections 2 and 7): such a balance is the truth
 * for its owner, and a wallet that was handed tokens is a holder.
 */
export class BalanceFold {
  readonly #state: State
  readonly #holders: Holders
  readonly #clamp: InventoryClamp
  readonly #amounts = new PositionRecord()

  constructor(state: State, holders: Holders, clamp: InventoryClamp) {
    this.#state = state
    this.#holders = holders
    this.#clamp = clamp
  }

  /** Is it more than the supply of the mint, if a feed reported one? */
  isBeyondSupply(token: number, balanceRaw: bigint): boolean {
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const supplyAt = (token & ROW_MASK) * TokenLane.lanes + TokenLane.supplyLo
    writeU64(balance, 0, balanceRaw)
    const flags = t[(token & ROW_MASK) * TokenLane.lanes + TokenLane.flags]
    if ((flags & TokenFlag.supplySeen) === 0 || isZeroAt(t, supplyAt)) return false
    return isLess(t, supplyAt, balance, 0)
  }

  /** Folds a balance of a wallet that has a row; balances of an unknown mint change nothing. */
  fold(token: number, wallet: number, event: Balance): void {
    const state = this.#state
    const t = state.tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    if ((t[tAt + TokenLane.flags] & TokenFlag.exists) === 0) return
    if (this.isBeyondSupply(token, event.balanceRaw)) return
    state.saveToken(token)
    const position = this.#take(token, wallet)
    if (position < 0) return
    const p = state.positions.u32[position >>> ROW_SHIFT]
    const pAt = (position & ROW_MASK) * PositionRowLane.lanes
    this.#holders.takeOut(position)
    if (!hasTradedRow(p, pAt)) p[pAt + PositionRowLane.lastBuyAt] = event.timestamp
    if (isLess(balance, 0, p, pAt + PositionRowLane.balanceLo)) this.#noteLeft(token, p, pAt, event)
    copyU64(p, pAt + PositionRowLane.balanceLo, balance, 0)
    state.positions.read(position, this.#amounts)
    if (isLess(balance, 0, this.#amounts.u32, PositionLane.inventoryLo)) {
      clampInventory(this.#amounts, balance)
      state.positions.write(position, this.#amounts)
    }
    if (!isZeroAt(balance, 0)) this.#hold(t[tAt + TokenLane.flags], p, pAt)
    this.#clamp.forget(position)
    this.#holders.putBack(position)
  }

  /** The wallet's position, saved for undo, or a new one; -1: the wallet never holds, or has nothing. */
  #take(token: number, wallet: number): number {
    const state = this.#state
    const known = state.findPosition(token, wallet)
    if (isNeverHolder(state, token, wallet) || (known < 0 && isZeroAt(balance, 0))) return -1
    const position = known < 0 ? state.addPosition(token, wallet) : known
    state.changePosition(position)
    const p = state.positions.u32[position >>> ROW_SHIFT]
    const pAt = (position & ROW_MASK) * PositionRowLane.lanes
    const b = state.births.u32[token >>> ROW_SHIFT]
    if (b[(token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.creatorPlus1] === wallet + 1) {
      p[pAt + PositionRowLane.flags] |= PositionFlag.creator
      const t = state.tokens.u32[token >>> ROW_SHIFT]
      t[(token & ROW_MASK) * TokenLane.lanes + TokenLane.creatorPositionPlus1] = position + 1
    }
    return position
  }

  /** The position has a balance: if it never traded, the tokens were handed to it. */
  #hold(tokenFlags: number, p: Uint32Array, pAt: number): void {
    p[pAt + PositionRowLane.flags] |= PositionFlag.held
    if (hasTradedRow(p, pAt)) return
    p[pAt + PositionRowLane.flags] |= PositionFlag.handed
    const isCreator = (p[pAt + PositionRowLane.flags] & PositionFlag.creator) !== 0
    if (tokenFlags & TokenFlag.creationKnown && !isCreator)
      p[pAt + PositionRowLane.flags] |= PositionFlag.insider
  }

  /** Tokens left the position without a sale: they were given away, unless the same transaction burned them. */
  #noteLeft(token: number, p: Uint32Array, pAt: number, { signature }: Balance): void {
    copyU64(left, 0, p, pAt + PositionRowLane.balanceLo)
    subtractU64(left, 0, balance, 0)
    const signatureHash = this.#state.book.hashSignature(signature)
    if (this.#clamp.burns.isHandedOn(left, token, signatureHash[0], signatureHash[1]))
      p[pAt + PositionRowLane.flags] |= PositionFlag.gaveAway
  }
}
