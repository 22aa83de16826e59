import fs from 'node:fs'
import type { Disk, DiskFile } from '../store/disk/disk.ts'
import { NodeDisk, NodeFile } from '../store/disk/node-disk.ts'

/**
 * The disk of the machine for commands that only look: it cannot change anything, and folders that
 * this process may not write to (a backup, another user's) can be looked at as well.
 */
export class ReadOnlyDisk implements Disk {
  readonly #disk = new NodeDisk()

  list(folder: string): string[] {
    return this.#disk.list(folder)
  }

  /** Opened so that the kernel refuses a change. */
  open(path: string): DiskFile {
    return new NodeFile(fs.openSync(path, 'r'), path)
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

function refusal(what: string): Error {
  return new Error(`a command that only looks was about to change ${what}`)
}
