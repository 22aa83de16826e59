import { Budget } from '../../base/budget.ts'
import { widened } from '../../engine/memory/views.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import type { State } from '../../engine/state/state.ts'

export const FIRST_TOKENS = 1_024
/** Tokens read between two questions whether there is time for more; some take a microsecond or two. */
const TOKENS_A_LOOK = 256
/** Changes that are read at once by a scan: of some hundred tokens, since a swap is several. */
const CHANGES_SOON_READ = 2_048

/** Values from `min` to `max`, both allowed. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

/** Some tokens in the order of a table, which is read from the end: those from `from` to before `to`. */
export interface TokenRun {
  readonly tokens: Uint32Array
  readonly from: number
  readonly to: number
}

/** Values of one quantity by token, as filters compare them. */
export interface Column {
  readonly bytes: number
  /** Changes that `settle` has to look at; beyond all numbers where it has to look at every token. */
  readonly unsettled: number
  /** Makes room for all tokens: before each use. */
  cover(): void
  /** Reads those of some tokens anew that have changed. */
  refresh(run: TokenRun): void
  /** Reads all tokens anew that have changed: then `filter` needs no `refresh`. */
  settle(): void
  /**
   * Reads what has changed, unless `settle` takes no time to speak of.
   * @throws OutOfTime before all is read
   */
  load(budget: Budget): void
  /**
   * Keeps those of some tokens, refreshed or settled, whose values are within the bounds: in their order
   * in `kept`, the last right before `end`; returns where the first is. The tokens may be those of `kept`
   * that end there.
   */
  filter(run: TokenRun, kept: Uint32Array, end: number, bounds: Bounds): number
}

/** A column whose values are read once for each change of the token. */
export abstract class TokenColumn implements Column {
  protected readonly state: State
  readonly #reader: TokenReader
  /** Count of changes + 1 that each value was read at; 0: never read. */
  #changes = new Float64Array(FIRST_TOKENS)
  /** Place in the log of changes up to which all values were read; -1 for none. */
  #settledTo = -1
  /** Where a look at all tokens stands, and the end of the log when it began. */
  #looked = 0
  #lookedSince = 0

  /** `reader` is moved. */
  constructor(state: State, reader: TokenReader) {
    this.state = state
    this.#reader = reader
  }

  get bytes(): number {
    return this.#changes.byteLength + this.ownBytes
  }

  cover(): void {
    const { count } = this.state.tokens
    if (count <= this.#changes.length) return
    const size = Math.max(count, this.#changes.length * 2)
    this.#changes = widened(new Float64Array(size), this.#changes)
    this.widen(size)
  }

  refresh({ tokens, from, to }: TokenRun): void {
    const known = this.#changes
    const changes = this.state.changes.counts(this.state.tokens.count)
    for (let i = from; i < to; i++) {
      const token = tokens[i]
      if (known[token] !== changes[token] + 1) this.#readAnew(token)
    }
  }

  get unsettled(): number {
    if (this.#settledTo < 0) return Number.POSITIVE_INFINITY
    return this.state.changes.log.end - this.#settledTo
  }

  settle(): void {
    this.cover()
    this.#bringUp(Budget.unlimited)
  }

  load(budget: Budget): void {
    if (!isSettledSoon(this)) this.#bringUp(budget)
  }

  #bringUp(budget: Budget): void {
    const { log } = this.state.changes
    // More have changed than the log keeps: all are looked at, and what changes meanwhile is in the log.
    while (this.#settledTo < 0 || !log.reaches(this.#settledTo)) {
      if (this.#looked === 0) this.#lookedSince = log.end
      this.#look(budget)
      this.#settledTo = this.#lookedSince
      this.#looked = 0
    }
    while (this.#settledTo < log.end) {
      const end = Math.min(log.end, this.#settledTo + TOKENS_A_LOOK)
      for (let place = this.#settledTo; place < end; place++) this.refreshOne(log.at(place))
      this.#settledTo = end
      if (end < log.end) budget.throwIfSpent()
    }
  }

  #look(budget: Budget): void {
    this.cover()
    const { count } = this.state.tokens
    while (this.#looked < count) {
      const end = Math.min(count, this.#looked + TOKENS_A_LOOK)
      for (let token = this.#looked; token < end; token++) this.refreshOne(token)
      this.#looked = end
      if (end < count) budget.throwIfSpent()
    }
  }

  abstract filter(run: TokenRun, kept: Uint32Array, end: number, bounds: Bounds): number

  /** Reads a token anew where it has changed. */
  protected refreshOne(token: number): void {
    if (this.#changes[token] !== this.state.changes.of(token) + 1) this.#readAnew(token)
  }

  #readAnew(token: number): void {
    this.read(token, this.#reader.at(token))
    this.#changes[token] = this.state.changes.of(token) + 1
  }

  /** Keeps what the token's value is made of. */
  protected abstract read(token: number, reader: TokenReader): void
  protected abstract widen(size: number): void
  /** Bytes of what values are made of. */
  protected abstract get ownBytes(): number
}

/** Has so little changed since all values were read that `settle` takes no time to speak of? */
export function isSettledSoon({ unsettled }: Column): boolean {
  return unsettled <= CHANGES_SOON_READ
}
