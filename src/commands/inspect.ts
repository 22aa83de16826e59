import fs from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../base/errors.ts'
import type { Disk } from '../store/disk/disk.ts'
import { runToEnd } from '../store/disk/steps.ts'
import { readMark } from '../store/folder/commit-marker.ts'
import { DAMAGED, listDataFiles, type NumberedFile } from '../store/folder/data-folder.ts'
import { bootId, holderOf } from '../store/folder/process-lock.ts'
import { type ChunkKind, DORMANT_CHUNKS, SWAP_CHUNKS } from '../store/snapshot/tape-chunk.ts'
import {
  type Command,
  count,
  Exit,
  type Progress,
  progressOn,
  type StreamReport,
} from './command.ts'
import {
  type ChunkReport,
  reportChunk,
  reportSegments,
  reportSnapshot,
  type SegmentReport,
  type SnapshotReport,
  sizeOf,
} from './file-reports.ts'
import { settledDisk } from './read-only-disk.ts'
import { ofStream, positionLine, type Streams, streamLines } from './streams.ts'
import { startSteps, type Verdict, verdictLine } from './verdict.ts'

/** What is in a data folder. */
interface FolderReport {
  readonly folder: string
  /** Pid of the running process that uses the folder, or null. */
  readonly usedBy: number | null
  readonly segments: readonly SegmentReport[]
  readonly snapshots: readonly SnapshotReport[]
  readonly chunks: readonly ChunkReport[]
  /** Chunks of the dormant tape. */
  readonly dormantChunks: readonly ChunkReport[]
  /** Files whose writing was not finished. */
  readonly unfinished: readonly string[]
  /** Snapshots that a start has put aside. */
  readonly putAside: readonly string[]
  /** Folders of what was given up by `repair`. */
  readonly givenUp: readonly string[]
  readonly totals: ReturnType<typeof totalsOf>
  readonly verdict: Verdict
}

/** Names of folders with what was given up begin with it. */
export const GIVEN_UP = 'given-up-'

/** A running service removes files: the look is made up to so many times. */
const TRIES = 3

/** Looks at everything in a data folder; `diskNow` is asked for each look. Changes nothing and takes no lock. */
export function inspectFolder(
  diskNow: () => Disk,
  folder: string,
  progress: Progress,
): FolderReport {
  for (let tries = 1; ; tries++)
    try {
      return lookAt(diskNow, folder, progress)
    } catch (error) {
      progress.end()
      if (codeOf(error) !== 'ENOENT' || tries === TRIES) throw error
    }
}

function lookAt(diskNow: () => Disk, folder: string, progress: Progress): FolderReport {
  const boot = bootId()
  // Before the files and the ring: a service that runs writes on meanwhile.
  const written = readMark(folder, boot)
  const disk = diskNow()
  const files = listDataFiles(disk, folder)
  const names = disk.list(folder)
  const all = [...files.segments, ...files.snapshots, ...files.chunks, ...files.dormantChunks]
  const bytes = all.reduce((sum, { path }) => sum + sizeOf(disk, path), 0)
  progress.begin('reading', bytes)
  let done = 0
  const read = (bytes: number) => {
    done += bytes
    progress.to(done)
  }
  const segments = reportSegments(disk, files.segments, read)
  const snapshots = files.snapshots.map((file) => reportSnapshot(disk, file, read))
  const reportOf = (kind: ChunkKind) => (file: NumberedFile) => {
    const report = reportChunk(disk, file, kind)
    read(report.bytes)
    return report
  }
  const chunks = files.chunks.map(reportOf(SWAP_CHUNKS))
  const dormantChunks = files.dormantChunks.map(reportOf(DORMANT_CHUNKS))
  progress.end()
  return {
    folder,
    usedBy: holderOf(folder),
    segments,
    snapshots,
    chunks,
    dormantChunks,
    unfinished: files.unfinished,
    putAside: names.filter((name) => name.endsWith(DAMAGED)),
    givenUp: names.filter((name) => isGivenUp(folder, name)),
    totals: totalsOf(segments, snapshots, chunks, dormantChunks),
    verdict: runToEnd(startSteps({ disk, folder, files, snapshots, written, boot })),
  }
}

function isGivenUp(folder: string, name: string): boolean {
  return name.startsWith(GIVEN_UP) && fs.statSync(join(folder, name)).isDirectory()
}

function totalsOf(
  segments: readonly SegmentReport[],
  snapshots: readonly SnapshotReport[],
  chunks: readonly ChunkReport[],
  dormantChunks: readonly ChunkReport[],
) {
  const readable = segments.filter(({ epoch }) => epoch !== '')
  const [first, last] = [readable.at(0), readable.at(-1)]
  return {
    bytes: [...segments, ...snapshots, ...chunks, ...dormantChunks].reduce(
      (sum, { bytes }) => sum + bytes,
      0,
    ),
    frames: segments.flatMap(({ frames }) => Object.values(frames)).reduce((a, b) => a + b, 0),
    // From the first to behind the last good one; null without a journal.
    seqs:
      first === undefined || last === undefined ? null : { from: first.firstSeq, to: last.endSeq },
    tapeRecords: chunks.reduce((sum, { records }) => sum + records, 0),
    dormantRecords: dormantChunks.reduce((sum, { records }) => sum + records, 0),
  }
}

/** A folder's report for a person. */
function reportText(report: FolderReport): string {
  const { usedBy } = report
  const lines = [
    `${report.folder}: ${usedBy === null ? 'not in use' : `used by process ${usedBy}`}`,
    ...report.segments.flatMap(segmentLines),
    ...report.snapshots.flatMap(snapshotLines),
    ...report.chunks.map(chunkLine),
    ...report.dormantChunks.map(chunkLine),
    ...report.unfinished.map((name) => `${name}  its writing was not finished`),
    ...report.putAside.map((name) => `${name}  damaged, put aside by a start`),
    ...report.givenUp.map((name) => `${name}/  given up by a repair`),
    totalText(report),
    verdictLine(report.verdict, usedBy),
  ]
  return `${lines.join('\n')}\n`
}

function totalText({ segments, snapshots, chunks, dormantChunks, totals }: FolderReport): string {
  const { bytes, frames, seqs, tapeRecords, dormantRecords } = totals
  if (segments.length + snapshots.length + chunks.length + dormantChunks.length === 0)
    return 'no data files'
  const range = seqs === null ? 'none' : `${count(seqs.from)} to ${count(seqs.to)}`
  const dormant =
    dormantRecords === 0 ? '' : `, ${count(dormantRecords)} positions in chunks of dormant tokens`
  return (
    `total: ${count(bytes)} bytes, ${count(frames)} frames, seq ${range}, ` +
    `${count(tapeRecords)} swaps in tape chunks${dormant}`
  )
}

function segmentLines(segment: SegmentReport): string[] {
  const { name, firstSeq, endSeq, bytes, epoch, isClosed, frames, damage } = segment
  const kinds = Object.entries(frames).map(([kind, number]) => `${count(number)} ${kind}`)
  const head =
    epoch === ''
      ? `${name}  ${count(bytes)} bytes`
      : `${name}  seq ${count(firstSeq)} to ${count(endSeq)}  ${count(bytes)} bytes  ` +
        `epoch ${epoch}  ${isClosed ? 'closed' : 'not closed'}`
  const inside = kinds.length === 0 ? [] : [`  frames: ${kinds.join(', ')}`]
  return [head, ...inside, ...(damage === null ? [] : [`  byte ${damage.byte}: ${damage.reason}`])]
}

function snapshotLines(snapshot: SnapshotReport): string[] {
  const { name, seq, bytes, epoch, digest, parts, status, damage } = snapshot
  if (epoch === '') return [`${name}  ${count(bytes)} bytes  ${status}`, `  ${damage}`]
  const sizes = parts
    .filter((part) => part.bytes > 0)
    .map((part) => `${part.name} ${count(part.bytes)}`)
  return [
    `${name}  seq ${count(seq)}  ${count(bytes)} bytes  epoch ${epoch}  ${status}`,
    `  digest ${digest}`,
    `  parts: ${sizes.join(', ')}`,
    ...(damage === '' ? [] : [`  ${damage}`]),
  ]
}

function chunkLine({ name, records, bytes, isWhole, damagedBlocks }: ChunkReport): string {
  const where = damagedBlocks.length > 0 ? `blocks ${damagedBlocks.join(', ')}` : 'its head'
  const state = isWhole ? 'whole' : `damaged: ${where}`
  return `${name}  ${count(records)} records  ${count(bytes)} bytes  ${state}`
}

/** `mintfeed inspect`. */
export function inspectCommand(streams: Streams | null): Command {
  const command: Command = {
    summary: 'what is in a data folder, and whether the service would start with it',
    help:
      'Reads every byte and checks every crc; changes nothing and takes no lock, so that it works\n' +
      'while the service runs (the last write of the journal may then be under way). Of a copy of\n' +
      'a stream it says where it stands there, if NATS_URL is set.\n' +
      'Exit code 0: the service would start; 1: it would not.',
    flags: { json: { type: 'boolean', meaning: 'one JSON object instead of text' } },
    async run({ folder, flags, stream }, { stdout, stderr, environment }) {
      const isJson = flags.json === true
      const report = inspectFolder(() => settledDisk(folder), folder, progressOn(stderr))
      if (stream !== undefined) {
        const { segments, totals } = report
        const told = { stream, segments, totals }
        stdout.write(isJson ? `${JSON.stringify(told)}\n` : streamText(stream, report))
        return stream.damage === null ? Exit.good : Exit.bad
      }
      const held = heldOf(report)
      const position = held && ((await streams?.position(folder, environment, held)) ?? null)
      const told = position === null ? report : { ...report, position }
      const lines = position === null ? '' : `${positionLine(position)}\n`
      stdout.write(isJson ? `${JSON.stringify(told)}\n` : reportText(report) + lines)
      return report.verdict.starts ? Exit.good : Exit.bad
    },
  }
  return ofStream(command, streams, false)
}

/** Where a folder's events end, and of which stream they are; null: it has none. */
function heldOf({ verdict, segments, snapshots }: FolderReport) {
  const epoch = [...snapshots, ...segments].findLast((file) => file.epoch !== '')?.epoch
  return verdict.starts && epoch !== undefined ? { seq: verdict.seq, epoch } : null
}

/** A stream's report for a person: its messages are the segments of no folder that stays. */
function streamText(stream: StreamReport, report: FolderReport): string {
  const { seqs } = stream
  const start = `a new replica would ${seqs?.from === 0 ? 'fold it from its beginning' : 'take a seed first (SEED_URL)'}`
  const end = seqs === null ? [] : [`${start}, then go to seq ${count(seqs.to)}`]
  return `${[...streamLines(stream), ...report.segments.flatMap(segmentLines), totalText(report), ...end].join('\n')}\n`
}
