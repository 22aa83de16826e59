/**
 * The port to the disk: whatever the store reads, writes and syncs goes through `Disk` and `DiskFile`, so every call that
 * may fail or lose something is named here. node-disk.ts is the machine's; tests put one in its place that
 * records, refuses, or forgets what was not synced.
 *
 * - "Lasts" and "is on the disk": a power failure does not take it. A write alone does not last, a sync makes it.
 * - A name lasts once its folder is synced.
 */
export interface Disk {
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(folder: string): string[]
  makeFolder(folder: string): void
  /** Makes a file that must not exist yet. */
  create(path: string): DiskFile
  /** Opens a file that exists, to read or to cut it. */
  open(path: string): DiskFile
  rename(from: string, to: string): void
  remove(path: string): void
  /** Makes creations, renames and removals in a folder last. */
  syncFolder(folder: string): void
  /** As `syncFolder`, in the background. */
  syncFolderLater(folder: string, done: (error: Error | null) => void): void
}

/** An open file. Calls throw an Error with a `code` such as EIO or ENOSPC. */
export interface DiskFile {
  /** Bytes it holds now. */
  size(): number
  /** Appends; returns how many bytes were taken, which may be fewer than were given. */
  append(bytes: Uint8Array): number
  /** Fills `into` from a position; returns how many bytes there were, fewer only at the end. */
  read(into: Uint8Array, position: number): number
  truncate(size: number): void
  /** Makes the bytes last; returns when they do. */
  sync(): void
  /** As `sync`, in the background. */
  syncLater(done: (error: Error | null) => void): void
  close(): void
}

/** Why a write is given up when the disk takes no byte and reports no error. */
export const NOTHING_TAKEN = 'the disk took no byte of a write'

/** Appends all bytes, however many calls that takes. */
export function appendAll(file: Pick<DiskFile, 'append'>, bytes: Uint8Array): void {
  let done = 0
  while (done < bytes.length) {
    const taken = file.append(done === 0 ? bytes : bytes.subarray(done))
    if (taken <= 0) throw new Error(NOTHING_TAKEN)
    done += taken
  }
}

/** Reads exactly `into.length` bytes; false when the file ends before. */
export function readAll(file: DiskFile, into: Uint8Array, position: number): boolean {
  let done = 0
  while (done < into.length) {
    const came = file.read(done === 0 ? into : into.subarray(done), position + done)
    if (came <= 0) return false
    done += came
  }
  return true
}
