import { Budget } from '../base/budget.ts'
import type { Engine } from '../engine/engine.ts'
import { boundedPart, growingPart, type MemoryPart } from '../engine/memory/state-part.ts'
import { Chart } from '../engine/read/chart.ts'
import { PositionReader } from '../engine/read/position-reader.ts'
import { TokenReader } from '../engine/read/token-reader.ts'
import { GROUPS, type Group } from '../protocol/filters.ts'
import type {
  BegunChart,
  ChartQuery,
  Page,
  Queries,
  TableAnswer,
  TablesQuery,
  TraderQuery,
} from '../protocol/queries.ts'
import { chartText } from './json/chart-json.ts'
import { withTokenExtras } from './json/extra-json.ts'
import { RowCache } from './json/row-cache.ts'
import { swapJson } from './json/swap-json.ts'
import { tokenJson } from './json/token-json.ts'
import { knownSwaps, knownToken, knownWallet } from './known.ts'
import { TokenSearch } from './search/token-search.ts'
import type { Resource } from './tables/metrics.ts'
import { compileFilters, type Predicate, TableColumns } from './tables/table-columns.ts'
import { TableScan } from './tables/table-scan.ts'
import { isSettledSoon } from './tables/token-column.ts'
import {
  byMint,
  byWallet,
  columnPage,
  ORDER_PARTS,
  pageJson,
  traderPage,
} from './traders/trader-column-pages.ts'
import { TRADER_ORDER_VALUES } from './traders/trader-json.ts'

interface Sought {
  readonly query: string
  readonly version: number
  readonly tokens: readonly number[]
}

/**
 * The reads of the API. In: parsed requests and a budget. Out: JSON text, or bytes for tables. `tables` has the columns that
 * filters read, `search`, `traders` and `json` what their names say, `live` the tables and candles that somebody follows.
 * A read sees one moment of the state, changes nothing in it and never throws on an unknown mint or wallet; what it
 * keeps for the next read (rows, columns, the last search) is derived and bounded.
 */
export class EngineQueries implements Queries {
  readonly #engine: Engine
  readonly #token: TokenReader
  readonly #trader: PositionReader
  readonly #chart: Chart
  readonly #rows: RowCache
  readonly #columns: TableColumns
  readonly #scan = new TableScan()
  readonly #search: TokenSearch
  /** Brings the engine's now up to date before a read. */
  readonly #tick: () => void
  /** The search made last. */
  #sought: Sought = { query: '', version: -1, tokens: [] }
  #version = 0
  /** Events taken, and the clock's second, at that version. */
  #events = -1
  #now = -1

  constructor(engine: Engine, tick: () => void) {
    this.#engine = engine
    this.#tick = tick
    const newReader = () => new TokenReader(engine.state, engine.top, engine.links)
    this.#token = newReader()
    this.#trader = new PositionReader(engine.state, newReader())
    this.#rows = new RowCache(engine.state)
    this.#columns = new TableColumns(engine.state, newReader(), engine.links)
    this.#search = new TokenSearch(engine.state, engine.search, this.#columns)
    this.#chart = new Chart(engine.state, engine.chartTrades, engine.bars)
  }

  /** What reads keep, part by part. */
  get memory(): readonly MemoryPart[] {
    return [boundedPart('table_rows', this.#rows), growingPart('table_columns', this.#columns)]
  }

  version(): number {
    this.#tick()
    const { counts, state } = this.#engine
    const events = counts.swaps + counts.events
    if (events !== this.#events || state.now !== this.#now) this.#version += 1
    this.#events = events
    this.#now = state.now
    return this.#version
  }

  isKnownAddress(address: string): boolean {
    const { book } = this.#engine.state
    return book.findToken(address) >= 0 || book.findWallet(address) >= 0
  }

  search(query: string, extra = false, budget = Budget.unlimited): string {
    const { search, top } = this.#engine
    this.#columns.marketCaps().load(budget)
    this.#columns.mintPrecedences().load(budget)
    search.load(budget)
    // Those of the turn before, while their holders are looked through: most are found again.
    if (this.#sought.query === query) top.load(this.#sought.tokens, budget)
    const tokens = this.#named(query)
    top.load(tokens, budget)
    return `[${tokens.map((token) => this.#tokenJson(token, 'search', extra)).join(',')}]`
  }

  #tokenJson(token: number, resource: Resource, extra: boolean): string {
    const json = tokenJson(this.#token.at(token), resource)
    return extra ? withTokenExtras(json, this.#token) : json
  }

  /** The tokens of a search; those of the last one are remembered for as long as nothing changes. */
  #named(query: string): readonly number[] {
    const version = this.version()
    if (this.#sought.query !== query || this.#sought.version !== version)
      this.#sought = { query, version, tokens: this.#search.tokens(query.trim()) }
    return this.#sought.tokens
  }

  marketData(mints: readonly string[], extra = false, budget = Budget.unlimited): string {
    this.#tick()
    const { state, top } = this.#engine
    const tokens: number[] = []
    for (const mint of new Set(mints)) {
      const token = knownToken(state, mint)
      if (token >= 0) tokens.push(token)
    }
    top.load(tokens, budget)
    return `[${tokens.map((token) => this.#tokenJson(token, 'market', extra)).join(',')}]`
  }

  swaps(mint: string, wallet: string | null, page: Page, budget = Budget.unlimited): string {
    this.#tick()
    const { state, chains } = this.#engine
    const of = knownSwaps(state, mint, wallet)
    if (of === null) return pageJson(0, page, [])
    const swaps = chains.page(of, page.page, page.limit, budget)
    const items = swaps.map((index) => swapJson(state, index, page.extra))
    return pageJson(chains.total(of), page, items)
  }

  tokenTraders(mint: string, query: TraderQuery, budget = Budget.unlimited): string {
    this.#tick()
    const { positions, state, traders } = this.#engine
    const token = knownToken(state, mint)
    const columns = token < 0 ? null : traders.of(token, ORDER_PARTS[query.orderBy], budget)
    if (columns !== null) return columnPage(columns, this.#trader, query)
    const listed = token < 0 ? [] : positions.ofToken(token)
    // Equal ones by name, ascending in both directions.
    return traderPage(this.#trader, listed, byWallet(this.#trader, this.#valueOf(query)), query)
  }

  walletTokens(wallet: string, query: TraderQuery, budget = Budget.unlimited): string {
    this.#tick()
    const row = knownWallet(this.#engine.state, wallet)
    const listed = row < 0 ? [] : this.#engine.positions.ofWallet(row, budget)
    return traderPage(this.#trader, listed, byMint(this.#trader, this.#valueOf(query)), query)
  }

  chart(query: ChartQuery): string {
    return this.beginChart(query).write(Budget.unlimited)
  }

  beginChart(query: ChartQuery, budget = Budget.unlimited): BegunChart {
    this.#tick()
    const { state } = this.#engine
    const token = knownToken(state, query.mint)
    const changes = token < 0 ? 0 : state.changes.of(token)
    const text = chartText(this.#chart, token, query, state.now, budget)
    return {
      write: (later) => text.write(later),
      column: (name) => text.column(name),
      isCurrent: () =>
        knownToken(state, query.mint) === token &&
        (token < 0 || state.changes.of(token) === changes),
    }
  }

  tables(query: TablesQuery): string {
    return this.tableAnswer(query).bytes.toString()
  }

  tableAnswer(query: TablesQuery, budget = Budget.unlimited): TableAnswer {
    this.#tick()
    const groups = query.type === 'all' ? GROUPS : [query.type]
    const filters = groups.map((group) => this.#loadFilters(group, query, budget))
    const rows = this.#rows
    const counts = new Map<Group, number>()
    rows.begin()
    for (const [i, group] of groups.entries()) {
      rows.text(`${i === 0 ? '{' : '],'}"${group}":[`)
      counts.set(group, this.#writeRows(group, filters[i], query, budget))
    }
    rows.text(']}')
    return rows.end(counts)
  }

  /** Most filters are answered by the newest tokens; the others need their columns settled. */
  #loadFilters(group: Group, query: TablesQuery, budget: Budget): readonly Predicate[] {
    const filters = compileFilters(query.filters[group], this.#columns)
    const { blocks } = this.#engine.order[group]
    const isSoon =
      filters.every(({ column }) => isSettledSoon(column)) ||
      this.#scan.endsSoon(blocks, filters, query.limit)
    if (!isSoon) for (const { column } of filters) column.load(budget)
    return filters
  }

  /** One group: its order is kept, so the first `limit` that pass are the answer. How many. */
  #writeRows(
    group: Group,
    filters: readonly Predicate[],
    { limit, extra }: TablesQuery,
    budget: Budget,
  ): number {
    const { order, top } = this.#engine
    const { scans } = top
    let count = 0
    this.#scan.run(order[group].blocks, filters, (token) => {
      // Rows take a microsecond or so, but a look through thousands of holders, which then stay known.
      if (top.scans !== scans) budget.throwIfSpent()
      this.#rows.row(this.#token.at(token), count === 0, extra)
      count += 1
      return count < limit
    })
    return count
  }

  /** By the wire number, in the direction asked for (contract section 3.4). */
  #valueOf(query: TraderQuery): (position: number) => number {
    const read = TRADER_ORDER_VALUES[query.orderBy]
    const sign = query.direction === 'asc' ? 1 : -1
    return (position) => read(this.#trader.at(position)) * sign
  }
}
