import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../base/errors.ts'
import type { Market } from '../config/feed-setting.ts'
import { appendAll } from '../store/disk/disk.ts'
import { folderRefused, isRefusal } from '../store/disk/failure.ts'
import { diskOf, isFolder, NodeDisk } from '../store/disk/node-disk.ts'
import { listDataFiles, withFile } from '../store/folder/data-folder.ts'
import { otherMarket, unknownMarket } from '../store/folder/market-mark.ts'
import { holderOf, isLocked } from '../store/folder/process-lock.ts'
import { ringPath } from '../store/journal/journal-ring.ts'
import { Exit } from './command.ts'
import { checkContents } from './contents-check.ts'
import { ReadOnlyDisk } from './read-only-disk.ts'
import { bad, type Finding, good, unlessRefused, warn } from './verdict.ts'

const MEBIBYTE = 2 ** 20
const COMFORTABLE_FREE_BYTES = 4096 * MEBIBYTE
/** The kernel's own, /proc and /sys: root may write there by its rights, and nothing is kept. */
const KEEPS_NOTHING = [0x9fa0, 0x62656572]
/** More than a start writes before it takes an event: the lock, the mark, the head of a segment. */
const TRIAL_BYTES = 64 << 10

/**
 * Can the data folder be used, is there room in it, and would the service start with what it holds and
 * with feeds of this market?
 */
export function checkFolder(folder: string | null, market: Market | null): Finding[] {
  if (folder === null)
    return [warn('data folder', 'DATA_DIR is none: nothing outlives a stop of the service.')]
  const refused = unlessRefused('data folder', () => {
    fs.statSync(folder, { throwIfNoEntry: false })
    return null
  })
  if (refused !== null) return [refused]
  const place = nearestPath(folder)
  if (!isFolder(place)) {
    const what = isLink(place) ? 'a link that leads nowhere' : 'no folder'
    return [bad('data folder', `${place} is ${what}: give another DATA_DIR.`, Exit.data)]
  }
  try {
    fs.accessSync(place, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  } catch (error) {
    const remedy =
      codeOf(error) === 'EROFS'
        ? 'its file system is read-only (in a systemd unit, see ReadWritePaths)'
        : 'give it to the user of the service'
    return [bad('data folder', `${place} cannot be written: ${remedy}.`, Exit.data)]
  }
  if (KEEPS_NOTHING.includes(fs.statfsSync(place).type))
    return [bad('data folder', `${place} keeps no files: give another DATA_DIR.`, Exit.data)]
  const there = place === folder ? 'is there' : 'will be made'
  return [
    tryFolder(folder, place) ?? good('data folder', `${folder} ${there} and can be written.`),
    ...(place === folder ? [filesRefused(folder) ?? checkContents(folder)] : []),
    ...(place === folder ? checkMarket(folder, market) : []),
    roomOn(place),
  ]
}

function checkMarket(folder: string, market: Market | null): Finding[] {
  const found = unlessRefused('market', () => {
    const refusal = otherMarket(folder, market)
    if (refusal !== null) return bad('market', refusal, Exit.data)
    const unknown = unknownMarket(folder, market)
    return unknown === null ? null : warn('market', unknown)
  })
  return found === null ? [] : [found]
}

/** What the folder holds that this user may not read and write, as a start does; null for nothing. */
function filesRefused(folder: string): Finding | null {
  return unlessRefused('contents', () => {
    const { segments, snapshots, chunks, dormantChunks } = listDataFiles(new ReadOnlyDisk(), folder)
    const ring = ringPath(folder)
    const paths = [...segments, ...snapshots, ...chunks, ...dormantChunks].map(({ path }) => path)
    for (const path of fs.existsSync(ring) ? [...paths, ring] : paths)
      fs.accessSync(path, fs.constants.R_OK | fs.constants.W_OK)
    return null
  })
}

/** Unix milliseconds of the newest file in the folder, null when there is none that can be seen. */
export function newestFileMs(folder: string | null): number | null {
  if (folder === null) return null
  try {
    const times = fs.readdirSync(folder).map((name) => {
      return fs.statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
    })
    return times.length === 0 ? null : Math.max(...times)
  } catch {
    // checkFolder says what is wrong with the folder.
    return null
  }
}

function roomOn(place: string): Finding {
  const { freeBytes, roomBytes } = diskOf(place)
  if (freeBytes === Number.POSITIVE_INFINITY)
    return warn('disk', 'Its file system does not say how much is free: see that there is room.')
  const text = `${Math.round(freeBytes / MEBIBYTE)} MiB are free`
  if (freeBytes <= roomBytes)
    return bad('disk', `${text}, too few for any snapshot: make room, or move DATA_DIR.`)
  if (freeBytes < COMFORTABLE_FREE_BYTES)
    return warn('disk', `${text}: a day of a busy market writes more than that.`)
  return good('disk', `${text}.`)
}

/** The path itself, or the nearest one above that is there. */
function nearestPath(path: string): string {
  // A link that leads nowhere is there: no folder can be made in its place.
  if (fs.existsSync(path) || isLink(path) || dirname(path) === path) return path
  return nearestPath(dirname(path))
}

function isLink(path: string): boolean {
  try {
    return fs.readlinkSync(path) !== ''
  } catch {
    return false
  }
}

/**
 * Does in a data folder what a start does, and undoes it: a file is made, written, made to last and removed, and the
 * kernel's lock taken and given back. A quota, a disk without free inodes or one that takes no writes shows in nothing
 * else. `place` is the folder, or the nearest one above where that is not there yet. Null: nothing was refused.
 */
function tryFolder(folder: string, place: string): Finding | null {
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

/** A holder that can be named is reported by checkContents. */
function lockRefused(folder: string): Finding | null {
  if (holderOf(folder) !== null || !isLocked(folder)) return null
  const says = `${folder} is used by another program, perhaps in another container: stop it, or give another DATA_DIR.`
  return bad('data folder', says, Exit.data)
}
