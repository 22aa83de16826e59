import { OrderedTokens, type TokenOrder } from '../../engine/index/token-order.ts'
import { widened } from '../../engine/memory/views.ts'
import type { WindowReader } from '../../engine/read/window-reader.ts'
import type { State } from '../../engine/state/state.ts'
import type { TrendingOrder } from '../../protocol/queries.ts'
import { FIRST_TOKENS } from './column-scan.ts'

/** How what trending tokens are ordered by is read. */
export const TRENDING_METRICS: Readonly<Record<TrendingOrder, (window: WindowReader) => number>> = {
  volume: (window) => window.volumeUsd,
  trades: (window) => window.swaps,
  traders: (window) => window.traders,
  price_change: (window) => window.priceChangePercent,
  new_holders: (window) => window.newHolders,
}

/**
 * Tokens with a trade in a window, by one quantity of it, kept in order: a read places the tokens that changed since the
 * read before, and all of them the first time. Equal ones are put in the order of tables at the read: where they stand
 * there may change, and few are read.
 */
export class TrendingTokens {
  readonly #state: State
  readonly #window: number
  readonly #ordered = new OrderedTokens(
    (a, b) => Math.sign(this.#placed[a] - this.#placed[b]) || a - b,
  )
  /** By token: the value that it stands by, and whether it stands at all. */
  #placed = new Float64Array(FIRST_TOKENS)
  #isListed = new Uint8Array(FIRST_TOKENS)
  /** Place in the log of changes up to which tokens were placed; -1: none was. */
  #placedTo = -1

  /** `window` is a place in WINDOW_SECONDS. */
  constructor(state: State, window: number) {
    this.#state = state
    this.#window = window
  }

  get bytes(): number {
    return this.#ordered.bytes + this.#placed.byteLength + this.#isListed.byteLength
  }

  /** The first `limit` of all tokens' values now, of those whose count of trades is not 0; equal ones as in tables. */
  top(
    limit: number,
    values: Float64Array,
    trades: Float64Array,
    order: Pick<TokenOrder, 'comesFirst'>,
  ): readonly number[] {
    this.#cover(values.length)
    const { windowChanges } = this.#state
    const { log } = windowChanges
    if (this.#placedTo < 0 || !log.reaches(this.#placedTo)) this.#placeAll(values, trades)
    else
      for (let at = this.#placedTo; at < log.end; at++)
        this.#place(windowChanges.tokenAt(at, this.#window), values, trades)
    this.#placedTo = log.end
    return this.#first(limit, order)
  }

  #first(limit: number, order: Pick<TokenOrder, 'comesFirst'>): readonly number[] {
    const placed = this.#placed
    const first = new GreatestTokens(limit, placed, (a, b) => order.comesFirst(a, b))
    const { tokens } = first
    const { blocks } = this.#ordered
    for (let i = blocks.length - 1; i >= 0; i--)
      for (let at = blocks[i].count - 1; at >= 0; at--) {
        const token = blocks[i].tokens[at]
        // Of equal ones each is looked at.
        if (tokens.length === limit && placed[token] < placed[tokens[limit - 1]]) return tokens
        first.take(token)
      }
    return tokens
  }

  #placeAll(values: Float64Array, trades: Float64Array): void {
    const tokens: number[] = []
    for (let token = 0; token < values.length; token++) {
      this.#isListed[token] = Number(trades[token] > 0)
      this.#placed[token] = values[token]
      if (trades[token] > 0) tokens.push(token)
    }
    this.#ordered.reset(tokens)
  }

  #place(token: number, values: Float64Array, trades: Float64Array): void {
    // A token that has no row yet, or none any more; -1: what changed is in another window.
    if (token < 0 || token >= values.length) return
    const wasListed = this.#isListed[token] !== 0
    const isListed = trades[token] > 0
    if (wasListed === isListed && (!isListed || this.#placed[token] === values[token])) return
    if (wasListed) this.#ordered.remove(token)
    this.#placed[token] = values[token]
    this.#isListed[token] = Number(isListed)
    if (isListed) this.#ordered.add(token)
  }

  #cover(count: number): void {
    if (count <= this.#placed.length) return
    const size = Math.max(count, this.#placed.length * 2)
    this.#placed = widened(new Float64Array(size), this.#placed)
    this.#isListed = widened(new Uint8Array(size), this.#isListed)
  }
}

/** Of some tokens those with the greatest values, greatest first; of equal ones those that `comesFirst` says, else that came first. */
export class GreatestTokens {
  /** At most `limit`. */
  readonly tokens: number[] = []
  readonly #limit: number
  /** By token. */
  readonly #values: Float64Array
  readonly #comesFirst: (a: number, b: number) => boolean

  constructor(
    limit: number,
    values: Float64Array,
    comesFirst: (a: number, b: number) => boolean = () => false,
  ) {
    this.#limit = limit
    this.#values = values
    this.#comesFirst = comesFirst
  }

  /** True: the next may be among them, whatever this one was. */
  take(token: number): boolean {
    const { tokens } = this
    const least = tokens.at(-1)
    if (tokens.length === this.#limit && least !== undefined && !this.#isBefore(token, least))
      return true
    let low = 0
    let high = tokens.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBefore(token, tokens[middle])) high = middle
      else low = middle + 1
    }
    tokens.splice(low, 0, token)
    if (tokens.length > this.#limit) tokens.pop()
    return true
  }

  #isBefore(token: number, other: number): boolean {
    const value = this.#values[token]
    const than = this.#values[other]
    return value === than ? this.#comesFirst(token, other) : value > than
  }
}
