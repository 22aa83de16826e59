import { stepped } from '../../base/errors.ts'
import { isZeroAt } from '../../base/u64.ts'
import { Flag, Hop, hopOf, SwapFloatLane, SwapLane, walletOf } from '../../events/swap-record.ts'
import { swapsOldestFirst } from '../history/swap-chains.ts'
import { positionLane, SwapContext } from '../state/lanes.ts'
import { LifecycleLane, PositionFlag, PositionLane, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import type { SwapFold } from './swap-fold.ts'
import { isWithinSnipe } from './wallet-classes.ts'

const JUDGED = PositionFlag.sniper | PositionFlag.bundle | PositionFlag.insider

/**
 * What a `token_created` (or a curve or pool address) that comes after swaps of its mint changes
 * about them: who is the creator, who is no holder, who sniped and who bundled (contract section 2,
 * "unknown mint").
 */
export class LateCreation {
  readonly #state: State
  readonly #fold: SwapFold
  readonly #swap = new SwapContext()

  constructor(state: State, fold: SwapFold) {
    this.#state = state
    this.#fold = fold
  }

  /** Judges the swaps that were there before the creation. */
  rejudge(token: number): void {
    const swap = this.#swap
    swap.token = token
    swap.takeToken(this.#state)
    this.#markCreator(swap)
    const swaps = this.#tradesOf(token)
    this.#judgeSnipers(swap, swaps)
    this.#judgeInsiders(swap, swaps)
    this.#judgeBundles(swap, swaps)
  }

  /** Another wallet counts as holder or no longer does: who bundled with it is judged anew. */
  rejudgeBundles(token: number): void {
    const swap = this.#swap
    swap.token = token
    swap.takeToken(this.#state)
    const swaps = this.#tradesOf(token)
    this.#judgeBundles(swap, swaps)
  }

  #judgeBundles(swap: SwapContext, swaps: readonly number[]): void {
    this.#fold.bundles.forget(swap.token)
    let next = swap.t[swap.tAt + TokenLane.positionsPlus1]
    for (let steps = 0; next !== 0; ) {
      steps = this.#stepped(steps)
      if (this.#fold.holders.hasFlag(next - 1, PositionFlag.bundle))
        this.#fold.holders.setFlags(next - 1, PositionFlag.bundle, 0)
      next = positionLane(this.#state, next - 1, PositionLane.nextInMintPlus1)
    }
    for (const index of swaps) {
      swap.takeRecord(this.#state, index)
      this.#fold.bundles.judge(swap)
    }
  }

  #markCreator(swap: SwapContext): void {
    const creator = swap.b[swap.bAt + LifecycleLane.creatorPlus1] - 1
    const position = creator < 0 ? -1 : this.#state.findPosition(swap.token, creator)
    if (position < 0) return
    swap.t[swap.tAt + TokenLane.creatorPositionPlus1] = position + 1
    this.#fold.holders.setFlags(position, JUDGED, PositionFlag.creator)
  }

  /** Swaps of the token, oldest first, but those whose coin only passed through on a route. */
  #tradesOf(token: number): readonly number[] {
    const { tape } = this.#state
    return swapsOldestFirst(this.#state, token).filter(
      (index) => hopOf(tape.u32Of(index), tape.at(index)) !== Hop.passed,
    )
  }

  /** Now that the history begins with a creation, a balance before the first swap tells. */
  #judgeInsiders(swap: SwapContext, swaps: readonly number[]): void {
    const traded = new Set<number>()
    const { tape } = this.#state
    for (const index of swaps) {
      const [r, at] = [tape.u32Of(index), tape.at(index)]
      const wallet = walletOf(r, at)
      if (traded.has(wallet)) continue
      traded.add(wallet)
      const flags = r[at + SwapLane.flags]
      const isSell = (flags & Flag.sell) !== 0
      const isBalanceGiven = (flags & Flag.balanceBeforeGiven) !== 0
      if (isSell || (isBalanceGiven && !isZeroAt(r, at + SwapLane.balanceBeforeLo)))
        this.#flagInsider(this.#state.findPosition(swap.token, wallet))
    }
    let next = swap.t[swap.tAt + TokenLane.positionsPlus1]
    for (let steps = 0; next !== 0; ) {
      steps = this.#stepped(steps)
      if (this.#fold.holders.hasFlag(next - 1, PositionFlag.handed)) this.#flagInsider(next - 1)
      next = positionLane(this.#state, next - 1, PositionLane.nextInMintPlus1)
    }
  }

  #stepped(steps: number): number {
    return stepped(steps, this.#state.positions.count, 'positions of a mint')
  }

  #flagInsider(position: number): void {
    if (position < 0) return
    const known = PositionFlag.creator | PositionFlag.insider
    if (this.#fold.holders.hasFlag(position, known)) return
    this.#fold.holders.setFlags(position, 0, PositionFlag.insider)
  }

  #judgeSnipers(swap: SwapContext, swaps: readonly number[]): void {
    const bought = new Set<number>()
    const { tape } = this.#state
    for (const index of swaps) {
      const r = tape.u32Of(index)
      const at = tape.at(index)
      const wallet = walletOf(r, at)
      const flags = r[at + SwapLane.flags]
      if (flags & Flag.sell || bought.has(wallet)) continue
      bought.add(wallet)
      const slot = tape.f64Of(index)[(at >>> 1) + SwapFloatLane.slot]
      if (!isWithinSnipe(swap, this.#state.rules, slot, flags, r[at + SwapLane.timestamp])) continue
      const position = this.#state.findPosition(swap.token, wallet)
      if (position >= 0 && !this.#fold.holders.hasFlag(position, PositionFlag.creator))
        this.#fold.holders.setFlags(position, 0, PositionFlag.sniper)
    }
  }
}
