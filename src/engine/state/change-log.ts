import { widened } from '../memory/views.ts'

/** Changes that are kept, a power of two; who has read none of them for longer looks at everything. */
const CHANGES_KEPT = 8_192
const MASK = CHANGES_KEPT - 1
const FIRST_TOKENS = 1024

/**
 * Numbers of rows in the order in which they changed, the newest CHANGES_KEPT of them, for who keeps
 * what is derived from many rows: it reads on from where it was.
 */
export class ChangeLog {
  readonly #rows = new Uint32Array(CHANGES_KEPT)
  #end = 0

  /** Place behind the newest change. */
  get end(): number {
    return this.#end
  }

  note(row: number): void {
    this.#rows[this.#end & MASK] = row
    this.#end += 1
  }

  /** All rows are other ones. */
  noteAll(): void {
    this.#end += CHANGES_KEPT + 1
  }

  /** Is every change from this place on still here? */
  reaches(place: number): boolean {
    return this.#end - place <= CHANGES_KEPT
  }

  /** The row that changed at a place, from one that `reaches` to before `end`. */
  at(place: number): number {
    return this.#rows[place & MASK]
  }
}

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
