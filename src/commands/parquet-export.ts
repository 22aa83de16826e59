import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import { DayFolder } from '../parquet/day-folder.ts'
import { type ExportedDays, exportDays } from '../parquet/export-days.ts'
import {
  barTable,
  type DayRange,
  positionTable,
  swapTable,
  type Table,
  tokenTable,
} from '../parquet/tables.ts'
import { dayOf, dayOfText, TapeDays } from '../parquet/tape-days.ts'
import { RESOLUTIONS, type Resolution, WIDTHS } from '../protocol/queries.ts'
import type { Disk } from '../store/disk/disk.ts'
import { isRefusal, StoreError } from '../store/disk/failure.ts'
import { runToEnd } from '../store/disk/steps.ts'
import { listDataFiles } from '../store/folder/data-folder.ts'
import { foldJournal } from '../store/journal/journal-fold.ts'
import { allDamaged, loadNewest, namingDamaged } from '../store/recovery/recovery.ts'
import { archivedEngine, needChunks } from '../store/snapshot/tape-archive.ts'
import {
  type Asked,
  count,
  Exit,
  type Progress,
  progressOn,
  refusedOutput,
  type Terminal,
  UsageError,
} from './command.ts'
import { settledDisk } from './read-only-disk.ts'

const WHATS = ['swaps', 'candles', 'tokens', 'traders'] as const

interface ParquetOptions {
  readonly what: (typeof WHATS)[number]
  readonly out: string
  readonly resolution: Resolution
  /** Null: all days. */
  readonly range: DayRange | null
  readonly isAnew: boolean
}

/** Candles of a minute, as the board shows them first. */
const RESOLUTION: Resolution = '1'
const DAY = /^\d{4}-\d\d-\d\d$/
/** Before the first day that a time of 32 bits can be in, and behind the last one. */
const ALL_DAYS: DayRange = { from: 0, to: dayOf(2 ** 32) + 1 }

/** `mintfeed export --format parquet`: loaded on demand, as nothing else needs what it imports. */
export function exportParquet(asked: Asked, { stderr }: Terminal): number {
  const options = optionsOf(asked)
  const progress = progressOn(stderr)
  try {
    const { engine, tornBytes } = endOf(settledDisk(asked.folder), asked.folder)
    const folder = pathOf(options)
    const { written, found, rows } = exportedDays(engine, folder, options, progress)
    progress.end()
    const there = found === 0 ? '' : `, ${counted(found, 'day')} there already`
    stderr.write(`${counted(written, 'day')} written, ${counted(rows, 'row')}${there}: ${folder}\n`)
    if (tornBytes > 0)
      stderr.write(`The last ${count(tornBytes)} bytes of the journal are a write not finished.\n`)
  } finally {
    progress.end()
  }
  const damage = asked.stream?.damage ?? null
  if (damage === null) return Exit.good
  stderr.write(`mintfeed: ${damage}\n`)
  return Exit.bad
}

const counted = (number: number, what: string) =>
  `${count(number)} ${number === 1 ? what : `${what}s`}`

function pathOf({ out, what, resolution }: ParquetOptions): string {
  return what === 'candles'
    ? join(out, `what=${what}`, `resolution=${resolution}`)
    : join(out, `what=${what}`)
}

/** The state at the end of a folder, as the next start would find it. */
function endOf(
  disk: Disk,
  folder: string,
): { readonly engine: Engine; readonly tornBytes: number } {
  const files = listDataFiles(disk, folder)
  if (files.segments.length + files.snapshots.length === 0)
    throw new StoreError(
      'missing',
      `${folder} holds no journal and no snapshot: there is nothing to export.`,
    )
  const newEngine = () => archivedEngine(disk, folder)
  const damaged: string[] = []
  try {
    const loaded = runToEnd(loadNewest(disk, files.snapshots, newEngine, damaged))
    const engine = loaded?.engine ?? newEngine()
    runToEnd(needChunks(disk, folder, engine.state.tape, engine.state.dormant.tape))
    const from = loaded?.contents ?? { seq: 0, segment: 0 }
    const { end } = runToEnd(foldJournal(engine, { disk, files, from }))
    if (loaded === null && damaged.length > 0 && end.segment === 0) throw allDamaged(damaged)
    return { engine, tornBytes: end.cut?.bytes ?? 0 }
  } catch (error) {
    throw namingDamaged(error, damaged)
  }
}

/** @throws StoreError where `--out` cannot be written */
function exportedDays(
  engine: Engine,
  path: string,
  { what, out, resolution, range, isAnew }: ParquetOptions,
  progress: Progress,
): ExportedDays {
  const write = <Row>(table: Table<Row>): ExportedDays => {
    const columns = table.columns.map(({ name, kind }) => `${name} ${kind}`)
    const total = table.days.reduce((sum, { size }) => sum + size, 0)
    try {
      const folder = new DayFolder(path, columns, (day) => table.isKnown(dayOfText(day)))
      progress.begin('writing', total)
      return runToEnd(exportDays(table, folder, isAnew), (done) => progress.to(done))
    } catch (error) {
      throw isRefusal(error) ? refusedOutput(out, error) : error
    }
  }
  const tape = () => {
    progress.begin('reading', engine.state.tape.count)
    const read = runToEnd(TapeDays.read(engine), (done) => progress.to(done))
    progress.end()
    return read
  }
  switch (what) {
    case 'swaps':
      return write(swapTable(engine, tape(), range ?? ALL_DAYS))
    case 'candles':
      return write(barTable(engine, tape(), range ?? ALL_DAYS, WIDTHS[resolution]))
    case 'tokens':
      return write(tokenTable(engine, range))
    case 'traders':
      return write(positionTable(engine, range))
  }
}

/** @throws UsageError, one sentence for each flag that cannot be used */
function optionsOf({ flags }: Asked): ParquetOptions {
  const what = WHATS.find((known) => known === flags.what)
  if (what === undefined)
    throw new UsageError(`--what is "${flags.what ?? ''}"; it must be ${listed(WHATS)}.`)
  if (typeof flags.out !== 'string' || flags.out === '')
    throw new UsageError('--out is missing: name the folder that the files are to be in.')
  if (flags.resolution !== undefined && what !== 'candles')
    throw new UsageError(`--resolution is of candles; --what is ${what}.`)
  const given = flags.resolution ?? RESOLUTION
  const resolution = RESOLUTIONS.find((known) => known === given)
  if (resolution === undefined)
    throw new UsageError(`--resolution is "${given}"; it must be ${listed(RESOLUTIONS)}.`)
  const range = rangeOf(dayFlag(flags, 'from'), dayFlag(flags, 'to'))
  return { what, out: flags.out, resolution, range, isAnew: flags.again === true }
}

function rangeOf(from: number | null, to: number | null): DayRange | null {
  if (from === null && to === null) return null
  const range = { from: from ?? ALL_DAYS.from, to: to ?? ALL_DAYS.to }
  if (range.from <= range.to) return range
  throw new UsageError(
    '--from is behind --to: the day of --from is the first, that of --to the first left out.',
  )
}

function dayFlag(flags: Asked['flags'], name: string): number | null {
  const text = flags[name]
  if (text === undefined) return null
  const seconds = typeof text === 'string' && DAY.test(text) ? Date.parse(text) / 1_000 : Number.NaN
  // A day like 2026-02-30 is taken for one of March.
  if (!Number.isNaN(seconds) && new Date(seconds * 1_000).toISOString().startsWith(String(text)))
    return dayOf(seconds)
  throw new UsageError(`--${name} is "${text}"; of parquet it must be a day (UTC) like 2026-11-29.`)
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
