import { TokenFlag } from '../engine/layout.ts'
import { flagsOf } from '../engine/lifecycle.ts'
import { Rank, SEARCH_RESULTS_MAX, type SearchIndex } from '../engine/search-index.ts'
import type { State } from '../engine/state.ts'
import { BestTokens } from './best-tokens.ts'
import { greatestFirst } from './greatest-first.ts'
import type { TableColumns } from './table-columns.ts'
import type { MarketCapColumn } from './token-columns.ts'

/** Texts that hold the query inside are looked through up to this many; more are found by value. */
const INSIDE_MAX = 2_048

/**
 * The tokens of a search (contract section 3.1): the best ranks first, the greatest market caps
 * within one. Its work is bounded whatever is asked: beginnings lie in chains, rare texts are found
 * by one scan, and of common ones the tokens are tried from the greatest market cap down.
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
    const best = new BestTokens(SEARCH_RESULTS_MAX, (a, b) => this.#compareMints(a, b))
    const caps = this.#columns.marketCaps()
    const offer = (token: number, rank: number) => {
      if (this.#exists(token)) best.offer(token, rank, caps.usdOf(token))
    }
    this.#index.beginnings(query, offer)
    // What only holds the query inside stands behind all of these.
    if (best.tokens.length < SEARCH_RESULTS_MAX && query !== '')
      this.#addInsides(best, query, caps, offer)
    return best.tokens
  }

  #addInsides(
    best: BestTokens,
    query: string,
    caps: MarketCapColumn,
    offer: (token: number, rank: number) => void,
  ): void {
    const found: number[] = []
    if (this.#index.insides(query, INSIDE_MAX, (token) => found.push(token))) {
      for (const token of found) offer(token, Rank.substring)
      return
    }
    const isInside = this.#index.insideTest(query)
    for (const batch of greatestFirst(caps.all())) {
      for (const token of batch) if (isInside(token)) offer(token, Rank.substring)
      // All that come now are worth less than any of this batch.
      if (best.tokens.length === SEARCH_RESULTS_MAX) return
    }
  }

  #exists(token: number): boolean {
    return (flagsOf(this.#state, token) & TokenFlag.exists) !== 0
  }

  #compareMints(a: number, b: number): number {
    const { book } = this.#state
    return book.mintOf(a) < book.mintOf(b) ? -1 : 1
  }
}
