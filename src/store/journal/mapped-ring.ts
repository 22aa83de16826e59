import fs from 'node:fs'
import { performance } from 'node:perf_hooks'
import { appendAll, NOTHING_TAKEN } from '../disk/disk.ts'
import type { FileMemory, MapFile } from '../disk/file-memory.ts'
import { again } from '../disk/node-disk.ts'
import type { OnDiskCall } from '../disk/watched-disk.ts'
import { type PlacedFile, RING_BYTES, type RingPlace, ringPath } from './journal-ring.ts'

/** The ring as a file of the data folder that is memory of this process. */
export class MappedRing implements RingPlace {
  readonly #folder: string
  readonly #map: MapFile | null
  readonly #onCall: OnDiskCall
  #memory: FileMemory | null = null
  /** Writes in the background that read the memory. */
  #underWay = 0
  #isOver = false

  /** `map` null: there is none, but that of another start is read. */
  constructor(folder: string, map: MapFile | null, onCall: OnDiskCall) {
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
  #made(map: MapFile): FileMemory | null {
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
      // A disk without room for it: what it refuses the journal will tell.
      return null
    }
  }
}

class NodePlacedFile implements PlacedFile {
  readonly #fd: number
  /** The same file; a write to it returns when its bytes last. */
  readonly #syncedFd: number
  readonly #onCall: OnDiskCall
  /** A write in the background begins (1), or has ended, however it did (-1). */
  readonly #onBackground: (change: 1 | -1) => void
  #isUnderWay = false
  #isClosed = false

  constructor(path: string, onCall: OnDiskCall, onBackground: (change: 1 | -1) => void) {
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
