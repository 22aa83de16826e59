import { performance } from 'node:perf_hooks'
import type { Disk } from '../store/disk/disk.ts'
import { lossOf, readMark } from '../store/folder/commit-marker.ts'
import { type DataFiles, listDataFiles, type NumberedFile } from '../store/folder/data-folder.ts'
import { bootId, holderOf } from '../store/folder/process-lock.ts'
import { Exit } from './command.ts'
import { settledDisk } from './read-only-disk.ts'
import { reportSnapshot, type SnapshotReport } from './snapshot-report.ts'
import {
  bad,
  type Finding,
  good,
  startSteps,
  unlessRefused,
  type Verdict,
  verdictLine,
  warn,
} from './verdict.ts'

const ABOUT = 'contents'
/** Snapshots are read so long, and then the journal. */
const LOOK_MS = 1_000
const NOT_ALL = 'Not all was read in the time: "mintfeed inspect" reads every byte.'

/** What a start would make of a data folder, as far as two seconds of reading say. */
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
  // Before the files and the ring: one that runs in another container is not seen, and writes on meanwhile.
  const written = readMark(folder, boot)
  const disk = settledDisk(folder)
  const files = listDataFiles(disk, folder)
  if (files.segments.length + files.snapshots.length === 0 && lossOf(null, written, boot) === null)
    return good(ABOUT, 'Nothing is in it yet.')
  const { snapshots, isAll } = readSnapshots(disk, files, lookMs)
  const steps = startSteps({
    disk,
    folder,
    files,
    snapshots,
    written,
    boot,
  })
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
    const report = readUntil(disk, file, endMs)
    isAll &&= report.isAll
    reports.unshift(report.snapshot)
    if (report.snapshot.status !== 'damaged') break
  }
  return { snapshots: reports, isAll }
}

function readUntil(
  disk: Disk,
  file: NumberedFile,
  endMs: number,
): { snapshot: SnapshotReport; isAll: boolean } {
  let isAll = true
  const snapshot = reportSnapshot(disk, file, () => {
    isAll = performance.now() < endMs
    return isAll
  })
  return { snapshot, isAll }
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
