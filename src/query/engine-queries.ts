import { Budget } from '../base/budget.ts'
import type { Engine } from '../engine/engine.ts'
import type { SwapsOf } from '../engine/history/swap-chains.ts'
import { CreatorTokens } from '../engine/index/creator-tokens.ts'
import { boundedPart, growingPart, type MemoryPart } from '../engine/memory/state-part.ts'
import { Chart } from '../engine/read/chart.ts'
import { TokenReader } from '../engine/read/token-reader.ts'
import { WindowReader } from '../engine/read/window-reader.ts'
import { TokenFlag, TokenLane } from '../engine/state/layout.ts'
import { positionIn } from '../engine/state/position-lists.ts'
import type { State } from '../engine/state/state.ts'
import { markOf } from '../engine/state/tape.ts'
import { GROUPS, type Group, WINDOWS } from '../protocol/filters.ts'
import {
  type BegunChart,
  type ChartQuery,
  type Page,
  type Queries,
  type Resolution,
  type SwapCursor,
  type TableAnswer,
  type TablesQuery,
  type TokenReads,
  type TraderQuery,
  type TrendingQuery,
  type WalletRanksQuery,
  WIDTHS,
} from '../protocol/queries.ts'
import { cursorText } from '../protocol/requests/tokens.ts'
import { labelJson, tagsJson, WalletLabels } from '../protocol/wallet-labels.ts'
import { jsonNumber, jsonString } from '../protocol/wire.ts'
import { chartText } from './json/chart-json.ts'
import { RowCache } from './json/row-cache.ts'
import { SwapReader, swapJson } from './json/swap-reader.ts'
import {
  creatorTokenJson,
  priceJson,
  priceOfTradeJson,
  tokenDetailJson,
  tokenJson,
} from './json/token-json.ts'
import { WindowJson } from './json/window-json.ts'
import { TokenSearch } from './search/token-search.ts'
import { type Predicate, TableScan } from './tables/column-scan.ts'
import { TableColumns } from './tables/table-columns.ts'
import { TaggedHolders } from './tables/tagged-holders.ts'
import { GreatestTokens, TRENDING_METRICS } from './tables/trending.ts'
import { CreatorPages } from './traders/creator-pages.ts'
import { HolderHistory } from './traders/holder-history.ts'
import { pageJson, TraderPages } from './traders/trader-pages.ts'
import { WalletRanks } from './traders/wallet-ranks.ts'
import { WalletSummaries } from './traders/wallet-summary.ts'
import { UnseenReads } from './unseen-reads.ts'

/** Tokens of a creator that a detail lists. */
export const CREATOR_TOKENS_MAX = 50
const NOTHING_SOUGHT = { query: '', version: -1, tokens: [] }

/**
 * The reads of the API. In: parsed requests and a budget. Out: JSON text, or bytes for tables. `tables` has the columns
 * that filters read, `search`, `traders` and `json` what their names say. A read sees one moment of the state, changes
 * nothing in it and never throws on an unknown mint or wallet; its caches (rows, columns, the last search) are derived
 * and bounded.
 */
export class EngineQueries implements Queries, TokenReads {
  #engine: Engine
  #parts: ReturnType<typeof partsOf>
  readonly #tick: () => void
  readonly #labels: WalletLabels
  /** The search made last. */
  #sought: { query: string; version: number; tokens: readonly number[] } = NOTHING_SOUGHT
  #version = 0
  /** Events taken, and the clock's second, at that version. */
  #events = -1
  #now = -1
  #labelled = 0

  /** `tick` brings the engine's now up to date before a read. */
  constructor(engine: Engine, tick: () => void, labels = new WalletLabels()) {
    this.#engine = engine
    this.#tick = tick
    this.#labels = labels
    this.#parts = partsOf(engine, labels)
  }

  /** What was asked for and is not known whole. */
  get unseen(): UnseenReads {
    return this.#parts.unseen
  }

  /** Answers from another engine from now on. */
  use(engine: Engine): void {
    this.#engine = engine
    this.#parts = partsOf(engine, this.#labels)
    this.#sought = NOTHING_SOUGHT
    this.#events = -1
  }

  /** Memory of the caches, part by part. */
  get memory(): readonly MemoryPart[] {
    const { columns, creators, holderHistory, ranks, rows, traders, wallets, windows } = this.#parts
    return [
      boundedPart('table_rows', rows),
      boundedPart('window_texts', windows),
      growingPart('table_columns', columns),
      creators.memory,
      boundedPart('wallet_trades', wallets.sums),
      boundedPart('first_buys', traders.firstBuys),
      boundedPart('holder_trades', holderHistory),
      ranks.memory,
    ]
  }

  /** Begins to note creations: after the recovery. */
  attach(): void {
    const { creators } = this.#parts
    this.#engine.facts.on('created', (token) => creators.created(token))
  }

  now(): number {
    this.#tick()
    return this.#engine.state.now
  }

  version(): number {
    this.#tick()
    const { counts, state } = this.#engine
    const events = counts.swaps + counts.events
    const { version } = this.#labels
    const isSame = events === this.#events && state.now === this.#now && version === this.#labelled
    if (!isSame) this.#version += 1
    this.#events = events
    this.#now = state.now
    this.#labelled = version
    return this.#version
  }

  isKnownAddress(address: string): boolean {
    const { book } = this.#engine.state
    return book.findToken(address) >= 0 || book.findWallet(address) >= 0
  }

  search(query: string, extra = false, budget = Budget.unlimited): string {
    const { search, top } = this.#engine
    this.#parts.columns.marketCaps().load(budget)
    this.#parts.columns.mintPrecedences().load(budget)
    search.load(budget)
    // Tokens of the turn before, whose holders are being read: most are found again.
    if (this.#sought.query === query) top.load(this.#sought.tokens, budget)
    const tokens = this.#named(query)
    top.load(tokens, budget)
    return this.#tokensJson(tokens, 'search', extra)
  }

  /** The tokens of a search; those of the last one are reused until something changes. */
  #named(query: string): readonly number[] {
    const version = this.version()
    if (this.#sought.query !== query || this.#sought.version !== version)
      this.#sought = { query, version, tokens: this.#parts.search.tokens(query.trim()) }
    return this.#sought.tokens
  }

  marketData(mints: readonly string[], extra = false, budget = Budget.unlimited): string {
    const tokens = this.#tokensNow(mints)
    this.#engine.top.load(tokens, budget)
    return this.#tokensJson(tokens, 'market', extra)
  }

  #tokensJson(tokens: readonly number[], resource: 'search' | 'market', extra: boolean): string {
    const { token: reader, windows } = this.#parts
    const rows = tokens.map((token) => {
      const more = extra ? `,"windows":${windows.of(token)}` : ''
      return tokenJson(reader.at(token), resource, extra, more)
    })
    return `[${rows.join(',')}]`
  }

  prices(mints: readonly string[], budget = Budget.unlimited): string {
    const { state } = this.#engine
    const items: string[] = []
    for (const token of this.#tokensNow(mints)) {
      // Its last trade may lie on the disk, and is in a cache when the read is made again.
      if (items.length > 0) budget.throwIfSpent()
      items.push(priceJson(state, this.#parts.token.at(token)))
    }
    return `[${items.join(',')}]`
  }

  priceAt(mint: string, seconds: number, budget = Budget.unlimited): string | null {
    const token = this.#tokenNow(mint)
    if (token < 0) return null
    const { state, chains } = this.#engine
    const trade = chains.newestUntil({ token, position: null }, seconds, budget)
    if (trade === null) return null
    return priceOfTradeJson(state, this.#parts.token.at(token), trade.index, trade.number)
  }

  /** Rows of distinct known tokens as of now, in the order asked. */
  #tokensNow(mints: readonly string[]): readonly number[] {
    return [...new Set(mints)].map((mint) => this.#tokenNow(mint)).filter((token) => token >= 0)
  }

  swaps(mint: string, wallet: string | null, page: Page, budget = Budget.unlimited): string {
    this.#tick()
    const { state, chains } = this.#engine
    const of = knownSwaps(state, mint, wallet)
    if (of === null) return pageJson(0, page, [])
    const swaps = chains.page(of, page.page, page.limit, budget)
    const { swap } = this.#parts
    const items = swaps.map((index) => swapJson(swap.at(index), page.extra, this.#labels))
    return pageJson(chains.total(of), page, items)
  }

  swapsFrom(
    mint: string,
    wallet: string | null,
    { after, limit, extra }: SwapCursor,
    budget = Budget.unlimited,
  ): string | null {
    this.#tick()
    const { state, chains } = this.#engine
    const of = knownSwaps(state, mint, wallet)
    if (of === null)
      return after === null ? `{"total":0,"limit":${limit},"items":[],"next_cursor":null}` : null
    const behind = chains.behind(of, after, limit, budget)
    if (behind === null) return null
    const { swaps, hasMore } = behind
    const { swap } = this.#parts
    const items = swaps.map((index) => swapJson(swap.at(index), extra, this.#labels))
    const last = swaps.at(-1)
    const next =
      hasMore && last !== undefined ? `"${cursorText(markOf(state.tape, last))}"` : 'null'
    return `{"total":${chains.total(of)},"limit":${limit},"items":[${items.join(',')}],"next_cursor":${next}}`
  }

  tokenTraders(mint: string, query: TraderQuery, budget = Budget.unlimited): string {
    return this.#parts.traders.ofToken(this.#tokenNow(mint), query, budget)
  }

  walletTokens(wallet: string, query: TraderQuery, budget = Budget.unlimited): string {
    this.#tick()
    return this.#parts.traders.ofWallet(knownWallet(this.#engine.state, wallet), query, budget)
  }

  holders(mint: string, page: Page, budget = Budget.unlimited): string {
    return this.#parts.traders.holders(this.#tokenNow(mint), page, budget)
  }

  firstBuyers(mint: string, page: Page, budget = Budget.unlimited): string {
    return this.#parts.traders.firstBuyers(this.#tokenNow(mint), page, budget)
  }

  wallet(wallet: string, budget = Budget.unlimited): string {
    this.#tick()
    const row = knownWallet(this.#engine.state, wallet)
    const keys = this.#parts.wallets.keys(row, budget)
    return `{"wallet":${jsonString(wallet)},"label":${labelJson(this.#labels.of(wallet))},${keys}}`
  }

  holderHistory(mint: string, resolution: Resolution, budget = Budget.unlimited) {
    const token = this.#tokenNow(mint)
    if (token < 0) return null
    return this.#parts.holderHistory.json(token, resolution, WIDTHS[resolution], budget)
  }

  creator(wallet: string, page: Page, budget = Budget.unlimited): string {
    this.#tick()
    const row = knownWallet(this.#engine.state, wallet)
    const keys = this.#parts.creatorPages.keys(row, page, budget)
    return `{"wallet":${jsonString(wallet)},"label":${labelJson(this.#labels.of(wallet))},${keys}}`
  }

  walletsTop(query: WalletRanksQuery, budget = Budget.unlimited): string {
    this.#tick()
    return this.#parts.ranks.json(query, this.#labels, budget)
  }

  walletTags(): string {
    return tagsJson(this.#labels)
  }

  /** Row of a token as of now, or -1. */
  #tokenNow(mint: string): number {
    this.#tick()
    const token = knownToken(this.#engine.state, mint)
    this.unseen.note(token)
    return token
  }

  detail(mint: string, budget = Budget.unlimited): string | null {
    const token = this.#tokenNow(mint)
    if (token < 0) return null
    const { state } = this.#engine
    const high = this.#parts.chart.allTimeHigh(token, budget)
    const listed = this.#parts.creators.ofCreatorOf(token, CREATOR_TOKENS_MAX, budget)
    // Before the reader stands on the token itself.
    const tokens = listed.map((one) => creatorTokenJson(this.#parts.token.at(one)))
    return tokenDetailJson(this.#parts.token.at(token), {
      high,
      swaps: state.tokens.get(token, TokenLane.swaps),
      traders: state.tokens.get(token, TokenLane.traders),
      creatorTokens: tokens,
      windows: this.#parts.windows.of(token),
    })
  }

  symbol(mint: string): { name: string; symbol: string; priceUsd: number } | null {
    const token = this.#tokenNow(mint)
    if (token < 0) return null
    const { name, symbol, priceUsd } = this.#parts.token.at(token)
    return { name, symbol, priceUsd }
  }

  chart(query: ChartQuery): string {
    return this.beginChart(query).write(Budget.unlimited)
  }

  beginChart(query: ChartQuery, budget = Budget.unlimited): BegunChart {
    this.#tick()
    const { state } = this.#engine
    const token = knownToken(state, query.mint)
    this.unseen.note(token)
    const changes = token < 0 ? 0 : state.changes.of(token)
    const text = chartText(this.#parts.chart, token, query, state.now, budget)
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
    const scans = groups.map((group) => {
      const filters = this.#parts.columns.predicates(query.filters[group], budget)
      this.#parts.scan.load(this.#engine.order.scanned(group), filters, query.limit, budget)
      return { group, filters }
    })
    if (query.orderBy !== undefined) this.#parts.columns.windows.values(query.orderBy, budget)
    const rows = this.#parts.rows
    const counts = new Map<Group, number>()
    rows.begin()
    for (const { group, filters } of scans) {
      rows.text(`${counts.size === 0 ? '{' : '],'}"${group}":[`)
      counts.set(group, this.#writeRows(group, filters, query, budget))
    }
    rows.text(']}')
    return rows.end(counts)
  }

  trending(query: TrendingQuery, budget = Budget.unlimited): TableAnswer {
    this.#tick()
    const { columns, rows, token: reader } = this.#parts
    const tokens = columns.windows.trending(query, this.#engine.order, budget)
    this.#engine.top.load(tokens, budget)
    const place = WINDOWS.indexOf(query.window)
    const read = TRENDING_METRICS[query.by]
    rows.begin()
    rows.text(`{"window":"${query.window}","by":"${query.by}","items":[`)
    for (const [at, token] of tokens.entries()) {
      const value = jsonNumber(read(this.#parts.window.at(token, place)))
      rows.ranked(reader.at(token), at + 1, value)
    }
    rows.text(']}')
    return rows.end(new Map([['items', tokens.length]]))
  }

  /** Writes the rows of a group: the first `limit` tokens in its order that pass. Returns their count. */
  #writeRows(
    group: Group,
    filters: readonly Predicate[],
    { limit, extra, orderBy }: TablesQuery,
    budget: Budget,
  ): number {
    const { order, top } = this.#engine
    const { scans } = top
    let count = 0
    const write = (token: number) => {
      // A row takes about a microsecond, but a read of thousands of holders takes long; they are then known.
      if (top.scans !== scans) budget.throwIfSpent()
      this.#parts.rows.row(this.#parts.token.at(token), count === 0, extra)
      count += 1
      return count < limit
    }
    const table = order.scanned(group)
    if (orderBy === undefined) this.#parts.scan.run(table, filters, write, limit)
    else {
      const greatest = new GreatestTokens(
        limit,
        this.#parts.columns.windows.values(orderBy, budget),
      )
      this.#parts.scan.run(table, filters, (token) => greatest.take(token))
      greatest.tokens.every(write)
    }
    return count
  }
}

/** What reads an engine, with caches of it. */
function partsOf(engine: Engine, labels: WalletLabels) {
  const { state } = engine
  const newReader = () => new TokenReader(state, engine.top, engine.links)
  const chart = new Chart(state, engine.chartTrades, engine.bars)
  const newWindows = () => new WindowReader(state, engine.window.trades, chart)
  const wallets = new WalletSummaries(engine)
  const creators = new CreatorTokens(state, engine.order, () => engine.areFactsWaiting)
  const tagged = new TaggedHolders(engine, labels)
  const columns = new TableColumns(state, newReader(), engine.links, newWindows(), tagged)
  const window = newWindows()
  const windows = new WindowJson(state, window)
  return {
    token: newReader(),
    swap: new SwapReader(state),
    unseen: new UnseenReads(state),
    traders: new TraderPages(engine, labels),
    rows: new RowCache(state, windows),
    window,
    windows,
    columns,
    scan: new TableScan(columns.candidates),
    search: new TokenSearch(state, engine.search, columns),
    chart,
    creators,
    holderHistory: new HolderHistory(engine),
    creatorPages: new CreatorPages(engine, creators),
    wallets,
    ranks: new WalletRanks(engine, wallets),
  }
}

/** Row of a token that an event named, or -1. */
export function knownToken(state: State, mint: string): number {
  const token = state.book.findToken(mint)
  if (token < 0 || token >= state.tokens.count) return -1
  return (state.tokens.get(token, TokenLane.flags) & TokenFlag.exists) === 0 ? -1 : token
}

/** Row of a wallet that traded, or -1. */
export function knownWallet(state: State, wallet: string): number {
  const row = state.book.findWallet(wallet)
  return row < state.wallets.count ? row : -1
}

/** A mint, or (not null) a wallet in it; null when nothing is known of them. */
function knownSwaps(state: State, mint: string, wallet: string | null): SwapsOf | null {
  const token = knownToken(state, mint)
  if (token < 0) return null
  if (wallet === null) return { token, position: null }
  const row = knownWallet(state, wallet)
  const position = row < 0 ? null : positionIn(state, token, row)
  return position === null ? null : { token, position }
}
