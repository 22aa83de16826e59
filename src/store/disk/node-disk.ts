import fs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { codeOf } from '../../base/errors.ts'
import type { Disk, DiskFile } from './disk.ts'
import { StoreError } from './failure.ts'

/** What a snapshot leaves free for the journal: this, or this part of a small disk. */
const JOURNAL_ROOM_BYTES = 64 << 20
const JOURNAL_ROOM_PART = 0.05

/** The disk of the machine, through Node's synchronous calls. */
export class NodeDisk implements Disk {
  list(folder: string): string[] {
    try {
      return fs.readdirSync(folder).sort()
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw error
    }
  }

  makeFolder(folder: string): void {
    if (isFolder(folder)) return
    const above = dirname(resolve(folder))
    // Level by level: Node's own way never ends where a file system takes no folders, as that of /proc.
    if (above !== resolve(folder)) this.makeFolder(above)
    try {
      fs.mkdirSync(folder)
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && isFolder(folder)) return
      throw error
    }
    // Else a power failure could take the folder, or one above it, with all that is safe in it.
    this.syncFolder(above)
  }

  create(path: string): DiskFile {
    return new NodeFile(fs.openSync(path, 'ax+', 0o644), path)
  }

  open(path: string): DiskFile {
    return new NodeFile(openKept(path), path)
  }

  rename(from: string, to: string): void {
    fs.renameSync(from, to)
  }

  remove(path: string): void {
    fs.unlinkSync(path)
  }

  syncFolder(folder: string): void {
    const fd = fs.openSync(folder, 'r')
    try {
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  }

  syncFolderLater(folder: string, done: (error: Error | null) => void): void {
    fs.open(folder, 'r', (openError, fd) => {
      if (openError !== null) return done(openError)
      fs.fsync(fd, (error) => fs.close(fd, (closeError) => done(error ?? closeError ?? null)))
    })
  }
}

/**
 * May so many bytes be written to a folder's disk, and leave the journal its room?
 * @throws StoreError when not
 */
export function checkRoom(folder: string, bytes: number): void {
  const { freeBytes, roomBytes } = diskOf(folder)
  if (freeBytes - bytes >= roomBytes) return
  throw new StoreError(
    'disk',
    `A snapshot takes ${bytes} bytes and the journal has to keep ${roomBytes}, but the disk of ` +
      `${folder} has ${freeBytes} left: make room.`,
  )
}

/**
 * Bytes free on a folder's disk, and how many of them a snapshot leaves to the journal. One that holds no
 * block does not say: a tmpfs without a size, ramfs, some of FUSE.
 */
export function diskOf(folder: string): { readonly freeBytes: number; readonly roomBytes: number } {
  const { bavail, blocks, bsize } = fs.statfsSync(folder)
  const roomBytes = Math.floor(Math.min(JOURNAL_ROOM_BYTES, blocks * bsize * JOURNAL_ROOM_PART))
  return { freeBytes: blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize, roomBytes }
}

/** A file system that has become read-only, as some do after an error, is read on. */
function openKept(path: string): number {
  try {
    return fs.openSync(path, 'r+')
  } catch (error) {
    if (codeOf(error) !== 'EROFS') throw error
    return fs.openSync(path, 'r')
  }
}

export class NodeFile implements DiskFile {
  readonly #fd: number
  readonly #path: string

  constructor(fd: number, path: string) {
    this.#fd = fd
    this.#path = path
  }

  size(): number {
    return fs.fstatSync(this.#fd).size
  }

  append(bytes: Uint8Array): number {
    return again(() => fs.writeSync(this.#fd, bytes))
  }

  read(into: Uint8Array, position: number): number {
    try {
      return again(() => fs.readSync(this.#fd, into, 0, into.length, position))
    } catch (error) {
      // Which file it was the error of the system does not say.
      if (error instanceof Error) error.message += ` '${this.#path}'`
      throw error
    }
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.#fd, size)
  }

  sync(): void {
    fs.fdatasyncSync(this.#fd)
  }

  syncLater(done: (error: Error | null) => void): void {
    fs.fdatasync(this.#fd, done)
  }

  close(): void {
    fs.closeSync(this.#fd)
  }
}

/** A signal may interrupt a call before it did anything: it is made again. */
export function again<T>(call: () => T): T {
  for (;;)
    try {
      return call()
    } catch (error) {
      if (codeOf(error) !== 'EINTR') throw error
    }
}

/** Links are followed; false also where nothing is. */
export function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Is it what a disk says of a sector that it cannot read? What stood there is damaged, the rest is not. */
export function isUnreadable(error: unknown): boolean {
  return codeOf(error) === 'EIO'
}

/** What was read; null where the disk cannot read a sector of it. */
export function unlessUnreadable<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  }
}
