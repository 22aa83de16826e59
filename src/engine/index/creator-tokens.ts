import type { Budget } from '../../base/budget.ts'
import { U32List } from '../memory/rows.ts'
import { growingPart, type MemoryPart } from '../memory/state-part.ts'
import { flagsOf } from '../state/lanes.ts'
import { LifecycleLane, TokenFlag } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** Tokens between two checks of the budget. */
const TOKENS_A_LOOK = 1_024

/**
 * The tokens of each creator, the one whose creation arrived last first: chains of token rows, made in
 * pieces at the first read and then kept up to date. 4 bytes a token and a wallet.
 */
export class CreatorTokens {
  readonly #state: State
  readonly #launches: U32List
  readonly #nextPlus1 = new U32List()
  readonly #firstPlus1 = new U32List()
  #making: Generator<void, void> | null = null
  #isMade = false

  /** `launches` has the tokens in the order in which their creation arrived. */
  constructor(state: State, launches: U32List) {
    this.#state = state
    this.#launches = launches
  }

  get memory(): MemoryPart {
    return growingPart('creators', this.#nextPlus1, this.#firstPlus1)
  }

  /** The creation of a token arrived. */
  created(token: number): void {
    if (this.#isMade) this.#link(token)
  }

  /**
   * Tokens of the creator of `token`, the newest arrival first; at most `max`. The token itself is always
   * included: it stands last if `max` others are newer.
   * @throws OutOfTime while the chains are made
   */
  ofCreatorOf(token: number, max: number, budget: Budget): number[] {
    this.#load(budget)
    const creatorPlus1 = this.#state.births.get(token, LifecycleLane.creatorPlus1)
    const found: number[] = []
    if (creatorPlus1 === 0) return found
    let next = this.#firstPlus1.get(creatorPlus1 - 1)
    for (; next !== 0 && found.length < max; next = this.#nextPlus1.get(next - 1))
      found.push(next - 1)
    if (next !== 0 && !found.includes(token)) found[max - 1] = token
    return found
  }

  /**
   * The tokens of a creator whose creation arrived behind that of one of them, the newest first; all of them behind none.
   * @throws OutOfTime while the chains are made
   */
  newerOf(wallet: number, known: number | undefined, budget: Budget): number[] {
    this.#load(budget)
    const found: number[] = []
    let next = this.#firstPlus1.get(wallet)
    for (; next !== 0 && next - 1 !== known; next = this.#nextPlus1.get(next - 1))
      found.push(next - 1)
    return found
  }

  #load(budget: Budget): void {
    if (this.#isMade) return
    this.#making ??= this.#make()
    while (!this.#making.next().done) budget.throwIfSpent()
    this.#isMade = true
    this.#making = null
  }

  *#make(): Generator<void, void> {
    const launches = this.#launches
    const { count } = this.#state.tokens
    const isMarked = new Uint8Array(count)
    let marked = 0
    while (marked < launches.length) {
      isMarked[launches.get(marked++)] = 1
      if (marked % TOKENS_A_LOOK === 0) yield
    }
    // Snapshots of version 1 have no arrivals of their tokens: these come before all others.
    for (let token = 0; token < count; token++) {
      if (isMarked[token] === 0) this.#link(token)
      if (token % TOKENS_A_LOOK !== 0) continue
      yield
      // Creations that arrived meanwhile come behind these.
      while (marked < launches.length) isMarked[launches.get(marked++)] = 1
    }
    for (let place = 0; place < launches.length; place++) {
      this.#link(launches.get(place))
      if (place % TOKENS_A_LOOK === 0) yield
    }
  }

  #link(token: number): void {
    const creatorPlus1 = this.#state.births.get(token, LifecycleLane.creatorPlus1)
    const isKnown = (flagsOf(this.#state, token) & TokenFlag.creationKnown) !== 0
    if (creatorPlus1 === 0 || !isKnown) return
    this.#nextPlus1.set(token, this.#firstPlus1.get(creatorPlus1 - 1))
    this.#firstPlus1.set(creatorPlus1 - 1, token + 1)
  }
}
