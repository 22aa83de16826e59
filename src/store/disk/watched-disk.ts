import type { Disk, DiskFile } from './disk.ts'

/** Waits measured at most; the newest count. */
export const WAITS_KEPT = 4_096

/** Told of each call that the loop waits for: its name, and when it began (`performance.now`). */
export type OnDiskCall = (call: string, startMs: number) => void

/** A disk that tells how long its caller stood still; calls in the background are not told. */
export class WatchedDisk implements Disk {
  readonly #disk: Disk
  readonly #onCall: OnDiskCall

  constructor(disk: Disk, onCall: OnDiskCall) {
    this.#disk = disk
    this.#onCall = onCall
  }

  list(folder: string): string[] {
    return watched(this.#onCall, 'list', () => this.#disk.list(folder))
  }

  makeFolder(folder: string): void {
    watched(this.#onCall, 'make folder', () => this.#disk.makeFolder(folder))
  }

  create(path: string): DiskFile {
    const file = watched(this.#onCall, 'create', () => this.#disk.create(path))
    return new WatchedFile(file, this.#onCall)
  }

  open(path: string): DiskFile {
    const file = watched(this.#onCall, 'open', () => this.#disk.open(path))
    return new WatchedFile(file, this.#onCall)
  }

  rename(from: string, to: string): void {
    watched(this.#onCall, 'rename', () => this.#disk.rename(from, to))
  }

  remove(path: string): void {
    watched(this.#onCall, 'remove', () => this.#disk.remove(path))
  }

  syncFolder(folder: string): void {
    watched(this.#onCall, 'sync folder', () => this.#disk.syncFolder(folder))
  }

  syncFolderLater(folder: string, done: (error: Error | null) => void): void {
    this.#disk.syncFolderLater(folder, done)
  }
}

class WatchedFile implements DiskFile {
  readonly #file: DiskFile
  readonly #onCall: OnDiskCall

  constructor(file: DiskFile, onCall: OnDiskCall) {
    this.#file = file
    this.#onCall = onCall
  }

  size(): number {
    return this.#file.size()
  }

  append(bytes: Uint8Array): number {
    return watched(this.#onCall, 'append', () => this.#file.append(bytes))
  }

  read(into: Uint8Array, position: number): number {
    return watched(this.#onCall, 'read', () => this.#file.read(into, position))
  }

  truncate(size: number): void {
    watched(this.#onCall, 'truncate', () => this.#file.truncate(size))
  }

  sync(): void {
    watched(this.#onCall, 'sync', () => this.#file.sync())
  }

  syncLater(done: (error: Error | null) => void): void {
    this.#file.syncLater(done)
  }

  close(): void {
    watched(this.#onCall, 'close', () => this.#file.close())
  }
}

/** Runs a call and tells of it, unless it throws. */
function watched<T>(onCall: OnDiskCall, call: string, run: () => T): T {
  const startMs = performance.now()
  const value = run()
  onCall(call, startMs)
  return value
}

/** How long writes waited for the disk, over the newest ones. */
export class WaitTimes {
  readonly #waitsMs = new Float64Array(WAITS_KEPT)
  #count = 0
  #longestMs = 0

  add(waitMs: number): void {
    this.#waitsMs[this.#count % WAITS_KEPT] = waitMs
    this.#count += 1
    if (waitMs > this.#longestMs) this.#longestMs = waitMs
  }

  /** Milliseconds from a write to its sync: median, p99, longest ever. */
  figures(): Readonly<Record<string, number>> {
    const sorted = this.#waitsMs.slice(0, Math.min(this.#count, WAITS_KEPT)).sort()
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
    return {
      journal_sync_p50_ms: at(0.5),
      journal_sync_p99_ms: at(0.99),
      journal_sync_longest_ms: this.#longestMs,
    }
  }
}
