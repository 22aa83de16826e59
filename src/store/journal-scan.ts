import { type DataFiles, type NumberedFile, readWhole } from './data-folder.ts'
import type { Disk } from './disk.ts'
import { StoreError } from './failure.ts'
import { Kind, SEGMENT_HEADER_BYTES } from './journal-format.ts'
import { readSegmentHeader, type SegmentHeader } from './segment-header.ts'
import { evidenceBehind, evidenceOfSegment, SegmentScan } from './segment-scan.ts'

/** Where a tail that never was safe begins, and what goes with it. */
export interface Cut {
  readonly path: string
  /** First byte that goes. */
  readonly byte: number
  readonly bytes: number
  /** Whole frames among them: written before a power failure, behind a hole. */
  readonly frames: number
  /** Later segments that go whole. */
  readonly dropped: readonly string[]
}

/** How the journal ends. */
export interface JournalEnd {
  /** Seq behind the last good frame. */
  readonly seq: number
  /** Crc of it. */
  readonly crc: number
  /** Index of the last segment that stays; 0 when there is none. */
  readonly segment: number
  readonly epoch: string | null
  readonly boot: string | null
  /** Did the process that wrote it stop in order? */
  readonly isClosed: boolean
  readonly cut: Cut | null
}

/** What the walk hands out: one segment that lies in memory, its frames behind one another. */
export type VisitFrame = (frame: SegmentScan, header: SegmentHeader) => void

interface Walk {
  readonly disk: Disk
  readonly segments: readonly NumberedFile[]
  place: number
  end: JournalEnd
}

/**
 * Walks the frames from `fromSeq` on, segment by segment; yields between segments and every so many
 * frames so that the caller may do other things.
 *
 * A bad place is a torn tail when nothing behind it says that it had been safe: it is reported as a
 * `cut` (nothing is changed on the disk). Else the walk throws a StoreError `damaged` that names
 * file, byte and seq. A frame's payload is valid until the walk goes on.
 */
export function* walkJournal(
  disk: Disk,
  files: DataFiles,
  fromSeq: number,
  visit: VisitFrame,
): Generator<number, JournalEnd> {
  const segments = segmentsFrom(disk, files.segments, fromSeq)
  const start: JournalEnd = {
    seq: fromSeq,
    crc: 0,
    segment: 0,
    epoch: null,
    boot: null,
    isClosed: false,
    cut: null,
  }
  const walk: Walk = { disk, segments, place: 0, end: start }
  for (; walk.place < segments.length && walk.end.cut === null; walk.place++)
    yield* walkSegment(walk, fromSeq, visit)
  return walk.end
}

/** Frames visited between two rests. */
const FRAMES_PER_REST = 1_024

function* walkSegment(walk: Walk, fromSeq: number, visit: VisitFrame): Generator<number> {
  const file = walk.segments[walk.place]
  const bytes = readWhole(walk.disk, file.path)
  const header = readSegmentHeader(bytes)
  if (header === 'newer') throw newer(file.path)
  if (header === null || !follows(walk, file, header)) {
    walk.end = { ...walk.end, cut: tornAt(walk, bytes, 0) }
    return
  }
  if (header.firstSeq > walk.end.seq) throw gap(file.path, walk.end.seq, header.firstSeq)
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq)
  let isClosed = false
  for (let frames = 1; scan.next(); frames++) {
    isClosed = scan.kind === Kind.closed
    if (scan.seq >= fromSeq) visit(scan, header)
    if (frames % FRAMES_PER_REST === 0) yield scan.endSeq
  }
  const { epoch, boot } = header
  const { endSeq: seq, crc } = scan
  const cut = scan.hasRest ? tornAt(walk, bytes, scan.end, seq) : null
  walk.end = { seq, crc, segment: file.number, epoch, boot, isClosed, cut }
  yield seq
}

/** Does a segment go on where the one before ended? The first of the walk may start anywhere. */
function follows(walk: Walk, file: NumberedFile, header: SegmentHeader): boolean {
  if (header.index !== file.number) return false
  if (walk.place === 0) return true
  return header.firstSeq === walk.end.seq && header.previousCrc === walk.end.crc
}

/** Segments that hold `fromSeq` and later ones, without a gap in their numbers. */
function segmentsFrom(
  disk: Disk,
  segments: readonly NumberedFile[],
  fromSeq: number,
): readonly NumberedFile[] {
  let first = segments.length
  while (first > 0) {
    first -= 1
    const header = headerOf(disk, segments[first].path)
    if (header === 'newer') throw newer(segments[first].path)
    if (header !== null && header.firstSeq <= fromSeq) break
  }
  const found = segments.slice(first)
  for (let i = 1; i < found.length; i++)
    if (found[i].number !== found[i - 1].number + 1)
      throw new StoreError(
        'missing',
        `Journal segment ${found[i - 1].number + 1} is missing before ${found[i].path}: put it back ` +
          'or start with an empty DATA_DIR.',
      )
  return found
}

/** Header of a segment file, read by itself. */
export function headerOf(disk: Disk, path: string): SegmentHeader | 'newer' | null {
  const file = disk.open(path)
  try {
    const bytes = new Uint8Array(SEGMENT_HEADER_BYTES)
    return file.read(bytes, 0) < bytes.length ? null : readSegmentHeader(bytes)
  } finally {
    file.close()
  }
}

/** A bad place: a tail to cut, or damage. */
function tornAt(walk: Walk, bytes: Uint8Array, byte: number, seq = walk.end.seq): Cut {
  const { path } = walk.segments[walk.place]
  const later = walk.segments.slice(walk.place + 1)
  let { syncedSeq, frames } = evidenceBehind(bytes, byte)
  for (const segment of later) {
    const more = evidenceOfSegment(readWhole(walk.disk, segment.path))
    syncedSeq = Math.max(syncedSeq, more.syncedSeq)
    frames += more.frames
  }
  if (syncedSeq > seq)
    throw new StoreError(
      'damaged',
      `The journal is damaged in the middle: ${path}, byte ${byte}, seq ${seq}; what stood there was ` +
        `safe on the disk and frames behind it are whole. Put the file back from a copy, or give up ` +
        `everything from there on with "mintfeed repair --until ${seq}".`,
    )
  return {
    path,
    byte,
    bytes: bytes.length - byte,
    frames,
    dropped: later.map((segment) => segment.path),
  }
}

function gap(path: string, fromSeq: number, firstSeq: number): StoreError {
  return new StoreError(
    'missing',
    `Events ${fromSeq} to ${firstSeq - 1} are in no readable file: the journal begins with ${path}. ` +
      'Put back the snapshot or the segment that holds them, or start with an empty DATA_DIR.',
  )
}

function newer(path: string): StoreError {
  return new StoreError(
    'newer_version',
    `${path} was written by a later version of mintfeed: start that version, or another DATA_DIR.`,
  )
}
