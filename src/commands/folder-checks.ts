import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { codeOf, messageOf } from '../base/errors.ts'
import type { Market } from '../config/source-settings.ts'
import { appendAll, type Disk } from '../store/disk/disk.ts'
import { folderRefused, isRefusal } from '../store/disk/failure.ts'
import { diskOf, isFolder, NodeDisk } from '../store/disk/node-disk.ts'
import { lossOf, readMark } from '../store/folder/commit-marker.ts'
import { type DataFiles, listDataFiles, withFile } from '../store/folder/data-folder.ts'
import { otherMarket, unknownMarket } from '../store/folder/market-mark.ts'
import { bootId, holderOf, isLocked } from '../store/folder/process-lock.ts'
import { ringPath } from '../store/journal/journal-ring.ts'
import { Exit } from './command.ts'
import { reportSnapshot, type SnapshotReport } from './file-reports.ts'
import { ReadOnlyDisk, settledDisk } from './read-only-disk.ts'
import { startSteps, type Verdict, verdictLine } from './verdict.ts'

const MEBIBYTE = 2 ** 20
const COMFORTABLE_FREE_BYTES = 4096 * MEBIBYTE
/** The file systems of /proc and /sys: root may write there, and nothing is stored. */
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
  const place = existingPath(folder)
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

/** The path itself, or the closest folder above it that is there. */
function existingPath(path: string): string {
  // A link that leads nowhere is there: no folder can be made in its place.
  if (fs.existsSync(path) || isLink(path) || dirname(path) === path) return path
  return existingPath(dirname(path))
}

function isLink(path: string): boolean {
  try {
    return fs.readlinkSync(path) !== ''
  } catch {
    return false
  }
}

/**
 * Does in a data folder what a start does, and undoes it: a file is made, written, synced and removed, and the
 * kernel's lock taken and given back. A quota, a disk without free inodes or one that takes no writes shows in nothing
 * else. `place` is the folder, or the closest one above where that is not there yet. Null: nothing was refused.
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

const ABOUT = 'contents'
/** Snapshots are read so long, and then the journal. */
const LOOK_MS = 1_000
const NOT_ALL = 'Not all was read in the time: "mintfeed inspect" reads every byte.'

/** What a start would do with a data folder, as far as two seconds of reading show. */
export function checkContents(folder: string, lookMs = LOOK_MS): Finding {
  const holder = holderOf(folder)
  if (holder !== null) {
    const says = `${folder} is used by process ${holder}: stop it, or give another DATA_DIR.`
    return bad(ABOUT, says, Exit.data)
  }
  return unlessRefused(ABOUT, () => contentsOf(folder, lookMs))
}

function contentsOf(folder: string, lookMs: number): Finding {
  const boot = bootId()
  // Before the files and the ring: a service in another container is not seen, and goes on writing.
  const written = readMark(folder, boot)
  const disk = settledDisk(folder)
  const files = listDataFiles(disk, folder)
  if (files.segments.length + files.snapshots.length === 0 && lossOf(null, written, boot) === null)
    return good(ABOUT, 'Nothing is in it yet.')
  const { snapshots, isAll } = readSnapshots(disk, files, lookMs)
  const steps = startSteps({ disk, folder, files, snapshots, written, boot })
  const verdict = within(steps, lookMs)
  if (verdict === null) return good(ABOUT, `Nothing was found damaged. ${NOT_ALL}`)
  return findingOf(verdict, snapshots, isAll)
}

function findingOf(
  verdict: Verdict,
  snapshots: readonly SnapshotReport[],
  isAll: boolean,
): Finding {
  const line = verdictLine(verdict, null)
  if (!verdict.starts) return bad(ABOUT, `The service ${line}`, Exit.data)
  const damaged = snapshots.filter(({ status }) => status === 'damaged')
  const sentences = [
    ...damaged.map(({ name, damage }) => `${name} is damaged (${damage}).`),
    `The service ${line}.`,
    ...(isAll ? [] : [NOT_ALL]),
  ]
  const isUsual = verdict.cut === null && verdict.newEpoch === null && damaged.length === 0
  return (isUsual ? good : warn)(ABOUT, sentences.join(' '))
}

/** The snapshots down to the newest that is whole, ascending; what is not read is taken for whole. */
function readSnapshots(
  disk: Disk,
  { snapshots }: DataFiles,
  lookMs: number,
): { snapshots: readonly SnapshotReport[]; isAll: boolean } {
  const endMs = performance.now() + lookMs
  let isAll = true
  const reports: SnapshotReport[] = []
  for (const file of snapshots.toReversed()) {
    const report = reportSnapshot(disk, file, () => {
      const hasTime = performance.now() < endMs
      isAll &&= hasTime
      return hasTime
    })
    reports.unshift(report)
    if (report.status !== 'damaged') break
  }
  return { snapshots: reports, isAll }
}

/** The result of steps; null when they take longer. */
function within<T>(steps: Generator<unknown, T>, lookMs: number): T | null {
  const endMs = performance.now() + lookMs
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() > endMs) return null
  }
}

/** What the doctor found about one thing. */
export interface Finding {
  /** `bad`: the service would not start, or not for long. */
  readonly level: 'good' | 'warn' | 'bad'
  /** What was looked at. */
  readonly about: string
  /** Exit code of the doctor when it is `bad`. */
  readonly code: number
  /** One sentence: what is so, and when that is not good, what to do. */
  readonly says: string
}

export function good(about: string, says: string): Finding {
  return { level: 'good', about, code: Exit.good, says }
}

export function warn(about: string, says: string): Finding {
  return { level: 'warn', about, code: Exit.good, says }
}

export function bad(about: string, says: string, code: number = Exit.bad): Finding {
  return { level: 'bad', about, code, says }
}

/** What `look` finds in a data folder, or the refusal of the disk as a finding. */
function unlessRefused<T>(about: string, look: () => T): T | Finding {
  try {
    return look()
  } catch (error) {
    if (codeOf(error) === '') throw error
    return bad(about, `${messageOf(error)}: mend that, or give another DATA_DIR.`, Exit.data)
  }
}
