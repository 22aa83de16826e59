import {
  type ChainedRank,
  needleOf,
  Rank,
  SEARCH_RESULTS_MAX,
  type SearchIndex,
  type SharedRank,
} from '../../engine/index/search-index.ts'
import { TokenFlag } from '../../engine/state/layout.ts'
import { flagsOf } from '../../engine/state/lifecycle.ts'
import type { State } from '../../engine/state/state.ts'
import type { TableColumns } from '../tables/table-columns.ts'
import type { MarketCapColumn } from '../tables/token-columns.ts'
import { BestTokens } from './best-tokens.ts'
import { equalsInOrder } from './equals-in-order.ts'
import { greatestFirst } from './greatest-first.ts'

/** Candidates tried first, more or less: most of what has their chain begins with the query. */
const FIRST_CANDIDATES = 256

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
    this.#index.mints(needle, (token) => answer.offer(token, Rank.mint))
    // Each rank stands behind all before it.
    if (!answer.isFull) this.#addChained(needle, Rank.symbol, answer)
    if (!answer.isFull) this.#addChained(needle, Rank.prefix, answer)
    if (!answer.isFull) this.#addInsides(needle, answer)
    return answer.tokens
  }

  /** Tokens of one rank, until the answer is full. */
  #addChained(needle: Buffer, rank: ChainedRank, answer: Answer): void {
    const texts = this.#index.candidates(needle, rank)
    if (texts === null) {
      this.#addCommon(needle, rank, answer)
      return
    }
    if (texts.length === 0) return
    const tokens = texts.map((text) => this.#index.tokenOf(text))
    const caps = gathered(answer.caps.all(), tokens)
    const precedences = () => gathered(this.#columns.mintPrecedences().all(), tokens)
    addGreatest(greatestFirst(caps, FIRST_CANDIDATES), caps, precedences, answer, (at) => {
      if (this.#index.gives(needle, texts[at], rank)) answer.offer(tokens[at], rank)
    })
  }

  #addInsides(needle: Buffer, answer: Answer): void {
    const found: number[] = []
    if (!this.#index.insides(needle, (token) => found.push(token)))
      this.#addCommon(needle, Rank.substring, answer)
    else for (const token of found) answer.offer(token, Rank.substring)
  }

  /** Those of a rank that many have, looked for in all tokens. */
  #addCommon(needle: Buffer, rank: SharedRank, answer: Answer): void {
    const has = this.#index.rankTest(needle, rank)
    const caps = answer.caps.all()
    const precedences = () => this.#columns.mintPrecedences().all()
    addGreatest(greatestFirst(caps), caps, precedences, answer, (token) => {
      if (has(token)) answer.offer(token, rank)
    })
  }
}

/** Tries the places of market caps from the greatest down, until the answer is full. */
function addGreatest(
  batches: Iterable<readonly number[]>,
  caps: Float64Array,
  precedences: () => Float64Array,
  answer: Answer,
  tryOne: (place: number) => void,
): void {
  for (const batch of batches)
    for (const part of equalsInOrder(batch, caps, precedences)) {
      part.forEach(tryOne)
      // All that come now are worth less than any of this part, or as much with a greater mint.
      if (answer.isFull) return
    }
}

/** The values of some tokens, in their order. */
function gathered(values: Float64Array, tokens: Uint32Array): Float64Array {
  const own = new Float64Array(tokens.length)
  for (let at = 0; at < tokens.length; at++) own[at] = values[tokens[at]]
  return own
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
