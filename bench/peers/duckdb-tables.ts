import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { TablesQuery } from '../../src/wire/answers.ts'
import { COLUMNS, conditionsOf, type TableRow } from './table-rows.ts'

/** The token tables out of DuckDB in memory, with all the cores it wants. */
export class DuckdbTables {
  readonly #connection: DuckDBConnection

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  static async open(rows: readonly TableRow[]): Promise<DuckdbTables> {
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
