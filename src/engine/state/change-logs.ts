import { widened } from '../memory/views.ts'

/** Changes in a log, a power of two; a reader that is further behind reads all rows. */
const CHANGES_KEPT = 8_192
/** A second of a busy market: who reads once a second, as alert rules do, need not look at all tokens. */
export const TOKEN_CHANGES_KEPT = 1 << 16
/** A swap changes the windows of its token when it comes, and again as it leaves each of them. */
export const WINDOW_CHANGES_KEPT = 1 << 17
const FIRST_TOKENS = 1024

/** The newest changed rows, in order: derived data is updated from the place it has read to. */
export class ChangeLog {
  readonly #rows: Uint32Array
  readonly #mask: number
  #end = 0

  /** `kept` is a power of two. */
  constructor(kept = CHANGES_KEPT) {
    this.#rows = new Uint32Array(kept)
    this.#mask = kept - 1
  }

  get bytes(): number {
    return this.#rows.byteLength
  }

  get untouchedBytes(): number {
    return Math.max(0, this.#rows.length - this.#end) * 4
  }

  /** Place behind the newest change. */
  get end(): number {
    return this.#end
  }

  note(row: number): void {
    this.#rows[this.#end & this.#mask] = row
    this.#end += 1
  }

  /** All rows changed. */
  noteAll(): void {
    this.#end += this.#mask + 2
  }

  /** Does the log have every change from this place on? */
  reaches(place: number): boolean {
    return this.#end - place <= this.#mask + 1
  }

  /** The row that changed at a place, from one that `reaches` to before `end`. */
  at(place: number): number {
    return this.#rows[place & this.#mask]
  }
}

/**
 * Counts the changes of each token, so that data derived from its rows can be found stale. Noted are: its
 * swaps, events and texts, its window as swaps leave it, a judgement of one of its holders' wallets, and
 * every row that the undo log restores. Not noted is what depends on other tokens: its creator's counts and
 * the reuses of its X link. It is no part of the state.
 */
export class TokenChanges {
  /** The tokens that changed last, in order. */
  readonly log: ChangeLog
  /** By token; a count wraps. */
  #counts = new Uint32Array(FIRST_TOKENS)

  constructor(kept?: number) {
    this.log = new ChangeLog(kept)
  }

  get bytes(): number {
    return this.#counts.byteLength
  }

  note(token: number): void {
    this.count(token)
    this.log.note(token)
  }

  /** All of the first `tokens` changed. */
  noteAll(tokens: number): void {
    for (let token = 0; token < tokens; token++) this.note(token)
  }

  protected count(token: number): void {
    if (token >= this.#counts.length) this.#widen(token)
    this.#counts[token] += 1
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

/** Between a token and the next one in the log: numbers of windows from 1 on, and 0 for all of them. */
const WINDOW_BITS = 3
const WINDOWS_APART = 1 << WINDOW_BITS
const ALL_WINDOWS = -1

/** The same of what tokens have in windows, by window: most changes are swaps that leave one. It has room for 2^29 tokens. */
export class WindowChanges extends TokenChanges {
  override note(token: number, window = ALL_WINDOWS): void {
    this.count(token)
    this.log.note(token * WINDOWS_APART + window + 1)
  }

  /** The token whose values of a window changed at a place of the log; -1: those of another window did. */
  tokenAt(place: number, window: number): number {
    const noted = this.log.at(place)
    const of = noted & (WINDOWS_APART - 1)
    return of === 0 || of === window + 1 ? noted >>> WINDOW_BITS : -1
  }
}
