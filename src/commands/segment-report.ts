import type { Disk } from '../store/disk/disk.ts'
import { unlessUnreadable } from '../store/disk/node-disk.ts'
import { type FileBuffer, type NumberedFile, withFile } from '../store/folder/data-folder.ts'
import {
  FRAME_HEADER_BYTES,
  Kind,
  readSegmentHeader,
  type SegmentHeader,
  SegmentScan,
} from '../store/format/journal-format.ts'
import { headerOf } from '../store/journal/journal-scan.ts'

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

/** A report, and what the next segment has to go on from. */
export interface ScannedSegment {
  readonly report: SegmentReport
  readonly crc: number
}

const KIND_NAMES = new Map<number, string>(Object.entries(Kind).map(([name, kind]) => [kind, name]))

/** Looks at every frame of a segment; `before` is the segment before it in the folder. */
export function reportSegment(
  disk: Disk,
  buffer: FileBuffer,
  file: NumberedFile,
  before: ScannedSegment | null,
): ScannedSegment {
  const bytes = bytesOf(disk, buffer, file)
  if (bytes === null)
    return { report: unreadable(file, sizeOf(disk, file), 'it cannot be read (EIO)'), crc: 0 }
  const header = readSegmentHeader(bytes)
  if (header === null || header === 'newer') {
    const reason =
      header === null ? 'its header is torn or damaged' : 'a later version of mintfeed wrote it'
    return { report: unreadable(file, bytes.length, reason), crc: 0 }
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

/** The bytes of a segment, valid until the next read; null when a sector of it cannot be read. */
export function bytesOf(
  disk: Disk,
  buffer: FileBuffer,
  { path }: NumberedFile,
): Uint8Array<ArrayBuffer> | null {
  return unlessUnreadable(() => buffer.read(disk, path))
}

export function sizeOf(disk: Disk, { path }: NumberedFile): number {
  return withFile(disk.open(path), (file) => file.size())
}

function unreadable(
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
    bytes += withFile(disk.open(path), (file) => file.size())
  }
  return Math.max(bytes, FRAME_HEADER_BYTES)
}
