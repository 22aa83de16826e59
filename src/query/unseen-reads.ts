import { LRUCache } from 'lru-cache'
import { flagsOf } from '../engine/state/lanes.ts'
import { TokenFlag } from '../engine/state/layout.ts'
import type { State } from '../engine/state/state.ts'

/** Tokens that are remembered; past it the one that was read longest ago is forgotten. */
const READS_MAX = 256

/** The tokens that were read last, of those whose creation is unknown. */
export class UnseenReads {
  readonly #state: State
  readonly #tokens = new LRUCache<number, true>({ max: READS_MAX })

  constructor(state: State) {
    this.#state = state
  }

  /** A token was read; -1: there is none. */
  note(token: number): void {
    if (token < 0 || flagsOf(this.#state, token) & TokenFlag.creationKnown) return
    this.#tokens.set(token, true)
  }

  /** Their mints, the newest read first. */
  mints(): readonly string[] {
    return Array.from(this.#tokens.keys(), (token) => this.#state.book.mintOf(token))
  }
}
