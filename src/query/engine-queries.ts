import type { Engine } from '../engine/engine.ts'
import { chainOf } from '../engine/history/tape-reader.ts'
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
import { chartText, isChartNear } from './json/chart-json.ts'
import { withTokenExtras } from './json/extra-json.ts'
import { RowCache } from './json/row-cache.ts'
import { swapJson } from './json/swap-json.ts'
import { tokenJson } from './json/token-json.ts'
import { knownSwaps, knownToken, knownWallet } from './known.ts'
import { TokenSearch } from './search/token-search.ts'
import type { Resource } from './tables/metrics.ts'
import { compileFilters, TableColumns } from './tables/table-columns.ts'
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

/** The reads of the API, out of the engine's state, as of its now. */
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

  hasFoundNamed(query: string, mayGoOn: () => boolean): boolean {
    const { search, top } = this.#engine
    const isWeighed =
      this.#columns.marketCaps().isNear(mayGoOn) &&
      this.#columns.mintPrecedences().isNear(mayGoOn) &&
      search.isNear(mayGoOn)
    if (!isWeighed) return false
    // Those of the turn before, while their holders are looked through: most are found again.
    const sought = this.#sought
    if (sought.query === query && !top.areNear(sought.tokens, mayGoOn)) return false
    return top.areNear(this.#named(query), mayGoOn)
  }

  search(query: string, extra = false): string {
    const rows = this.#named(query).map((token) => this.#tokenJson(token, 'search', extra))
    return `[${rows.join(',')}]`
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

  hasFoundHolders(mints: readonly string[], mayGoOn: () => boolean): boolean {
    const { state, top } = this.#engine
    const tokens = mints.map((mint) => knownToken(state, mint)).filter((token) => token >= 0)
    return top.areNear(tokens, mayGoOn)
  }

  marketData(mints: readonly string[], extra = false): string {
    this.#tick()
    const rows: string[] = []
    for (const mint of new Set(mints)) {
      const token = knownToken(this.#engine.state, mint)
      if (token >= 0) rows.push(this.#tokenJson(token, 'market', extra))
    }
    return `[${rows.join(',')}]`
  }

  hasFoundSwaps(mint: string, wallet: string | null, page: Page, mayGoOn: () => boolean): boolean {
    const { state, chains } = this.#engine
    const of = knownSwaps(state, mint, wallet)
    return of === null || chains.isNear(chainOf(state, of), page.page, page.limit, mayGoOn)
  }

  swaps(mint: string, wallet: string | null, page: Page): string {
    this.#tick()
    const { state, chains } = this.#engine
    const of = knownSwaps(state, mint, wallet)
    if (of === null) return pageJson(0, page, [])
    const { total, swaps } = chains.page(chainOf(state, of), page.page, page.limit)
    return pageJson(
      total,
      page,
      swaps.map((index) => swapJson(state, index, page.extra)),
    )
  }

  hasFoundTraders(mint: string, { orderBy }: TraderQuery, mayGoOn: () => boolean): boolean {
    const { state, traders } = this.#engine
    const token = knownToken(state, mint)
    return token < 0 || traders.areNear(token, ORDER_PARTS[orderBy], mayGoOn)
  }

  tokenTraders(mint: string, query: TraderQuery): string {
    this.#tick()
    const { positions, state, traders } = this.#engine
    const token = knownToken(state, mint)
    const columns = token < 0 ? null : traders.of(token, ORDER_PARTS[query.orderBy])
    if (columns !== null) return columnPage(columns, this.#trader, query)
    const listed = token < 0 ? [] : positions.ofToken(token)
    // Equal ones by name, ascending in both directions.
    return traderPage(this.#trader, listed, byWallet(this.#trader, this.#valueOf(query)), query)
  }

  hasFoundTokens(wallet: string, mayGoOn: () => boolean): boolean {
    const row = knownWallet(this.#engine.state, wallet)
    return row < 0 || this.#engine.positions.areNear(row, mayGoOn)
  }

  walletTokens(wallet: string, query: TraderQuery): string {
    this.#tick()
    const row = knownWallet(this.#engine.state, wallet)
    const listed = row < 0 ? [] : this.#engine.positions.ofWallet(row)
    return traderPage(this.#trader, listed, byMint(this.#trader, this.#valueOf(query)), query)
  }

  hasFoundBars(query: ChartQuery, mayGoOn: () => boolean): boolean {
    return isChartNear(this.#chart, knownToken(this.#engine.state, query.mint), query, mayGoOn)
  }

  chart(query: ChartQuery): string {
    return whole(this.beginChart(query).write(() => true))
  }

  beginChart(query: ChartQuery): BegunChart {
    this.#tick()
    const { state } = this.#engine
    const token = knownToken(state, query.mint)
    const changes = token < 0 ? 0 : state.changes.of(token)
    const text = chartText(this.#chart, token, query, state.now)
    return {
      write: (mayGoOn) => text.write(mayGoOn),
      column: (name) => text.column(name),
      isCurrent: () =>
        knownToken(state, query.mint) === token &&
        (token < 0 || state.changes.of(token) === changes),
    }
  }

  hasFoundTables(query: TablesQuery, mayGoOn: () => boolean): boolean {
    return groupsOf(query).every((group) => this.#isNear(group, query, mayGoOn))
  }

  /** Most filters are answered by the newest tokens; the others need their columns settled. */
  #isNear(group: Group, query: TablesQuery, mayGoOn: () => boolean): boolean {
    const gates = compileFilters(query.filters[group], this.#columns)
    if (gates.every(({ column }) => isSettledSoon(column))) return true
    const { blocks } = this.#engine.order[group]
    if (this.#scan.endsSoon(blocks, gates, query.limit)) return true
    return gates.every(({ column }) => column.isNear(mayGoOn))
  }

  tables(query: TablesQuery): string {
    return this.tableAnswer(query).bytes.toString()
  }

  tableAnswer(query: TablesQuery): TableAnswer {
    return whole(this.tableAnswerWithin(query, () => true))
  }

  tableAnswerWithin(query: TablesQuery, mayGoOn: () => boolean): TableAnswer | null {
    this.#tick()
    const { top } = this.#engine
    const { scans } = top
    // Rows take a microsecond or so, but a look through thousands of holders.
    const isTooLong = () => top.scans !== scans && !mayGoOn()
    const rows = this.#rows
    const counts = new Map<Group, number>()
    rows.begin()
    let opening = '{'
    for (const group of groupsOf(query)) {
      rows.text(`${opening}"${group}":[`)
      const count = this.#table(group, query, isTooLong)
      if (count === null) return null
      counts.set(group, count)
      opening = '],'
    }
    rows.text(']}')
    return rows.end(counts)
  }

  /** One group: its order is kept, so the first `limit` that pass are the answer. How many; null: it takes too long. */
  #table(group: Group, query: TablesQuery, isTooLong: () => boolean): number | null {
    const gates = compileFilters(query.filters[group], this.#columns)
    const { blocks } = this.#engine.order[group]
    let count = 0
    let isWhole = true
    this.#scan.run(blocks, gates, (token) => {
      isWhole = !isTooLong()
      if (!isWhole) return false
      this.#rows.row(this.#token.at(token), count === 0, query.extra)
      count += 1
      return count < query.limit
    })
    return isWhole ? count : null
  }

  /** By the wire number, in the direction asked for (contract section 3.4). */
  #valueOf(query: TraderQuery): (position: number) => number {
    const read = TRADER_ORDER_VALUES[query.orderBy]
    const sign = query.direction === 'asc' ? 1 : -1
    return (position) => read(this.#trader.at(position)) * sign
  }
}

function groupsOf({ type }: TablesQuery): readonly Group[] {
  return type === 'all' ? GROUPS : [type]
}

/** What was written in one go: it had all the time it wants. */
function whole<Answer>(answer: Answer | null): Answer {
  if (answer === null) throw new Error('an answer that had no end of its time was not finished')
  return answer
}
