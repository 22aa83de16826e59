import { DatabaseSync } from 'node:sqlite'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { COLUMNS, conditionsOf, type TableRow } from './table-rows.ts'

/** The token tables out of SQLite in memory; with an index in the tables' order or without. */
export class SqliteTables {
  readonly #database = new DatabaseSync(':memory:')

  constructor(rows: readonly TableRow[], hasIndex: boolean) {
    const database = this.#database
    const columns = COLUMNS.map((name) => `${name} REAL`).join(', ')
    database.exec(`CREATE TABLE tokens (grp TEXT, rank INTEGER, json TEXT, ${columns})`)
    const marks = COLUMNS.map(() => '?').join(', ')
    const insert = database.prepare(`INSERT INTO tokens VALUES (?, ?, ?, ${marks})`)
    database.exec('BEGIN')
    for (const row of rows) insert.run(row.group, row.rank, row.json, ...row.values)
    database.exec('COMMIT')
    if (hasIndex) database.exec('CREATE INDEX places ON tokens (grp, rank)')
    database.exec('ANALYZE')
  }

  answer(query: TablesQuery): string {
    const parts = conditionsOf(query).map(([group, condition]) => {
      const sql = `SELECT json FROM tokens WHERE grp = ?${condition} ORDER BY rank DESC LIMIT ?`
      const found = this.#database.prepare(sql).all(group, query.limit)
      return `"${group}":[${found.map((row) => row.json).join(',')}]`
    })
    return `{${parts.join(',')}}`
  }

  close(): void {
    this.#database.close()
  }
}
