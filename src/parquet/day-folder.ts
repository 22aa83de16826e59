import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../base/errors.ts'
import { isRecord, jsonOf, recordAt } from '../base/json-access.ts'
import { StoreError } from '../store/disk/failure.ts'
import { UNFINISHED } from '../store/folder/data-folder.ts'

/** What is known of the days of a folder; its name keeps it out of what reads the files as a table. */
const LEDGER = '_mintfeed.json'
const PART = 'part-0.parquet'
/** What stands before the day in the name of its folder. */
const DAY = 'day='

interface Entry {
  readonly rows: number
  /** What the file was made of. */
  readonly of: string
}

/**
 * A folder of days: `day=2026-11-29/part-0.parquet`, as programs that know Hive's partitions read them. A file is written
 * under another name and gets its own when it is whole and on the disk; then the ledger says what it was made of. A run that
 * was killed before that writes the day once more, to the same bytes.
 */
export class DayFolder {
  readonly path: string
  readonly #columns: readonly string[]
  readonly #days: Map<string, Entry>

  /**
   * `columns` say what each file has: days that have others count as not written. `isKnown` says whether a day can be one
   * of this market.
   * @throws StoreError where one is not; the error of the system where the folder cannot be made
   */
  constructor(path: string, columns: readonly string[], isKnown: (day: string) => boolean) {
    this.path = path
    this.#columns = columns
    fs.mkdirSync(path, { recursive: true })
    const ledger = jsonOf(readText(join(path, LEDGER)))
    // Those that are there, whatever the ledger says: whoever reads the table gets all of them.
    for (const day of this.#there()) if (!isKnown(day)) throw foreign(path, day)
    const isSame = isRecord(ledger) && String(ledger.columns) === String(columns)
    this.#days = isSame ? entriesOf(ledger) : new Map()
  }

  /** Is the file of a day there, made of the same? */
  has(day: string, of: string): boolean {
    return this.#days.get(day)?.of === of && fs.existsSync(this.#fileOf(day))
  }

  /** Has `write` write the file of a day, and returns how many rows that were. */
  *take<T>(
    day: string,
    of: string,
    write: (path: string) => Generator<T, number>,
  ): Generator<T, number> {
    const file = this.#fileOf(day)
    // Another process may be at the same day: neither gives its name to what the other is writing.
    const begun = `${file}.${process.pid}${UNFINISHED}`
    this.#makeDay(day)
    const rows = yield* write(begun)
    // A kill, or a full disk, before the ledger is written again would leave it with what the file was made of before.
    if (this.#days.delete(day)) this.#write()
    fs.renameSync(begun, file)
    this.#days.set(day, { rows, of })
    this.#write()
    return rows
  }

  #fileOf(day: string): string {
    return join(this.path, `${DAY}${day}`, PART)
  }

  /** The days that have a file. */
  #there(): readonly string[] {
    const names = fs.readdirSync(this.path).filter((name) => name.startsWith(DAY))
    const days = names.map((name) => name.slice(DAY.length))
    return days.filter((day) => fs.existsSync(this.#fileOf(day)))
  }

  /** What a run that was killed has left is removed. */
  #makeDay(day: string): void {
    const folder = dirname(this.#fileOf(day))
    fs.mkdirSync(folder, { recursive: true })
    for (const name of fs.readdirSync(folder))
      if (name.endsWith(UNFINISHED)) fs.rmSync(join(folder, name), { force: true })
  }

  #write(): void {
    const days = Object.fromEntries([...this.#days].sort(([a], [b]) => (a < b ? -1 : 1)))
    const ledger = { columns: this.#columns, days }
    const path = join(this.path, LEDGER)
    const begun = `${path}.${process.pid}${UNFINISHED}`
    fs.writeFileSync(begun, `${JSON.stringify(ledger, null, 1)}\n`, { flush: true })
    fs.renameSync(begun, path)
  }
}

/** Days without swaps would stay among those of this market for good. */
function foreign(path: string, day: string): StoreError {
  return new StoreError(
    'other_market',
    `${path} holds ${day}, a day that the data folder has no swaps of: it is of another market, or of what this one has ` +
      `lost. Give another --out, or remove ${DAY}${day}.`,
  )
}

function entriesOf(ledger: unknown): Map<string, Entry> {
  const days = new Map<string, Entry>()
  for (const [day, entry] of Object.entries(recordAt(ledger, 'days') ?? {}))
    if (isRecord(entry) && typeof entry.rows === 'number' && typeof entry.of === 'string')
      days.set(day, { rows: entry.rows, of: entry.of })
  return days
}

/** "" where there is no file. */
function readText(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}
