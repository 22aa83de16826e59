import { METRICS } from '../engine/metrics.ts'
import type { State } from '../engine/state.ts'
import type { TokenReader } from '../engine/token-reader.ts'
import { RANGE_FILTERS, type RangeFilterName } from './answers.ts'

const FIRST_TOKENS = 1024

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
  readonly #columns = new Map<RangeFilterName, Column>()

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

  #column(name: RangeFilterName): Column {
    let column = this.#columns.get(name)
    if (column === undefined) {
      const follows = name === 'mCapUsd' ? () => this.#state.solPriceUsd : () => 0
      column = new Column(this.#state, this.#reader, READS[name], follows)
      this.#columns.set(name, column)
    }
    column.follow()
    return column
  }
}

/** Values of one quantity by token, with the count of changes that each was read at. */
class Column {
  values = new Float64Array(FIRST_TOKENS)
  readonly #state: State
  readonly #reader: TokenReader
  readonly #read: Read
  readonly #follows: () => number
  /** Count of changes + 1 of each value; 0: never read. */
  #changes = new Float64Array(FIRST_TOKENS)
  #followed = 0

  constructor(state: State, reader: TokenReader, read: Read, follows: () => number) {
    this.#state = state
    this.#reader = reader
    this.#read = read
    this.#follows = follows
  }

  /** Forgets every value when what all of them hang on is another. */
  follow(): void {
    const { count } = this.#state.tokens
    if (count > this.values.length) this.#widen(count)
    const followed = this.#follows()
    if (followed !== this.#followed) this.#changes.fill(0)
    this.#followed = followed
  }

  valueOf(token: number): number {
    if (this.#changes[token] !== this.#state.changes.of(token) + 1) this.#readAnew(token)
    return this.values[token]
  }

  /** As `Gate.lastPassing`, where the values lie. */
  lastWithin(tokens: readonly number[], from: number, min: number, max: number): number {
    const { values } = this
    const known = this.#changes
    const changes = this.#state.changes.counts(this.#state.tokens.count)
    for (let place = from; place >= 0; place--) {
      const token = tokens[place]
      if (known[token] !== changes[token] + 1) this.#readAnew(token)
      const value = values[token]
      if (isWithin(value, min, max)) return place
    }
    return -1
  }

  #readAnew(token: number): void {
    this.values[token] = this.#read(this.#reader.at(token))
    this.#changes[token] = this.#state.changes.of(token) + 1
  }

  #widen(count: number): void {
    const size = Math.max(count, this.values.length * 2)
    const values = new Float64Array(size)
    values.set(this.values)
    this.values = values
    const changes = new Float64Array(size)
    changes.set(this.#changes)
    this.#changes = changes
  }
}

class ColumnGate implements Gate {
  readonly #column: Column
  readonly #min: number
  readonly #max: number

  constructor(column: Column, min: number, max: number) {
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

function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max
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
