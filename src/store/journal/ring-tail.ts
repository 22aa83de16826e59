import { type Disk, readAll } from '../disk/disk.ts'
import { unlessUnreadable } from '../disk/node-disk.ts'
import { type NumberedFile, withFile } from '../folder/data-folder.ts'
import { SEGMENT_HEADER_BYTES } from '../format/journal-format.ts'
import { SegmentScan, scanned } from '../format/segment-scan.ts'
import { copyOut, RING_NAME, type RingPlace, ringPath } from './journal-ring.ts'
import { SegmentFiles } from './segment-source.ts'

/** What the last segment goes on with in the ring of a process that was killed. */
export interface RingTail {
  readonly path: string
  /** Byte behind the last good frame of the segment. */
  readonly byte: number
  /** Whole frames, each chained to the one before; at least to the end of the segment. */
  readonly bytes: Uint8Array
}

/**
 * Looks in the ring for what the last segment does not have; null for nothing. The frames themselves tell:
 * one counts that is chained, by crc and seq, to the last good one of the file, so that what an earlier
 * turn of the ring, another segment or half a store has left in it does not. A file that reaches further
 * than they do is left to the walk of the journal, which knows damage from a torn tail.
 */
export function ringTail(
  disk: Disk,
  folder: string,
  segments: readonly NumberedFile[],
): RingTail | null {
  const path = segments.at(-1)?.path
  const ring = unlessUnreadable(() => readRing(disk, folder))
  if (path === undefined || ring === null) return null
  // What cannot be read is for the walk too, which names it.
  const segment = unlessUnreadable(() => new SegmentFiles(disk).take(path).bytes)
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
  // As a segment of which the frames before are a head.
  const turn = new Uint8Array(SEGMENT_HEADER_BYTES + ring.length)
  copyOut(ring, end, end + ring.length, turn.subarray(SEGMENT_HEADER_BYTES))
  const scan = new SegmentScan(turn, crc, endSeq)
  while (scan.next());
  return turn.subarray(SEGMENT_HEADER_BYTES, scan.end)
}

/** Null when there is none, or one that was not made to its end. */
function readRing(disk: Disk, folder: string): Uint8Array | null {
  if (!disk.list(folder).includes(RING_NAME)) return null
  return withFile(disk.open(ringPath(folder)), (file) => {
    const ring = new Uint8Array(file.size())
    return ring.length > 0 && readAll(file, ring, 0) ? ring : null
  })
}
