import { basename, dirname } from 'node:path'
import type { Disk, DiskFile } from '../../../src/store/disk/disk.ts'

/** Least a reader may ask for at once, however short a file is: headers, footers, a first table. */
const READ_BYTES_ALWAYS = 128

/**
 * Files as arrays in memory: images are put in and read. A reader that asks for more bytes than a
 * file could hold believed a damaged length, and is told so.
 */
export class ImageDisk implements Disk {
  readonly files: Map<string, Uint8Array>

  /** With the files of another disk; each is copied when it is written to. */
  constructor(whole?: ImageDisk) {
    this.files = new Map(whole?.files)
  }

  copy(): ImageDisk {
    return new ImageDisk(this)
  }

  bytesOf(path: string): Uint8Array {
    const bytes = this.files.get(path)
    if (bytes === undefined) throw missing(path)
    return bytes
  }

  list(folder: string): string[] {
    const paths = [...this.files.keys()].filter((path) => dirname(path) === folder)
    return paths.map((path) => basename(path)).sort()
  }

  makeFolder(): void {}

  create(path: string): DiskFile {
    this.files.set(path, new Uint8Array(0))
    return new ImageFile(this.files, path)
  }

  open(path: string): DiskFile {
    this.bytesOf(path)
    return new ImageFile(this.files, path)
  }

  rename(from: string, to: string): void {
    this.files.set(to, this.bytesOf(from))
    this.files.delete(from)
  }

  remove(path: string): void {
    if (!this.files.delete(path)) throw missing(path)
  }

  syncFolder(_folder: string): void {}

  syncFolderLater(_folder: string, done: (error: Error | null) => void): void {
    done(null)
  }
}

/** An image as an open file. */
export class ImageFile implements DiskFile {
  readonly #files: Map<string, Uint8Array>
  readonly #path: string

  constructor(files: Map<string, Uint8Array>, path: string) {
    this.#files = files
    this.#path = path
  }

  get #bytes(): Uint8Array {
    return this.#files.get(this.#path) ?? new Uint8Array(0)
  }

  size(): number {
    return this.#bytes.length
  }

  append(bytes: Uint8Array): number {
    this.#files.set(this.#path, Buffer.concat([this.#bytes, bytes]))
    return bytes.length
  }

  read(into: Uint8Array, position: number): number {
    const bytes = this.#bytes
    if (!Number.isSafeInteger(position) || position < 0)
      throw new RangeError(`a read at ${position}`)
    if (into.length > Math.max(bytes.length, READ_BYTES_ALWAYS))
      throw new RangeError(`a read of ${into.length} bytes of a file of ${bytes.length}`)
    const found = bytes.subarray(position, position + into.length)
    into.set(found)
    return found.length
  }

  truncate(size: number): void {
    this.#files.set(this.#path, new Uint8Array(this.#bytes.subarray(0, size)))
  }

  sync(): void {}

  syncLater(done: (error: Error | null) => void): void {
    done(null)
  }

  close(): void {}
}

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' })
}
