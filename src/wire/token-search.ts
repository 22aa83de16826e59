import { TokenFlag } from '../engine/layout.ts'
import { flagsOf } from '../engine/lifecycle.ts'
import {
  type InnerRank,
  needleOf,
  Rank,
  SEARCH_RESULTS_MAX,
  type SearchIndex,
  type SharedRank,
} from '../engine/search-index.ts'
import type { State } from '../engine/state.ts'
import { BestTokens } from './best-tokens.ts'
import { equalsInOrder } from './equals-in-order.ts'
import { greatestFirst } from './greatest-first.ts'
import type { TableColumns } from './table-columns.ts'
import type { MarketCapColumn } from './token-columns.ts'

/**
 * The tokens of a search (contract section 3.1): the best ranks first, the greatest market caps
 * within one. What few tokens begin with or hold is found by chains and by a look through the texts
 * that may hold it; where it is common, tokens are tried from the greatest market cap down
 * (docs/decisions/0012).
 */
export class TokenSearch {
  readonly #state: State
  readonly #index: SearchIndex
  readonly #columns: TableColumns

  constructor(state: State, index: SearchIndex, columns: TableColumns) {
    this.#state = state
    this.#index = index
    this.#columns = columns
  }

  /** At most 50, in the order of the answer. */
  tokens(query: string): readonly number[] {
    const needle = needleOf(query)
    if (needle.length === 0) return []
    const answer = new Answer(this.#state, this.#columns.marketCaps())
    this.#addAlike(needle, answer)
    // Each rank stands behind all before it.
    if (!answer.isFull) this.#add(needle, Rank.prefix, answer)
    if (!answer.isFull) this.#add(needle, Rank.substring, answer)
    return answer.tokens
  }

  /** Those whose mint or symbol it is. */
  #addAlike(needle: Buffer, answer: Answer): void {
    const found: (readonly [token: number, rank: number])[] = []
    const isWhole = this.#index.alike(needle, (token, rank) => found.push([token, rank]))
    for (const [token, rank] of found) if (isWhole || rank === Rank.mint) answer.offer(token, rank)
    if (!isWhole) this.#addGreatest(needle, Rank.symbol, answer)
  }

  /** Tokens of one rank, until the answer is full. */
  #add(needle: Buffer, rank: InnerRank, answer: Answer): void {
    const found: number[] = []
    if (this.#index.ofRank(needle, rank, (token) => found.push(token)))
      for (const token of found) answer.offer(token, rank)
    else this.#addGreatest(needle, rank, answer)
  }

  #addGreatest(needle: Buffer, rank: SharedRank, answer: Answer): void {
    const has = this.#index.rankTest(needle, rank)
    const caps = answer.caps.all()
    const precedences = () => this.#columns.mintPrecedences().all()
    for (const batch of greatestFirst(caps))
      for (const part of equalsInOrder(batch, caps, precedences)) {
        for (const token of part) if (has(token)) answer.offer(token, rank)
        // All that come now are worth less than any of this part, or as much with a greater mint.
        if (answer.isFull) return
      }
  }
}

/** The best tokens found so far. */
class Answer {
  readonly caps: MarketCapColumn
  readonly #state: State
  readonly #best: BestTokens

  constructor(state: State, caps: MarketCapColumn) {
    this.caps = caps
    this.#state = state
    const { book } = state
    this.#best = new BestTokens(SEARCH_RESULTS_MAX, (a, b) =>
      book.mintOf(a) < book.mintOf(b) ? -1 : 1,
    )
  }

  get tokens(): readonly number[] {
    return this.#best.tokens
  }

  get isFull(): boolean {
    return this.tokens.length === SEARCH_RESULTS_MAX
  }

  readonly offer = (token: number, rank: number): void => {
    if ((flagsOf(this.#state, token) & TokenFlag.exists) !== 0)
      this.#best.offer(token, rank, this.caps.usdOf(token))
  }
}
