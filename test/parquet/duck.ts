/**
 * DuckDB in the process of a test. Its binary comes with a package for some platforms alone: elsewhere the tests that ask it
 * are skipped, and say why.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { messageOf } from '../../src/base/errors.ts'

type Row = Readonly<Record<string, unknown>>

/** A database in memory. */
export class Duck {
  readonly #connection: DuckDBConnection

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  /** Rows with integers of 64 bits and more as bigint, instants as Date. */
  async rows(sql: string): Promise<readonly Row[]> {
    return (await this.#connection.runAndReadAll(sql)).getRowObjectsJS()
  }

  /** The one row of an answer. */
  async row(sql: string): Promise<Row> {
    const [row, ...others] = await this.rows(sql)
    if (row === undefined || others.length > 0) throw new Error(`it is not one row: ${sql}`)
    return row
  }

  /** Names and values as DuckDB prints them. */
  async printed(sql: string): Promise<{ names: readonly string[]; rows: readonly string[][] }> {
    const reader = await this.#connection.runAndReadAll(sql)
    const rows = reader.getRows().map((row) => row.map((value) => String(value)))
    return { names: reader.columnNames(), rows }
  }
}

/** Sums of doubles depend on the order of rows, and so on threads. */
const SETTINGS = { threads: '1' }

async function connected(): Promise<Duck | null> {
  try {
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(':memory:', SETTINGS)
    return new Duck(await instance.connect())
  } catch (error) {
    console.log(`There is no DuckDB here (${messageOf(error)}): tests that ask it are skipped.`)
    return null
  }
}

/** Null: it cannot be loaded here. */
export const DUCK = await connected()

/** DuckDB in a test that is skipped without it. */
export function duck(): Duck {
  if (DUCK === null) throw new Error('a test without DuckDB is skipped')
  return DUCK
}
