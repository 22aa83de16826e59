/**
 * Rules on tokens: which tokens a filter lets pass, or whose price or market cap is at a value or above. Once a second of
 * the events the tokens that changed are compared (`compare`), and each rule is held against all tokens every
 * `WIDE_SECONDS` (`compareAll`), since age, the price of SOL and other tokens of a creator change tokens that no event
 * names.
 */
import { Budget, UNFINISHED, within } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import type { OrderedTokens } from '../../engine/index/token-order.ts'
import { Chart } from '../../engine/read/chart.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { WindowReader } from '../../engine/read/window-reader.ts'
import { flagsOf } from '../../engine/state/lanes.ts'
import { TokenFlag } from '../../engine/state/layout.ts'
import type { AlertRule } from '../../protocol/alerts.ts'
import { type Filters, GROUPS } from '../../protocol/filters.ts'
import type { TablesQuery } from '../../protocol/queries.ts'
import type { WalletLabels } from '../../protocol/wallet-labels.ts'
import { jsonNumber, jsonString } from '../../protocol/wire.ts'
import { tokenJson } from '../json/token-json.ts'
import { TableScan } from '../tables/column-scan.ts'
import { TableColumns } from '../tables/table-columns.ts'
import { TaggedHolders } from '../tables/tagged-holders.ts'
import { TokenSet } from './token-set.ts'

/** So many seconds apart a rule is held against every token. */
export const WIDE_SECONDS = 10

/** A rule whose tokens are remembered: one of a filter, or of a value that is crossed. */
export type TokenRule = AlertRule & {
  readonly when: Extract<AlertRule['when'], { kind: 'filter' | 'price' | 'market_cap' }>
}

type Crossed = Extract<TokenRule['when'], { kind: 'price' | 'market_cap' }>

/** Filters on what events of the token change alone: the log of changes names it then. Of any other one it is not known. */
const OF_THE_TOKEN: ReadonlySet<string> = new Set<keyof Filters>([
  ...(['volumeUsd', 'txsBuys', 'txsSells', 'holders', 'proTradersAmount', 'socials'] as const),
  ...(['top10HoldingPct', 'devHoldingPct', 'snipersHoldingPct', 'insidersHoldingPct'] as const),
  ...(['bundlersHoldingPct', 'freshWalletsHoldingPct', 'devSoldAll', 'dexPaid'] as const),
  ...(['caEndsWithSuffix', 'historyComplete'] as const),
])

export function isTokenRule(rule: AlertRule): rule is TokenRule {
  return ['filter', 'price', 'market_cap'].includes(rule.when.kind)
}

/** A token that a rule has now, or has not any more. */
interface Flip {
  readonly token: number
  readonly isIn: boolean
}

type Blocks = OrderedTokens['blocks']

/** Tokens that changed: all, ascending, and those of each table. */
interface Changed {
  readonly tokens: readonly number[]
  readonly ofTables: readonly Blocks[]
}

/** Compares tokens of one engine with rules. */
export class TokenRules {
  readonly #engine: Engine
  readonly #reader: TokenReader
  readonly #columns: TableColumns
  readonly #scan = new TableScan()
  /** The tokens that pass a rule, while it is compared. */
  readonly #found = new TokenSet()
  /** Place in the log of changes up to which tokens were compared; -1: none were. */
  #place = -1

  /** `labels` are those of the user's file, by which a filter may ask for holders. */
  constructor(engine: Engine, labels: WalletLabels) {
    const { state, top, links } = engine
    this.#engine = engine
    this.#reader = new TokenReader(state, top, links)
    const chart = new Chart(state, engine.chartTrades, engine.bars)
    this.#columns = new TableColumns(
      state,
      new TokenReader(state, top, links),
      links,
      new WindowReader(state, engine.window.trades, chart),
      new TaggedHolders(state, engine.positions, labels),
    )
  }

  get bytes(): number {
    return this.#columns.bytes
  }

  /** Reads what a rule compares, in slices: some quantities take long for all tokens. */
  async load({ when }: TokenRule, sliceMs: number, pause: () => Promise<void>): Promise<void> {
    const columns =
      when.kind === 'filter'
        ? Object.values(when.filter.filters).flatMap((filters) => this.#columns.predicates(filters))
        : [{ column: this.#columnOf(when.kind) }]
    for (const { column } of columns)
      while (within(Budget.ofMs(sliceMs), (budget) => column.load(budget)) === UNFINISHED)
        await pause()
  }

  /** The tokens that changed since the last call; null: any may have. */
  takeChanged(): Changed | null {
    const { log } = this.#engine.state.changes
    const from = this.#place
    this.#place = log.end
    if (from < 0 || !log.reaches(from)) return null
    const tokens = new Set<number>()
    for (let place = from; place < log.end; place++) tokens.add(log.at(place))
    const sorted = [...tokens].sort((a, b) => a - b)
    const ofTables = GROUPS.map(() => ({ tokens: new Uint32Array(sorted.length), count: 0 }))
    for (const token of sorted) {
      const of = ofTables[this.#engine.order.tableOf(token)]
      if (of !== undefined) of.tokens[of.count++] = token
    }
    return { tokens: sorted, ofTables: ofTables.map((of) => [of]) }
  }

  /** Tokens up to now are compared, or need not be. */
  passed(): void {
    this.#place = this.#engine.state.changes.log.end
  }

  /** Compares the tokens that changed; `null`, all of them. */
  compare(rule: TokenRule, has: TokenSet, changed: Changed | null): Flip[] {
    const found = this.#found
    if (rule.when.kind === 'filter') this.#find(rule.when.filter, changed)
    else if (rule.when.mint !== null) return this.#compareOne(rule.when, has)
    else this.#findAbove(rule.when, changed)
    const differing =
      changed === null
        ? found.differences(has)
        : changed.tokens.filter((token) => found.has(token) !== has.has(token))
    const flips = differing.map((token) => this.#flip(has, token, found.has(token)))
    if (changed === null) found.clear()
    else for (const token of changed.tokens) if (found.has(token)) found.set(token, false)
    return flips
  }

  /** May tokens of the rule change without an event of theirs? */
  changesByItself({ when }: TokenRule): boolean {
    if (when.kind !== 'filter') return true
    const filters = Object.values(when.filter.filters)
    return filters.some((one) => Object.keys(one).some((name) => !OF_THE_TOKEN.has(name)))
  }

  #find(query: TablesQuery, changed: Changed | null): void {
    for (const [table, group] of GROUPS.entries()) {
      if (query.type !== 'all' && query.type !== group) continue
      const blocks = changed?.ofTables[table] ?? this.#engine.order[group].blocks
      this.#scan.run(blocks, this.#columns.predicates(query.filters[group]), this.#note)
    }
  }

  #findAbove({ kind, value }: Crossed, changed: Changed | null): void {
    const column = this.#columnOf(kind)
    if (changed !== null) {
      for (const token of changed.tokens) if (column.usdOf(token) >= value) this.#note(token)
      return
    }
    const values = column.all()
    for (let token = 0; token < values.length; token++)
      if ((values[token] ?? 0) >= value) this.#note(token)
  }

  readonly #note = (token: number): boolean => {
    this.#found.set(token, true)
    return true
  }

  /** Was it seen for the first time behind a second, with prices of before that nobody knows? */
  isFirstSight(token: number, second: number): boolean {
    const isCreationKnown = (flagsOf(this.#engine.state, token) & TokenFlag.creationKnown) !== 0
    return !isCreationKnown && this.#reader.at(token).createdAt > second
  }

  /** What is told of a flip, as JSON text. */
  dataOf({ when }: TokenRule, { token, isIn }: Flip): string {
    const reader = this.#reader.at(token)
    const row = tokenJson(reader, 'table')
    if (when.kind === 'filter') return row
    return (
      `{"mint":${jsonString(reader.mint)},"direction":"${isIn ? 'up' : 'down'}"` +
      `,"value":${jsonNumber(when.value)},"price_usd":${jsonNumber(reader.priceUsd)}` +
      `,"market_cap":${jsonNumber(reader.marketCapUsd)},"token":${row}}`
    )
  }

  #compareOne({ kind, value, mint }: Crossed, has: TokenSet): Flip[] {
    const { state, order } = this.#engine
    const token = state.book.findToken(mint ?? '')
    if (token < 0 || token >= state.tokens.count || order.tableOf(token) < 0) return []
    const isIn = this.#columnOf(kind).usdOf(token) >= value
    return isIn === has.has(token) ? [] : [this.#flip(has, token, isIn)]
  }

  #columnOf(kind: Crossed['kind']): ReturnType<TableColumns['prices']> {
    return kind === 'price' ? this.#columns.prices() : this.#columns.marketCaps()
  }

  #flip(has: TokenSet, token: number, isIn: boolean): Flip {
    has.set(token, isIn)
    return { token, isIn }
  }
}
