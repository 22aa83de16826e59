import { needleOf, Rank, type SearchIndex } from '../../engine/index/search-index.ts'
import { greatestFirst, type RankKeys, ranked } from '../../engine/memory/ranked.ts'
import { flagsOf } from '../../engine/state/lanes.ts'
import { TokenFlag } from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import type { TableColumns } from '../tables/table-columns.ts'

/** Tokens that one search gives at most (contract section 3.1). */
export const SEARCH_RESULTS_MAX = 50

/** Candidates tried first, more or less: most texts of their chain begin with the query. */
const FIRST_CANDIDATES = 256
/** Batches up to here are tried as they are. */
const WHOLE_MAX = 4_096
/** Places of a sample, to see whether many have one value. */
const SAMPLE = 64
/** With that many equal ones in the sample, the places with this value are ordered. */
const TIED = 8

/**
 * The tokens of a search (contract section 3.1): the best ranks first, the greatest market caps
 * within one. A rare text is found by chains, and by a search of the texts that may hold it; for a common one tokens
 * are tried from the greatest market cap down (docs/decisions/0012).
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
    const answer = new Answer(this.#state, this.#columns)
    const ranks = [
      () => this.#index.mints(needle, answer.offer),
      () => this.#addChained(needle, Rank.symbol, answer),
      () => this.#addChained(needle, Rank.prefix, answer),
      () => this.#addInsides(needle, answer),
    ]
    for (const addRank of ranks) {
      if (answer.isFull) break
      addRank()
      answer.endRank()
    }
    return answer.tokens
  }

  /** Tokens of one rank, until the answer is full. */
  #addChained(needle: Buffer, rank: typeof Rank.symbol | typeof Rank.prefix, answer: Answer): void {
    const texts = this.#index.candidates(needle, rank)
    if (texts === null) {
      this.#addCommon(needle, rank, answer)
      return
    }
    if (texts.length === 0) return
    const tokens = texts.map((text) => this.#index.tokenOf(text))
    const caps = gathered(answer.caps.all(), tokens)
    const precedences = () => gathered(answer.precedences(), tokens)
    addGreatest(greatestFirst(caps, FIRST_CANDIDATES), caps, precedences, answer, (at) => {
      if (this.#index.gives(needle, texts[at], rank)) answer.offer(tokens[at])
    })
  }

  #addInsides(needle: Buffer, answer: Answer): void {
    const found: number[] = []
    if (this.#index.insides(needle, (token) => found.push(token))) found.forEach(answer.offer)
    else this.#addCommon(needle, Rank.substring, answer)
  }

  /** Tokens of a rank that many have: all tokens are tried. */
  #addCommon(needle: Buffer, rank: number, answer: Answer): void {
    const has = this.#index.rankTest(needle, rank)
    const caps = answer.caps.all()
    addGreatest(greatestFirst(caps), caps, answer.precedences, answer, (token) => {
      if (has(token)) answer.offer(token)
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
      // All later ones are worth less than any of this part, or as much with a greater mint.
      if (answer.isFull) return
    }
}

/** The values at some places, in their order. By hand: `from` calls a function for each of a hundred thousand. */
function gathered(values: Float64Array, places: ArrayLike<number>): Float64Array {
  const own = new Float64Array(places.length)
  for (let at = 0; at < places.length; at++) own[at] = values[places[at]]
  return own
}

/** The tokens found so far: those of a rank stand behind those of the ranks before. */
class Answer {
  readonly tokens: number[] = []
  readonly caps: ReturnType<TableColumns['marketCaps']>
  readonly #state: State
  readonly #columns: TableColumns
  readonly #keys: RankKeys
  #ofRank: number[] = []
  #precedences: Float64Array | null = null

  constructor(state: State, columns: TableColumns) {
    this.#state = state
    this.#columns = columns
    this.caps = columns.marketCaps()
    this.#keys = {
      levels: [(token) => -this.caps.usdOf(token), (token) => -this.precedences()[token]],
      text: (token) => state.book.mintOf(token),
    }
  }

  get isFull(): boolean {
    return this.tokens.length + this.#ofRank.length >= SEARCH_RESULTS_MAX
  }

  /** By token: the less its mint, the greater. */
  readonly precedences = (): Float64Array => {
    this.#precedences ??= this.#columns.mintPrecedences().all()
    return this.#precedences
  }

  /** A token has the present rank; no token has two. */
  readonly offer = (token: number): void => {
    if ((flagsOf(this.#state, token) & TokenFlag.exists) !== 0) this.#ofRank.push(token)
  }

  /** Takes the greatest of the present rank; tokens offered from here on have the next one. */
  endRank(): void {
    const room = SEARCH_RESULTS_MAX - this.tokens.length
    this.tokens.push(...ranked(this.#ofRank, this.#keys, 0, room))
    this.#ofRank = []
  }
}

/**
 * The places of a batch of `greatestFirst` in smaller batches, where many of its values are equal, as those of tokens
 * without trades. First come the places with greater values, then the equal ones, then the others. The equal ones are
 * in the order of their precedences, the greatest first.
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
  for (const batchOfEqual of greatestFirst(gathered(precedences(), equal)))
    yield batchOfEqual.map((at) => equal[at])
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
