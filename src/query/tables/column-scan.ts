import { Budget } from '../../base/budget.ts'
import type { OrderedTokens } from '../../engine/index/token-order.ts'
import { widened } from '../../engine/memory/views.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import type { State } from '../../engine/state/state.ts'

export const FIRST_TOKENS = 1_024
/** Tokens read between two checks of the budget; some take a microsecond or two. */
const TOKENS_A_LOOK = 256
/** Changes that a scan reads at once: those of some hundred tokens, since a swap makes several. */
const CHANGES_SOON_READ = 2_048

/** One condition of a filter: values of a column from `min` to `max`, both allowed. */
export interface Predicate {
  readonly column: Column
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
  /** Changes that `settle` has to read; infinite where it has to read every token. */
  readonly unsettled: number
  /** Makes room for all tokens: before each use. */
  cover(): void
  /** Reads the changed values of some tokens. */
  refresh(run: TokenRun): void
  /** Reads all changed values: then `filter` needs no `refresh`. */
  settle(): void
  /**
   * Reads all changed values, unless they are few enough for `settle`.
   * @throws OutOfTime before all of them are read
   */
  load(budget: Budget): void
  /**
   * Copies the tokens whose values are within the bounds, in their order, to `kept`, the last one right before `end`.
   * Returns the place of the first. The values are refreshed or settled; the tokens may be those of `kept` that end
   * there.
   */
  filter(run: TokenRun, kept: Uint32Array, end: number, bounds: Predicate): number
}

/** A column whose values are read once for each change of the token. */
export abstract class TokenColumn implements Column {
  protected readonly state: State
  readonly #reader: TokenReader
  readonly #noted: State['changes']
  /** Count of changes + 1 that each value was read at; 0: never read. */
  #known = new Float64Array(FIRST_TOKENS)
  /** Place in the log of changes up to which all values were read; -1 for none. */
  #settledTo = -1
  /** Tokens that a read of all tokens has passed, and the end of the log when it began. */
  #looked = 0
  #lookedSince = 0

  /** `reader` is moved; `noted` has the changes of its values. */
  constructor(state: State, reader: TokenReader, noted = state.changes) {
    this.state = state
    this.#reader = reader
    this.#noted = noted
  }

  get bytes(): number {
    return this.#known.byteLength + this.ownBytes
  }

  cover(): void {
    const { count } = this.state.tokens
    if (count <= this.#known.length) return
    const size = Math.max(count, this.#known.length * 2)
    this.#known = widened(new Float64Array(size), this.#known)
    this.widen(size)
  }

  refresh({ tokens, from, to }: TokenRun): void {
    const known = this.#known
    const changes = this.#noted.counts(this.state.tokens.count)
    for (let i = from; i < to; i++) {
      const token = tokens[i]
      if (known[token] !== changes[token] + 1) this.#readAnew(token)
    }
  }

  get unsettled(): number {
    if (this.#settledTo < 0) return Number.POSITIVE_INFINITY
    return this.#noted.log.end - this.#settledTo
  }

  settle(): void {
    this.cover()
    this.#bringUp(Budget.unlimited)
  }

  load(budget: Budget): void {
    // Tokens may have come since the slice before.
    this.cover()
    if (!isSettledSoon(this)) this.#bringUp(budget)
  }

  #bringUp(budget: Budget): void {
    const { log } = this.#noted
    // More have changed than the log holds: all are read, and later changes are in the log.
    while (this.#settledTo < 0 || !log.reaches(this.#settledTo)) {
      if (this.#looked === 0) this.#lookedSince = log.end
      this.#look(budget)
      this.#settledTo = this.#lookedSince
      this.#looked = 0
    }
    while (this.#settledTo < log.end) {
      const end = Math.min(log.end, this.#settledTo + TOKENS_A_LOOK)
      for (let place = this.#settledTo; place < end; place++) this.#refreshChanged(place)
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

  #refreshChanged(place: number): void {
    const token = this.changedAt(place)
    if (token >= 0) this.refreshOne(token)
  }

  abstract filter(run: TokenRun, kept: Uint32Array, end: number, bounds: Predicate): number

  /** The token that changed at a place of the log; -1: no value of this column did. */
  protected changedAt(place: number): number {
    return this.#noted.log.at(place)
  }

  /** Reads a token if it has changed. */
  protected refreshOne(token: number): void {
    if (this.#known[token] !== this.#noted.of(token) + 1) this.#readAnew(token)
  }

  #readAnew(token: number): void {
    this.read(token, this.#reader.at(token))
    this.#known[token] = this.#noted.of(token) + 1
  }

  /** Stores the parts of the token's value. */
  protected abstract read(token: number, reader: TokenReader): void
  protected abstract widen(size: number): void
  /** Bytes of the parts of values. */
  protected abstract get ownBytes(): number
}

/** Are the changes so few that `settle` takes next to no time? */
function isSettledSoon({ unsettled }: Column): boolean {
  return unsettled <= CHANGES_SOON_READ
}

/** Tokens of a batch: few at first, since most filters let the newest pass. */
const FIRST_BATCH = 64
const LAST_BATCH = 1_024
/** A column is settled once more tokens than this are compared in it. */
const REFRESHED_MAX = 1_024

/** A condition in a scan. */
interface PredicateStats {
  readonly predicate: Predicate
  isSettled: boolean
  /** Tokens that it compared, and those of them that passed. */
  came: number
  passed: number
}

/**
 * Runs tokens through the conditions of a filter, batch by batch: each condition is a loop over
 * the tokens that passed the ones before, in the array of its column. Conditions that let the fewest pass come first.
 */
export class TableScan {
  /** Tokens of a batch that passed what they came to, the last at its end. */
  readonly #kept = new Uint32Array(LAST_BATCH)

  /**
   * Reads the columns that a scan needs settled. Most filters are answered by the newest tokens, of which a scan reads
   * what it compares.
   * @throws OutOfTime before all is read
   */
  load(
    blocks: OrderedTokens['blocks'],
    predicates: readonly Predicate[],
    limit: number,
    budget: Budget,
  ): void {
    if (predicates.every(({ column }) => isSettledSoon(column))) return
    if (this.endsSoon(blocks, predicates, limit)) return
    for (const { column } of predicates) column.load(budget)
  }

  /** Are `limit` tokens found, or all tokens passed, before a column has to be settled? */
  endsSoon(
    blocks: OrderedTokens['blocks'],
    predicates: readonly Predicate[],
    limit: number,
  ): boolean {
    let count = 0
    const found = () => {
      count += 1
      return count < limit
    }
    return this.#run(blocks, predicates, found, REFRESHED_MAX)
  }

  /** Calls `found` with each token that passes, from the end of the blocks on, until it says false. */
  run(
    blocks: OrderedTokens['blocks'],
    predicates: readonly Predicate[],
    found: (token: number) => boolean,
  ): void {
    this.#run(blocks, predicates, found, Number.POSITIVE_INFINITY)
  }

  /** Compares `most` tokens at most; false: there are more. */
  #run(
    blocks: OrderedTokens['blocks'],
    predicates: readonly Predicate[],
    found: (token: number) => boolean,
    most: number,
  ): boolean {
    const stats = predicates.map((predicate) => ({
      predicate,
      isSettled: false,
      came: 0,
      passed: 0,
    }))
    const kept = this.#kept
    let looked = 0
    let size = FIRST_BATCH
    let count = 0
    let from = LAST_BATCH
    for (let i = blocks.length - 1; i >= 0; i--) {
      const { tokens, count: end } = blocks[i]
      for (let to = end; to > 0; ) {
        const run = { tokens, from: Math.max(0, to - (size - count)), to }
        // The first condition reads tokens where they stand.
        from = stats.length === 0 ? copied(run, kept, from) : filtered(stats[0], run, kept, from)
        count += to - run.from
        to = run.from
        // The next block fills the batch.
        if (count < size) break
        if (!giveFound(kept, filteredByOthers(stats, kept, from), found)) return true
        looked += count
        count = 0
        from = LAST_BATCH
        size = Math.min(size * 2, LAST_BATCH)
        if (looked + size > most) return false
      }
    }
    giveFound(kept, filteredByOthers(stats, kept, from), found)
    return true
  }
}

/** False once enough were found. */
function giveFound(kept: Uint32Array, from: number, found: (token: number) => boolean): boolean {
  for (let i = LAST_BATCH - 1; i >= from; i--) if (!found(kept[i])) return false
  return true
}

function copied({ tokens, from, to }: TokenRun, kept: Uint32Array, end: number): number {
  const first = end - (to - from)
  kept.set(tokens.subarray(from, to), first)
  return first
}

/** Keeps the tokens that pass the other conditions too; returns the place of the first. */
function filteredByOthers(stats: PredicateStats[], kept: Uint32Array, first: number): number {
  let from = first
  for (let i = 1; i < stats.length && from < LAST_BATCH; i++) {
    const stat = stats[i]
    from = filtered(stat, { tokens: kept, from, to: LAST_BATCH }, kept, LAST_BATCH)
    if (!letsFewerPass(stat, stats[i - 1])) continue
    stats[i] = stats[i - 1]
    stats[i - 1] = stat
  }
  return from
}

/** `Column.filter` of values that are up to date. */
function filtered(stat: PredicateStats, run: TokenRun, kept: Uint32Array, end: number): number {
  const { predicate } = stat
  const { column } = predicate
  const count = run.to - run.from
  if (!stat.isSettled && (stat.came + count > REFRESHED_MAX || column.unsettled <= count)) {
    column.settle()
    stat.isSettled = true
  }
  if (!stat.isSettled) column.refresh(run)
  const from = column.filter(run, kept, end, predicate)
  stat.came += count
  stat.passed += end - from
  return from
}

function letsFewerPass(stat: PredicateStats, other: PredicateStats): boolean {
  return stat.passed * other.came < other.passed * stat.came
}
