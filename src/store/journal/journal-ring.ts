import { join } from 'node:path'
import { type Disk, type DiskFile, readAll } from '../disk/disk.ts'
import { unlessUnreadable } from '../disk/node-disk.ts'
import { FileBuffer, type NumberedFile, withFile } from '../folder/data-folder.ts'
import { SEGMENT_HEADER_BYTES } from '../format/journal-format.ts'
import { SegmentScan, scanned } from '../format/segment-scan.ts'

/**
 * Bytes of the ring: what may be written before the file has it. Longer than a sync of the disk takes at
 * 60 MB/s, short enough to stay in the caches of a core.
 */
export const RING_BYTES = 2 << 20
/** What is moved at once when the ring is full: long enough that a call of the kernel counts for little. */
const MOVED_BYTES = 256 << 10

/**
 * From the beginning of one sync to that of the next at least: each costs the loop 0.1 ms, and what is written
 * waits for this and one sync at most, of the few milliseconds that it may.
 */
const SYNC_EVERY_MS = 4

export const RING_NAME = 'journal.ring'

export function ringPath(folder: string): string {
  return join(folder, RING_NAME)
}

/**
 * What the ring of a journal is made of. The real one is mapped-ring.ts; tests put one over a simulated
 * disk in its place.
 */
export interface RingPlace {
  /** Makes the file anew, zeroed, as memory; null where that cannot be: the journal does without. */
  begin(): Uint8Array | null
  /** A segment that exists, to be written at places of its own choice. */
  open(path: string): PlacedFile
  /** Takes memory and file away: everything is in the segments. A file that cannot go does no harm. */
  end(): void
}

/** The ring of one journal, which its segments share. */
export class Ring {
  readonly memory: Uint8Array
  /** Where the bytes that a write in the background takes begin in the memory, and how many there are. */
  #takenFrom = 0
  #taken = 0

  constructor(memory: Uint8Array) {
    this.memory = memory
  }

  /** A write in the background takes the bytes of a segment from one place to another, until `give`. */
  take(from: number, to: number): void {
    this.#takenFrom = from % this.memory.length
    this.#taken = to - from
  }

  /** The write has ended, however it did. */
  give(): void {
    this.#taken = 0
  }

  /** May so many bytes be put behind `end` of a segment? None of those that a write takes, of whatever segment. */
  isFree(end: number, bytes: number): boolean {
    const { length } = this.memory
    const ahead = (this.#takenFrom - (end % length) + length) % length
    // Those taken begin behind them, and end before a turn is full.
    return this.#taken === 0 || (ahead >= bytes && ahead + this.#taken <= length)
  }
}

/** A file that is written at given places. Calls throw an Error with a `code` such as EIO or ENOSPC. */
export interface PlacedFile {
  /** Writes all of the parts, one behind the other. */
  write(parts: readonly Uint8Array[], position: number): void
  /**
   * As `write`, in the background; without an error the bytes last when it is done, and until then they are to
   * stay as they are.
   */
  writeSyncedLater(
    parts: readonly Uint8Array[],
    position: number,
    done: (error: Error | null) => void,
  ): void
  /** A write that is under way ends before the file is closed. */
  close(): void
}

/** What a journal writes its batches to. */
export interface SegmentFile extends Pick<DiskFile, 'append' | 'sync' | 'syncLater' | 'close'> {
  /** From the beginning of one sync in the background to that of the next at least. */
  readonly syncEveryMs: number
  /** Nothing is appended any more: what lies elsewhere is put into the file. */
  settle(): void
}

/**
 * A segment that is written as it stands, a call of the kernel for each batch. It is synced all the time: the
 * more there is to sync, the longer the kernel keeps a write waiting.
 */
export function plainSegment(file: DiskFile): SegmentFile {
  return {
    syncEveryMs: 0,
    append: (bytes) => file.append(bytes),
    sync: () => file.sync(),
    syncLater: (done) => file.syncLater(done),
    close: () => file.close(),
    settle() {},
  }
}

/**
 * A segment behind the ring: a batch is put into memory that a kill leaves in the ring's file, and goes
 * to the segment in the background, with the sync that makes it last. Byte `n` of the segment lies at `n`
 * modulo the ring's length, so that the ring needs no head of its own: what of it goes on where the segment
 * ends, the frames tell (`ringTail`).
 *
 * Every byte before the end is in the file or in the ring, at each moment.
 */
export class RingSegment implements SegmentFile {
  readonly syncEveryMs = SYNC_EVERY_MS
  readonly #file: DiskFile
  readonly #placed: PlacedFile
  readonly #ring: Ring
  /** Bytes of the segment; of them in the file; of them known to be on the disk. */
  #end: number
  #written: number
  #synced: number
  #isClosed = false

  /** `file` holds `bytes` already. No two segments of a ring are synced in the background at once. */
  constructor(file: DiskFile, placed: PlacedFile, ring: Ring, bytes: number) {
    this.#file = file
    this.#placed = placed
    this.#ring = ring
    this.#end = bytes
    this.#written = bytes
    this.#synced = 0
  }

  append(bytes: Uint8Array): number {
    const { length } = this.#ring.memory
    if (bytes.length > length || !this.#ring.isFree(this.#end, bytes.length)) this.#pass(bytes)
    else {
      const missing = this.#end + bytes.length - this.#written - length
      if (missing > 0) this.#move(Math.max(missing, MOVED_BYTES))
      this.#put(bytes)
    }
    return bytes.length
  }

  settle(): void {
    this.#move(this.#end - this.#written)
  }

  sync(): void {
    this.settle()
    this.#file.sync()
    this.#synced = this.#end
  }

  syncLater(done: (error: Error | null) => void): void {
    const [from, to] = [this.#written, this.#end]
    if (from === to) {
      this.#syncFileLater(to, done)
      return
    }
    // What went to the file by itself, when the ring was full, is for a sync of all of it.
    const isLeft = this.#synced < from
    this.#ring.take(from, to)
    this.#placed.writeSyncedLater(this.#parts(from, to), from, (error) => {
      this.#ring.give()
      // One that was closed meanwhile was synced as a whole, or is not to be.
      if (error !== null || this.#isClosed) return done(error)
      this.#written = Math.max(this.#written, to)
      if (isLeft) return this.#syncFileLater(to, done)
      this.#synced = Math.max(this.#synced, to)
      done(null)
    })
  }

  close(): void {
    this.#isClosed = true
    this.#placed.close()
    this.#file.close()
  }

  #syncFileLater(to: number, done: (error: Error | null) => void): void {
    this.#file.syncLater((error) => {
      if (error === null) this.#synced = Math.max(this.#synced, to)
      done(error)
    })
  }

  /** Puts so many of the oldest bytes that are in the ring alone into the file, or all there are. */
  #move(bytes: number): void {
    const from = this.#written
    const to = Math.min(this.#end, from + bytes)
    if (from === to) return
    this.#placed.write(this.#parts(from, to), from)
    this.#written = to
  }

  /** Past the ring, which has no room for it: what lies there goes first. */
  #pass(bytes: Uint8Array): void {
    this.settle()
    this.#placed.write([bytes], this.#end)
    this.#end += bytes.length
    this.#written = this.#end
  }

  #put(bytes: Uint8Array): void {
    const { memory } = this.#ring
    const at = this.#end % memory.length
    const first = memory.length - at
    if (bytes.length <= first) memory.set(bytes, at)
    else {
      memory.set(bytes.subarray(0, first), at)
      memory.set(bytes.subarray(first), 0)
    }
    this.#end += bytes.length
  }

  #parts(from: number, to: number): readonly Uint8Array[] {
    return ringParts(this.#ring.memory, from, to)
  }
}

/** Copies the bytes of a segment from one place to another out of the ring. */
function copyOut(ring: Uint8Array, from: number, to: number, into: Uint8Array): void {
  let at = 0
  for (const part of ringParts(ring, from, to)) {
    into.set(part, at)
    at += part.length
  }
}

/** Where the bytes of a segment from one place to another lie in the ring. */
function ringParts(ring: Uint8Array, from: number, to: number): readonly Uint8Array[] {
  const at = from % ring.length
  const end = at + to - from
  if (end <= ring.length) return [ring.subarray(at, end)]
  return [ring.subarray(at), ring.subarray(0, end - ring.length)]
}

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
