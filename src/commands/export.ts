import fs from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { TapeDamage } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { swapOfRecord } from '../engine/read/swap-outtake.ts'
import { eventLineText } from '../events/event.ts'
import { SWAP_U32_LANES } from '../events/swap-record.ts'
import type { Disk } from '../store/disk/disk.ts'
import { StoreError } from '../store/disk/failure.ts'
import { runToEnd } from '../store/disk/steps.ts'
import { type DataFiles, listDataFiles, UNFINISHED } from '../store/folder/data-folder.ts'
import { frameBytes, Kind, type SegmentScan } from '../store/format/journal-format.ts'
import { foldFrame, lineTextOf, opensRecords } from '../store/journal/journal-fold.ts'
import { headerOf, type JournalStart, walkJournal } from '../store/journal/journal-scan.ts'
import { loadNewest } from '../store/recovery/recovery.ts'
import { archivedEngine } from '../store/snapshot/tape-archive.ts'
import {
  type Asked,
  type Command,
  count,
  Exit,
  type Progress,
  progressOn,
  refusedOutput,
  SILENT,
  seqFlag,
  type Terminal,
  UsageError,
} from './command.ts'
import { bytesBetween } from './file-reports.ts'
import { settledDisk } from './read-only-disk.ts'
import { ofStream, type Streams } from './streams.ts'

interface ExportOptions {
  readonly disk: Disk
  readonly folder: string
  /** Makes an empty engine that reads the tape's chunks of the folder. */
  readonly newEngine: () => Engine
  /** First seq that is wanted. */
  readonly from: number
  /** Seq behind the last one that is wanted. */
  readonly to: number
  readonly progress: Progress
}

/** What was exported. */
interface Exported {
  /** Seq the journal begins at: older events are not in it any more. */
  readonly journalFrom: number
  readonly events: number
  /** Bytes at the journal's end that are no good frames. */
  readonly tornBytes: number
}

/**
 * The events of the journal as event lines, in order of arrival, duplicates included; yields the
 * lines of a frame.
 *
 * Records name addresses by number. A number never changes its address, so the newest snapshot
 * knows those of all events before it; behind it the journal is folded along, since folding gives
 * numbers too.
 */
export function* exportLines(options: ExportOptions): Generator<string, Exported> {
  const { disk, folder, to } = options
  const files = listDataFiles(disk, folder)
  const seqs = firstSeqs(disk, files)
  const journalFrom = seqs[0] ?? 0
  if (options.from < journalFrom) checkFirst(disk, files, journalFrom)
  const start = startOf(options, files, journalFrom)
  const from = Math.max(options.from, journalFrom)
  const { foldFrom } = start
  const wanted = seqs.findLast((seq) => seq <= Math.min(from, foldFrom.seq)) ?? foldFrom.seq
  // Frames without events may stand on either side of the snapshot at its seq, so its segment decides.
  const walkFrom = wanted < foldFrom.seq ? wanted : foldFrom
  options.progress.begin('exporting', bytesBetween(disk, files.segments, wanted, to))
  let text = ''
  let events = 0
  let done = 0
  let isBehind = false
  const walk = walkJournal(
    disk,
    files,
    walkFrom,
    (frame, header) => {
      done += frameBytes(frame.payloadBytes)
      isBehind ||= frame.seq >= to
      if (isBehind) return
      const lines = linesOf(frame, start.engine, from, to)
      events += lines.length
      for (const line of lines) text += `${line}\n`
      if (header.index >= foldFrom.segment) foldFrame(start.engine, frame)
    },
    { framesPerYield: 1 },
  )
  for (;;) {
    const step = walk.next()
    if (text !== '') yield text
    text = ''
    if (step.done) return { journalFrom, events, tornBytes: step.value.cut?.bytes ?? 0 }
    if (isBehind) return { journalFrom, events, tornBytes: 0 }
    options.progress.to(done)
  }
}

function linesOf(frame: SegmentScan, engine: Engine, from: number, to: number): string[] {
  const first = Math.max(0, from - frame.seq)
  const end = Math.min(frame.events, to - frame.seq)
  const { kind, u32, f64 } = frame
  // Older journals hold halves of characters, which no other program reads.
  if ((kind === Kind.event || kind === Kind.packed) && first < end)
    return [wellFormedJson(lineTextOf(frame))]
  const lines: string[] = []
  if (opensRecords(frame))
    for (let i = first; i < end; i++) {
      const at = (frame.payloadAt >>> 2) + i * SWAP_U32_LANES
      lines.push(eventLineText(swapOfRecord({ u32, f64, at }, engine.state.book)))
    }
  return lines
}

/** First seq of each segment that can be read, ascending. */
function firstSeqs(disk: Disk, files: DataFiles): number[] {
  return files.segments.flatMap(({ path }) => {
    const header = headerOf(disk, path)
    return header === null || header === 'newer' ? [] : header.firstSeq
  })
}

/**
 * What the journal begins before is gone in order, unless the first segment is there and cannot be read.
 * @throws StoreError when it cannot
 */
function checkFirst(disk: Disk, { segments: [first] }: DataFiles, journalFrom: number): void {
  if (first === undefined || headerOf(disk, first.path) !== null) return
  throw new StoreError(
    'damaged',
    `The header of ${first.path} is damaged, and so its events cannot be read. Put the file back from a copy, or ` +
      `export what stands behind it with --from ${journalFrom}.`,
  )
}

/** The engine knows the addresses of all before `foldFrom`; what comes from there on has to be folded. */
function startOf(
  { disk, folder, newEngine }: ExportOptions,
  files: DataFiles,
  journalFrom: number,
): { engine: Engine; foldFrom: JournalStart } {
  const loaded = runToEnd(loadNewest(disk, files.snapshots, newEngine))
  if (loaded !== null) return { engine: loaded.engine, foldFrom: loaded.contents }
  if (journalFrom === 0) return { engine: newEngine(), foldFrom: { seq: 0, segment: 0 } }
  throw new StoreError(
    'missing',
    `The journal of ${folder} begins at seq ${journalFrom} and no snapshot is whole: who traded ` +
      'what cannot be told. Put back a snapshot.',
  )
}

/** `mintfeed export` of a folder. */
const FOLDER_EXPORT: Command = {
  summary:
    'the journal as event lines, which FEED=replay:<file> reads again; the market as Parquet',
  help:
    'Every event that arrived, in order of arrival, duplicates and refused ones included. The\n' +
    'time of a wall clock is no event and cannot be written: replayed lines are folded at their\n' +
    'own times (CLOCK=event). Segments that no snapshot needs any more are removed by the\n' +
    'service; with JOURNAL_KEEP=all it keeps everything. Changes nothing and takes no lock.\n\n' +
    'With --format parquet it writes what the journal was folded to: a file for each day, as\n' +
    '<out>/what=swaps/day=2026-11-29/part-0.parquet, and candles below resolution=. Tokens and\n' +
    'traders are as of the end and have that day; --from and --to choose them by their creation\n' +
    'and their last trade, candles by the day in which they open. Days that are there already\n' +
    'stay, so that a run that was stopped can be made again. docs/recipes.md has queries.',
  flags: {
    format: { type: 'string', meaning: 'lines (default) or parquet' },
    out: {
      type: 'string',
      meaning: 'a file instead of stdout; .gz and .zst are compressed; of parquet a folder',
    },
    from: { type: 'string', meaning: 'first seq; of parquet first day (UTC), as 2026-11-29' },
    to: { type: 'string', meaning: 'seq behind the last one; of parquet day behind the last one' },
    what: { type: 'string', meaning: 'of parquet: swaps, candles, tokens or traders' },
    resolution: { type: 'string', meaning: 'of candles, as in the API: 1S to 1M; default 1' },
    again: { type: 'boolean', meaning: 'of parquet: days that are there are written anew' },
  },
  async run(asked, terminal) {
    if (isParquet(asked)) {
      const { exportParquet } = await import('./parquet-export.ts')
      return exportParquet(asked, terminal)
    }
    const from = seqFlag(asked, 'from') ?? 0
    const to = seqFlag(asked, 'to') ?? Number.MAX_SAFE_INTEGER
    if (from > to) throw new UsageError(`--from is ${from}; it must not be above --to, ${to}.`)
    const disk = settledDisk(asked.folder)
    const out = outputOf(asked)
    // A bar between lines on one terminal would spoil both.
    const progress = out === null ? SILENT : progressOn(terminal.stderr)
    const newEngine = () => archivedEngine(disk, asked.folder)
    const steps = exportLines({ disk, folder: asked.folder, newEngine, from, to, progress })
    try {
      printSummary(await write(steps, out, terminal.stdout), from, terminal)
    } finally {
      progress.end()
    }
    const damage = asked.stream?.damage ?? null
    if (damage === null) return Exit.good
    terminal.stderr.write(`mintfeed: ${damage}\n`)
    return Exit.bad
  },
}

/** @throws UsageError on another format, and on flags of the other one */
function isParquet({ flags }: Asked): boolean {
  const format = flags.format ?? 'lines'
  if (format === 'parquet') return true
  if (format !== 'lines')
    throw new UsageError(`--format is "${format}"; it must be lines or parquet.`)
  for (const name of ['what', 'resolution', 'again'])
    if (flags[name] !== undefined) throw new UsageError(`--${name} needs --format parquet.`)
  return false
}

/** `mintfeed export`. */
export function exportCommand(streams: Streams | null): Command {
  return ofStream(FOLDER_EXPORT, streams, true)
}

interface Output {
  readonly name: string
  readonly file: Writable
  readonly coding: NodeJS.ReadWriteStream | null
}

/** @throws UsageError when the file is there, StoreError when it cannot be made */
function outputOf({ flags }: Asked): Output | null {
  const { out: name } = flags
  if (typeof name !== 'string' || name === '') return null
  if (fs.existsSync(name)) throw new UsageError(`--out is "${name}", which is there already.`)
  try {
    const path = name + UNFINISHED
    const file = fs.createWriteStream(path, { fd: fs.openSync(path, 'w') })
    return { name, file, coding: codingOf(name) }
  } catch (error) {
    throw refusedOutput(name, error)
  }
}

function codingOf(name: string): NodeJS.ReadWriteStream | null {
  if (name.endsWith('.gz')) return zlib.createGzip()
  return name.endsWith('.zst') ? zlib.createZstdCompress() : null
}

/**
 * Writes whole what came before a failure, then throws it. A file gets its name once it is whole, or as whole as
 * the folder is: what Ctrl-C, a full disk or a file removed by a running service has cut off is no export.
 */
async function write(
  steps: Generator<string, Exported>,
  out: Output | null,
  stdout: Writable,
): Promise<Exported> {
  let exported: Exported = { journalFrom: 0, events: 0, tornBytes: 0 }
  const failures: unknown[] = []
  const text = Readable.from(
    (function* () {
      try {
        exported = yield* steps
      } catch (error) {
        failures.push(error)
      }
    })(),
  )
  if (out === null) await pipeline(text, stdout, { end: false })
  else if (out.coding === null) await pipeline(text, out.file)
  else await pipeline(text, out.coding, out.file)
  if (out !== null && failures.every(isDamage)) fs.renameSync(out.name + UNFINISHED, out.name)
  if (failures.length > 0) throw failures[0]
  return exported
}

/** Whether another export would end at the same place. */
function isDamage(failure: unknown): boolean {
  return failure instanceof StoreError || failure instanceof TapeDamage
}

function printSummary(
  { journalFrom, events, tornBytes }: Exported,
  from: number,
  { stderr }: Terminal,
) {
  stderr.write(`${count(events)} events exported\n`)
  if (journalFrom > from)
    stderr.write(
      `The journal begins at seq ${journalFrom}: older events are in snapshots only ` +
        '(JOURNAL_KEEP=all keeps everything).\n',
    )
  if (tornBytes > 0)
    stderr.write(`The last ${count(tornBytes)} bytes of the journal are a write not finished.\n`)
}

/**
 * The output of JSON.stringify with U+FFFD for lone surrogates, which it writes as escapes and strict readers
 * refuse. Well-formed JSON stays as it is.
 */
function wellFormedJson(json: string): string {
  if (!json.includes('\\ud')) return json
  return JSON.stringify(JSON.parse(json), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )
}
