/**
 * Filters of the token tables. In comes a filter, out go the tokens that pass, in the order of the table. A filter is a
 * list of predicates, each on a column: one quantity of all tokens, side by side. metrics.ts names the quantities,
 * column-scan.ts runs the predicates. Columns are derived and can be dropped at any time.
 */
import { Budget } from '../../base/budget.ts'
import type { XLinks } from '../../engine/index/x-links.ts'
import { U32List } from '../../engine/memory/rows.ts'
import { widened } from '../../engine/memory/views.ts'
import { ageSecondsAt, type TokenReader } from '../../engine/read/token-reader.ts'
import type { WindowReader } from '../../engine/read/window-reader.ts'
import { WalletLane } from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import { METADATA_KEYS } from '../../events/event.ts'
import {
  type Filters,
  FLAG_FILTERS,
  type FlagFilter,
  RANGE_FILTERS,
  type Range,
  type RangeFilter,
  SOCIAL_FILTERS,
  SOCIALS,
  type SocialFilter,
  WINDOW_FILTERS,
  WINDOWS,
} from '../../protocol/filters.ts'
import { Candidates, type NarrowColumn, type TokenRun } from './candidates.ts'
import { type Column, FIRST_TOKENS, type Predicate, TokenColumn } from './column-scan.ts'
import { MarketCapColumn } from './market-cap-column.ts'
import { METRICS } from './metrics.ts'
import { filtered, isWithin, NumberColumn } from './number-column.ts'
import type { TaggedHolders } from './tagged-holders.ts'
import { WindowColumns } from './window-columns.ts'

// Each kind of column has a loop of its own over its values: a call for each value takes twice the time.

/** Minutes since the creation, at the clock's now. */
class AgeColumn extends NumberColumn {
  #creations: NarrowColumn | null = null

  constructor(state: State, reader: TokenReader) {
    super(state, reader, ({ createdAt }) => createdAt)
  }

  override filter(run: TokenRun, kept: Uint32Array, end: number, { min, max }: Predicate): number {
    const { tokens, from, to } = run
    const { now } = this.state
    const createdAt = this.values
    let at = end - 1
    for (let i = to - 1; i >= from; i--) {
      const token = tokens[i]
      kept[at] = token
      at -= isWithin(ageSecondsAt(now, createdAt[token]) / 60, min, max)
    }
    return at + 1
  }

  /** By the seconds of creations: 32 bits of a value are too few for them. */
  override narrow(candidates: Candidates, { min, max }: Predicate): void {
    this.#creations = candidates.kept(this.#creations, ({ u32 }) => u32.set(this.all()))
    if (this.#creations === null) return
    const { now } = this.state
    // A second to each side, for what is rounded.
    const newest = min > 0 ? now - min * 60 + 1 : Number.POSITIVE_INFINITY
    candidates.keepCounts(this.#creations, now - max * 60 - 1, newest)
  }

  protected override read(token: number, reader: TokenReader): void {
    super.read(token, reader)
    if (this.#creations !== null) this.#creations.u32[token] = this.values[token]
  }
}

/**
 * A count of the creator's, over all of its tokens: a lane of its wallet row. Creators are numbered
 * and their counts are side by side, so that a change of one is one write, however many tokens it has.
 */
class CreatorColumn extends TokenColumn {
  readonly isIndirect = true
  readonly #lane: number
  /** By token: number of its creator; 0: it has none. */
  #creators = new Uint32Array(FIRST_TOKENS)
  /** By creator. */
  #counts = new Uint32Array(FIRST_TOKENS)
  /** By wallet row: number of the creator; 0 is none. */
  readonly #numbers = new U32List()
  /** By number of the creator: its wallet row; number 0 is unused. */
  readonly #wallets = new U32List()
  /** Place in the log of creators up to which counts were read. */
  #readTo = 0
  /** Creators and counts as candidates have them. */
  #narrowCreators: NarrowColumn | null = null
  #narrowCounts: NarrowColumn | null = null

  constructor(state: State, reader: TokenReader, lane: number) {
    super(state, reader)
    this.#lane = lane
    this.#wallets.push(0)
  }

  override cover(): void {
    super.cover()
    const log = this.state.creatorChanges
    if (log.reaches(this.#readTo))
      for (let place = this.#readTo; place < log.end; place++) {
        const wallet = log.at(place)
        const creator = this.#numbers.get(wallet)
        if (creator !== 0) this.#readCount(creator, wallet)
      }
    else
      for (let creator = 1; creator < this.#wallets.length; creator++)
        this.#readCount(creator, this.#wallets.get(creator))
    this.#readTo = log.end
  }

  filter(run: TokenRun, kept: Uint32Array, end: number, { min, max }: Predicate): number {
    const { tokens, from, to } = run
    const [creators, counts] = [this.#creators, this.#counts]
    let at = end - 1
    for (let i = to - 1; i >= from; i--) {
      const token = tokens[i]
      kept[at] = token
      at -= isWithin(counts[creators[token]], min, max)
    }
    return at + 1
  }

  narrow(candidates: Candidates, { min, max }: Predicate): void {
    this.#narrowCreators = candidates.kept(this.#narrowCreators, ({ u32 }) =>
      u32.set(this.#creators.subarray(0, u32.length)),
    )
    this.#narrowCounts = candidates.kept(this.#narrowCounts, ({ u32 }) =>
      u32.set(this.#counts.subarray(0, u32.length)),
    )
    const [creators, counts] = [this.#narrowCreators, this.#narrowCounts]
    // Creators are no more than tokens, but for those whose tokens became others'.
    if (creators === null || counts === null || this.#wallets.length > counts.u32.length) return
    candidates.keepCountsOf(creators, counts, min, max)
  }

  protected read(token: number, reader: TokenReader): void {
    const { creatorPlus1 } = reader
    const creator = creatorPlus1 === 0 ? 0 : this.#numberOf(creatorPlus1 - 1)
    this.#creators[token] = creator
    if (this.#narrowCreators !== null) this.#narrowCreators.u32[token] = creator
  }

  #numberOf(wallet: number): number {
    const known = this.#numbers.get(wallet)
    if (known !== 0) return known
    const creator = this.#wallets.length
    this.#numbers.set(wallet, creator)
    this.#wallets.push(wallet)
    if (creator >= this.#counts.length)
      this.#counts = widened(new Uint32Array(creator * 2), this.#counts)
    this.#readCount(creator, wallet)
    return creator
  }

  #readCount(creator: number, wallet: number): void {
    // Rows that were loaded may be fewer.
    const isThere = wallet < this.state.wallets.count
    const count = isThere ? this.state.wallets.get(wallet, this.#lane) : 0
    this.#counts[creator] = count
    if (this.#narrowCounts !== null) this.#narrowCounts.u32[creator] = count
  }

  protected get ownBytes(): number {
    const lists = this.#numbers.bytes + this.#wallets.bytes
    return this.#creators.byteLength + this.#counts.byteLength + lists
  }

  protected widen(size: number): void {
    this.#creators = widened(new Uint32Array(size), this.#creators)
  }
}

/** Reuses of X links: the links count them, since they depend on other tokens; never stale. */
class ReusesColumn implements Column {
  readonly bytes = 0
  readonly unsettled = 0
  readonly #state: State
  readonly #links: XLinks
  #reuses: Uint32Array = new Uint32Array(0)

  constructor(state: State, links: XLinks) {
    this.#state = state
    this.#links = links
  }

  cover(): void {
    this.#reuses = this.#links.reuses(this.#state.tokens.count)
  }

  refresh(): void {}

  settle(): void {}

  load(): void {}

  filter(run: TokenRun, kept: Uint32Array, end: number, bounds: Predicate): number {
    return filtered(this.#reuses, run, kept, end, bounds)
  }

  narrow(candidates: Candidates, { min, max }: Predicate): void {
    const column = candidates.lent(this.#reuses)
    if (column !== null) candidates.keepCounts(column, min, max)
  }
}

type ColumnName = RangeFilter | Exclude<FlagFilter, 'noXReuses'> | SocialFilter

const SOCIAL_PLACES = SOCIALS.map((social) => METADATA_KEYS.indexOf(social))

/** Above every number that `TokenReader.mintOrder` has: six bytes. */
const MINT_ORDERS = 2 ** 48

/**
 * The quantities that tables are filtered by, as columns: a value is read once for each change of its
 * token and then compared in its array. A column is made when a filter first uses it; there are at most as many as
 * filters.
 */
export class TableColumns {
  readonly #state: State
  readonly #reader: TokenReader
  readonly #links: XLinks
  readonly windows: WindowColumns
  readonly #tagged: TaggedHolders
  readonly #marketCaps: MarketCapColumn
  readonly #prices: MarketCapColumn
  readonly #columns = new Map<ColumnName, Column>()
  readonly #mintPrecedences: NumberColumn
  readonly candidates: Candidates

  /** `reader` and `windows` are the columns' own: they are moved. */
  constructor(
    state: State,
    reader: TokenReader,
    links: XLinks,
    windows: WindowReader,
    tagged: TaggedHolders,
  ) {
    this.candidates = new Candidates(state.tokens)
    this.windows = new WindowColumns(state, reader, windows)
    this.#tagged = tagged
    this.#state = state
    this.#reader = reader
    this.#links = links
    this.#marketCaps = new MarketCapColumn(state, reader)
    this.#prices = new MarketCapColumn(state, reader, true)
    this.#columns.set('mCapUsd', this.#marketCaps)
    this.#mintPrecedences = new NumberColumn(
      state,
      reader,
      ({ mintOrder }) => MINT_ORDERS - mintOrder,
    )
  }

  get bytes(): number {
    const columns = [...this.#columns.values(), this.#prices, this.#mintPrecedences, this.windows]
    const others = this.#tagged.bytes + this.candidates.bytes
    return columns.reduce((sum, { bytes }) => sum + bytes, others)
  }

  /** Market caps in dollars; valid until the state changes. */
  marketCaps(): MarketCapColumn {
    this.#marketCaps.cover()
    return this.#marketCaps
  }

  /** A token with a lesser mint never has a lesser number; valid until the state changes. */
  mintPrecedences(): NumberColumn {
    this.#mintPrecedences.cover()
    return this.#mintPrecedences
  }

  /**
   * The conditions of a group's filters. A flag that is false is the same as absent (contract section 2).
   * @throws OutOfTime while the holdings of wallets with a tag are read
   */
  predicates(filters: Filters = {}, budget = Budget.unlimited): readonly Predicate[] {
    const predicates: Predicate[] = []
    for (const name of FLAG_FILTERS)
      if (filters[name] === true)
        predicates.push(
          name === 'noXReuses' ? this.#within('xReuses', 0, 0) : this.#within(name, 1, 1),
        )
    for (const name of SOCIAL_FILTERS)
      if (filters.socials?.[name] === true) predicates.push(this.#within(name, 1, 1))
    for (const name of RANGE_FILTERS) {
      const range = filters[name]
      if (range !== undefined) predicates.push(within(this.#column(name), range))
    }
    for (const window of WINDOWS) {
      const ofWindow = filters.windows?.[window]
      if (ofWindow === undefined) continue
      for (const filter of WINDOW_FILTERS) {
        const range = ofWindow[filter]
        if (range === undefined) continue
        predicates.push(within(this.windows.column(`${window}.${filter}`), range))
      }
    }
    predicates.push(...this.#heldBy(filters, budget))
    return predicates
  }

  #heldBy({ heldBy }: Filters, budget: Budget): readonly Predicate[] {
    if (heldBy === undefined) return []
    const { tag, min = 1 } = heldBy
    const column = this.#tagged.of(tag)
    column.load(budget)
    return [{ column, min, max: Number.POSITIVE_INFINITY }]
  }

  /** Prices in dollars; valid until the state changes. */
  prices(): MarketCapColumn {
    this.#prices.cover()
    return this.#prices
  }

  #within(name: ColumnName, min: number, max: number): Predicate {
    return { column: this.#column(name), min, max }
  }

  #column(name: ColumnName): Column {
    let column = this.#columns.get(name)
    if (column === undefined) {
      column = this.#newColumn(name)
      this.#columns.set(name, column)
    }
    column.cover()
    return column
  }

  #newColumn(name: ColumnName): Column {
    const [state, reader] = [this.#state, this.#reader]
    if (name === 'ageMinutes') return new AgeColumn(state, reader)
    if (name === 'xReuses') return new ReusesColumn(state, this.#links)
    if (name === 'devCreations') return new CreatorColumn(state, reader, WalletLane.creations)
    if (name === 'devMigrations') return new CreatorColumn(state, reader, WalletLane.migrations)
    return new NumberColumn(state, reader, readOf(name))
  }
}

/** A side without a bound is open. */
function within(column: Column, range: Range): Predicate {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range
  return { column, min, max }
}

/** How a quantity is read that depends on its token alone; a flag is 0 or 1. */
function readOf(name: ColumnName): (token: TokenReader) => number {
  if (name === 'atLeastOne')
    return (token) => Number(SOCIAL_PLACES.some((place) => token.hasMetadata(place)))
  const names: readonly string[] = SOCIALS
  const place = SOCIAL_PLACES[names.indexOf(name)]
  if (place !== undefined) return (token) => Number(token.hasMetadata(place))
  const metric = METRICS.find((row) => row.filter === name)
  if (metric?.kind === 'number') return metric.read
  if (metric?.kind === 'boolean') return (token) => Number(metric.read(token))
  throw new Error(`no metric ${name}`)
}
