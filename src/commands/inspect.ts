import fs from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../base/errors.ts'
import type { Disk } from '../store/disk/disk.ts'
import {
  DAMAGED,
  FileBuffer,
  listDataFiles,
  type NumberedFile,
  withFile,
} from '../store/folder/data-folder.ts'
import { readMark } from '../store/folder/file-commit-marker.ts'
import { bootId, holderOf } from '../store/folder/process-lock.ts'
import { type ChunkKind, DORMANT_CHUNKS, SWAP_CHUNKS } from '../store/snapshot/tape-chunk.ts'
import { type ChunkReport, reportChunk } from './chunk-report.ts'
import type { Progress } from './progress.ts'
import { reportSegment, type ScannedSegment, type SegmentReport } from './segment-report.ts'
import { reportSnapshot, type SnapshotReport } from './snapshot-report.ts'
import { startOf, type Verdict } from './verdict.ts'

/** What is in a data folder. */
export interface FolderReport {
  readonly folder: string
  /** Pid of the running process that uses the folder, or null. */
  readonly usedBy: number | null
  readonly segments: readonly SegmentReport[]
  readonly snapshots: readonly SnapshotReport[]
  readonly chunks: readonly ChunkReport[]
  /** Chunks of the dormant tape. */
  readonly dormantChunks: readonly ChunkReport[]
  /** Files whose writing was not finished. */
  readonly unfinished: readonly string[]
  /** Snapshots that a start has put aside. */
  readonly putAside: readonly string[]
  /** Folders of what was given up by `repair`. */
  readonly givenUp: readonly string[]
  readonly totals: Totals
  readonly verdict: Verdict
}

interface Totals {
  readonly bytes: number
  readonly frames: number
  /** Seqs the journal holds: from the first to behind the last good one; null without a journal. */
  readonly seqs: { readonly from: number; readonly to: number } | null
  readonly tapeRecords: number
  readonly dormantRecords: number
}

/** Folders of what was given up start so. */
export const GIVEN_UP = 'given-up-'

/** A running service removes files: so many times the look begins anew before it gives up. */
const TRIES = 3

/** Looks at everything in a data folder; `diskNow` is asked for each look. Changes nothing and takes no lock. */
export function inspectFolder(
  diskNow: () => Disk,
  folder: string,
  progress: Progress,
): FolderReport {
  for (let tries = 1; ; tries++)
    try {
      return lookAt(diskNow, folder, progress)
    } catch (error) {
      progress.end()
      if (codeOf(error) !== 'ENOENT' || tries === TRIES) throw error
    }
}

function lookAt(diskNow: () => Disk, folder: string, progress: Progress): FolderReport {
  const boot = bootId()
  // Before the files and the ring: a service that runs writes on meanwhile.
  const written = readMark(folder, boot)
  const disk = diskNow()
  const files = listDataFiles(disk, folder)
  const names = disk.list(folder)
  const all = [...files.segments, ...files.snapshots, ...files.chunks, ...files.dormantChunks]
  const sizeOf = ({ path }: { path: string }) => withFile(disk.open(path), (file) => file.size())
  progress.begin(
    'reading',
    all.reduce((sum, file) => sum + sizeOf(file), 0),
  )
  let done = 0
  const read = (bytes: number) => {
    done += bytes
    progress.to(done)
  }
  const segments = segmentReports(disk, files.segments, read)
  const snapshots = files.snapshots.map((file) => reportSnapshot(disk, file, read))
  const reportOf = (kind: ChunkKind) => (file: NumberedFile) => {
    const report = reportChunk(disk, file, kind)
    read(report.bytes)
    return report
  }
  const chunks = files.chunks.map(reportOf(SWAP_CHUNKS))
  const dormantChunks = files.dormantChunks.map(reportOf(DORMANT_CHUNKS))
  progress.end()
  return {
    folder,
    usedBy: holderOf(folder),
    segments,
    snapshots,
    chunks,
    dormantChunks,
    unfinished: files.unfinished,
    putAside: names.filter((name) => name.endsWith(DAMAGED)),
    givenUp: names.filter((name) => isGivenUp(folder, name)),
    totals: totalsOf(segments, snapshots, chunks, dormantChunks),
    verdict: startOf({ disk, folder, files, snapshots, written, boot }),
  }
}

function segmentReports(
  disk: Disk,
  files: ReturnType<typeof listDataFiles>['segments'],
  read: (bytes: number) => void,
): SegmentReport[] {
  const buffer = new FileBuffer()
  const reports: SegmentReport[] = []
  let before: ScannedSegment | null = null
  for (const file of files) {
    before = reportSegment(disk, buffer, file, before)
    reports.push(before.report)
    read(before.report.bytes)
  }
  return reports
}

function isGivenUp(folder: string, name: string): boolean {
  return name.startsWith(GIVEN_UP) && fs.statSync(join(folder, name)).isDirectory()
}

function totalsOf(
  segments: readonly SegmentReport[],
  snapshots: readonly SnapshotReport[],
  chunks: readonly ChunkReport[],
  dormantChunks: readonly ChunkReport[],
): Totals {
  const readable = segments.filter(({ epoch }) => epoch !== '')
  return {
    bytes: [...segments, ...snapshots, ...chunks, ...dormantChunks].reduce(
      (sum, { bytes }) => sum + bytes,
      0,
    ),
    frames: segments.flatMap(({ frames }) => Object.values(frames)).reduce((a, b) => a + b, 0),
    seqs:
      readable.length === 0
        ? null
        : { from: readable[0].firstSeq, to: readable[readable.length - 1].endSeq },
    tapeRecords: chunks.reduce((sum, { records }) => sum + records, 0),
    dormantRecords: dormantChunks.reduce((sum, { records }) => sum + records, 0),
  }
}
