import type { Column } from './columns.ts'
import type { DayFolder } from './day-folder.ts'
import { ParquetFile } from './parquet-file.ts'
import type { Table } from './tables.ts'
import { dayText } from './tape-days.ts'

/** Rows between two reports of how far it has come. */
const ROWS_A_STEP = 8_192

/** What was exported. */
export interface ExportedDays {
  /** Days that were written, and those that were there already. */
  readonly written: number
  readonly found: number
  /** In the files that were written. */
  readonly rows: number
}

/**
 * Writes the days of a table, the oldest first; those that are there already only where `isAnew`. Yields how much of the
 * table was read, as its `size`s count it.
 * @throws TapeDamage; the error of the system where the disk refuses
 */
export function* exportDays<Row>(
  table: Table<Row>,
  folder: DayFolder,
  isAnew: boolean,
): Generator<number, ExportedDays> {
  let [written, found, rows, done] = [0, 0, 0, 0]
  for (const { day, of, size } of table.days) {
    const text = dayText(day)
    if (!isAnew && folder.has(text, of)) found += 1
    else {
      const writing = folder.take(text, of, (path) =>
        writeRows(path, table.columns, table.rows(day)),
      )
      for (;;) {
        const step = writing.next()
        if (step.done) {
          rows += step.value
          break
        }
        yield done + Math.min(size, step.value)
      }
      written += 1
    }
    done += size
    yield done
  }
  return { written, found, rows }
}

/** Yields how many rows were written, and returns it. */
function* writeRows<Row>(
  path: string,
  columns: readonly Column<Row>[],
  rows: Iterable<Row>,
): Generator<number, number> {
  const file = new ParquetFile(path, columns)
  try {
    for (const row of rows) {
      file.add(row)
      if (file.rows % ROWS_A_STEP === 0) yield file.rows
    }
    file.finish()
  } finally {
    file.close()
  }
  return file.rows
}
