import type { Budget } from '../../base/budget.ts'
import { U32List } from '../memory/rows.ts'
import { growingPart, type MemoryPart } from '../memory/state-part.ts'
import { flagsOf } from '../state/lanes.ts'
import { LifecycleLane, TokenFlag } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import type { TokenOrder } from './token-order.ts'

/** Tokens between two checks of the budget. */
const TOKENS_A_LOOK = 1_024

/**
 * The tokens of each creator whose creation is known, by its place, the newest first: chains of token rows that reads
 * make, and bring up to date, in pieces. 4 bytes a token and a wallet.
 */
export class CreatorTokens {
  readonly #state: State
  readonly #order: TokenOrder
  readonly #isBehind: () => boolean
  readonly #nextPlus1 = new U32List()
  readonly #firstPlus1 = new U32List()
  /** Tokens before this row stand in the chains, those whose creation was known then. */
  #linked = 0

  /** `isBehind`: are creations taken back that are folded again soon? Until then no more tokens are linked. */
  constructor(state: State, order: TokenOrder, isBehind: () => boolean) {
    this.#state = state
    this.#order = order
    this.#isBehind = isBehind
  }

  get memory(): MemoryPart {
    return growingPart('creators', this.#nextPlus1, this.#firstPlus1)
  }

  /** The creation of a token arrived. */
  created(token: number): void {
    if (token < this.#linked) this.#link(token)
  }

  /**
   * Tokens of the creator of `token`, the newest first; at most `max`. The token itself is always
   * included: it stands last if `max` others are newer.
   * @throws OutOfTime while the chains are made
   */
  ofCreatorOf(token: number, max: number, budget: Budget): number[] {
    const creatorPlus1 = this.#state.births.get(token, LifecycleLane.creatorPlus1)
    const found = creatorPlus1 === 0 ? [] : this.of(creatorPlus1 - 1, budget, max + 1)
    if (found.length <= max) return found
    found.length = max
    if (!found.includes(token)) found[max - 1] = token
    return found
  }

  /**
   * Tokens of a creator, the newest first, `max` at most.
   * @throws OutOfTime while the chains are made
   */
  of(wallet: number, budget: Budget, max = Number.POSITIVE_INFINITY): number[] {
    this.#linkAll(budget)
    const found: number[] = []
    let next = this.#firstPlus1.get(wallet)
    for (; next !== 0 && found.length < max; next = this.#nextPlus1.get(next - 1))
      found.push(next - 1)
    return found
  }

  #linkAll(budget: Budget): void {
    const { count } = this.#state.tokens
    while (this.#linked < count && !this.#isBehind()) {
      const end = Math.min(count, this.#linked + TOKENS_A_LOOK)
      for (; this.#linked < end; this.#linked++) this.#link(this.#linked)
      if (end < count) budget.throwIfSpent()
    }
  }

  #link(token: number): void {
    const creatorPlus1 = this.#state.births.get(token, LifecycleLane.creatorPlus1)
    const isKnown = (flagsOf(this.#state, token) & TokenFlag.creationKnown) !== 0
    if (creatorPlus1 === 0 || !isKnown) return
    // Nearly always it is the newest: only a creation that arrived late goes behind others.
    let newer = -1
    let next = this.#firstPlus1.get(creatorPlus1 - 1)
    for (; next !== 0 && this.#order.comesFirst(next - 1, token); next = this.#nextPlus1.get(newer))
      newer = next - 1
    this.#nextPlus1.set(token, next)
    if (newer < 0) this.#firstPlus1.set(creatorPlus1 - 1, token + 1)
    else this.#nextPlus1.set(newer, token + 1)
  }
}
