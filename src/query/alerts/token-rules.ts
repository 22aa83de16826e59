/**
 * Rules on tokens: which tokens a filter lets pass, or whose price or market cap is at a value or above. Once a second of
 * the events the tokens that changed are compared (`compare`), and each rule is held against all tokens every
 * `WIDE_SECONDS` (`compareAll`), since age, the price of SOL and other tokens of a creator change tokens that no event
 * names.
 */
import { Budget, UNFINISHED, within } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import type { OrderedTokens } from '../../engine/index/token-order.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { flagsOf } from '../../engine/state/lanes.ts'
import { TokenFlag } from '../../engine/state/layout.ts'
import { type AlertRule, groupsOf } from '../../protocol/alerts.ts'
import { GROUPS } from '../../protocol/filters.ts'
import { jsonNumber, jsonString } from '../../protocol/wire.ts'
import { tokenJson } from '../json/token-json.ts'
import { type Predicate, TableScan } from '../tables/column-scan.ts'
import { TableColumns } from '../tables/table-columns.ts'
import { TokenSet } from './token-set.ts'

/** So many seconds apart a rule is held against every token. */
export const WIDE_SECONDS = 10

/** A rule whose tokens are remembered: one of a filter, or of a value that is crossed. */
export type TokenRule = AlertRule & {
  readonly when: Extract<AlertRule['when'], { kind: 'filter' | 'price' | 'market_cap' }>
}

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
  /** Place in the log of changes up to which tokens were compared; -1: none were. */
  #place = -1

  constructor(engine: Engine) {
    const { state, top, links } = engine
    this.#engine = engine
    this.#reader = new TokenReader(state, top, links)
    this.#columns = new TableColumns(state, new TokenReader(state, top, links), links)
  }

  get bytes(): number {
    return this.#columns.bytes
  }

  /** Reads what a rule compares, in slices: some quantities take long for all tokens. */
  async load(rule: TokenRule, sliceMs: number, pause: () => Promise<void>): Promise<void> {
    for (const { column } of this.#conditions(rule).flat())
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
    const ofTables = GROUPS.map((_, table) => {
      const of = sorted.filter((token) => this.#engine.order.tableOf(token) === table)
      return [{ tokens: Uint32Array.from(of), count: of.length }]
    })
    return { tokens: sorted, ofTables }
  }

  /** Tokens up to now are compared, or need not be. */
  passed(): void {
    this.#place = this.#engine.state.changes.log.end
  }

  /** Compares the tokens that changed; `null`, all of them. */
  compare(rule: TokenRule, has: TokenSet, changed: Changed | null): Flip[] {
    const mint = 'mint' in rule.when ? rule.when.mint : null
    if (mint !== null) return this.#compareOne(rule, has, mint)
    const found = new TokenSet()
    const note = (token: number) => {
      found.set(token, true)
      return true
    }
    for (const [table, conditions] of this.#conditions(rule).entries()) {
      const blocks = changed?.ofTables[table] ?? this.#engine.order[GROUPS[table] ?? 'new'].blocks
      if (this.#isAbout(rule, table)) this.#scan.run(blocks, conditions, note)
    }
    const differing =
      changed === null
        ? found.differences(has)
        : changed.tokens.filter((token) => found.has(token) !== has.has(token))
    return differing.map((token) => this.#flip(has, token, found.has(token)))
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

  #compareOne(rule: TokenRule, has: TokenSet, mint: string): Flip[] {
    const { state, order } = this.#engine
    const token = state.book.findToken(mint)
    if (token < 0 || token >= state.tokens.count || order.tableOf(token) < 0) return []
    const { when } = rule
    if (when.kind === 'filter') return []
    const reader = this.#reader.at(token)
    const now = when.kind === 'price' ? reader.priceUsd : reader.marketCapUsd
    return now >= when.value === has.has(token) ? [] : [this.#flip(has, token, now >= when.value)]
  }

  #flip(has: TokenSet, token: number, isIn: boolean): Flip {
    has.set(token, isIn)
    return { token, isIn }
  }

  #isAbout({ when }: TokenRule, table: number): boolean {
    if (when.kind !== 'filter') return true
    return groupsOf(when.filter, GROUPS).some((group) => GROUPS.indexOf(group) === table)
  }

  /** By table. */
  #conditions({ when }: TokenRule): readonly (readonly Predicate[])[] {
    if (when.kind === 'filter')
      return GROUPS.map((group) => this.#columns.predicates(when.filter.filters[group]))
    const { value } = when
    const conditions =
      when.kind === 'price'
        ? [this.#columns.pricesFrom(value)]
        : this.#columns.predicates({ mCapUsd: { min: value } })
    return GROUPS.map(() => conditions)
  }
}
