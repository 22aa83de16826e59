import fs from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { appendAll, type DiskFile, NOTHING_TAKEN } from '../disk/disk.ts'
import type { MapFile } from '../disk/kernel-calls.ts'
import { again } from '../disk/node-disk.ts'

/**
 * Bytes of the ring: what may be written before the file has it. Longer than a sync of the disk takes at
 * 60 MB/s, short enough to stay in the caches of a core.
 */
const RING_BYTES = 2 << 20

/**
 * From the beginning of one sync to that of the next at least: each costs the loop 0.1 ms, and what is written
 * waits for this and one sync at most, of the few milliseconds that it may.
 */
const SYNC_EVERY_MS = 4

export function ringPath(folder: string): string {
  return join(folder, 'journal.ring')
}

/**
 * What the ring of a journal is made of: `MappedRing`, or in tests one over a simulated disk.
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
    // The taken bytes begin behind these, and end before the ring begins again.
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
export interface SegmentFile extends Pick<DiskFile, 'sync' | 'syncLater' | 'close'> {
  /** Takes all of the bytes. */
  append(bytes: Uint8Array): void
  /** From the beginning of one sync in the background to that of the next at least. */
  readonly syncEveryMs: number
  /** Nothing is appended any more: what lies elsewhere is put into the file. */
  settle(): void
  /** A sync that runs in the background begins nothing more. */
  abandonSync(): void
}

/**
 * A segment behind the ring: a batch is put into memory that a kill leaves in the ring's file, and goes
 * to the segment in the background, with the sync that makes it last. Byte `n` of the segment lies at `n`
 * modulo the ring's length, so that the ring needs no head of its own: what of it goes on where the segment
 * ends, its frames show (`ringTail`).
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
  /** Is it closed, or is its sync in the background to begin nothing more? */
  #isOver = false

  /** `file` holds `bytes` already. No two segments of a ring are synced in the background at once. */
  constructor(file: DiskFile, placed: PlacedFile, ring: Ring, bytes: number) {
    this.#file = file
    this.#placed = placed
    this.#ring = ring
    this.#end = bytes
    this.#written = bytes
    this.#synced = 0
  }

  append(bytes: Uint8Array): void {
    const { length } = this.#ring.memory
    if (bytes.length > length || !this.#ring.isFree(this.#end, bytes.length)) this.#pass(bytes)
    else {
      // All of it: of a part the rest might begin within a frame, whose first bytes the batch may write over.
      if (this.#end + bytes.length - this.#written > length) this.settle()
      this.#put(bytes)
    }
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
      if (error !== null || this.#isOver) return done(error)
      this.#written = Math.max(this.#written, to)
      if (isLeft) return this.#syncFileLater(to, done)
      this.#synced = Math.max(this.#synced, to)
      done(null)
    })
  }

  abandonSync(): void {
    this.#isOver = true
  }

  close(): void {
    this.#isOver = true
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

/** Where the bytes of a segment from one place to another lie in the ring. */
export function ringParts(ring: Uint8Array, from: number, to: number): readonly Uint8Array[] {
  const at = from % ring.length
  const end = at + to - from
  if (end <= ring.length) return [ring.subarray(at, end)]
  return [ring.subarray(at), ring.subarray(0, end - ring.length)]
}

/** The ring as a file of the data folder that is memory of this process. */
export class MappedRing implements RingPlace {
  readonly #folder: string
  readonly #map: MapFile | null
  readonly #onCall: (call: string, startMs: number) => void
  #memory: ReturnType<MapFile> = null
  /** Writes in the background that read the memory. */
  #underWay = 0
  #isOver = false

  /** `map` null: there is none, but that of another start is read. */
  constructor(
    folder: string,
    map: MapFile | null,
    onCall: (call: string, startMs: number) => void,
  ) {
    this.#folder = folder
    this.#map = map
    this.#onCall = onCall
  }

  begin(): Uint8Array | null {
    this.#memory = this.#map === null ? null : this.#made(this.#map)
    if (this.#memory === null) this.end()
    return this.#memory?.bytes ?? null
  }

  open(path: string): PlacedFile {
    return new NodePlacedFile(path, this.#onCall, (change) => {
      this.#underWay += change
      if (this.#isOver) this.#unmap()
    })
  }

  end(): void {
    this.#isOver = true
    this.#unmap()
    try {
      fs.rmSync(ringPath(this.#folder), { force: true })
    } catch {
      // No frame in it goes on where the next segment begins.
    }
  }

  /** Once nothing reads it: the system gives the place to other memory, which a write under way would take. */
  #unmap(): void {
    if (this.#underWay > 0) return
    this.#memory?.close()
    this.#memory = null
  }

  /** Every byte is written before it is mapped: a hole would need room at the store that fills it. */
  #made(map: MapFile): ReturnType<MapFile> {
    try {
      const path = ringPath(this.#folder)
      // One that is there may be a link: the memory of a process that runs in the folder this is a copy of.
      fs.rmSync(path, { force: true })
      return withFd(fs.openSync(path, 'wx+', 0o644), (fd) => {
        writeAll(fd, new Uint8Array(RING_BYTES), 0)
        const memory = map(fd, path, RING_BYTES)
        // The kernel makes a page writable at the first store to it, which costs as much as a write.
        memory?.bytes.fill(0)
        return memory
      })
    } catch {
      // The disk has no room for it: the journal reports what the disk refuses.
      return null
    }
  }
}

class NodePlacedFile implements PlacedFile {
  readonly #fd: number
  /** The same file; a write to it returns when its bytes last. */
  readonly #syncedFd: number
  readonly #onCall: (call: string, startMs: number) => void
  /** A write in the background begins (1), or has ended, however it did (-1). */
  readonly #onBackground: (change: 1 | -1) => void
  #isUnderWay = false
  #isClosed = false

  constructor(
    path: string,
    onCall: (call: string, startMs: number) => void,
    onBackground: (change: 1 | -1) => void,
  ) {
    this.#fd = fs.openSync(path, fs.constants.O_WRONLY)
    try {
      this.#syncedFd = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_DSYNC)
    } catch (error) {
      fs.closeSync(this.#fd)
      throw error
    }
    this.#onCall = onCall
    this.#onBackground = onBackground
  }

  write(parts: readonly Uint8Array[], position: number): void {
    const startMs = performance.now()
    let at = position
    for (const part of parts) {
      writeAll(this.#fd, part, at)
      at += part.length
    }
    this.#onCall('append', startMs)
  }

  writeSyncedLater(
    parts: readonly Uint8Array[],
    position: number,
    done: (error: Error | null) => void,
  ): void {
    this.#isUnderWay = true
    this.#onBackground(1)
    writeAllLater(this.#syncedFd, parts, position, (error) => {
      this.#isUnderWay = false
      this.#onBackground(-1)
      if (this.#isClosed) fs.closeSync(this.#syncedFd)
      done(error)
    })
  }

  close(): void {
    fs.closeSync(this.#fd)
    this.#isClosed = true
    // The system gives its number to the next file or socket, which a write under way would go to.
    if (!this.#isUnderWay) fs.closeSync(this.#syncedFd)
  }
}

function withFd<T>(fd: number, use: (fd: number) => T): T {
  try {
    return use(fd)
  } finally {
    fs.closeSync(fd)
  }
}

function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  let at = position
  const append = (part: Uint8Array) => {
    const taken = again(() => fs.writeSync(fd, part, 0, part.length, at))
    at += taken
    return taken
  }
  appendAll({ append }, bytes)
}

function writeAllLater(
  fd: number,
  parts: readonly Uint8Array[],
  position: number,
  done: (error: Error | null) => void,
): void {
  fs.writev(fd, parts, position, (error, written) => {
    if (error?.code === 'EINTR') return writeAllLater(fd, parts, position, done)
    if (error !== null) return done(error)
    const left = behind(parts, written)
    if (left.length === 0) done(null)
    else if (written === 0) done(new Error(NOTHING_TAKEN))
    else writeAllLater(fd, left, position + written, done)
  })
}

/** What is left of the parts without so many bytes of theirs. */
function behind(parts: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let taken = bytes
  return parts.flatMap((part) => {
    const left = part.subarray(Math.min(taken, part.length))
    taken -= part.length - left.length
    return left.length > 0 ? [left] : []
  })
}
