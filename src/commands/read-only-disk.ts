import fs from 'node:fs'
import type { Disk, DiskFile } from '../store/disk/disk.ts'
import { NodeDisk, NodeFile } from '../store/disk/node-disk.ts'
import { listDataFiles } from '../store/folder/data-folder.ts'
import { ringTail } from '../store/journal/journal-scan.ts'

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
  if (tail === null) return disk
  const { path, byte, bytes } = tail
  const settled = new ReadOnlyDisk()
  settled.open = (opened) => {
    const file = disk.open(opened)
    return opened === path ? tailed(file, byte, bytes) : file
  }
  return settled
}

/** A segment whose bytes from `byte` on are those of the ring. One that is written on meanwhile has them itself by now. */
function tailed(file: DiskFile, byte: number, bytes: Uint8Array): DiskFile {
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
