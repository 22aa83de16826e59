import type { Disk, DiskFile } from './disk.ts'

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
    return this.#watched('list', () => this.#disk.list(folder))
  }

  makeFolder(folder: string): void {
    this.#watched('make folder', () => this.#disk.makeFolder(folder))
  }

  create(path: string): DiskFile {
    const file = this.#watched('create', () => this.#disk.create(path))
    return new WatchedFile(file, this.#onCall)
  }

  open(path: string): DiskFile {
    const file = this.#watched('open', () => this.#disk.open(path))
    return new WatchedFile(file, this.#onCall)
  }

  rename(from: string, to: string): void {
    this.#watched('rename', () => this.#disk.rename(from, to))
  }

  remove(path: string): void {
    this.#watched('remove', () => this.#disk.remove(path))
  }

  syncFolder(folder: string): void {
    this.#watched('sync folder', () => this.#disk.syncFolder(folder))
  }

  syncFolderLater(folder: string, done: (error: Error | null) => void): void {
    this.#disk.syncFolderLater(folder, done)
  }

  #watched<T>(call: string, run: () => T): T {
    const startMs = performance.now()
    const value = run()
    this.#onCall(call, startMs)
    return value
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
    const startMs = performance.now()
    const taken = this.#file.append(bytes)
    this.#onCall('append', startMs)
    return taken
  }

  read(into: Uint8Array, position: number): number {
    const startMs = performance.now()
    const came = this.#file.read(into, position)
    this.#onCall('read', startMs)
    return came
  }

  truncate(size: number): void {
    const startMs = performance.now()
    this.#file.truncate(size)
    this.#onCall('truncate', startMs)
  }

  sync(): void {
    const startMs = performance.now()
    this.#file.sync()
    this.#onCall('sync', startMs)
  }

  syncLater(done: (error: Error | null) => void): void {
    this.#file.syncLater(done)
  }

  close(): void {
    const startMs = performance.now()
    this.#file.close()
    this.#onCall('close', startMs)
  }
}
