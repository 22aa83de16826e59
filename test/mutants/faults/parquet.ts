import type { Fault } from '../fault.ts'

const EXPORT = 'test/commands/parquet-export.test.ts'
const DAYS = 'test/commands/parquet-days.test.ts'
const TABLES = 'test/parquet/tables.test.ts'

/** Faults of the exports to Parquet: digits, times, days, and runs that are killed. */
export const PARQUET_FAULTS: readonly Fault[] = [
  {
    name: 'parquet: the day of --to is exported too',
    file: 'src/parquet/tables.ts',
    find: 'day >= from && day < to',
    replace: 'day >= from && day <= to',
    tests: [EXPORT],
  },
  {
    name: 'parquet: a day that more came to stays as it was',
    file: 'src/parquet/day-folder.ts',
    find: 'this.#days.get(day)?.of === of',
    replace: 'this.#days.has(day)',
    tests: [DAYS],
  },
  {
    name: 'parquet: a ledger says of a new file what the one before was made of',
    file: 'src/parquet/day-folder.ts',
    find: 'if (this.#days.delete(day)) this.#write()',
    replace: '',
    tests: [DAYS],
  },
  {
    name: 'parquet: a file has its name before it is whole',
    file: 'src/parquet/day-folder.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source
    find: 'const begun = `${file}.${process.pid}${UNFINISHED}`',
    replace: 'const begun = file',
    tests: [DAYS],
  },
  {
    name: 'parquet: what a killed run has begun stays beside the files',
    file: 'src/parquet/day-folder.ts',
    find: 'if (name.endsWith(UNFINISHED)) fs.rmSync',
    replace: 'if (name === UNFINISHED) fs.rmSync',
    tests: [DAYS],
  },
  {
    name: 'parquet: days of another market stay among those that are written',
    file: 'src/parquet/day-folder.ts',
    find: 'if (!isKnown(day)) throw',
    replace: "if (day === '') throw",
    tests: [DAYS],
  },
  {
    name: 'parquet: the rows behind the last whole group are left out',
    file: 'src/parquet/parquet-file.ts',
    find: '    if (this.#group.count > 0) this.#write()\n',
    replace: '',
    tests: ['test/parquet/parquet-file.test.ts'],
  },
  {
    name: 'parquet: times are of no zone',
    file: 'src/parquet/parquet-file.ts',
    find: 'isAdjustedToUTC: true',
    replace: 'isAdjustedToUTC: false',
    tests: [EXPORT],
  },
  {
    name: 'parquet: amounts pass through a double',
    file: 'src/parquet/exported-columns.ts',
    find: 'read: (row) => row.raw(lane)',
    replace: 'read: (row) => BigInt(Number(row.raw(lane)))',
    tests: [EXPORT],
  },
  {
    name: 'parquet: a stretch of the tape is taken to be of the day of its first swap',
    file: 'src/parquet/tape-days.ts',
    find: 'dayOf(earliest) > day || dayOf(latest) < day',
    replace: 'dayOf(earliest) !== day',
    tests: [TABLES],
  },
  {
    name: 'parquet: a day counts as whole while late events reach it',
    file: 'src/parquet/tape-days.ts',
    find: 'if (index >= settled && seconds < this.#settledSeconds)',
    replace: 'if (index > settled + 9 && seconds < this.#settledSeconds)',
    tests: [TABLES],
  },
  {
    name: 'parquet: a bar of a week is made of its first day',
    file: 'src/parquet/tables.ts',
    find: 'plan(engine, tape, day, endOf(day))',
    replace: 'plan(engine, tape, day, day + 1)',
    tests: [TABLES],
  },
]
