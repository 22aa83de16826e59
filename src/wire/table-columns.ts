import { METRICS } from '../engine/metrics.ts'
import type { State } from '../engine/state.ts'
import type { TokenReader } from '../engine/token-reader.ts'
import { RANGE_FILTERS, type RangeFilterName } from './answers.ts'
import { isWithin, MarketCapColumn, NumberColumn, type TokenColumn } from './token-columns.ts'

type Read = (token: TokenReader) => number

/** One condition of a filter. */
export interface Gate {
  passes(token: number): boolean
  /** Place of the last token at `from` or before it that passes; -1 when none does. */
  lastPassing(tokens: readonly number[], from: number): number
}

/**
 * Quantities that hang on other tokens or on the clock, and not on changes of the token alone: they
 * are read each time.
 */
const NEVER_KEPT: readonly RangeFilterName[] = [
  'xReuses',
  'ageMinutes',
  'devCreations',
  'devMigrations',
]

/** Is the quantity kept in a column? */
export function isKept(name: RangeFilterName): boolean {
  return !NEVER_KEPT.includes(name)
}

/**
 * The quantities that tables are filtered by, as columns: a value is read once for each change of its
 * token and then compared where it lies. A column is made when it is first asked for, so who asks
 * for none pays for none; there are as many as there are filters.
 */
export class TableColumns {
  readonly #state: State
  readonly #reader: TokenReader
  readonly #columns = new Map<RangeFilterName, TokenColumn>()

  /** `reader` is the columns' own: it is moved. */
  constructor(state: State, reader: TokenReader) {
    this.#state = state
    this.#reader = reader
  }

  /** Values from `min` to `max`, both allowed. */
  range(name: RangeFilterName, min: number, max: number): Gate {
    if (!isKept(name)) {
      const read = READS[name]
      return this.test((token) => isWithin(read(token), min, max))
    }
    return new ColumnGate(this.#column(name), min, max)
  }

  /** Any other condition, read each time. */
  test(passes: (token: TokenReader) => boolean): Gate {
    return new TestGate(this.#reader, passes)
  }

  /** Market caps in dollars; valid until the state changes. */
  marketCaps(): TokenColumn {
    return this.#column('mCapUsd')
  }

  #column(name: RangeFilterName): TokenColumn {
    let column = this.#columns.get(name)
    if (column === undefined) {
      column =
        name === 'mCapUsd'
          ? new MarketCapColumn(this.#state, this.#reader)
          : new NumberColumn(this.#state, this.#reader, READS[name])
      this.#columns.set(name, column)
    }
    column.cover()
    return column
  }
}

class ColumnGate implements Gate {
  readonly #column: TokenColumn
  readonly #min: number
  readonly #max: number

  constructor(column: TokenColumn, min: number, max: number) {
    this.#column = column
    this.#min = min
    this.#max = max
  }

  passes(token: number): boolean {
    return isWithin(this.#column.valueOf(token), this.#min, this.#max)
  }

  lastPassing(tokens: readonly number[], from: number): number {
    return this.#column.lastWithin(tokens, from, this.#min, this.#max)
  }
}

class TestGate implements Gate {
  readonly #reader: TokenReader
  readonly #test: (token: TokenReader) => boolean

  constructor(reader: TokenReader, test: (token: TokenReader) => boolean) {
    this.#reader = reader
    this.#test = test
  }

  passes(token: number): boolean {
    return this.#test(this.#reader.at(token))
  }

  lastPassing(tokens: readonly number[], from: number): number {
    let place = from
    while (place >= 0 && !this.passes(tokens[place])) place--
    return place
  }
}

function readOf(name: RangeFilterName): Read {
  const metric = METRICS.find((row) => row.filter === name)
  if (metric === undefined || metric.kind !== 'number') throw new Error(`no range metric ${name}`)
  return metric.read
}

const READS: Readonly<Record<RangeFilterName, Read>> = Object.assign(
  {},
  ...RANGE_FILTERS.map((name) => ({ [name]: readOf(name) })),
)
