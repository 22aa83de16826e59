/**
 * The tokens that each rule has, in `alerts.db`: pages of bits, and changes of single tokens behind them. A page is some
 * hundred bytes in a place of its own and a commit flips some bits of many, so each commit writes its changes in one row, and
 * the pages of one rule.
 */
import { jsonOf, listAt } from '../base/json-access.ts'
import type { StoredTokens } from '../query/alerts/alert-watch.ts'
import { numberIn, type Statements, textIn } from './statements.ts'

/** Number of the page that has the condition of a rule in place of tokens. */
const CONDITION_PAGE = -1

/** Under this key and the id of a rule `place` has the number of the first row of changes that its pages do not have. */
const WHOLE = 'pages '
const IS_WHOLE = `key GLOB '${WHOLE}*'`

const TABLES = [
  'tokens (rule TEXT, page INTEGER, bits BLOB NOT NULL, PRIMARY KEY (rule, page)) WITHOUT ROWID',
  'flips (n INTEGER PRIMARY KEY, tokens TEXT NOT NULL)',
]

export class RuleTokens {
  readonly #sql: Statements
  /** Number of the last row of changes. */
  #head: number

  /** In a database that has the table `place`. */
  constructor(sql: Statements) {
    this.#sql = sql
    for (const table of TABLES) sql.run(`CREATE TABLE IF NOT EXISTS ${table}`)
    this.#head = Math.max(
      sql.count('SELECT coalesce(max(n), 0) AS n FROM flips'),
      sql.count(`SELECT coalesce(max(value), 0) AS n FROM place WHERE ${IS_WHOLE}`),
    )
  }

  /** The tokens that a rule has; null: none are stored for this condition. */
  of(rule: string, condition: string): StoredTokens | null {
    const rows = this.#sql.all('SELECT page, bits FROM tokens WHERE rule = ?', rule)
    const pages = new Map(rows.map((row) => [numberIn(row, 'page'), bytesOf(row.bits)]))
    const stored = pages.get(CONDITION_PAGE)
    if (stored === undefined || Buffer.from(stored).toString() !== condition) return null
    pages.delete(CONDITION_PAGE)
    const behind = this.#sql.all(
      'SELECT tokens FROM flips WHERE n >= coalesce((SELECT value FROM place WHERE key = ?), 0) ORDER BY n',
      WHOLE + rule,
    )
    const flips = behind.flatMap((row) => listAt(jsonOf(textIn(row, 'tokens')), rule) ?? [])
    return { pages, flips: flips.map(Number) }
  }

  /** A rule has no tokens any more, and looks for something else; the next commit has its pages. */
  begin(rule: string, condition: string): void {
    this.remove(rule)
    const bits = Buffer.from(condition)
    this.#sql.run('INSERT INTO tokens VALUES (?, ?, ?)', rule, CONDITION_PAGE, bits)
  }

  remove(rule: string): void {
    this.#sql.run('DELETE FROM tokens WHERE rule = ?', rule)
    this.#sql.run('DELETE FROM place WHERE key = ?', WHOLE + rule)
  }

  /**
   * Stores what changed; returns how many rows that was. As long as each rule is whole in its turn, as many rows of changes
   * are kept as there are rules.
   * @param whole rules whose pages have all changes up to here
   * @param flips by rule: changes that its pages do not have (`TokenSet.takeFlips`)
   */
  put(
    pages: Iterable<readonly [rule: string, page: number, bits: Uint8Array]>,
    whole: Iterable<string>,
    flips: ReadonlyMap<string, readonly number[]>,
  ): number {
    const n = this.#head + 1
    let rows = 0
    for (const [rule, page, bits] of pages) {
      rows += 1
      this.#sql.run('INSERT OR REPLACE INTO tokens VALUES (?, ?, ?)', rule, page, bits)
    }
    for (const rule of whole)
      this.#sql.run('INSERT OR REPLACE INTO place VALUES (?, ?)', WHOLE + rule, n)
    this.#sql.run(`DELETE FROM flips WHERE n < (SELECT min(value) FROM place WHERE ${IS_WHOLE})`)
    if (flips.size === 0) return rows
    const tokens = JSON.stringify(Object.fromEntries(flips))
    this.#sql.run('INSERT OR REPLACE INTO flips VALUES (?, ?)', n, tokens)
    return rows + 1
  }

  /** What was put is committed. */
  committed(): void {
    this.#head += 1
  }
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0)
}
