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
import { greatestFirst } from './greatest-first.ts'

/** Candidates tried first, more or less: most of what has their chain begins with the query. */
const FIRST_CANDIDATES = 256
/** Batches up to here are looked at as they are. */
const WHOLE_MAX = 4_096
/** Places looked at to see whether one value stands in many. */
const SAMPLE = 64
/** That many of them equal, and those that have the value come by order. */
const TIED = 8

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

/**
 * The best `size` of many tokens: lowest rank first, then highest value, then `compare`. Most
 * offers are worse than the worst kept one and cost a comparison.
 */
class BestTokens {
  readonly tokens: number[] = []
  readonly #ranks: number[] = []
  readonly #values: number[] = []
  readonly #size: number
  readonly #compare: (a: number, b: number) => number

  constructor(size: number, compare: (a: number, b: number) => number) {
    this.#size = size
    this.#compare = compare
  }

  offer(token: number, rank: number, value: number): void {
    let place = this.tokens.length
    if (place === this.#size && !this.#isBefore(token, rank, value, place - 1)) return
    while (place > 0 && this.#isBefore(token, rank, value, place - 1)) place--
    this.tokens.splice(place, 0, token)
    this.#ranks.splice(place, 0, rank)
    this.#values.splice(place, 0, value)
    if (this.tokens.length <= this.#size) return
    this.tokens.pop()
    this.#ranks.pop()
    this.#values.pop()
  }

  #isBefore(token: number, rank: number, value: number, place: number): boolean {
    if (rank !== this.#ranks[place]) return rank < this.#ranks[place]
    if (value !== this.#values[place]) return value > this.#values[place]
    return this.#compare(token, this.tokens[place]) < 0
  }
}

/**
 * The places of a batch of `greatestFirst` in smaller batches where many of its values are equal, as those
 * of tokens that nobody traded: the greater first, then the equal ones, of which what comes in a batch has
 * a less order than all behind it (`precedences`: the less the order of a place, the greater), then the others.
 */
export function* equalsInOrder(
  batch: readonly number[],
  values: Float64Array,
  precedences: () => Float64Array,
): Generator<readonly number[]> {
  const value = batch.length > WHOLE_MAX ? commonValue(batch, values) : null
  if (value === null) {
    yield batch
    return
  }
  const equal: number[] = []
  const greater: number[] = []
  const others: number[] = []
  for (const place of batch)
    if (values[place] === value) equal.push(place)
    else if (values[place] > value) greater.push(place)
    else others.push(place)
  yield* equalsInOrder(greater, values, precedences)
  const all = precedences()
  // By hand: `from` asks a function for each of a hundred thousand.
  const own = new Float64Array(equal.length)
  for (let at = 0; at < equal.length; at++) own[at] = all[equal[at]]
  for (const batchOfEqual of greatestFirst(own)) yield batchOfEqual.map((at) => equal[at])
  yield* equalsInOrder(others, values, precedences)
}

/** The value that most of a sample have, if they are many; null when they are few. */
function commonValue(batch: readonly number[], values: Float64Array): number | null {
  const step = batch.length / SAMPLE
  const sample = Float64Array.from(
    { length: SAMPLE },
    (_, i) => values[batch[Math.floor(i * step)]],
  )
  sample.sort()
  let most = 0
  let common: number | null = null
  let run = 0
  for (let i = 0; i < SAMPLE; i++) {
    run = i > 0 && sample[i] === sample[i - 1] ? run + 1 : 1
    if (run <= most) continue
    most = run
    common = sample[i]
  }
  return most >= TIED ? common : null
}
