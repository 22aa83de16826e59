import type { Disk } from '../store/disk/disk.ts'
import { newerVersion, StoreError } from '../store/disk/failure.ts'
import { unlessUnreadable } from '../store/disk/node-disk.ts'
import { runToEnd } from '../store/disk/steps.ts'
import {
  type DataFiles,
  FileBuffer,
  listDataFiles,
  type NumberedFile,
} from '../store/folder/data-folder.ts'
import {
  evidenceBehind,
  readSegmentHeader,
  type SegmentHeader,
  SegmentScan,
  scanned,
} from '../store/format/journal-format.ts'
import { headerOf, type JournalStart } from '../store/journal/journal-scan.ts'
import type { Recovered } from '../store/recovery/recovery.ts'
import { bytesOf, sizeOf } from './segment-report.ts'
import { neededChunks, reportSnapshot, type SnapshotReport } from './snapshot-report.ts'

/** What `repair` would give up. */
export interface RepairPlan {
  /** Where the journal goes on: its seq is where the folder stands afterwards. */
  readonly place: Recovered['place']
  /** The segment that stays in part: everything from `byte` on goes. */
  readonly cut: {
    readonly file: NumberedFile
    readonly byte: number
    readonly bytes: number
  } | null
  /** Segments, snapshots and chunks of the tape that go whole. */
  readonly segments: readonly NumberedFile[]
  readonly snapshots: readonly NumberedFile[]
  readonly chunks: readonly NumberedFile[]
  /** Whole frames among what goes, and the seq behind the last event that can be read. */
  readonly frames: number
  readonly lastSeq: number
  readonly bytes: number
}

/** Where the good part of the journal ends. */
interface GoodEnd {
  readonly seq: number
  readonly crc: number
  /** Place in the list of the segment that holds the end; later ones go. */
  readonly segment: number
  readonly cut: RepairPlan['cut']
}

/**
 * Finds what has to go so that nothing reaches beyond `until`: from the first such frame on, or
 * from the first damaged place. Only looks.
 * @throws StoreError when there is nothing in the folder to go back to
 */
export function planRepair(
  disk: Disk,
  folder: string,
  until: number,
  chunkRecords: number,
): RepairPlan {
  const files = listDataFiles(disk, folder)
  const { base, unusable } = repairBase(disk, folder, files.snapshots, until, chunkRecords)
  const end = goodEnd(disk, files, base ?? { seq: 0, segment: 0 }, until)
  const segments = files.segments.slice(end.segment + 1)
  const snapshots = files.snapshots.filter(
    (file) => file.number > end.seq || unusable.includes(file),
  )
  const isNothing = end.cut === null && segments.length + snapshots.length === 0
  // Of chunks, those that the snapshot leaves records to are needed; the others are made again.
  const behind = (archived: number) => (file: NumberedFile) =>
    !isNothing && (file.number + 1) * chunkRecords > archived
  const chunks = [
    ...files.chunks.filter(behind(base?.archivedRecords ?? 0)),
    ...files.dormantChunks.filter(behind(base?.archivedPositions ?? 0)),
  ]
  const lost = lostFrames(disk, end, segments)
  const before = segments[0] === undefined ? 0 : segments[0].number - 1
  return {
    place: { seq: end.seq, crc: end.crc, segment: files.segments[end.segment]?.number ?? before },
    cut: end.cut,
    segments,
    snapshots,
    chunks,
    ...lost,
    // A snapshot may hold events of which the journal is gone.
    lastSeq: Math.max(lost.lastSeq, ...snapshots.map(({ number }) => number)),
  }
}

function goodEnd(disk: Disk, files: DataFiles, from: JournalStart, until: number): GoodEnd {
  const { seq: fromSeq } = from
  const headers = files.segments.map(({ path }) => knownHeader(disk, path))
  const buffer = new FileBuffer()
  let first = firstOf(files, headers, from)
  let end: GoodEnd | null = null
  // Where that one is none, what takes its place goes on where the one before it ends.
  for (; first >= 0 && end === null; first--)
    end = endIn(disk, buffer, files.segments[first], first, until, null)
  if (end === null && fromSeq === 0 && files.segments.length > 0)
    throw new StoreError(
      'missing',
      `There is no whole snapshot with its chunks at or before seq ${until} and no segment of the journal ` +
        `that can be read begins at 0: there is nothing to go back to. Snapshots are at ${seqsOf(files)}.`,
    )
  if (end === null) return { seq: fromSeq, crc: 0, segment: -1, cut: null }
  for (let i = end.segment + 1; i < files.segments.length && end.cut === null; i++) {
    const next = endIn(disk, buffer, files.segments[i], i, until, end)
    if (next === null) break
    end = next
  }
  return { ...end, seq: Math.max(end.seq, fromSeq) }
}

/** Place of the segment that a start begins with; of those at one seq there may be some without events. */
function firstOf(
  { segments }: DataFiles,
  headers: readonly (SegmentHeader | null)[],
  { seq, segment }: JournalStart,
): number {
  const holds = headers.map((header) => header !== null && header.firstSeq <= seq)
  const first = holds.findLastIndex((held, i) => held && segments[i].number <= segment)
  return first < 0 ? holds.indexOf(true) : first
}

/** Where the good frames of a segment end; null when it cannot be read or does not go on where `before` ends. */
function endIn(
  disk: Disk,
  buffer: FileBuffer,
  file: NumberedFile,
  segment: number,
  until: number,
  before: GoodEnd | null,
): GoodEnd | null {
  const bytes = bytesOf(disk, buffer, file)
  if (bytes === null) return null
  const header = readSegmentHeader(bytes)
  if (header === null || header === 'newer' || header.index !== file.number) return null
  if (before !== null && (header.firstSeq !== before.seq || header.previousCrc !== before.crc))
    return null
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq)
  // Behind the last event that stays: what is defined for events that go would stay as well else.
  let { end: byte, crc, endSeq: seq } = scan
  let isBeyond = false
  while (!isBeyond && scan.next()) {
    isBeyond = scan.endSeq > until
    if (isBeyond || scan.events === 0) continue
    byte = scan.end
    crc = scan.crc
    seq = scan.endSeq
  }
  if (!isBeyond && !scan.hasBadTail) return { seq, crc: scan.crc, segment, cut: null }
  return { seq, crc, segment, cut: { file, byte, bytes: bytes.length - byte } }
}

function knownHeader(disk: Disk, path: string): SegmentHeader | null {
  const header = unlessUnreadable(() => headerOf(disk, path))
  if (header === 'newer') throw newerVersion(path)
  return header
}

function seqsOf({ snapshots }: DataFiles): string {
  return snapshots.map(({ number }) => number).join(', ') || 'no seq'
}

/** What the frames that go hold, as far as they can be read. */
function lostFrames(
  disk: Disk,
  end: GoodEnd,
  segments: readonly NumberedFile[],
): Pick<RepairPlan, 'frames' | 'lastSeq' | 'bytes'> {
  const buffer = new FileBuffer()
  let frames = 0
  let lastSeq = end.seq
  let total = 0
  const count = (file: NumberedFile, from: number) => {
    total += sizeOf(disk, file) - from
    const bytes = bytesOf(disk, buffer, file)
    // What stands in it nobody can tell.
    if (bytes === null) return
    frames += evidenceBehind(bytes, from).frames
    lastSeq = Math.max(lastSeq, scanned(bytes)?.endSeq ?? 0)
  }
  if (end.cut !== null) count(end.cut.file, end.cut.byte)
  for (const file of segments) count(file, 0)
  return { frames, lastSeq, bytes: total }
}

/**
 * What the folder goes back to before the journal is folded: the newest whole snapshot, null for none. `unusable` are
 * newer ones that are whole, and that a start refuses since chunks of theirs are gone.
 * @throws StoreError when another version wrote a snapshot that may be the one
 */
export function repairBase(
  disk: Disk,
  folder: string,
  snapshots: readonly NumberedFile[],
  until: number,
  chunkRecords: number,
): { readonly base: SnapshotReport | null; readonly unusable: readonly NumberedFile[] } {
  const unusable: NumberedFile[] = []
  for (const file of snapshots.toReversed()) {
    if (file.number > until) continue
    const report = reportSnapshot(disk, file)
    if (report.status === 'other version') throw new StoreError('newer_version', report.damage)
    if (report.status === 'damaged') continue
    if (hasItsChunks(disk, folder, report, chunkRecords)) return { base: report, unusable }
    unusable.push(file)
  }
  return { base: null, unusable }
}

function hasItsChunks(
  disk: Disk,
  folder: string,
  report: SnapshotReport,
  chunkRecords: number,
): boolean {
  try {
    runToEnd(neededChunks(disk, folder, report, chunkRecords))
    return true
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return false
    throw error
  }
}
