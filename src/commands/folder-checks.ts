import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { isFolder } from '../store/node-disk.ts'
import { Exit } from './command.ts'
import { checkContents } from './contents-check.ts'
import { bad, type Finding, good, warn } from './finding.ts'

const MEBIBYTE = 2 ** 20
/** A snapshot wants this much to stay free beside its own size. */
const LEAST_FREE_BYTES = 64 * MEBIBYTE
const COMFORTABLE_FREE_BYTES = 4096 * MEBIBYTE

/** Can the data folder be used, is there room in it, and would the service start with what it holds? */
export function checkFolder(folder: string | null): Finding[] {
  if (folder === null)
    return [warn('data folder', 'DATA_DIR is none: nothing outlives a stop of the service.')]
  const place = nearestPath(folder)
  if (!isFolder(place))
    return [bad('data folder', `${place} is no folder: give another DATA_DIR.`, Exit.data)]
  try {
    fs.accessSync(place, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  } catch {
    const says = `${place} cannot be written: give it to the user of the service.`
    return [bad('data folder', says, Exit.data)]
  }
  const there = place === folder ? 'is there' : 'will be made'
  return [
    good('data folder', `${folder} ${there} and can be written.`),
    ...(place === folder ? [checkContents(folder)] : []),
    checkRoom(place),
  ]
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

/** The path itself, or the nearest one above that is there. */
function nearestPath(path: string): string {
  if (fs.existsSync(path) || dirname(path) === path) return path
  return nearestPath(dirname(path))
}
