import { LRUCache } from 'lru-cache'
import { Budget } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import { widened } from '../../engine/memory/views.ts'
import { copyPosition, isHolderAt } from '../../engine/state/lanes.ts'
import { PositionLane } from '../../engine/state/layout.ts'
import type { PositionLists } from '../../engine/state/position-lists.ts'
import { PositionRecord } from '../../engine/state/position-rows.ts'
import type { State } from '../../engine/state/state.ts'
import type { WalletLabels } from '../../protocol/wallet-labels.ts'
import type { Candidates, TokenRun } from './candidates.ts'
import { type Column, FIRST_TOKENS, type Predicate } from './column-scan.ts'

/** Tags whose columns are kept; the one used longest ago goes. */
const TAGS_MAX = 16
/** Wallets between two looks at the budget; one with so many positions is the last before a look. */
const WALLETS_A_LOOK = 16
const POSITIONS_A_LOOK = 256
/** Changes of positions that are taken in together where nobody asks: the log holds more. */
const CHANGES_TOGETHER = 4_096
/** A read that was begun so often is made in one go. */
const BEGUN_MAX = 4
/** Wallet rows are below this. */
const WALLETS_LIMIT = 2 ** 30
/** Memory of a holding in a set, some. */
const HOLDING_BYTES = 40

/** How many wallets with a tag hold each token: a column for each tag that a filter names. */
export class TaggedHolders {
  readonly #engine: Engine
  readonly #state: State
  readonly #positions: PositionLists
  readonly #labels: WalletLabels
  readonly #columns = new LRUCache<string, TagColumn>({ max: TAGS_MAX })
  /** Place in the log of changes up to which all columns took them in. */
  #coveredTo = 0
  #isAttached = false

  constructor(engine: Engine, labels: WalletLabels) {
    this.#engine = engine
    this.#state = engine.state
    this.#positions = engine.positions
    this.#labels = labels
  }

  /** At the first tag that is asked for: until then no trade costs anything. */
  #attach(): void {
    if (this.#isAttached) return
    this.#isAttached = true
    const { coldStore, facts, state } = this.#engine
    // The log has the newest changes only, by rows: they are taken out while both are right, so that nothing is read anew.
    coldStore.beforeEvicted.push(() => this.#coverAll())
    facts.on('trade', () => {
      if (state.positionChanges.end - this.#coveredTo > CHANGES_TOGETHER) this.#coverAll()
    })
  }

  get bytes(): number {
    let bytes = 0
    for (const column of this.#columns.values()) bytes += column.bytes
    return bytes
  }

  #coverAll(): void {
    this.#coveredTo = this.#state.positionChanges.end
    for (const column of this.#columns.values()) column.cover()
  }

  /** Good until the next event. */
  of(tag: string): Column {
    this.#attach()
    const addresses = this.#labels.withTag(tag)
    // Tags that no wallet has share a column: whoever makes them up pushes out none.
    const name = addresses.length === 0 ? '' : tag
    let column = this.#columns.get(name)
    if (column === undefined || column.version !== this.#labels.version) {
      column = new TagColumn(this.#state, this.#positions, this.#labels.version, addresses)
      this.#columns.set(name, column)
    }
    column.cover()
    return column
  }
}

/** Who holds what, and where the logs of changes stood. */
interface Holdings {
  /** Token × WALLETS_LIMIT + wallet. */
  readonly pairs: Set<number>
  readonly wallets: ReadonlySet<number>
  /** Wallets that are read. */
  read: number
  readTo: number
}

/**
 * Made from the positions of the tag's wallets, in pieces, then kept up by the log of changed positions, which is taken in
 * before their rows become others'. Made anew where the log does not reach back.
 */
class TagColumn implements Column {
  /** Of the labels that it was made by. */
  readonly version: number
  readonly #state: State
  readonly #positions: PositionLists
  /** Rows of the wallets with the tag, addresses with it that are none yet, and wallets that were looked for among these. */
  readonly #wallets = new Set<number>()
  readonly #unknown: Set<string>
  #seenWallets = 0
  #counts = new Uint32Array(FIRST_TOKENS)
  #holdings: Holdings | null = null
  #begun = 0
  readonly #record = new PositionRecord()

  constructor(
    state: State,
    positions: PositionLists,
    version: number,
    addresses: readonly string[],
  ) {
    this.#state = state
    this.#positions = positions
    this.version = version
    this.#unknown = new Set(addresses)
  }

  get bytes(): number {
    return this.#counts.byteLength + (this.#holdings?.pairs.size ?? 0) * HOLDING_BYTES
  }

  get unsettled(): number {
    return this.#isWhole ? 0 : Number.POSITIVE_INFINITY
  }

  cover(): void {
    const { count } = this.#state.tokens
    if (count > this.#counts.length)
      this.#counts = widened(new Uint32Array(count * 2), this.#counts)
    const holdings = this.#holdings
    if (holdings === null) return
    const { positionChanges: log } = this.#state
    if (!log.reaches(holdings.readTo)) {
      this.#holdings = null
      return
    }
    // Those that are found are read behind the others.
    this.#findWallets()
    for (; holdings.readTo < log.end; holdings.readTo++) {
      const row = log.at(holdings.readTo)
      this.#takePosition(holdings, row)
    }
  }

  refresh(): void {
    this.settle()
  }

  settle(): void {
    this.load(Budget.unlimited)
  }

  load(budget: Budget): void {
    if (this.#isWhole) return
    const holdings = this.#holdings ?? this.#begin()
    const isLast = this.#begun > BEGUN_MAX
    const wallets = [...holdings.wallets]
    while (holdings.read < wallets.length) {
      const positions = this.#positions.ofWallet(wallets[holdings.read], budget)
      for (const position of positions) this.#takePosition(holdings, position)
      holdings.read += 1
      const isLook = holdings.read % WALLETS_A_LOOK === 0 || positions.length > POSITIONS_A_LOOK
      if (isLook && !isLast) budget.throwIfSpent()
    }
    this.#begun = 0
  }

  #begin(): Holdings {
    this.#begun += 1
    this.#counts.fill(0)
    this.#findWallets()
    this.#holdings = {
      pairs: new Set(),
      wallets: this.#wallets,
      ...{ read: 0, readTo: this.#state.positionChanges.end },
    }
    return this.#holdings
  }

  /**
   * Have addresses become wallets? The new wallets are looked for, not the addresses, which may be a hundred thousand at
   * each use; unless the new ones are more.
   */
  #findWallets(): void {
    const { book, wallets } = this.#state
    if (wallets.count - this.#seenWallets > this.#unknown.size)
      for (const address of this.#unknown) this.#found(address, this.#rowOf(address))
    else
      for (let row = this.#seenWallets; row < wallets.count; row++)
        this.#found(book.walletText(row), row)
    this.#seenWallets = wallets.count
  }

  #found(address: string, row: number): void {
    if (row >= 0 && this.#unknown.delete(address)) this.#wallets.add(row)
  }

  get #isWhole(): boolean {
    const holdings = this.#holdings
    return holdings !== null && holdings.read === holdings.wallets.size
  }

  #rowOf(address: string): number {
    const row = this.#state.book.findWallet(address)
    return row < this.#state.wallets.count ? row : -1
  }

  /** Counts a position as it is now, if its wallet has the tag. */
  #takePosition({ pairs, wallets }: Holdings, position: number): void {
    const { u32 } = this.#record
    copyPosition(this.#state, position, this.#record)
    const wallet = u32[PositionLane.wallet]
    if (!wallets.has(wallet)) return
    const token = u32[PositionLane.token]
    const pair = token * WALLETS_LIMIT + wallet
    const isHeld = isHolderAt(u32, 0)
    if (isHeld === pairs.has(pair)) return
    if (isHeld) pairs.add(pair)
    else pairs.delete(pair)
    this.#counts[token] += isHeld ? 1 : -1
  }

  filter(
    { tokens, from, to }: TokenRun,
    kept: Uint32Array,
    end: number,
    bounds: Predicate,
  ): number {
    const { min, max } = bounds
    let at = end - 1
    for (let i = to - 1; i >= from; i--) {
      const token = tokens[i]
      kept[at] = token
      const count = this.#counts[token]
      at -= Number(count >= min) & Number(count <= max)
    }
    return at + 1
  }

  narrow(candidates: Candidates, { min, max }: Predicate): void {
    const column = candidates.lent(this.#counts)
    if (column !== null) candidates.keepCounts(column, min, max)
  }
}
