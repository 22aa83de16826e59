import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { appendAll } from '../store/disk/disk.ts'
import { folderRefused, isRefusal } from '../store/disk/disk-reason.ts'
import { NodeDisk } from '../store/disk/node-disk.ts'
import { withFile } from '../store/folder/data-folder.ts'
import { holderOf, isLocked } from '../store/folder/process-lock.ts'
import { Exit } from './command.ts'
import { bad, type Finding } from './finding.ts'

/** More than a start writes before it takes an event: the lock, the mark, the head of a segment. */
const TRIAL_BYTES = 64 << 10

/**
 * Does in a data folder what a start does, and undoes it: a file is made, written, made to last and removed, and the
 * kernel's lock taken and given back. A quota, a disk without free inodes or one that takes no writes shows in nothing
 * else. `place` is the folder, or the nearest one above where that is not there yet. Null: nothing was refused.
 */
export function tryFolder(folder: string, place: string): Finding | null {
  try {
    if (place === folder) {
      tryWriting(folder)
      return lockRefused(folder)
    }
    const made = fs.mkdtempSync(join(place, '.mintfeed-doctor-'))
    try {
      tryWriting(made)
    } finally {
      fs.rmdirSync(made)
    }
    return null
  } catch (error) {
    if (!isRefusal(error)) throw error
    return bad('data folder', folderRefused(error, folder).message, Exit.data)
  }
}

function tryWriting(folder: string): void {
  const disk = new NodeDisk()
  const path = join(folder, `doctor-${randomUUID()}.trial`)
  const file = disk.create(path)
  try {
    withFile(file, () => {
      appendAll(file, Buffer.alloc(TRIAL_BYTES))
      file.sync()
    })
  } finally {
    disk.remove(path)
  }
  disk.syncFolder(folder)
}

/** Who holds the lock and can be named is told where the contents are judged. */
function lockRefused(folder: string): Finding | null {
  if (holderOf(folder) !== null || !isLocked(folder)) return null
  const says = `${folder} is used by another program, perhaps in another container: stop it, or give another DATA_DIR.`
  return bad('data folder', says, Exit.data)
}
