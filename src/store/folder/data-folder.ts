/**
 * The data folder: which files it has, by their names, and how each comes into being whole. Beside it: the lock, the
 * market that the folder holds, and the commit marker, which says how far the journal is written.
 *
 * - A file of many bytes is written under an unfinished name, synced, then renamed: under its name it is whole.
 * - Damaged files are put aside under another name, never deleted.
 */
import { join } from 'node:path'
import { appendAll, type Disk, type DiskFile, readAll } from '../disk/disk.ts'

/**
 * Bytes of a file that lie in memory alone while it is written. A file system holds a sync of one file
 * back until what it has begun to write of others is on the disk: were a snapshot left to the end, the
 * journal's next sync would wait for all of it (docs/performance.md).
 */
const UNSYNCED_BYTES_MAX = 8 << 20

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
  /** Names of damaged snapshots that were put aside. */
  readonly snapshotsAside: readonly string[]
}

export interface NumberedFile {
  /** Segment and chunk: its index; snapshot: its seq. */
  readonly number: number
  readonly name: string
  readonly path: string
}

const DIGITS = 16
/** What stands before and behind the number in the names of files. */
const NAMES = {
  segment: ['journal-', '.mfj'],
  snapshot: ['snapshot-', '.mfs'],
  chunk: ['tape-', '.mft'],
  dormantChunk: ['positions-', '.mfp'],
} as const

export const UNFINISHED = '.unfinished'
/** How the names of damaged files end that were put aside. */
export const DAMAGED = '.damaged'

const ASIDE = shapeOf('snapshot', DAMAGED)
/** Others leave such names as well: an export that is being written into the folder. */
const HALF = (['snapshot', 'chunk', 'dormantChunk'] as const).map((kind) =>
  shapeOf(kind, UNFINISHED),
)

/** The shape of the names of such files, with something behind them; its group is the number. */
function shapeOf(kind: keyof typeof NAMES, behind = ''): RegExp {
  const [start, ending] = NAMES[kind]
  return new RegExp(`^${start}(\\d{${DIGITS}})${(ending + behind).replaceAll('.', '\\.')}$`)
}

/** Where a file of a data folder is, by its kind and number. */
export function dataPath(folder: string, kind: keyof typeof NAMES, number: number): string {
  const [start, ending] = NAMES[kind]
  return join(folder, `${start}${String(number).padStart(DIGITS, '0')}${ending}`)
}

/** The kind and the number of a data file by its name; null: it is none. */
export function dataFileOf(
  name: string,
): { readonly kind: keyof typeof NAMES; readonly number: number } | null {
  for (const kind of ['snapshot', 'chunk', 'dormantChunk', 'segment'] as const) {
    const number = shapeOf(kind).exec(name)?.[1]
    if (number !== undefined) return { kind, number: Number(number) }
  }
  return null
}

export function listDataFiles(disk: Disk, folder: string): DataFiles {
  const names = disk.list(folder)
  return {
    segments: numbered(folder, names, 'segment'),
    snapshots: numbered(folder, names, 'snapshot'),
    chunks: numbered(folder, names, 'chunk'),
    dormantChunks: numbered(folder, names, 'dormantChunk'),
    snapshotsAside: names.filter((name) => ASIDE.test(name)),
    unfinished: names.filter((name) => HALF.some((shape) => shape.test(name))),
  }
}

/** Puts a damaged snapshot aside, in place of one that was there by its name. */
export function putSnapshotAside(disk: Disk, path: string): void {
  disk.rename(path, `${path}${DAMAGED}`)
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
  write: (append: (bytes: Uint8Array) => void) => void,
): void {
  const unfinished = `${path}${UNFINISHED}`
  removeIfThere(disk, folder, unfinished)
  try {
    withFile(disk.create(unfinished), (file) => {
      write(steadyAppend(file))
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

function numbered(
  folder: string,
  names: readonly string[],
  kind: keyof typeof NAMES,
): NumberedFile[] {
  const shape = shapeOf(kind)
  const found: NumberedFile[] = []
  for (const name of names) {
    const number = shape.exec(name)?.[1]
    if (number !== undefined) found.push({ number: Number(number), name, path: join(folder, name) })
  }
  return found.sort((a, b) => a.number - b.number)
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

/** Appends to a long file, which is made to last piece by piece. */
function steadyAppend(file: DiskFile): (bytes: Uint8Array) => void {
  let unsyncedBytes = 0
  const append = (bytes: Uint8Array) => {
    const taken = file.append(bytes.subarray(0, UNSYNCED_BYTES_MAX - unsyncedBytes))
    unsyncedBytes += taken
    if (unsyncedBytes === UNSYNCED_BYTES_MAX) {
      file.sync()
      unsyncedBytes = 0
    }
    return taken
  }
  return (bytes) => appendAll({ append }, bytes)
}
