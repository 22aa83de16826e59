import { widened } from '../memory/widened.ts'
import { ChangeLog } from './change-log.ts'

const FIRST_TOKENS = 1024

/**
 * Counts for each token how often something of it changed, so that what is derived from its rows can
 * be kept and told stale. Noted are: its swaps, events and texts, its window as swaps leave it, a
 * judgement of one of its holders' wallets, and every row that is put back. Not noted is what hangs on
 * other tokens: its creator's counts and the reuses of its X link. It is no part of the state.
 */
export class TokenChanges {
  /** The tokens that changed last, in order. */
  readonly log = new ChangeLog()
  /** By token; it wraps. */
  #counts = new Uint32Array(FIRST_TOKENS)

  get bytes(): number {
    return this.#counts.byteLength
  }

  note(token: number): void {
    if (token >= this.#counts.length) this.#widen(token)
    this.#counts[token] += 1
    this.log.note(token)
  }

  /** Equal counts, equal rows. */
  of(token: number): number {
    return token < this.#counts.length ? this.#counts[token] : 0
  }

  /** The counts of all tokens up to one, as they stand in memory until the next `note`. */
  counts(token: number): Uint32Array {
    if (token >= this.#counts.length) this.#widen(token)
    return this.#counts
  }

  #widen(token: number): void {
    const size = Math.max(token + 1, this.#counts.length * 2)
    this.#counts = widened(new Uint32Array(size), this.#counts)
  }
}
