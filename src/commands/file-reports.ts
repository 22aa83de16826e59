/**
 * What is in the files of a data folder, segment by segment, snapshot by snapshot, chunk by chunk. Every crc is checked; a
 * file that cannot be read, or that a later version wrote, is reported as such. Only looks.
 */
import type { Disk, DiskFile } from '../store/disk/disk.ts'
import { StoreError } from '../store/disk/failure.ts'
import { isUnreadable, unlessUnreadable } from '../store/disk/node-disk.ts'
import { FileBuffer, type NumberedFile, withFile } from '../store/folder/data-folder.ts'
import {
  FRAME_HEADER_BYTES,
  Kind,
  readSegmentHeader,
  type SegmentHeader,
  SegmentScan,
} from '../store/format/journal-format.ts'
import { headerOf } from '../store/journal/journal-scan.ts'
import {
  archivedOf,
  type Contents,
  damagedPart,
  readContents,
} from '../store/snapshot/snapshot-file.ts'
import { needChunks } from '../store/snapshot/tape-archive.ts'
import {
  type ChunkKind,
  type ChunkTable,
  readChunkBlock,
  readChunkTable,
} from '../store/snapshot/tape-chunk.ts'

/** What is in a segment of the journal. */
export interface SegmentReport {
  readonly index: number
  readonly name: string
  readonly bytes: number
  readonly firstSeq: number
  /** Seq behind its last good frame. */
  readonly endSeq: number
  readonly epoch: string
  /** Did the process that wrote it stop in order? */
  readonly isClosed: boolean
  /** Good frames by kind. */
  readonly frames: Readonly<Record<string, number>>
  readonly damage: SegmentDamage | null
}

interface SegmentDamage {
  /** First byte that is not right. */
  readonly byte: number
  readonly reason: string
}

/** A report, with the crc that the next segment goes on from. */
interface ScannedSegment {
  readonly report: SegmentReport
  readonly crc: number
}

const KIND_NAMES = new Map<number, string>(Object.entries(Kind).map(([name, kind]) => [kind, name]))

/** Looks at every frame of the segments; `onBytes` takes how many bytes each has. */
export function reportSegments(
  disk: Disk,
  files: readonly NumberedFile[],
  onBytes: (bytes: number) => void,
): SegmentReport[] {
  const buffer = new FileBuffer()
  let before: ScannedSegment | null = null
  return files.map((file) => {
    before = reportSegment(disk, buffer, file, before)
    onBytes(before.report.bytes)
    return before.report
  })
}

function reportSegment(
  disk: Disk,
  buffer: FileBuffer,
  file: NumberedFile,
  before: ScannedSegment | null,
): ScannedSegment {
  const bytes = unlessUnreadable(() => buffer.read(disk, file.path))
  if (bytes === null) {
    const report = unreadableSegment(file, sizeOf(disk, file.path), 'it cannot be read (EIO)')
    return { report, crc: 0 }
  }
  const header = readSegmentHeader(bytes)
  if (header === null || header === 'newer') {
    const reason =
      header === null ? 'its header is torn or damaged' : 'a later version of mintfeed wrote it'
    return { report: unreadableSegment(file, bytes.length, reason), crc: 0 }
  }
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq)
  const frames: Record<string, number> = {}
  let isClosed = false
  while (scan.next()) {
    const name = KIND_NAMES.get(scan.kind) ?? String(scan.kind)
    frames[name] = (frames[name] ?? 0) + 1
    isClosed = scan.kind === Kind.closed
  }
  const report = {
    index: header.index,
    name: file.name,
    bytes: bytes.length,
    firstSeq: header.firstSeq,
    endSeq: scan.endSeq,
    epoch: header.epoch,
    isClosed,
    frames,
    damage: discontinuity(file, header, before) ?? badTail(scan, bytes.length),
  }
  return { report, crc: scan.crc }
}

export function sizeOf(disk: Disk, path: string): number {
  return withFile(disk.open(path), (file) => file.size())
}

function unreadableSegment(
  { number: index, name }: NumberedFile,
  bytes: number,
  reason: string,
): SegmentReport {
  const nothing = { firstSeq: 0, endSeq: 0, epoch: '', isClosed: false, frames: {} }
  return { index, name, bytes, ...nothing, damage: { byte: 0, reason } }
}

function discontinuity(
  file: NumberedFile,
  header: SegmentHeader,
  before: ScannedSegment | null,
): SegmentDamage | null {
  if (header.index !== file.number)
    return { byte: 0, reason: `its header says that it is segment ${header.index}` }
  if (before === null) return null
  const { report, crc } = before
  if (file.number !== report.index + 1)
    return { byte: 0, reason: `segment ${report.index + 1} is missing before it` }
  if (header.firstSeq === report.endSeq && header.previousCrc === crc) return null
  return { byte: 0, reason: `it does not go on where ${report.name} ends` }
}

function badTail(scan: SegmentScan, bytes: number): SegmentDamage | null {
  if (!scan.hasBadTail) return null
  return {
    byte: scan.end,
    reason: `the last ${bytes - scan.end} bytes are no good frames from seq ${scan.endSeq} on`,
  }
}

/** Bytes of the segments that hold events from one seq to another; `toSeq` null: to the end. */
export function bytesBetween(
  disk: Disk,
  segments: readonly NumberedFile[],
  fromSeq: number,
  toSeq: number | null,
): number {
  let bytes = 0
  for (const { path } of segments) {
    const header = headerOf(disk, path)
    if (header === null || header === 'newer' || header.firstSeq < fromSeq) continue
    if (toSeq !== null && header.firstSeq >= toSeq) continue
    bytes += sizeOf(disk, path)
  }
  return Math.max(bytes, FRAME_HEADER_BYTES)
}

/** What is in a snapshot. */
export interface SnapshotReport {
  /** By its name. */
  readonly seq: number
  readonly name: string
  readonly bytes: number
  readonly epoch: string
  readonly digest: string
  /** Segment of the journal that goes on behind it. */
  readonly segment: number
  /** Records of the tape that it leaves to chunks. */
  readonly archivedRecords: number
  /** Records of the dormant tape that it leaves to chunks. */
  readonly archivedPositions: number
  /** The chunks it leaves them to. */
  readonly chunks: Contents['chunks']
  readonly parts: readonly { readonly name: string; readonly bytes: number }[]
  readonly status: 'whole' | 'damaged' | 'other version'
  /** Says what is damaged; "" for nothing. */
  readonly damage: string
}

/**
 * Reads a snapshot and checks every byte of its parts. `onBytes` takes how many were read; once it returns false,
 * the others are not read.
 */
export function reportSnapshot(
  disk: Disk,
  file: NumberedFile,
  onBytes: (bytes: number) => unknown = () => {},
): SnapshotReport {
  return withFile(disk.open(file.path), (open) => {
    const bytes = open.size()
    try {
      const contents = readContents(open, file.path)
      if (contents === null)
        return unreadableSnapshot(
          file,
          bytes,
          'damaged',
          'its table of contents is torn or damaged',
        )
      return ofContents(file, bytes, contents, firstDamaged(open, contents.parts, onBytes))
    } catch (error) {
      if (isUnreadable(error))
        return unreadableSnapshot(file, bytes, 'damaged', 'it cannot be read (EIO)')
      if (!(error instanceof StoreError)) throw error
      return unreadableSnapshot(file, bytes, 'other version', error.message)
    }
  })
}

/** Checks that the chunks of a snapshot are there, as a start does (tape-archive.ts). */
export function neededChunks(
  disk: Disk,
  folder: string,
  { archivedRecords, archivedPositions, chunks }: SnapshotReport,
  chunkRecords: number,
): Generator<number, void> {
  const tapeOf = (archivedCount: number, crcs: readonly number[]) => {
    return { chunkRecords, archivedCount, chunkCrcs: [...crcs] }
  }
  const dormant = tapeOf(archivedPositions, chunks.positions)
  return needChunks(disk, folder, tapeOf(archivedRecords, chunks.swaps), dormant)
}

function ofContents(
  file: NumberedFile,
  bytes: number,
  contents: Contents,
  damaged: Contents['parts'][number] | null,
): SnapshotReport {
  const { seq, epoch, digest, segment, parts } = contents
  const damage =
    damaged !== null
      ? `part "${damaged.name}" at byte ${damaged.at} is not what was written`
      : seq !== file.number
        ? `it holds seq ${seq}`
        : ''
  return {
    seq: file.number,
    name: file.name,
    bytes,
    epoch,
    digest,
    segment,
    archivedRecords: archivedOf(contents, 'tape'),
    archivedPositions: archivedOf(contents, 'dormant tape'),
    chunks: contents.chunks,
    parts: parts.map(({ name, bytes }) => ({ name, bytes })),
    status: damage === '' ? 'whole' : 'damaged',
    damage,
  }
}

/** What is known of a snapshot that cannot be read. */
const NOTHING_KNOWN = {
  ...{ epoch: '', digest: '', segment: 0, archivedRecords: 0, archivedPositions: 0, parts: [] },
  chunks: { swaps: [], positions: [] },
}

function unreadableSnapshot(
  { number: seq, name }: NumberedFile,
  bytes: number,
  status: SnapshotReport['status'],
  damage: string,
): SnapshotReport {
  return { seq, name, bytes, ...NOTHING_KNOWN, status, damage }
}

function firstDamaged(
  file: DiskFile,
  parts: Contents['parts'],
  onBytes: (bytes: number) => unknown,
): Contents['parts'][number] | null {
  const steps = damagedPart(file, parts)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (onBytes(step.value) === false) return null
  }
}

/** What is in a chunk of a tape. */
export interface ChunkReport {
  readonly chunk: number
  readonly name: string
  readonly bytes: number
  readonly records: number
  readonly blocks: number
  readonly isWhole: boolean
  /** Identifies it among all chunks (tape-chunk.ts); 0 where its head cannot be read. */
  readonly crc: number
  /** Blocks that are not what was written. */
  readonly damagedBlocks: readonly number[]
}

/** Reads a chunk and checks every block of it. */
export function reportChunk(disk: Disk, chunk: NumberedFile, kind: ChunkKind): ChunkReport {
  return withFile(disk.open(chunk.path), (file) => {
    const about = { chunk: chunk.number, name: chunk.name, bytes: file.size() }
    const table = tableOf(file, chunk, kind)
    if (table === null)
      return { ...about, records: 0, blocks: 0, isWhole: false, crc: 0, damagedBlocks: [] }
    const block = new Uint8Array(table.blockRecords * kind.recordBytes)
    const damagedBlocks = [...table.crcs.keys()].filter((i) => !isWhole(file, table, i, block))
    const { crc } = table
    const blocks = table.crcs.length
    const records = blocks * table.blockRecords
    return { ...about, records, blocks, isWhole: damagedBlocks.length === 0, crc, damagedBlocks }
  })
}

/** Reads a block into `into`; one with a sector that cannot be read counts as damaged. */
function isWhole(file: DiskFile, table: ChunkTable, block: number, into: Uint8Array): boolean {
  return unlessUnreadable(() => readChunkBlock(file, table, block, into)) ?? false
}

/** null: a later version wrote the chunk, or its head cannot be read. */
function tableOf(
  file: DiskFile,
  { number, path }: NumberedFile,
  kind: ChunkKind,
): ChunkTable | null {
  try {
    return readChunkTable(file, number, path, kind)
  } catch (error) {
    if (error instanceof StoreError || isUnreadable(error)) return null
    throw error
  }
}
