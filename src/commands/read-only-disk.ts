import fs from 'node:fs'
import type { Disk, DiskFile } from '../store/disk.ts'
import { NodeDisk, readAt } from '../store/node-disk.ts'

/**
 * The disk of the machine for commands that only look: it cannot change anything, and folders that
 * this process may not write to (a backup, another user's) can be looked at as well.
 */
export class ReadOnlyDisk implements Disk {
  readonly #disk = new NodeDisk()

  list(folder: string): string[] {
    return this.#disk.list(folder)
  }

  open(path: string): DiskFile {
    return new ReadOnlyFile(fs.openSync(path, 'r'), path)
  }

  makeFolder(folder: string): never {
    throw refusal(folder)
  }

  create(path: string): never {
    throw refusal(path)
  }

  rename(from: string): never {
    throw refusal(from)
  }

  remove(path: string): never {
    throw refusal(path)
  }

  syncFolder(folder: string): never {
    throw refusal(folder)
  }

  syncFolderLater(folder: string): never {
    throw refusal(folder)
  }
}

class ReadOnlyFile implements DiskFile {
  readonly #fd: number
  readonly #path: string

  constructor(fd: number, path: string) {
    this.#fd = fd
    this.#path = path
  }

  size(): number {
    return fs.fstatSync(this.#fd).size
  }

  read(into: Uint8Array, position: number): number {
    return readAt(this.#fd, this.#path, into, position)
  }

  append(): never {
    throw refusal('a file')
  }

  truncate(): never {
    throw refusal('a file')
  }

  sync(): never {
    throw refusal('a file')
  }

  syncLater(): never {
    throw refusal('a file')
  }

  close(): void {
    fs.closeSync(this.#fd)
  }
}

function refusal(what: string): Error {
  return new Error(`a command that only looks was about to change ${what}`)
}
