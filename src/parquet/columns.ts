import { asU64 } from '../base/u64.ts'
import { finiteNumber } from '../protocol/wire.ts'

/**
 * `src/parquet` writes what an engine knows as files of Parquet. In: an engine that was loaded, a range of days. Out: files
 * of a day each. Rows are streamed through one group of columns, so that memory does not grow with the market.
 *
 * A column is its name, its type in the file, and how its value is read off a row. A row is a reader that stands on a swap, a
 * token, a position or a bar, so that nothing is copied before it is in its column.
 */
export type Column<Row> = { readonly name: string } & (
  | { readonly kind: 'u64'; readonly read: (row: Row) => bigint }
  /** Whole numbers of less than 2^32. */
  | { readonly kind: 'u32'; readonly read: (row: Row) => number }
  /** 0 where it is not finite, as on the wire. */
  | { readonly kind: 'double'; readonly read: (row: Row) => number }
  | { readonly kind: 'boolean'; readonly read: (row: Row) => boolean }
  /** UTF-8; null: there is none. */
  | { readonly kind: 'text'; readonly read: (row: Row) => string | null }
  /** Unix seconds; null: there is none. */
  | { readonly kind: 'time'; readonly read: (row: Row) => number | null }
)

/** Rows that are in memory at once, as a row group of a file. */
export const GROUP_ROWS = 65_536

const SECOND_MS = 1_000n

type Values = BigUint64Array | Float64Array | unknown[]

/** The values of one column of a row group. */
interface Store<Row> {
  take(row: Row, at: number): void
  values(count: number): Values
}

/** Rows of a group, column by column; the room is used again for the next group. */
export class RowGroup<Row> {
  readonly #stores: readonly (readonly [name: string, store: Store<Row>])[]
  #count = 0

  constructor(columns: readonly Column<Row>[]) {
    this.#stores = columns.map((column) => [column.name, storeOf(column)])
  }

  get count(): number {
    return this.#count
  }

  get isFull(): boolean {
    return this.#count === GROUP_ROWS
  }

  add(row: Row): void {
    for (const [, store] of this.#stores) store.take(row, this.#count)
    this.#count += 1
  }

  /** The columns of the rows that were added; good until the next one is. */
  take(): { name: string; data: Values }[] {
    const count = this.#count
    this.#count = 0
    return this.#stores.map(([name, store]) => ({ name, data: store.values(count) }))
  }
}

function storeOf<Row>(column: Column<Row>): Store<Row> {
  switch (column.kind) {
    case 'u64': {
      const values = new BigUint64Array(GROUP_ROWS)
      return typed(values, (row, at) => {
        values[at] = column.read(row)
      })
    }
    case 'double': {
      const values = new Float64Array(GROUP_ROWS)
      return typed(values, (row, at) => {
        values[at] = finiteNumber(column.read(row))
      })
    }
    case 'time':
      return listed((row) => millisecondsOf(column.read(row)))
    default:
      return listed(column.read)
  }
}

function typed<Row>(values: BigUint64Array | Float64Array, take: Store<Row>['take']): Store<Row> {
  return { take, values: (count) => values.subarray(0, count) }
}

function listed<Row>(read: (row: Row) => unknown): Store<Row> {
  const values: unknown[] = []
  return {
    take(row, at) {
      values[at] = read(row)
    },
    values: (count) => values.slice(0, count),
  }
}

function millisecondsOf(seconds: number | null): bigint | null {
  return seconds === null ? null : BigInt(seconds) * SECOND_MS
}

/** An amount that is kept as a double, micro-USD or lamports, as the u64 that is nearest. */
export function u64Of(amount: number): bigint {
  return asU64(BigInt(Math.round(finiteNumber(amount))))
}
