/**
 * The data folder: which files it has, by their names, and how each comes into being whole. Beside it: the lock, the
 * market that the folder holds, and the commit marker, which says how far the journal is written.
 *
 * - A file of many bytes is written under an unfinished name, synced, then renamed: under its name it is whole.
 * - Damaged files are put aside under another name, never deleted.
 */
import { join } from 'node:path'
import { type Appended, appendAll, type Disk, type DiskFile, readAll } from '../disk/disk.ts'

/**
 * Bytes of a file that lie in memory alone while it is written. A file system holds a sync of one file
 * back until what it has begun to write of others is on the disk: were a snapshot left to the end, the
 * journal's next sync would wait for all of it (docs/performance.md).
 */
export const UNSYNCED_BYTES_MAX = 8 << 20

/** Files of a data folder, by what their names say. */
export interface DataFiles {
  /** Ascending. */
  readonly segments: readonly NumberedFile[]
  /** Ascending. */
  readonly snapshots: readonly NumberedFile[]
  /** Ascending; the tape's chunks. */
  readonly chunks: readonly NumberedFile[]
  /** Ascending; chunks of the dormant tape. */
  readonly dormantChunks: readonly NumberedFile[]
  /** Snapshots and chunks that were being written when a process ended. */
  readonly unfinished: readonly string[]
}

export interface NumberedFile {
  /** Segment and chunk: its index; snapshot: its seq. */
  readonly number: number
  readonly name: string
  readonly path: string
}

const DIGITS = 16
const SEGMENT = /^journal-(\d{16})\.mfj$/
const SNAPSHOT = /^snapshot-(\d{16})\.mfs$/
const CHUNK = /^tape-(\d{16})\.mft$/
const DORMANT_CHUNK = /^positions-(\d{16})\.mfp$/
export const UNFINISHED = '.unfinished'
/** How the names of damaged files end that were put aside. */
export const DAMAGED = '.damaged'

export function segmentPath(folder: string, index: number): string {
  return join(folder, `journal-${digits(index)}.mfj`)
}

export function snapshotPath(folder: string, seq: number): string {
  return join(folder, `snapshot-${digits(seq)}.mfs`)
}

export function chunkPath(folder: string, chunk: number): string {
  return join(folder, `tape-${digits(chunk)}.mft`)
}

export function dormantChunkPath(folder: string, chunk: number): string {
  return join(folder, `positions-${digits(chunk)}.mfp`)
}

export function listDataFiles(disk: Disk, folder: string): DataFiles {
  const names = disk.list(folder)
  return {
    segments: numbered(folder, names, SEGMENT),
    snapshots: numbered(folder, names, SNAPSHOT),
    chunks: numbered(folder, names, CHUNK),
    dormantChunks: numbered(folder, names, DORMANT_CHUNK),
    unfinished: names.filter(isHalf),
  }
}

/** Others leave such names as well: an export that is being written into the folder. */
function isHalf(name: string): boolean {
  return endsIn(name, UNFINISHED, [SNAPSHOT, CHUNK, DORMANT_CHUNK])
}

/** Is it such an ending behind the name of a file of one of these shapes? */
function endsIn(name: string, ending: string, shapes: readonly RegExp[]): boolean {
  const whole = name.slice(0, -ending.length)
  return name.endsWith(ending) && shapes.some((shape) => shape.test(whole))
}

/** Puts a damaged snapshot aside, in place of one that was there by its name. */
export function putSnapshotAside(disk: Disk, path: string): void {
  disk.rename(path, `${path}${DAMAGED}`)
}

/** Was a snapshot put aside? */
export function hasSnapshotAside(disk: Disk, folder: string): boolean {
  return disk.list(folder).some((name) => endsIn(name, DAMAGED, [SNAPSHOT]))
}

/** Memory that files are read into one after the other: fresh memory would cost more than the read. */
export class FileBuffer {
  #buffer = new ArrayBuffer(0)

  /** Reads a whole file; the bytes start 8-byte aligned and are valid until the next read. */
  read(disk: Disk, path: string): Uint8Array<ArrayBuffer> {
    return withFile(disk.open(path), (file) => {
      const size = file.size()
      if (size > this.#buffer.byteLength) this.#buffer = new ArrayBuffer(size)
      const bytes = new Uint8Array(this.#buffer, 0, size)
      return readAll(file, bytes, 0) ? bytes : bytes.subarray(0, 0)
    })
  }
}

/** Runs `use` and closes the file whatever happens. */
export function withFile<T>(file: DiskFile, use: (file: DiskFile) => T): T {
  try {
    return use(file)
  } finally {
    file.close()
  }
}

/** Writes a file that is either whole under its name or not there: unfinished name, sync, rename. */
export function writeWhole(
  disk: Disk,
  folder: string,
  path: string,
  write: (file: Appended) => void,
): void {
  const unfinished = `${path}${UNFINISHED}`
  removeIfThere(disk, folder, unfinished)
  try {
    withFile(disk.create(unfinished), (file) => {
      write(new SteadyFile(file))
      file.sync()
    })
  } catch (error) {
    dropHalf(disk, unfinished)
    throw error
  }
  disk.rename(unfinished, path)
  disk.syncFolder(folder)
}

/** Makes files, and the names in their folder, last. */
export function syncFiles(disk: Disk, folder: string, files: readonly NumberedFile[]): void {
  for (const { path } of files) withFile(disk.open(path), (file) => file.sync())
  disk.syncFolder(folder)
}

/** Half a file on a full disk takes room that the journal needs. */
function dropHalf(disk: Disk, path: string): void {
  try {
    disk.remove(path)
  } catch {
    // The disk refuses this as well: the caller reports the first refusal.
  }
}

function removeIfThere(disk: Disk, folder: string, path: string): void {
  if (disk.list(folder).some((name) => join(folder, name) === path)) disk.remove(path)
}

function numbered(folder: string, names: readonly string[], shape: RegExp): NumberedFile[] {
  const found: NumberedFile[] = []
  for (const name of names) {
    const number = shape.exec(name)?.[1]
    if (number !== undefined) found.push({ number: Number(number), name, path: join(folder, name) })
  }
  return found.sort((a, b) => a.number - b.number)
}

function digits(number: number): string {
  return String(number).padStart(DIGITS, '0')
}

const COPY_BYTES = 8 << 20

/** Copies the bytes of a file from a place on into a new file, which is on the disk then. */
export function copyTail(
  disk: Disk,
  from: { readonly path: string; readonly byte: number; readonly bytes: number },
  to: string,
): void {
  const { path, byte, bytes } = from
  withFile(disk.open(path), (source) => {
    const copy = disk.create(to)
    try {
      withFile(copy, () => {
        const buffer = new Uint8Array(Math.min(COPY_BYTES, bytes))
        for (let done = 0; done < bytes; done += COPY_BYTES) {
          const part = buffer.subarray(0, Math.min(COPY_BYTES, bytes - done))
          if (!readAll(source, part, byte + done)) throw new Error(`${path} became shorter`)
          appendAll(copy, part)
        }
        copy.sync()
      })
    } catch (error) {
      dropHalf(disk, to)
      throw error
    }
  })
}

/** A long file that is made to last piece by piece. */
class SteadyFile implements Appended {
  readonly #file: DiskFile
  #unsyncedBytes = 0

  constructor(file: DiskFile) {
    this.#file = file
  }

  append(bytes: Uint8Array): number {
    const taken = this.#file.append(bytes.subarray(0, UNSYNCED_BYTES_MAX - this.#unsyncedBytes))
    this.#unsyncedBytes += taken
    if (this.#unsyncedBytes === UNSYNCED_BYTES_MAX) {
      this.#file.sync()
      this.#unsyncedBytes = 0
    }
    return taken
  }
}
