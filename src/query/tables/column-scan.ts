import { Budget } from '../../base/budget.ts'
import type { OrderedTokens } from '../../engine/index/token-order.ts'
import { widened } from '../../engine/memory/views.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import type { State } from '../../engine/state/state.ts'
import type { Candidates, TokenRun } from './candidates.ts'

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

/** Values of one quantity by token, as filters compare them. */
export interface Column {
  readonly bytes: number
  /** Changes that `settle` has to read; infinite where it has to read every token. */
  readonly unsettled: number
  /** Are its values those of something that tokens have in common? It takes longest to narrow by, and less where few are left. */
  readonly isIndirect?: boolean
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
  /** Takes tokens out of the candidates that are out of bounds, all or some of them. The values are settled. */
  narrow(candidates: Candidates, bounds: Predicate): void
}

/** Some tokens in the order of a table, which is read from the end. */
export interface ScannedTokens {
  readonly blocks: OrderedTokens['blocks']
  /** Absent where they are compared one by one, however many. */
  readonly table?: {
    /** By token the number of its table, and the number of this one. */
    readonly lists: Uint8Array
    readonly list: number
    /** Tokens of the table in its order, the last first. */
    readonly lastFirst: (tokens: Uint32Array) => Uint32Array
  }
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
  abstract narrow(candidates: Candidates, bounds: Predicate): void

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
 * A scan goes on with candidates once it is likely to compare so many times fewer tokens, one condition each, than there
 * are: the values of a narrow column take that much less time than those of tokens in their order.
 */
const NARROWED_GAIN = 12
/** What it takes to narrow by an indirect column, beside another one. */
const INDIRECT_PASSES = 5
/** Tokens that are compared before. */
const LOOKED_FIRST = 1_900

/**
 * Runs tokens through the conditions of a filter, batch by batch: each condition is a loop over
 * the tokens that passed the ones before, in the array of its column. Conditions that let the fewest pass come first.
 * Where few pass, what is left of a table is narrowed to candidates before.
 */
export class TableScan {
  /** Tokens of a batch that passed what they came to, the last at its end. */
  readonly #kept = new Uint32Array(LAST_BATCH)
  readonly #candidates: Candidates | null

  /** Without candidates it compares token by token. */
  constructor(candidates: Candidates | null = null) {
    this.#candidates = candidates
  }

  /**
   * Reads the columns that a scan needs settled. Most filters are answered by the newest tokens, of which a scan reads
   * what it compares.
   * @throws OutOfTime before all is read
   */
  load(
    tokens: ScannedTokens,
    predicates: readonly Predicate[],
    limit: number,
    budget: Budget,
  ): void {
    if (predicates.every(({ column }) => isSettledSoon(column))) return
    if (this.endsSoon(tokens, predicates, limit)) return
    for (const { column } of predicates) column.load(budget)
  }

  /** Are `limit` tokens found, or all tokens passed, before a column has to be settled? */
  endsSoon(tokens: ScannedTokens, predicates: readonly Predicate[], limit: number): boolean {
    let count = 0
    const found = () => {
      count += 1
      return count < limit
    }
    return this.#run(tokens, predicates, found, { limit, most: REFRESHED_MAX })
  }

  /**
   * Calls `found` with each token that passes, from the end of the blocks on, until it says false, which it is expected
   * to at the `limit`th.
   */
  run(
    tokens: ScannedTokens,
    predicates: readonly Predicate[],
    found: (token: number) => boolean,
    limit = Number.POSITIVE_INFINITY,
  ): void {
    this.#run(tokens, predicates, found, { limit, most: Number.POSITIVE_INFINITY })
  }

  /** Compares `most` tokens at most; false: there are more. */
  #run(
    scanned: ScannedTokens,
    predicates: readonly Predicate[],
    found: (token: number) => boolean,
    { limit, most }: { readonly limit: number; readonly most: number },
  ): boolean {
    const { blocks } = scanned
    const stats = predicates.map((predicate) => ({
      predicate,
      isSettled: false,
      came: 0,
      passed: 0,
    }))
    const kept = this.#kept
    let candidates: Candidates | null = null
    let isNarrowed = false
    let looked = 0
    let given = 0
    let size = FIRST_BATCH
    let count = 0
    let from = LAST_BATCH
    for (let i = blocks.length - 1; i >= 0; i--) {
      const { tokens, count: end } = blocks[i]
      for (let to = end; to > 0; ) {
        const run = { tokens, from: Math.max(0, to - (size - count)), to }
        if (candidates !== null) from = candidates.filter(run, kept, from)
        // The first condition reads tokens where they stand.
        else
          from = stats.length === 0 ? copied(run, kept, from) : filtered(stats[0], run, kept, from)
        count += to - run.from
        to = run.from
        // The next block fills the batch.
        if (count < size) break
        from = filteredBy(stats, candidates === null ? 1 : 0, kept, from)
        if (!giveFound(kept, from, found)) return true
        given += LAST_BATCH - from
        looked += count
        count = 0
        from = LAST_BATCH
        size = Math.min(size * 2, LAST_BATCH)
        if (looked + size > most) return false
        if (isNarrowed || !this.#isWorthNarrowing(scanned, stats, { limit, given, looked }))
          continue
        isNarrowed = true
        candidates = this.#narrowed(scanned, stats)
        const few = candidates?.told() ?? null
        if (few === null) continue
        this.#giveFew(scanned, few, stats, given, found)
        return true
      }
    }
    giveFound(kept, filteredBy(stats, candidates === null ? 1 : 0, kept, from), found)
    return true
  }

  #isWorthNarrowing(
    { blocks, table }: ScannedTokens,
    stats: readonly PredicateStats[],
    { limit, given, looked }: { limit: number; given: number; looked: number },
  ): boolean {
    if (this.#candidates === null || table === undefined || looked < LOOKED_FIRST) return false
    const likely = given === 0 ? Number.POSITIVE_INFINITY : ((limit - given) * looked) / given
    const passes = stats.reduce(
      (sum, { predicate }) => sum + (predicate.column.isIndirect === true ? INDIRECT_PASSES : 1),
      0,
    )
    const least = (this.#candidates.count * passes) / NARROWED_GAIN
    if (likely < least) return false
    return blocks.reduce((sum, { count }) => sum + count, -looked) >= least
  }

  /** The tokens that may pass; null where columns are not settled, or have no memory. */
  #narrowed({ table }: ScannedTokens, stats: readonly PredicateStats[]): Candidates | null {
    const candidates = this.#candidates
    if (table === undefined || candidates?.begin() !== true) return null
    if (!candidates.keepMembers(table.lists, table.list)) return null
    const known = stats.filter(
      ({ predicate, isSettled }) => isSettled || isSettledSoon(predicate.column),
    )
    for (const isIndirect of [false, true])
      for (const { predicate } of known) {
        const { column } = predicate
        if ((column.isIndirect === true) !== isIndirect) continue
        column.settle()
        column.narrow(candidates, predicate)
      }
    return candidates
  }

  /** Goes on with few tokens that may pass, in any order; `given` were found before. */
  #giveFew(
    { table }: ScannedTokens,
    few: Uint32Array,
    stats: PredicateStats[],
    given: number,
    found: (token: number) => boolean,
  ): void {
    const kept = this.#kept
    const from = copied({ tokens: few, from: 0, to: few.length }, kept, LAST_BATCH)
    const passed = kept.subarray(filteredBy(stats, 0, kept, from))
    table?.lastFirst(passed).subarray(given).every(found)
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

/** Keeps the tokens that pass the conditions from one on too; returns the place of the first. */
function filteredBy(
  stats: PredicateStats[],
  begin: number,
  kept: Uint32Array,
  first: number,
): number {
  let from = first
  for (let i = begin; i < stats.length && from < LAST_BATCH; i++) {
    const stat = stats[i]
    from = filtered(stat, { tokens: kept, from, to: LAST_BATCH }, kept, LAST_BATCH)
    if (i === 0 || !letsFewerPass(stat, stats[i - 1])) continue
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
