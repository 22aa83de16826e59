import { basename } from 'node:path'
import { type Disk, readAll } from '../disk/disk.ts'
import { newerVersion, StoreError } from '../disk/failure.ts'
import { unlessUnreadable } from '../disk/node-disk.ts'
import { type DataFiles, FileBuffer, type NumberedFile, withFile } from '../folder/data-folder.ts'
import {
  evidenceBehind,
  Kind,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  SegmentScan,
  scanned,
} from '../format/journal-format.ts'
import { type RingPlace, ringParts, ringPath } from './journal-ring.ts'

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
  /** Is it the beginning of one write that was not done? What it held was then never seen. */
  readonly isUnfinished: boolean
}

/** How the journal ends. */
export interface JournalEnd {
  /** Seq behind the last good frame, at least the one the walk began at. */
  readonly seq: number
  /** Crc of that frame. */
  readonly crc: number
  /** Index of the last segment that stays; 0 when there is none. */
  readonly segment: number
  readonly epoch: string | null
  /** Did the process that wrote it stop in order? */
  readonly isClosed: boolean
  readonly cut: Cut | null
}

/** Where a walk begins: where a snapshot says that the journal goes on behind it. */
export interface JournalStart {
  readonly seq: number
  /**
   * Frames without events may stand on either side of a snapshot at the same seq: those of this
   * segment and later ones are behind it.
   */
  readonly segment: number
}

interface Walk {
  readonly disk: Disk
  readonly segments: readonly NumberedFile[]
  readonly source: SegmentSource
  /** Takes the frames of the walk, one behind the other; the segment lies in memory. */
  readonly visit: (frame: SegmentScan, header: SegmentHeader) => void
  readonly framesPerYield: number
  /** Frames of earlier segments or below this seq are read but not handed out. */
  readonly from: JournalStart
  place: number
  end: JournalEnd
}

/** Frames visited between two yields. */
const FRAMES_PER_YIELD = 1_024

/** Where a walk takes segments from; what it took is valid until it takes the next one. */
export interface SegmentSource {
  /**
   * The bytes of a segment, of which frames that end at `checkedTo` or before are known to be right; null when it is
   * not there yet: the walk yields and asks again.
   */
  take(path: string): {
    readonly bytes: Uint8Array<ArrayBuffer>
    readonly checkedTo: number
  } | null
}

/**
 * Walks the frames from a seq or the end of a snapshot on, segment by segment; yields between
 * segments and every so many frames so that the caller may do other things.
 *
 * A bad place is a torn tail when nothing behind it says that it had been safe: it is reported as a
 * `cut` (nothing is changed on the disk). Else the walk throws a StoreError `damaged` that names
 * file, byte and seq. A frame's payload is valid until the walk goes on.
 */
export function* walkJournal(
  disk: Disk,
  files: DataFiles,
  from: number | JournalStart,
  visit: Walk['visit'],
  options: {
    readonly framesPerYield?: number
    /** `segmentFiles` when left out. */
    readonly source?: SegmentSource | undefined
  } = {},
): Generator<number, JournalEnd> {
  const fromSeq = typeof from === 'number' ? from : from.seq
  const latest = typeof from === 'number' ? Number.POSITIVE_INFINITY : from.segment
  const segments = segmentsFrom(disk, files.segments, fromSeq, latest)
  const walk: Walk = {
    disk,
    segments,
    source: options.source ?? segmentFiles(disk),
    framesPerYield: options.framesPerYield ?? FRAMES_PER_YIELD,
    visit,
    // A seq alone asks for every frame at it or behind it.
    from: typeof from === 'number' ? { seq: from, segment: 0 } : from,
    place: 0,
    end: { seq: fromSeq, crc: 0, segment: 0, epoch: null, isClosed: false, cut: null },
  }
  for (const [place, file] of segments.entries()) {
    if (walk.end.cut !== null) break
    walk.place = place
    yield* walkSegment(walk, file)
  }
  // A snapshot may hold events that a power failure took off the journal: it goes on behind them.
  return { ...walk.end, seq: Math.max(walk.end.seq, fromSeq) }
}

function* walkSegment(walk: Walk, file: NumberedFile): Generator<number> {
  const { bytes, checkedTo } = yield* load(walk, file.path)
  const header = readSegmentHeader(bytes)
  if (header === 'newer') throw newerVersion(file.path)
  if (header === null || !follows(walk, file, header)) {
    const isUnfinished = bytes.length < SEGMENT_HEADER_BYTES
    walk.end = { ...walk.end, cut: tornAt(walk, file, bytes, 0, walk.end.seq, isUnfinished) }
    return
  }
  if (header.firstSeq > walk.end.seq) throw gap(file.path, walk.end.seq, header.firstSeq)
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq, checkedTo)
  const isWanted = file.number >= walk.from.segment
  let isClosed = false
  for (let frames = 1; scan.next(); frames++) {
    isClosed = scan.kind === Kind.closed
    const isBehind = scan.seq >= walk.from.seq
    if (isWanted && isBehind) walk.visit(scan, header)
    else if (isBehind && scan.events > 0) throw otherFolder(file.path, walk.from)
    if (frames % walk.framesPerYield === 0) yield scan.endSeq
  }
  const { epoch } = header
  const { endSeq: seq, crc } = scan
  const cut = scan.hasBadTail ? tornAt(walk, file, bytes, scan.end, seq, scan.isUnfinished) : null
  walk.end = { seq, crc, segment: file.number, epoch, isClosed, cut }
  yield seq
}

/** Reads each segment when it is asked for. */
export function segmentFiles(disk: Disk) {
  const buffer = new FileBuffer()
  return { take: (path: string) => ({ bytes: buffer.read(disk, path), checkedTo: 0 }) }
}

function* load({ source, end }: Walk, path: string) {
  for (;;) {
    const loaded = source.take(path)
    if (loaded !== null) return loaded
    yield end.seq
  }
}

/** Does a segment go on where the one before ended? The first of the walk may start anywhere. */
function follows(walk: Walk, file: NumberedFile, header: SegmentHeader): boolean {
  if (header.index !== file.number) return false
  if (walk.place === 0) return true
  if (missingBefore(walk, file) !== null) return false
  return header.firstSeq === walk.end.seq && header.previousCrc === walk.end.crc
}

/**
 * Number of the first segment that is missing before one, or null: a power failure may have taken the name of a segment
 * and not the next.
 */
function missingBefore({ segments, place }: Walk, { number }: NumberedFile): number | null {
  const before = segments[place - 1]
  return before === undefined || number === before.number + 1 ? null : before.number + 1
}

/**
 * The segments that a walk from `fromSeq` reads, as far as headers say: those that hold it, the first of them no later
 * than `latest`, and later ones.
 */
export function segmentsFrom(
  disk: Disk,
  segments: readonly NumberedFile[],
  fromSeq: number,
  latest = Number.POSITIVE_INFINITY,
): readonly NumberedFile[] {
  const first = segments.findLastIndex(({ path, number }) => {
    const header = headerOf(disk, path)
    if (header === 'newer') throw newerVersion(path)
    return header !== null && header.firstSeq <= fromSeq && number <= latest
  })
  return segments.slice(Math.max(first, 0))
}

/** Header of a segment file, read by itself. */
export function headerOf(disk: Disk, path: string): SegmentHeader | 'newer' | null {
  return withFile(disk.open(path), (file) => {
    const bytes = new Uint8Array(SEGMENT_HEADER_BYTES)
    return file.read(bytes, 0) < bytes.length ? null : readSegmentHeader(bytes)
  })
}

/** A bad place: a tail to cut, or damage. */
function tornAt(
  walk: Walk,
  file: NumberedFile,
  bytes: Uint8Array,
  byte: number,
  seq: number,
  isBeginning: boolean,
): Cut {
  const { path } = file
  const later = walk.segments.slice(walk.place + 1)
  // A header that is whole but does not follow says what was safe before it.
  let { syncedSeq, frames } = evidenceBehind(bytes, byte)
  const buffer = new FileBuffer()
  for (const segment of later) {
    const more = evidenceBehind(buffer.read(walk.disk, segment.path), 0)
    syncedSeq = Math.max(syncedSeq, more.syncedSeq)
    frames += more.frames
  }
  const missing = missingBefore(walk, file)
  if (syncedSeq > seq && missing !== null)
    throw new StoreError(
      'missing',
      `Journal segment ${missing} is missing before ${path}: put it ` +
        `back, or give up everything from there on with "mintfeed repair --until ${seq}".`,
    )
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
    isUnfinished: isBeginning && frames === 0 && later.length === 0,
  }
}

/** To leave them out would be a gap that nobody sees. */
function otherFolder(path: string, { seq }: JournalStart): StoreError {
  const says = `${path} has events from seq ${seq} on, and the snapshot of that seq counts it as one before it`
  const remedy = 'put back the files of one folder, or move that snapshot away.'
  return new StoreError('missing', `${says}: ${remedy}`)
}

function gap(path: string, fromSeq: number, firstSeq: number): StoreError {
  return new StoreError(
    'missing',
    `Events ${fromSeq} to ${firstSeq - 1} are in no readable file: the journal begins with ${path}. ` +
      'Put back the snapshot or the segment that holds them, or start with an empty DATA_DIR.',
  )
}

/**
 * Looks in the ring of a killed process for what the last segment does not have: `bytes` of whole frames, which
 * follow the last good frame of the segment, at `byte`, and reach at least to its end; null for nothing. A frame counts
 * that is chained, by crc and seq, to the last good one of the file; what an earlier round of the ring, another segment
 * or half a store left in the ring is not. A file that reaches further than these frames is left to the walk of the
 * journal, which distinguishes damage from a torn tail.
 */
export function ringTail(
  disk: Disk,
  folder: string,
  segments: readonly NumberedFile[],
): { readonly path: string; readonly byte: number; readonly bytes: Uint8Array } | null {
  const path = segments.at(-1)?.path
  const ring = unlessUnreadable(() => readRing(disk, folder))
  if (path === undefined || ring === null) return null
  // What cannot be read is for the walk too, which names it.
  const segment = unlessUnreadable(() => new FileBuffer().read(disk, path))
  const scan = segment === null ? null : scanned(segment)
  if (segment === null || scan === null) return null
  const bytes = chained(ring, scan)
  const isFurther = bytes.length > 0 && scan.end + bytes.length >= segment.length
  return isFurther ? { path, byte: scan.end, bytes } : null
}

/**
 * Puts what the ring of a killed process has alone into the last segment; returns how many bytes. What stood there
 * was no whole frame. The caller syncs the segments before the ring goes.
 */
export function settleRing(
  disk: Disk,
  folder: string,
  segments: readonly NumberedFile[],
  place: RingPlace,
): number {
  const tail = ringTail(disk, folder, segments)
  if (tail === null) return 0
  const { path, byte, bytes } = tail
  const placed = place.open(path)
  try {
    placed.write([bytes], byte)
  } finally {
    placed.close()
  }
  return bytes.length
}

/** The frames of the ring that go on where a scan of the segment has ended. */
function chained(ring: Uint8Array, { end, crc, endSeq }: SegmentScan): Uint8Array {
  // The ring is read as a segment whose header is the frames before.
  const turn = new Uint8Array(SEGMENT_HEADER_BYTES + ring.length)
  let at = SEGMENT_HEADER_BYTES
  for (const part of ringParts(ring, end, end + ring.length)) {
    turn.set(part, at)
    at += part.length
  }
  const scan = new SegmentScan(turn, crc, endSeq)
  while (scan.next());
  return turn.subarray(SEGMENT_HEADER_BYTES, scan.end)
}

/** Null when there is none, or one that was not made to its end. */
function readRing(disk: Disk, folder: string): Uint8Array | null {
  const path = ringPath(folder)
  if (!disk.list(folder).includes(basename(path))) return null
  return withFile(disk.open(path), (file) => {
    const ring = new Uint8Array(file.size())
    return ring.length > 0 && readAll(file, ring, 0) ? ring : null
  })
}
