import type { Disk, DiskFile } from '../../src/store/disk/disk.ts'
import type { PlacedFile, RingPlace } from '../../src/store/journal/journal-ring.ts'
import type { Random } from '../oracle/random.ts'
import { type CrashDisk, systemError } from '../store/disks/crash-disk.ts'
import { CrashRing } from '../store/disks/crash-ring.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Thrown at a process that is no more: its program never gets to do anything about it. */
export class Ended extends Error {}

/** What the disk under one process does next, and how long it takes. */
export interface DiskFate {
  /** Calls that change something until the process ends in the middle of one; Infinity: it lives. */
  callsToLive: number
  /** What ends then: the process that called, or all of the machine. */
  ends: 'process' | 'compactor' | 'power'
  /** Calls that change something until one fails; Infinity: none does. */
  callsToFault: number
  /** Only syncs count for the fault. */
  faultsSyncs: boolean
  /** Out of space stays until somebody frees some, an I/O error comes once. */
  fault: 'ENOSPC' | 'EIO'
  /** Share of the bytes that the call in question takes before it fails. */
  readonly takes: () => number
  readonly syncMs: () => number
  readonly onEnd: () => void
  readonly onFault: () => void
}

/** What the disk of all processes of a machine knows. */
export interface DiskSpace {
  isFull: boolean
}

/** The disk as one process of the machine sees it. */
export class ProcessDisk implements Disk {
  readonly fate: DiskFate
  readonly #disk: CrashDisk
  readonly #time: VirtualTime
  readonly #space: DiskSpace
  #hasEnded = false

  constructor(disk: CrashDisk, time: VirtualTime, space: DiskSpace, fate: DiskFate) {
    this.#disk = disk
    this.#time = time
    this.#space = space
    this.fate = fate
  }

  /** The process is no more: none of its calls reaches the disk from here on. */
  end(): void {
    this.#hasEnded = true
  }

  list(folder: string): string[] {
    this.live()
    return this.#disk.list(folder)
  }

  makeFolder(folder: string): void {
    this.write('makeFolder')
    this.#disk.makeFolder(folder)
  }

  create(path: string): DiskFile {
    this.write(path)
    return new ProcessFile(this, this.#disk.create(path))
  }

  open(path: string): DiskFile {
    this.live()
    return new ProcessFile(this, this.#disk.open(path))
  }

  rename(from: string, to: string): void {
    this.write(from)
    this.#disk.rename(from, to)
  }

  remove(path: string): void {
    this.live()
    this.count(path)
    this.#disk.remove(path)
  }

  syncFolder(folder: string): void {
    this.live()
    this.count('sync of the folder')
    this.#disk.syncFolder(folder)
  }

  syncFolderLater(folder: string, done: (error: Error | null) => void): void {
    this.later((then) => this.#disk.syncFolderLater(folder, then), done)
  }

  /** The ring of the process's journal. */
  ring(bytes: number, random: Random): RingPlace {
    const ring = new CrashRing(this.#disk, bytes, random)
    return {
      begin: () => {
        try {
          this.write('ring')
          return ring.begin()
        } catch (error) {
          if (error instanceof Ended) throw error
          return null
        }
      },
      open: (path) => {
        this.live()
        return new ProcessPlacedFile(this, ring.open(path))
      },
      end: () => {
        try {
          this.live()
          this.count('remove the ring')
          ring.end()
        } catch {
          // Refused without harm; a process that has ended notices at its next call.
        }
      },
    }
  }

  /** Refuses a process that has ended. */
  live(): void {
    if (this.#hasEnded) throw new Ended('the process has ended')
  }

  /** Before a call that needs space. */
  write(what: string): void {
    this.live()
    if (this.#space.isFull) throw systemError('ENOSPC', what)
    this.count(what)
  }

  /** Writes bytes; a call that fails may have taken some of them. */
  writeBytes<T>(what: string, bytes: Uint8Array, write: (some: Uint8Array) => T): T {
    try {
      this.write(what)
    } catch (error) {
      const taken = Math.floor(bytes.length * this.fate.takes())
      if (taken > 0) write(bytes.subarray(0, taken))
      throw error
    }
    return write(bytes)
  }

  /** Counts a call that changes something; the one at which something happens does not get done. */
  count(what: string): void {
    this.fate.callsToLive -= 1
    if (this.fate.callsToLive <= 0) this.#die()
    if (this.fate.faultsSyncs && !what.startsWith('sync')) return
    this.fate.callsToFault -= 1
    if (this.fate.callsToFault > 0) return
    this.fate.callsToFault = Number.POSITIVE_INFINITY
    this.#space.isFull = this.fate.fault === 'ENOSPC'
    this.fate.onFault()
    throw systemError(this.fate.fault, what)
  }

  /** A sync in the background ends when its time has come; `start` null: it does nothing. */
  later(
    start: ((then: (error: Error | null) => void) => void) | null,
    done: (error: Error | null) => void,
  ): void {
    this.live()
    let fault: Error | null = null
    try {
      this.count('sync in the background')
    } catch (error) {
      if (error instanceof Ended) throw error
      fault = error instanceof Error ? error : new Error(String(error))
    }
    const told = (error: Error | null) => this.#goOn(() => done(error))
    const ms = this.fate.syncMs()
    if (fault !== null || start === null) this.#time.after(ms, () => told(fault))
    else {
      start(told)
      this.#time.after(ms, () => this.#disk.settle(1))
    }
  }

  /** Something that the process does then, if it lives. */
  after(ms: number, run: () => void): void {
    this.#time.after(ms, () => this.#goOn(run))
  }

  #goOn(run: () => void): void {
    if (!this.#hasEnded) unlessEnded(run)
  }

  #die(): void {
    this.#hasEnded = true
    this.fate.onEnd()
    throw new Ended('the process has ended')
  }
}

class ProcessPlacedFile implements PlacedFile {
  readonly #owner: ProcessDisk
  readonly #file: PlacedFile
  #hasFailed = false

  constructor(owner: ProcessDisk, file: PlacedFile) {
    this.#owner = owner
    this.#file = file
  }

  write(parts: readonly Uint8Array[], position: number): void {
    const bytes = Buffer.concat(parts)
    this.#owner.writeBytes('write at a place', bytes, (some) => this.#file.write([some], position))
  }

  writeSyncedLater(
    parts: readonly Uint8Array[],
    position: number,
    done: (error: Error | null) => void,
  ): void {
    const start = (then: (error: Error | null) => void) =>
      this.#file.writeSyncedLater(parts, position, then)
    this.#owner.later(this.#hasFailed ? null : start, (error) => {
      this.#hasFailed ||= error !== null
      done(error)
    })
  }

  close(): void {
    this.#file.close()
  }
}

/** What a process was told late may be the end of it, which is nobody else's. */
function unlessEnded(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof Ended)) throw error
  }
}

class ProcessFile implements DiskFile {
  readonly #owner: ProcessDisk
  readonly #file: DiskFile
  /** After a sync that failed the system takes the bytes for clean: later syncs do nothing. */
  #hasFailed = false

  constructor(owner: ProcessDisk, file: DiskFile) {
    this.#owner = owner
    this.#file = file
  }

  size(): number {
    this.#owner.live()
    return this.#file.size()
  }

  append(bytes: Uint8Array): number {
    return this.#owner.writeBytes('append', bytes, (some) => this.#file.append(some))
  }

  read(into: Uint8Array, position: number): number {
    this.#owner.live()
    return this.#file.read(into, position)
  }

  truncate(size: number): void {
    this.#owner.live()
    this.#owner.count('truncate')
    this.#file.truncate(size)
  }

  sync(): void {
    this.#owner.live()
    try {
      this.#owner.count('sync')
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
    if (!this.#hasFailed) this.#file.sync()
  }

  syncLater(done: (error: Error | null) => void): void {
    const start = (then: (error: Error | null) => void) => this.#file.syncLater(then)
    this.#owner.later(this.#hasFailed ? null : start, (error) => {
      this.#hasFailed ||= error !== null
      done(error)
    })
  }

  close(): void {
    // A process that has ended closes nothing; its handles are gone with it.
    this.#file.close()
  }
}
