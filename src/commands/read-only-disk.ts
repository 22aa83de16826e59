import fs from 'node:fs'
import type { Disk, DiskFile } from '../store/disk/disk.ts'
import { NodeDisk, NodeFile } from '../store/disk/node-disk.ts'
import { listDataFiles } from '../store/folder/data-folder.ts'
import { type RingTail, ringTail } from '../store/journal/journal-ring.ts'

/**
 * The disk of the machine for commands that only look: it cannot change anything, and folders that
 * this process may not write to (a backup, another user's) can be looked at as well.
 */
export class ReadOnlyDisk implements Disk {
  readonly #disk = new NodeDisk()
  readonly makeFolder = refuse
  readonly create = refuse
  readonly rename = refuse
  readonly remove = refuse
  readonly syncFolder = refuse
  readonly syncFolderLater = refuse

  list(folder: string): string[] {
    return this.#disk.list(folder)
  }

  /** Opened so that the kernel refuses a change. */
  open(path: string): DiskFile {
    return new NodeFile(fs.openSync(path, 'r'), path)
  }
}

function refuse(what: string): never {
  throw new Error(`a command that only looks was about to change ${what}`)
}

/**
 * Shows a data folder as the next start would find it: its last segment goes on with what the ring of a
 * process that was killed, or of one that runs, has alone. Changes nothing.
 */
export function settledDisk(folder: string): Disk {
  const disk = new ReadOnlyDisk()
  const tail = ringTail(disk, folder, listDataFiles(disk, folder).segments)
  return tail === null ? disk : new SettledDisk(tail)
}

class SettledDisk extends ReadOnlyDisk {
  readonly #tail: RingTail

  constructor(tail: RingTail) {
    super()
    this.#tail = tail
  }

  override open(path: string): DiskFile {
    const file = super.open(path)
    return path === this.#tail.path ? tailed(file, this.#tail) : file
  }
}

/** A segment with its tail. One that is written on meanwhile holds the same bytes there by now. */
function tailed(file: DiskFile, { byte, bytes }: RingTail): DiskFile {
  const read = (into: Uint8Array, position: number): number => {
    const inFront = byte - position
    if (inFront > 0) return file.read(into.subarray(0, Math.min(into.length, inFront)), position)
    const part = bytes.subarray(-inFront, -inFront + into.length)
    if (part.length === 0) return file.read(into, position)
    into.set(part)
    return part.length
  }
  return {
    size: () => Math.max(file.size(), byte + bytes.length),
    read,
    append: (appended) => file.append(appended),
    truncate: (size) => file.truncate(size),
    sync: () => file.sync(),
    syncLater: (done) => file.syncLater(done),
    close: () => file.close(),
  }
}
