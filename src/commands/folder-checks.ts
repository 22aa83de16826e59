import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { bad, type Finding, good, warn } from './finding.ts'

const MEBIBYTE = 2 ** 20
/** A snapshot wants this much to stay free beside its own size. */
const LEAST_FREE_BYTES = 64 * MEBIBYTE
const COMFORTABLE_FREE_BYTES = 4096 * MEBIBYTE

/** Can the data folder be used, and is there room in it? */
export function checkFolder(folder: string | null): Finding[] {
  if (folder === null)
    return [warn('data folder', 'DATA_DIR is none: nothing outlives a stop of the service.')]
  const place = nearestFolder(folder)
  try {
    fs.accessSync(place, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  } catch {
    return [bad('data folder', `${place} cannot be written: give it to the user of the service.`)]
  }
  const there = place === folder ? 'is there' : 'will be made'
  return [good('data folder', `${folder} ${there} and can be written.`), checkRoom(place)]
}

/** Unix milliseconds of the newest file in the folder, null when there is none. */
export function newestFileMs(folder: string | null): number | null {
  if (folder === null || !isFolder(folder)) return null
  const times = fs.readdirSync(folder).map((name) => {
    return fs.statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  })
  return times.length === 0 ? null : Math.max(...times)
}

function checkRoom(place: string): Finding {
  const { bavail, bsize } = fs.statfsSync(place)
  const free = bavail * bsize
  const text = `${Math.round(free / MEBIBYTE)} MiB are free`
  if (free < LEAST_FREE_BYTES) return bad('disk', `${text}: make room, or move DATA_DIR.`)
  if (free < COMFORTABLE_FREE_BYTES)
    return warn('disk', `${text}: a day of a busy market writes more than that.`)
  return good('disk', `${text}.`)
}

/** The folder itself, or the one above that is there. */
function nearestFolder(folder: string): string {
  if (isFolder(folder) || dirname(folder) === folder) return folder
  return nearestFolder(dirname(folder))
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
