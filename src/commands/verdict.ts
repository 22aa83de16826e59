import type { DataFiles } from '../store/data-folder.ts'
import type { Disk } from '../store/disk.ts'
import { StoreError } from '../store/failure.ts'
import { walkJournal } from '../store/journal-scan.ts'
import { runToEnd } from '../store/steps.ts'
import type { SnapshotReport } from './snapshot-report.ts'

/** What a start would do with a folder. */
export type Verdict =
  | {
      readonly starts: true
      readonly seq: number
      /** The snapshot it would begin with; null for none. */
      readonly snapshotSeq: number | null
      /** Bytes at the end of the journal that it would cut off, with later segments. */
      readonly cutBytes: number
    }
  | { readonly starts: false; readonly reason: string }

/** Goes the way of the recovery without folding anything. */
export function startOf(
  disk: Disk,
  files: DataFiles,
  snapshots: readonly SnapshotReport[],
  segments: readonly { readonly name: string; readonly bytes: number }[],
): Verdict {
  const newest = snapshots.findLast(({ status }) => status !== 'damaged')
  if (newest?.status === 'other version') return { starts: false, reason: newest.damage }
  if (newest === undefined && snapshots.length > 0 && files.segments.length === 0)
    return { starts: false, reason: 'No snapshot is whole and there is no journal.' }
  try {
    const end = runToEnd(walkJournal(disk, files, newest?.seq ?? 0, () => {}))
    const dropped = new Set(end.cut?.dropped)
    const droppedBytes = files.segments
      .filter(({ path }) => dropped.has(path))
      .map(({ name }) => segments.find((segment) => segment.name === name)?.bytes ?? 0)
    const cutBytes = droppedBytes.reduce((sum, bytes) => sum + bytes, end.cut?.bytes ?? 0)
    return { starts: true, seq: end.seq, snapshotSeq: newest?.seq ?? null, cutBytes }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { starts: false, reason: error.message }
  }
}
