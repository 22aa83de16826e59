/**
 * What alerts have to outlive a kill, in one SQLite file (docs/decisions/0049): the rules, the tokens that each has, up to
 * where events were looked at, and the deliveries. What was found at some events and the position behind them are one
 * transaction, so neither is there without the other. A transaction is written to the system before anything of it is
 * sent, and is synced to the disk before a snapshot passes it (`sync`).
 */
import { closeSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import type { StoredAlerts } from '../protocol/alerts.ts'
import type { AlertsQuery } from '../protocol/queries.ts'
import type { AlertPosition, StoredTokens } from '../query/alerts/alert-watch.ts'
import { StoreError } from '../store/disk/failure.ts'
import { Checkpoints, openDatabase } from './database.ts'
import { RuleTokens } from './rule-tokens.ts'
import { numberIn, type Row, Statements, textIn } from './statements.ts'

/** Deliveries that wait for the webhook of one rule, and of all; further ones become dead letters at once. */
export const QUEUED_OF_RULE_MAX = 20_000
export const QUEUED_MAX = 200_000
/** Dead letters of all rules; past it the oldest are dropped. */
export const DEAD_MAX = 20_000
/** Alerts of the live channel that a follower can resume behind. */
export const LIVE_ALERTS_MAX = 10_000

/** A page of SQLite: a row dirties one at least. */
const PAGE_BYTES = 4_096
/** Pages of the log past which a commit takes it into the file itself: the thread beside the loop does not keep up. */
const LOG_PAGES_MAX = 16_384

/** So long a sync waits for the thread beside the loop, and how often it looks. */
const SYNC_MS = 1_000
const SYNC_LOOK_MS = 5

const SCHEMA = `
CREATE TABLE IF NOT EXISTS place (key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rule (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS delivery (
  n INTEGER PRIMARY KEY AUTOINCREMENT, rule TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
  made_ms INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, dead TEXT);
CREATE INDEX IF NOT EXISTS delivery_order ON delivery (rule, dead, n);
CREATE INDEX IF NOT EXISTS delivery_dead ON delivery (n) WHERE dead IS NOT NULL;
CREATE TABLE IF NOT EXISTS live (n INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL);
DROP INDEX IF EXISTS live_rule;
`

/** Where events were looked at, in which stream. */
export interface StoredPosition extends AlertPosition {
  readonly epoch: string
  /** Events that the journal had then. */
  readonly journalSeq: number
}

export interface Delivery {
  /** Its place in the order of all. */
  readonly n: number
  readonly rule: string
  readonly id: string
  readonly body: string
  readonly madeMs: number
  readonly attempts: number
  /** Why it is a dead letter; null: it waits. */
  readonly dead: string | null
}

/** An alert that goes out. */
export interface OutgoingAlert {
  readonly rule: string
  readonly id: string
  readonly body: string
  readonly toWebhook: boolean
  readonly toLive: boolean
}

/** A rule that is new or changed: the tokens that it had before are forgotten. */
export interface StoredRule {
  readonly id: string
  /** JSON; null: it stands in a file of the user. */
  readonly body: string | null
  /** What it looks for, as text: its tokens are of no use for another condition. */
  readonly condition: string
}

/** What is stored together. */
export interface Commit {
  readonly rules: readonly StoredRule[]
  /** Id of a rule that ends, with what waits and its dead letters; absent: none does. */
  readonly removed?: string | null
  readonly position: StoredPosition | null
  readonly alerts: readonly OutgoingAlert[]
  readonly pages: Iterable<readonly [rule: string, page: number, bits: Uint8Array]>
  /** Rules whose pages have all changes up to here; a new one is such a rule. */
  readonly whole?: readonly string[]
  /** By rule: changes of its tokens that its pages do not have. */
  readonly flips?: ReadonlyMap<string, readonly number[]>
  /** Deliveries that have arrived. */
  readonly delivered: readonly number[]
  readonly nowMs: number
}

export class Outbox {
  readonly #db: DatabaseSync
  readonly #sql: Statements
  readonly #tokens: RuleTokens
  readonly #queued = new Map<string, number>()
  #dead = 0
  droppedDead = 0
  #liveHead = 0
  /** By number on the live channel: the rule. An index of it would write some forty pages a commit. */
  readonly #liveRules = new Map<number, string>()
  readonly #checkpoints: Checkpoints | null

  private constructor(db: DatabaseSync, checkpoints: Checkpoints | null) {
    this.#db = db
    this.#checkpoints = checkpoints
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    db.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}`)
    db.exec(SCHEMA)
    this.#sql = new Statements(db)
    this.#tokens = new RuleTokens(this.#sql)
    for (const row of this.#sql.all(
      'SELECT rule, count(*) AS n FROM delivery WHERE dead IS NULL GROUP BY rule',
    ))
      this.#queued.set(textIn(row, 'rule'), numberIn(row, 'n'))
    this.#dead = this.#sql.count('SELECT count(*) AS n FROM delivery WHERE dead IS NOT NULL')
    this.#liveHead = this.#sql.count(
      "SELECT coalesce(max(seq), 0) AS n FROM sqlite_sequence WHERE name = 'live'",
    )
    for (const row of this.#sql.all("SELECT n, json_extract(body, '$.rule') AS rule FROM live"))
      this.#liveRules.set(numberIn(row, 'n'), textIn(row, 'rule'))
  }

  /**
   * Opens the file, or makes it, for this user alone: it holds the secrets of webhooks. null: nothing is kept.
   * @throws StoreError when it cannot be read or made
   */
  static open(path: string | null): Outbox {
    try {
      if (path !== null) closeSync(openSync(path, 'a', 0o600))
      return new Outbox(
        openDatabase(path ?? ':memory:'),
        path === null ? null : new Checkpoints(path),
      )
    } catch (error) {
      throw new StoreError(
        'damaged',
        `${path} cannot be used (${messageOf(error)}): put back a copy, or move it away to start without its rules.`,
      )
    }
  }

  get position(): StoredPosition | null {
    const row = this.#sql.get("SELECT value FROM place WHERE key = 'position'")
    if (row === undefined) return null
    const [epoch = '', ...numbers] = textIn(row, 'value').split(' ')
    const [journalSeq = 0, seq = 0, roundSeq = 0, second = 0] = numbers.map(Number)
    return { epoch, journalSeq, seq, roundSeq, second }
  }

  /** The rules as JSON. */
  get rules(): readonly string[] {
    return this.#sql.all('SELECT body FROM rule ORDER BY id').map((row) => textIn(row, 'body'))
  }

  /** The tokens that a rule has; null: none are stored for this condition. */
  tokensOf(rule: string, condition: string): StoredTokens | null {
    return this.#tokens.of(rule, condition)
  }

  get queuedCount(): number {
    return [...this.#queued.values()].reduce((sum, count) => sum + count, 0)
  }

  queuedOf(rule: string): number {
    return this.#queued.get(rule) ?? 0
  }

  get deadCount(): number {
    return this.#dead
  }

  /** Unix milliseconds of the oldest delivery that waits; null: none does. */
  get oldestMs(): number | null {
    const row = this.#sql.get('SELECT min(made_ms) AS ms FROM delivery WHERE dead IS NULL')
    return typeof row?.ms === 'number' ? row.ms : null
  }

  /**
   * Stores all of it or nothing; returns the numbers on the live channel of the alerts that go there.
   * @throws Error when the disk refuses
   */
  commit(commit: Commit): readonly number[] {
    const { rules, removed = null, position, alerts, delivered, nowMs } = commit
    const { pages, whole = [], flips = new Map() } = commit
    const told: [n: number, rule: string][] = []
    let bytes = PAGE_BYTES
    this.#together(() => {
      for (const rule of rules) this.#putRule(rule)
      for (const n of delivered) this.#take(n)
      for (const alert of alerts) {
        bytes += alert.body.length
        if (alert.toWebhook) this.#put(alert, nowMs)
        if (alert.toLive) told.push([this.#putLive(alert.body), alert.rule])
      }
      if (told.length > 0)
        this.#sql.run('DELETE FROM live WHERE n <= ?', this.#liveHead - LIVE_ALERTS_MAX)
      const all = [...whole, ...rules.map(({ id }) => id)]
      bytes += PAGE_BYTES * this.#tokens.put(pages, all, flips)
      if (removed !== null) this.#removeRule(removed)
      if (position !== null) {
        const { epoch, journalSeq, seq, roundSeq, second } = position
        const value = [epoch, journalSeq, seq, roundSeq, second].join(' ')
        this.#sql.run("INSERT OR REPLACE INTO place VALUES ('position', ?)", value)
      }
    })
    this.#tokens.committed()
    for (const [n, rule] of told) {
      this.#liveRules.set(n, rule)
      this.#liveRules.delete(n - LIVE_ALERTS_MAX)
    }
    this.#checkpoints?.note(bytes)
    return told.map(([n]) => n)
  }

  /** Also what of it waits, and its dead letters. */
  removeRule(id: string): void {
    this.#together(() => this.#removeRule(id))
  }

  /** Rules that have something stored. */
  get known(): readonly string[] {
    const rows = this.#sql.all('SELECT rule FROM tokens UNION SELECT rule FROM delivery')
    return rows.map((row) => textIn(row, 'rule'))
  }

  /** Deliveries of a rule that wait, oldest first. */
  queued(rule: string, after: number, most: number): readonly Delivery[] {
    const sql =
      'SELECT * FROM delivery WHERE rule = ? AND dead IS NULL AND n > ? ORDER BY n LIMIT ?'
    return this.#sql.all(sql, rule, after, most).map(deliveryOf)
  }

  /** Counts an attempt that failed; returns how many have. */
  failed(n: number): void {
    this.#sql.run('UPDATE delivery SET attempts = attempts + 1 WHERE n = ?', n)
  }

  /** A delivery becomes a dead letter. */
  bury({ n, rule }: Delivery, reason: string): void {
    this.#together(() => {
      this.#sql.run('UPDATE delivery SET dead = ? WHERE n = ?', reason, n)
      this.#addQueued(rule, -1)
      this.#addDead()
    })
  }

  /** Dead letters behind a number, oldest first; of all rules where `rule` is null. */
  dead(rule: string | null, after: number, most: number): readonly Delivery[] {
    const sql =
      'SELECT * FROM delivery WHERE dead IS NOT NULL AND n > ?1 AND (?2 IS NULL OR rule = ?2) ORDER BY n LIMIT ?3'
    return this.#sql.all(sql, after, rule, most).map(deliveryOf)
  }

  /** Sends dead letters again, behind what waits, as far as their rules have room; returns how many. */
  resend(rule: string | null, n: number | null, nowMs: number): number {
    return this.#together(() => {
      let sent = 0
      for (const letter of this.#chosen(rule, n)) {
        if (!this.#hasRoom(letter.rule)) continue
        this.#sql.run('DELETE FROM delivery WHERE n = ?', letter.n)
        this.#dead -= 1
        this.#put({ ...letter, toWebhook: true, toLive: false }, nowMs)
        sent += 1
      }
      return sent
    })
  }

  /** Drops dead letters; returns how many. */
  drop(rule: string | null, n: number | null): number {
    return this.#together(() => {
      const letters = this.#chosen(rule, n)
      for (const letter of letters) this.#sql.run('DELETE FROM delivery WHERE n = ?', letter.n)
      this.#dead -= letters.length
      return letters.length
    })
  }

  get liveHead(): number {
    return this.#liveHead
  }

  /** Bodies on the live channel behind a number, oldest first; null: some are not kept any more. */
  liveSince(after: number, most: number): readonly string[] | null {
    const { first, alerts } = this.livePage({ after, limit: most, rule: null })
    return after < first - 1 ? null : alerts.map(({ body }) => body)
  }

  /** Alerts on the live channel as a query asks for them, by their numbers; `first`: that of the oldest that is kept. */
  livePage({ after, limit, rule }: AlertsQuery): StoredAlerts {
    const numbers = [...this.#liveRules].flatMap(([n, of]) =>
      n > (after ?? 0) && (rule === null || of === rule) ? [n] : [],
    )
    const from = after === null ? Math.max(0, numbers.length - limit) : 0
    const rows = this.#sql.all(
      'SELECT n, body FROM live WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n',
      JSON.stringify(numbers.slice(from, from + limit)),
    )
    const alerts = rows.map((row) => ({ n: numberIn(row, 'n'), body: textIn(row, 'body') }))
    return { first: this.#liveRules.keys().next().value ?? 0, alerts }
  }

  /**
   * Everything stored so far outlives a loss of power. While the thread beside the loop takes the log into the file, SQLite
   * answers that it is busy, without an error, and has synced nothing.
   * @throws Error when the disk refuses, or the log stays busy
   */
  async sync(): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += SYNC_LOOK_MS) {
      if (this.#sql.get('PRAGMA wal_checkpoint(FULL)')?.busy === 0) return
      if (waitedMs >= SYNC_MS) throw new Error(`the log of alerts.db was busy for ${SYNC_MS} ms`)
      await sleep(SYNC_LOOK_MS)
    }
  }

  close(): void {
    this.#checkpoints?.close()
    this.#db.close()
  }

  #putRule({ id, body, condition }: StoredRule): void {
    this.#tokens.begin(id, condition)
    if (body !== null) this.#sql.run('INSERT OR REPLACE INTO rule VALUES (?, ?)', id, body)
  }

  #removeRule(id: string): void {
    this.#sql.run('DELETE FROM rule WHERE id = ?', id)
    this.#tokens.remove(id)
    this.#sql.run('DELETE FROM delivery WHERE rule = ?', id)
    this.#queued.delete(id)
    this.#dead = this.#sql.count('SELECT count(*) AS n FROM delivery WHERE dead IS NOT NULL')
  }

  #chosen(rule: string | null, n: number | null): readonly Delivery[] {
    if (n === null) return this.dead(rule, 0, DEAD_MAX)
    return this.dead(rule, n - 1, 1).filter((letter) => letter.n === n)
  }

  #put({ rule, id, body }: OutgoingAlert, nowMs: number): void {
    const isFull = !this.#hasRoom(rule)
    const sql = 'INSERT INTO delivery (rule, id, body, made_ms, dead) VALUES (?, ?, ?, ?, ?)'
    this.#sql.run(sql, rule, id, body, nowMs, isFull ? 'queue_full' : null)
    if (isFull) this.#addDead()
    else this.#addQueued(rule, 1)
  }

  #hasRoom(rule: string): boolean {
    return this.queuedOf(rule) < QUEUED_OF_RULE_MAX && this.queuedCount < QUEUED_MAX
  }

  #take(n: number): void {
    const row = this.#sql.get('DELETE FROM delivery WHERE n = ? AND dead IS NULL RETURNING rule', n)
    if (row !== undefined) this.#addQueued(textIn(row, 'rule'), -1)
  }

  #putLive(body: string): number {
    const { lastInsertRowid } = this.#sql.run('INSERT INTO live (body) VALUES (?)', body)
    this.#liveHead = Number(lastInsertRowid)
    return this.#liveHead
  }

  #addQueued(rule: string, by: number): void {
    this.#queued.set(rule, this.queuedOf(rule) + by)
  }

  #addDead(): void {
    this.#dead += 1
    if (this.#dead <= DEAD_MAX) return
    this.#sql.run(
      'DELETE FROM delivery WHERE n = (SELECT min(n) FROM delivery WHERE dead IS NOT NULL)',
    )
    this.#dead -= 1
    this.droppedDead += 1
  }

  /** One transaction; what is counted beside it is as before where it fails. */
  #together<T>(work: () => T): T {
    const before = { queued: [...this.#queued], dead: this.#dead, live: this.#liveHead }
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      this.#queued.clear()
      for (const [rule, count] of before.queued) this.#queued.set(rule, count)
      this.#dead = before.dead
      this.#liveHead = before.live
      throw error
    }
  }
}

function deliveryOf(row: Row): Delivery {
  return {
    n: numberIn(row, 'n'),
    rule: textIn(row, 'rule'),
    id: textIn(row, 'id'),
    body: textIn(row, 'body'),
    madeMs: numberIn(row, 'made_ms'),
    attempts: numberIn(row, 'attempts'),
    dead: row.dead === null ? null : textIn(row, 'dead'),
  }
}
