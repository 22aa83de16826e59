/**
 * Rules on tokens: which tokens a filter lets pass, or whose price or market cap is at a value or above. At each moment
 * (`look`) the tokens that changed since the one before are compared. Age, the price of SOL and other tokens of a creator
 * change tokens that no event names, so rules that this can concern look at a share of all tokens too, at all of them
 * in `WIDE_SECONDS`.
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
import { TokenSet, tokensOf, type UsedWords, WORD_BITS } from './token-set.ts'
import { type Valued, ValueLevels } from './value-levels.ts'

/** In so many seconds a rule has looked at every token, at as many each second. */
export const WIDE_SECONDS = 10

/** Rows that are kept within a moment, of some kilobyte each. */
const ROWS_MAX = 1_024

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
export interface Flip {
  readonly token: number
  readonly isIn: boolean
}

type Blocks = OrderedTokens['blocks']

/** Tokens that are compared: ascending, as bits, and those of each table. */
interface Looked {
  readonly tokens: Uint32Array
  readonly words: UsedWords
  readonly ofTables: () => readonly Blocks[]
}

/** What is compared at one moment. */
export interface Moment {
  readonly changed: Looked
  /** For filters whose tokens may change by themselves: those that changed, and their share of all. */
  readonly wide: () => Looked
  /** Of these, the tokens that came to another side of a value of some rule. */
  readonly crossed: ReadonlyMap<Crossed['kind'], Valued>
}

/** Compares tokens of one engine with rules. */
export class TokenRules {
  readonly #engine: Engine
  readonly #reader: TokenReader
  readonly #columns: TableColumns
  readonly #scan = new TableScan()
  /** Empty between two calls: the tokens that pass a rule, or that are to be compared. */
  readonly #found = new TokenSet()
  readonly #levels = new Map<Crossed['kind'], ValueLevels>()
  /** Has it a rule whose tokens may change by themselves? */
  #hasWide = false
  /** Rows of tokens at this moment as JSON: one is often told by several rules. */
  readonly #rows = new Map<number, string>()
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
      new TaggedHolders(engine, labels),
    )
  }

  get bytes(): number {
    const levels = [...this.#levels.values()]
    return levels.reduce((sum, { bytes }) => sum + bytes, this.#columns.bytes)
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

  /** The rules that are compared from here on. */
  follow(rules: readonly TokenRule[]): void {
    this.#hasWide = rules.some((rule) => this.changesByItself(rule))
    this.#levels.clear()
    for (const kind of ['price', 'market_cap'] as const) {
      const values = rules.flatMap(({ when }) =>
        when.kind === kind && when.mint === null ? [when.value] : [],
      )
      if (values.length > 0) this.#levels.set(kind, new ValueLevels(values))
    }
  }

  /** What is to be compared now: what changed since the last call, and the share of the seconds behind `before` up to `second`. */
  look(before: number, second: number): Moment {
    const { log } = this.#engine.state.changes
    this.#rows.clear()
    const from = this.#place
    this.#place = log.end
    const isAll = from < 0 || !log.reaches(from)
    if (!isAll)
      for (let place = from; place < log.end; place++) this.#found.set(log.at(place), true)
    const changed = isAll ? this.#all() : this.#looked()
    const share = isAll || !this.#hasWide || second <= before ? [] : this.#shareOf(before, second)
    let wide: Looked | null = share.length === 0 ? changed : null
    const crossed = [...this.#levels].map(
      ([kind, levels]) => [kind, this.#crossedOf(kind, levels, changed, share)] as const,
    )
    return {
      changed,
      wide: () => (wide ??= this.#lookedWith(changed, share)),
      crossed: new Map(crossed),
    }
  }

  /** Words of the tokens that are looked at in the seconds behind `before` up to `second`. */
  #shareOf(before: number, second: number): readonly number[] {
    const words = this.#engine.state.tokens.count / WORD_BITS
    const share: number[] = []
    for (let at = Math.max(before + 1, second - WIDE_SECONDS + 1); at <= second; at++)
      for (let word = at % WIDE_SECONDS; word < words; word += WIDE_SECONDS) share.push(word)
    return share
  }

  #lookedWith({ words: { words, bits } }: Looked, share: readonly number[]): Looked {
    const { count } = this.#engine.state.tokens
    for (let i = 0; i < words.length; i++) this.#found.setWord(words[i] ?? 0, bits[i] ?? 0)
    for (const word of share) this.#found.setWord(word, bitsBefore(count - word * WORD_BITS))
    return this.#looked()
  }

  #crossedOf(
    kind: Crossed['kind'],
    levels: ValueLevels,
    changed: Looked,
    share: readonly number[],
  ): Valued {
    const { solPriceUsd } = this.#engine.state
    const read = share.filter((word) => levels.mayCross(word, solPriceUsd))
    for (const word of read) levels.begin(word)
    const { tokens } = read.length === 0 ? changed : this.#lookedWith(changed, read)
    const column = this.#columnOf(kind)
    const solBearing = (token: number, usd: number) => column.solBearing(token, usd)
    return levels.crossed({ tokens, usd: column.usdOfAll(tokens) }, { solPriceUsd, solBearing })
  }

  #all(): Looked {
    const { count } = this.#engine.state.tokens
    for (let token = 0; token < count; token += WORD_BITS)
      this.#found.setWord(token / WORD_BITS, bitsBefore(count - token))
    return this.#looked()
  }

  /** Takes the tokens out of the set. */
  #looked(): Looked {
    const words = this.#found.used
    const tokens = tokensOf(words)
    this.#found.clear()
    let ofTables: readonly Blocks[] | null = null
    return { tokens, words, ofTables: () => (ofTables ??= this.#tablesOf(tokens)) }
  }

  #tablesOf(tokens: Uint32Array): readonly Blocks[] {
    const ofTables = GROUPS.map(() => ({ tokens: new Uint32Array(tokens.length), count: 0 }))
    for (const token of tokens) {
      const of = ofTables[this.#engine.order.tableOf(token)]
      if (of !== undefined) of.tokens[of.count++] = token
    }
    return ofTables.map((of) => [of])
  }

  #valued(kind: Crossed['kind'], tokens: Uint32Array): Valued {
    return { tokens, usd: this.#columnOf(kind).usdOfAll(tokens) }
  }

  /** Tokens up to now are compared, or need not be. */
  passed(): void {
    this.#place = this.#engine.state.changes.log.end
  }

  /**
   * Compares what there is at a moment; `null`, all tokens.
   * @throws TapeDamage, EndlessChain when history that a filter asks for cannot be read; nothing is compared then
   */
  compare(rule: TokenRule, has: TokenSet, moment: Moment | null): Flip[] {
    const { when } = rule
    if (when.kind === 'filter') {
      const looked =
        moment === null ? this.#all() : this.changesByItself(rule) ? moment.wide() : moment.changed
      return this.#compareFilter(when.filter, has, looked)
    }
    if (when.mint !== null) return this.#compareOne(when, has)
    const flips: Flip[] = []
    const { tokens, usd } =
      moment?.crossed.get(when.kind) ?? this.#valued(when.kind, this.#all().tokens)
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i] ?? 0
      const isIn = (usd[i] ?? 0) >= when.value
      if (isIn !== has.has(token)) flips.push(this.#flip(has, token, isIn))
    }
    return flips
  }

  /** May tokens of the rule change without an event of theirs? */
  changesByItself({ when }: TokenRule): boolean {
    if (when.kind !== 'filter') return when.mint === null
    const filters = Object.values(when.filter.filters)
    return filters.some((one) => Object.keys(one).some((name) => !OF_THE_TOKEN.has(name)))
  }

  #compareFilter(query: TablesQuery, has: TokenSet, looked: Looked): Flip[] {
    try {
      this.#find(query, looked)
      const differing = this.#found.differences(has, looked.words)
      return differing.map((token) => this.#flip(has, token, this.#found.has(token)))
    } finally {
      this.#found.clear()
    }
  }

  #find(query: TablesQuery, looked: Looked): void {
    const ofTables = looked.ofTables()
    for (const [table, group] of GROUPS.entries()) {
      if (query.type !== 'all' && query.type !== group) continue
      this.#scan.run(
        { blocks: ofTables[table] ?? [] },
        this.#columns.predicates(query.filters[group]),
        this.#note,
      )
    }
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
    const row = this.#rows.get(token) ?? tokenJson(reader, 'table')
    if (this.#rows.size < ROWS_MAX) this.#rows.set(token, row)
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
    has.flip(token, isIn)
    return { token, isIn }
  }
}

/** The first `count` bits of a word, at most all. */
function bitsBefore(count: number): number {
  return count >= WORD_BITS ? -1 : (1 << count) - 1
}
