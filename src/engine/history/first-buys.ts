import type { Budget } from '../../base/budget.ts'
import { Flag, Hop, hopOf, SwapLane } from '../../events/swap-record.ts'
import { CopiedChains } from '../state/dormant.ts'
import type { State } from '../state/state.ts'
import { chainOfPosition, linkOf } from './swap-chains.ts'

/** Copied buys of all positions, of 8 bytes each. */
const COPIED_MAX = 1 << 19
const POSITIONS_MAX = 1 << 14

/**
 * Where on the tape the first buys of positions are: in the total order of the chain, however late they arrived. A
 * position says only their second, which buyers of a launch share. Each swap of a position is a read of the tape:
 * those that no late event can reach are read in pieces, once.
 */
export class FirstBuys {
  readonly #state: State
  readonly #reach: () => number
  readonly #buys: CopiedChains

  /** `reach`: tape index before which nothing changes any more. */
  constructor(state: State, reach: () => number) {
    this.#state = state
    this.#reach = reach
    const limits = { records: COPIED_MAX, chains: POSITIONS_MAX }
    this.#buys = new CopiedChains(1, limits, (index, copy) => {
      const [r, at] = [state.tape.u32Of(index), state.tape.at(index)]
      // What only passed through on a route is no buy.
      const isBuy = (r[at + SwapLane.flags] & Flag.sell) === 0 && hopOf(r, at) !== Hop.passed
      if (isBuy) copy.f64[copy.add()] = index
      return linkOf(state, index, SwapLane.previousInPosition)
    })
  }

  get bytes(): number {
    return this.#buys.bytes
  }

  /**
   * Tape index of the first buy of a position that has one; good until the next event.
   * @throws OutOfTime before its swaps are read
   * @throws TapeDamage when one cannot be read
   */
  of(position: number, budget: Budget): number {
    const { name, total, newestPlus1 } = chainOfPosition(this.#state, position)
    if (total === 1) return newestPlus1 - 1
    const copies = this.#buys.whole(name, newestPlus1, this.#reach(), budget)
    return copies.find(({ count }) => count > 0)?.f64[0] ?? newestPlus1
  }
}
