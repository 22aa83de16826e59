import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'

export type Row = Readonly<Record<string, SQLOutputValue>>

/** SQL of a database, each statement prepared once. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  run(sql: string, ...values: readonly (string | number | Uint8Array | null)[]) {
    return this.#statement(sql).run(...values)
  }

  all(sql: string, ...values: readonly (string | number | null)[]): readonly Row[] {
    return this.#statement(sql).all(...values)
  }

  get(sql: string, ...values: readonly (string | number)[]): Row | undefined {
    return this.#statement(sql).get(...values)
  }

  /** Column `n` of the first row; 0: there is none. */
  count(sql: string): number {
    const row = this.get(sql)
    return row === undefined ? 0 : numberIn(row, 'n')
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const made = this.#db.prepare(sql)
    this.#prepared.set(sql, made)
    return made
  }
}

export function textIn(row: Row, name: string): string {
  const { [name]: value } = row
  return typeof value === 'string' ? value : ''
}

export function numberIn(row: Row, name: string): number {
  return Number(row[name])
}
