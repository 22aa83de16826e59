import type { Disk } from '../store/disk/disk.ts'
import { StoreError } from '../store/disk/failure.ts'
import { runToEnd } from '../store/disk/steps.ts'
import type { NumberedFile } from '../store/folder/data-folder.ts'
import { neededChunks, reportSnapshot, type SnapshotReport } from './snapshot-report.ts'

/** What the folder goes back to before the journal is folded. */
export interface RepairBase {
  /** The newest whole snapshot; null for none. */
  readonly base: SnapshotReport | null
  /** Newer ones that are whole, and that a start refuses since chunks of theirs are gone. */
  readonly unusable: readonly NumberedFile[]
}

/** @throws StoreError when a later version wrote a snapshot that may be the one */
export function repairBase(
  disk: Disk,
  folder: string,
  snapshots: readonly NumberedFile[],
  until: number,
  chunkRecords: number,
): RepairBase {
  const unusable: NumberedFile[] = []
  for (const file of snapshots.toReversed()) {
    if (file.number > until) continue
    const report = reportSnapshot(disk, file)
    if (report.status === 'other version') throw new StoreError('newer_version', report.damage)
    if (report.status === 'damaged') continue
    if (hasItsChunks(disk, folder, report, chunkRecords)) return { base: report, unusable }
    unusable.push(file)
  }
  return { base: null, unusable }
}

function hasItsChunks(
  disk: Disk,
  folder: string,
  report: SnapshotReport,
  chunkRecords: number,
): boolean {
  try {
    runToEnd(neededChunks(disk, folder, report, chunkRecords))
    return true
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return false
    throw error
  }
}
