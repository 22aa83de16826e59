import type { TablesQuery } from '../../src/protocol/queries.ts'
import { COLUMNS, conditionsOf, type TableRow } from './table-rows.ts'

/**
 * DuckDB's package. It is no dependency of the project: 70 MB of a native part that not every
 * registry has for every platform, so that the lock file would not install everywhere.
 */
const PACKAGE = '@duckdb/node-api'
const INSTALL = `npm install --no-save ${PACKAGE}@1.5.6-r.1`

/** What is used of it. */
interface DuckdbModule {
  readonly DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<Connection> }> }
}
interface Connection {
  run(sql: string): Promise<unknown>
  createAppender(table: string): Promise<Appender>
  runAndReadAll(sql: string): Promise<{ getRows(): readonly (readonly unknown[])[] }>
  closeSync(): void
}
interface Appender {
  appendVarchar(value: string): void
  appendInteger(value: number): void
  appendDouble(value: number): void
  endRow(): void
  closeSync(): void
}

function isDuckdb(module: unknown): module is DuckdbModule {
  return typeof module === 'object' && module !== null && 'DuckDBInstance' in module
}

async function loaded(): Promise<DuckdbModule> {
  const module: unknown = await import(PACKAGE).catch(() => null)
  if (!isDuckdb(module)) throw new Error(`it is not installed (${INSTALL})`)
  return module
}

/** The token tables out of DuckDB in memory, with all the cores it wants. */
export class DuckdbTables {
  readonly #connection: Connection

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  static async open(rows: readonly TableRow[]): Promise<DuckdbTables> {
    const { DuckDBInstance } = await loaded()
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const columns = COLUMNS.map((name) => `${name} DOUBLE`).join(', ')
    await connection.run(
      `CREATE TABLE tokens (grp VARCHAR, rank INTEGER, json VARCHAR, ${columns})`,
    )
    const appender = await connection.createAppender('tokens')
    for (const row of rows) {
      appender.appendVarchar(row.group)
      appender.appendInteger(row.rank)
      appender.appendVarchar(row.json)
      for (const value of row.values) appender.appendDouble(value)
      appender.endRow()
    }
    appender.closeSync()
    return new DuckdbTables(connection)
  }

  async answer(query: TablesQuery): Promise<string> {
    const parts: string[] = []
    for (const [group, condition] of conditionsOf(query)) {
      const sql = `SELECT json FROM tokens WHERE grp = '${group}'${condition} ORDER BY rank DESC LIMIT ${query.limit}`
      const found = await this.#connection.runAndReadAll(sql)
      parts.push(`"${group}":[${found.getRows().join(',')}]`)
    }
    return `{${parts.join(',')}}`
  }

  close(): void {
    this.#connection.closeSync()
  }
}
