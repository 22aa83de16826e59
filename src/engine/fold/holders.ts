import { addToSum, numberAt, takeFromSum } from '../../base/u64.ts'
import type { TopHolders } from '../index/top-holders.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { isNeverHolder, poolAddressesOf, positionLane } from '../state/lanes.ts'
import { PositionFlag, PositionLane, TokenLane, WalletFlag, WalletLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** Classes of holders: the position flag, the sum of balances (f64 lane), the count. */
const CLASSES = [
  [PositionFlag.sniper, TokenLane.sniperSumF, TokenLane.sniperHolders],
  [PositionFlag.bundle, TokenLane.bundleSumF, TokenLane.bundleHolders],
  [PositionFlag.insider, TokenLane.insiderSumF, TokenLane.insiderHolders],
  [PositionFlag.fresh, TokenLane.freshSumF, TokenLane.freshHolders],
] as const

/**
 * Holder distribution of a mint: sums and counts over wallets with a balance, by class. A position
 * is taken out before something about it changes and put back after, so that one rule covers
 * balances, flags, pro judgements and exclusions alike.
 */
export class Holders {
  readonly #state: State
  readonly #top: TopHolders

  constructor(state: State, top: TopHolders) {
    this.#state = state
    this.#top = top
  }

  /** Takes the position's balance out of its mint's sums. */
  takeOut(position: number): void {
    const p = this.#state.positions.u32[position >>> ROW_SHIFT]
    const pAt = (position & ROW_MASK) * PositionLane.lanes
    const lo = p[pAt + PositionLane.balanceLo]
    const hi = p[pAt + PositionLane.balanceLo + 1]
    const flags = p[pAt + PositionLane.flags]
    if ((lo | hi) === 0 || (flags & PositionFlag.excluded) !== 0) return
    const token = p[pAt + PositionLane.token]
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const tf = this.#state.tokens.f64[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    takeFromSum(tf, (tAt >>> 1) + TokenLane.holdersSumF, lo, hi)
    t[tAt + TokenLane.holders] -= 1
    for (let i = 0; i < CLASSES.length; i++)
      if (flags & CLASSES[i][0]) {
        takeFromSum(tf, (tAt >>> 1) + CLASSES[i][1], lo, hi)
        t[tAt + CLASSES[i][2]] -= 1
      }
    if (this.#state.wallets.get(p[pAt + PositionLane.wallet], WalletLane.flags) & WalletFlag.pro) {
      takeFromSum(tf, (tAt >>> 1) + TokenLane.proSumF, lo, hi)
      t[tAt + TokenLane.proHolders] -= 1
    }
  }

  /** Puts the position's balance into its mint's sums, as it and its wallet now are. */
  putBack(position: number): void {
    const p = this.#state.positions.u32[position >>> ROW_SHIFT]
    const pAt = (position & ROW_MASK) * PositionLane.lanes
    const lo = p[pAt + PositionLane.balanceLo]
    const hi = p[pAt + PositionLane.balanceLo + 1]
    const flags = p[pAt + PositionLane.flags]
    const token = p[pAt + PositionLane.token]
    this.#state.changes.note(token)
    if ((lo | hi) === 0 || (flags & PositionFlag.excluded) !== 0) {
      this.#top.changed(token, position, 0)
      return
    }
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const tf = this.#state.tokens.f64[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    addToSum(tf, (tAt >>> 1) + TokenLane.holdersSumF, lo, hi)
    t[tAt + TokenLane.holders] += 1
    for (let i = 0; i < CLASSES.length; i++)
      if (flags & CLASSES[i][0]) {
        addToSum(tf, (tAt >>> 1) + CLASSES[i][1], lo, hi)
        t[tAt + CLASSES[i][2]] += 1
      }
    if (this.#state.wallets.get(p[pAt + PositionLane.wallet], WalletLane.flags) & WalletFlag.pro) {
      addToSum(tf, (tAt >>> 1) + TokenLane.proSumF, lo, hi)
      t[tAt + TokenLane.proHolders] += 1
    }
    this.#top.changed(token, position, numberAt(p, pAt + PositionLane.balanceLo))
  }

  /** The judgement of the wallet of a holder has turned. */
  turnPro(token: number, balanceLo: number, balanceHi: number, isPro: boolean): void {
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const tf = this.#state.tokens.f64[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    const change = isPro ? addToSum : takeFromSum
    change(tf, (tAt >>> 1) + TokenLane.proSumF, balanceLo, balanceHi)
    t[tAt + TokenLane.proHolders] += isPro ? 1 : -1
    this.#state.changes.note(token)
  }

  /**
   * The curve or pool of the mint became another: traders among the `former` and the new ones are no
   * holders or holders again. True when that changed a position.
   */
  excludeHouse(token: number, former: readonly number[]): boolean {
    const state = this.#state
    let hasChanged = false
    for (const addressPlus1 of [...former, ...poolAddressesOf(state, token)]) {
      const wallet = addressPlus1 === 0 ? -1 : state.book.walletOf(addressPlus1 - 1)
      const position = wallet < 0 ? -1 : state.findPosition(token, wallet)
      if (position >= 0 && this.#setExcluded(position, isNeverHolder(state, token, wallet)))
        hasChanged = true
    }
    return hasChanged
  }

  #setExcluded(position: number, isExcluded: boolean): boolean {
    const flag = PositionFlag.excluded
    if (this.hasFlag(position, flag) === isExcluded) return false
    this.setFlags(position, isExcluded ? 0 : flag, isExcluded ? flag : 0)
    return true
  }

  /** Has the position any of these flags? */
  hasFlag(position: number, flags: number): boolean {
    return (positionLane(this.#state, position, PositionLane.flags) & flags) !== 0
  }

  /** Changes the flags of a position outside the fold of its own swap. */
  setFlags(position: number, clear: number, set: number): void {
    this.#state.changePosition(position)
    this.takeOut(position)
    const p = this.#state.positions.u32[position >>> ROW_SHIFT]
    const at = (position & ROW_MASK) * PositionLane.lanes + PositionLane.flags
    p[at] = (p[at] & ~clear) | set
    this.putBack(position)
  }
}
