import type { State } from '../state/state.ts'
import type { TokenReader } from './token-reader.ts'

/** Tokens that one look goes through, some milliseconds. */
const TOKENS_A_LOOK = 20_000

/**
 * How many tokens are known whole (contract section 9), counted round by round: a late creation, and a gap that is filled,
 * change it for tokens anywhere.
 */
export class CompleteTokens {
  readonly #state: State
  readonly #reader: TokenReader
  #next = 0
  #found = 0
  #count = 0

  constructor(state: State, reader: TokenReader) {
    this.#state = state
    this.#reader = reader
  }

  /** As of the last whole round. */
  get count(): number {
    return this.#count
  }

  /** Goes through some more tokens; a market of so many is counted whole at each look. */
  look(): void {
    const { count } = this.#state.tokens
    const end = Math.min(count, this.#next + TOKENS_A_LOOK)
    for (; this.#next < end; this.#next++)
      if (this.#reader.at(this.#next).isHistoryComplete) this.#found += 1
    if (this.#next < count) return
    this.#count = this.#found
    this.#next = 0
    this.#found = 0
  }
}
