import { basename, dirname } from 'node:path'
import type { Disk, DiskFile } from '../../../src/store/disk/disk.ts'
import { Random } from '../../oracle/random.ts'
import { Inode } from './crash-file.ts'
import { CrashFolder } from './crash-folder.ts'

/** How a call fails. An append may be told to take some of its bytes first. */
export interface Fault {
  /** EIO, ENOSPC, ...; null: an append takes fewer bytes and says so, another call works. */
  readonly code: string | null
  /** Share of the bytes that an append takes before. */
  readonly takes?: number
  /** Every later call that writes fails too, until `heal`. */
  readonly stays?: boolean
}

/** What a call does: reads leave the disk as it is. */
type Call = 'read' | 'write' | 'sync'

interface Pending {
  readonly fault: Error | null
  readonly work: () => void
  readonly done: (error: Error | null) => void
}

/**
 * A disk in memory that knows what would survive a power failure (`crash`) and a kill (`kill`).
 * Background syncs end when the test says so (`settle`) and cover what was there when they began.
 */
export class CrashDisk implements Disk {
  /** Calls so far, reads among them. */
  operations = 0
  /** Called after each call that changed something, the end of a background sync among them. */
  onChange: (() => void) | null = null
  /** Bytes an append takes, from 1 to what it is given; null: all. */
  appendLimit: ((bytes: number) => number) | null = null
  /** What was called, in order. */
  readonly calls: string[] = []
  readonly #folders: Map<string, CrashFolder>
  readonly #faults = new Map<number, Fault>()
  #standing: Fault | null = null
  #pending: Pending[] = []

  constructor(folders: Map<string, CrashFolder> = new Map()) {
    this.#folders = folders
  }

  /** Background syncs that have not ended. */
  get pending(): number {
    return this.#pending.length
  }

  /** Ends the oldest background syncs, and no more than there are now. */
  settle(count: number = this.#pending.length): void {
    for (const { fault, work, done } of this.#pending.splice(0, count)) {
      if (fault === null) work()
      this.onChange?.()
      done(fault)
    }
  }

  /** The call with this number (from 1) fails. */
  failAt(operation: number, fault: Fault): void {
    this.#faults.set(operation, fault)
  }

  /** Nothing fails any more. */
  heal(): void {
    this.#faults.clear()
    this.#standing = null
  }

  /** The disk as kill -9 leaves it: everything that was written is there, synced or not. */
  kill(): CrashDisk {
    const inodes = new Map<Inode, Inode>()
    return new CrashDisk(this.#mapped((folder) => folder.killed(inodes)))
  }

  /** The disk as a power failure may leave it. */
  crash(random: Random): CrashDisk {
    const inodes = new Map<Inode, Inode>()
    // Files make their bytes when they are read: each image has its own numbers for them.
    const own = new Random(random.integer(0, 2 ** 32 - 1))
    return new CrashDisk(this.#mapped((folder) => folder.crashed(inodes, own)))
  }

  /** Names and hashes of the files in a folder that `isWanted`: equal for equal disks. */
  fingerprint(folder: string, isWanted: (name: string) => boolean): string {
    const entries = [...(this.#folders.get(folder)?.entries ?? [])]
    const wanted = entries.filter(([name]) => isWanted(name))
    return wanted
      .map(([name, inode]) => `${name} ${inode.hash}`)
      .sort()
      .join()
  }

  list(folder: string): string[] {
    this.begin('read', `list ${folder}`)
    return [...(this.#folders.get(folder)?.entries.keys() ?? [])].sort()
  }

  makeFolder(folder: string): void {
    this.begin('write', `makeFolder ${folder}`)
    if (!this.#folders.has(folder)) this.#folders.set(folder, new CrashFolder())
  }

  create(path: string): DiskFile {
    this.begin('write', `create ${path}`)
    const folder = this.#folder(path)
    if (folder.entries.has(basename(path))) throw systemError('EEXIST', path)
    const inode = new Inode()
    folder.change(null, basename(path), inode)
    this.onChange?.()
    return new CrashFile(this, inode, basename(path))
  }

  open(path: string): DiskFile {
    this.begin('read', `open ${path}`)
    return new CrashFile(this, this.#inode(path), basename(path))
  }

  rename(from: string, to: string): void {
    this.begin('write', `rename ${from}`)
    if (dirname(from) !== dirname(to)) throw systemError('EXDEV', from)
    this.#folder(from).change(basename(from), basename(to), this.#inode(from))
    this.onChange?.()
  }

  remove(path: string): void {
    this.begin('write', `remove ${path}`)
    this.#folder(path).change(basename(path), null, this.#inode(path))
    this.onChange?.()
  }

  syncFolder(folder: string): void {
    this.begin('sync', `syncFolder ${folder}`)
    const entry = this.folder(folder)
    entry.syncTo(entry.mark)
    this.onChange?.()
  }

  syncFolderLater(folder: string, done: (error: Error | null) => void): void {
    const entry = this.folder(folder)
    const { mark } = entry
    this.later(`syncFolderLater ${folder}`, () => entry.syncTo(mark), done)
  }

  /** For the files of this disk: counts a call; the fault that an append has to deal with itself. */
  begin(call: Call, what: string, isAppend = false): Fault | null {
    this.operations += 1
    this.calls.push(what)
    const fault = this.#faults.get(this.operations) ?? (call === 'read' ? null : this.#standing)
    if (fault === null) return null
    if (fault.stays) this.#standing = fault
    if (isAppend) return fault
    if (fault.code !== null) throw systemError(fault.code, what)
    return null
  }

  /** For the files of this disk: a sync in the background; its fault is told at its end. */
  later(what: string, work: () => void, done: (error: Error | null) => void): void {
    let error: Error | null = null
    try {
      this.begin('sync', what)
    } catch (fault) {
      error = fault instanceof Error ? fault : new Error(String(fault))
    }
    this.#pending.push({ fault: error, work, done })
  }

  #mapped(change: (folder: CrashFolder) => CrashFolder): Map<string, CrashFolder> {
    return new Map([...this.#folders].map(([path, folder]) => [path, change(folder)]))
  }

  #folder(path: string): CrashFolder {
    return this.folder(dirname(path))
  }

  /** For what is put beside it: the folder with this path. */
  folder(path: string): CrashFolder {
    const folder = this.#folders.get(path)
    if (folder === undefined) throw systemError('ENOENT', path)
    return folder
  }

  #inode(path: string): Inode {
    const inode = this.#folder(path).entries.get(basename(path))
    if (inode === undefined) throw systemError('ENOENT', path)
    return inode
  }
}

class CrashFile implements DiskFile {
  readonly #disk: CrashDisk
  readonly #inode: Inode
  readonly #name: string
  #isClosed = false

  constructor(disk: CrashDisk, inode: Inode, name: string) {
    this.#disk = disk
    this.#inode = inode
    this.#name = name
  }

  size(): number {
    this.#begin('read', 'size')
    return this.#inode.content.length
  }

  append(bytes: Uint8Array): number {
    const fault = this.#begin('write', 'append', true)
    const whole = this.#disk.appendLimit?.(bytes.length) ?? bytes.length
    const taken = fault === null ? whole : Math.floor(bytes.length * (fault.takes ?? 0))
    if (taken > 0) {
      this.#inode.append(bytes.subarray(0, taken))
      this.#disk.onChange?.()
    }
    if (fault !== null && fault.code !== null) throw systemError(fault.code, this.#name)
    return taken
  }

  read(into: Uint8Array, position: number): number {
    this.#begin('read', 'read')
    const bytes = this.#inode.content.subarray(position, position + into.length)
    into.set(bytes)
    return bytes.length
  }

  truncate(size: number): void {
    this.#begin('write', 'truncate')
    this.#inode.truncate(size)
    this.#disk.onChange?.()
  }

  sync(): void {
    this.#begin('sync', 'sync')
    this.#inode.syncTo(this.#inode.mark)
    this.#disk.onChange?.()
  }

  syncLater(done: (error: Error | null) => void): void {
    if (this.#isClosed) throw systemError('EBADF', this.#name)
    const { mark } = this.#inode
    this.#disk.later(`syncLater ${this.#name}`, () => this.#inode.syncTo(mark), done)
  }

  close(): void {
    if (this.#isClosed) throw systemError('EBADF', this.#name)
    this.#isClosed = true
  }

  #begin(call: Call, what: string, isAppend = false): Fault | null {
    if (this.#isClosed) throw systemError('EBADF', this.#name)
    return this.#disk.begin(call, `${what} ${this.#name}`, isAppend)
  }
}

/** An error as Node gives it. */
export function systemError(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code, syscall: what.split(' ')[0] })
}
