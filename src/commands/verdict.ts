import { basename } from 'node:path'
import { TAPE_CHUNK_RECORDS } from '../engine/state/tape.ts'
import type { Disk } from '../store/disk/disk.ts'
import { folderRefused, StoreError } from '../store/disk/failure.ts'
import { isUnreadable } from '../store/disk/node-disk.ts'
import { lossOf, type WrittenBefore } from '../store/folder/commit-marker.ts'
import type { DataFiles } from '../store/folder/data-folder.ts'
import { type Cut, type JournalEnd, walkJournal } from '../store/journal/journal-scan.ts'
import { allDamaged, foundStream, namingDamaged } from '../store/recovery/recovery.ts'
import { count } from './command.ts'
import { neededChunks, type SnapshotReport, sizeOf } from './file-reports.ts'

/** What a start would do with a data folder. */
export type Verdict =
  | {
      readonly starts: true
      readonly seq: number
      /** The snapshot it would begin with; null for none. */
      readonly snapshotSeq: number | null
      /** Bytes at the end of the journal that it would take off, with later segments. */
      readonly cutBytes: number
      /** Where they begin; null for none. */
      readonly cut: {
        readonly name: string
        readonly byte: number
        /** Whole frames among the bytes. */
        readonly frames: number
        /** Half a write, which goes for good; anything else is put aside. */
        readonly isUnfinished: boolean
      } | null
      /** Why the stream would have a new epoch; null when it has the same one. */
      readonly newEpoch: string | null
    }
  | { readonly starts: false; readonly reason: string }

interface VerdictOptions {
  readonly disk: Disk
  readonly folder: string
  readonly files: DataFiles
  readonly snapshots: readonly SnapshotReport[]
  /** The mark of the process that wrote last. */
  readonly written: WrittenBefore | null
  /** Uuid of the machine's boot now. */
  readonly boot: string
  /** Records of a chunk; those of the service when left out. */
  readonly chunkRecords?: number
}

/**
 * Takes the steps of the recovery without folding anything: a segment of the journal, or a thousand frames, at a
 * time.
 */
export function* startSteps(options: VerdictOptions): Generator<number, Verdict> {
  const { disk, folder, files, snapshots, written, boot } = options
  const { chunkRecords = TAPE_CHUNK_RECORDS } = options
  const newest = snapshots.findLast(({ status }) => status !== 'damaged') ?? null
  if (newest?.status === 'other version') return { starts: false, reason: newest.damage }
  const from = newest ?? { seq: 0, segment: 0 }
  const damaged = damagedOf(files, snapshots)
  try {
    if (newest !== null) yield* neededChunks(disk, folder, newest, chunkRecords)
  } catch (error) {
    return refusal(error, folder)
  }
  try {
    const end = yield* walkJournal(disk, files, from, () => {})
    if (newest === null && damaged.length > 0 && end.segment === 0) throw allDamaged(damaged)
    const found = foundStream(files, end, newest)
    return {
      starts: true,
      seq: end.seq,
      snapshotSeq: newest?.seq ?? null,
      cutBytes: cutBytes(disk, end),
      cut: end.cut === null ? null : verdictCut(end.cut),
      newEpoch: lossOf(found, written, boot),
    }
  } catch (error) {
    return refusal(namingDamaged(error, damaged), folder)
  }
}

function refusal(error: unknown, folder: string): Verdict {
  if (isUnreadable(error)) return { starts: false, reason: folderRefused(error, folder).message }
  if (!(error instanceof StoreError)) throw error
  return { starts: false, reason: error.message }
}

/** Damaged snapshots that a start would have tried first. */
function damagedOf(files: DataFiles, snapshots: readonly SnapshotReport[]): readonly string[] {
  const newest = snapshots.findLastIndex(({ status }) => status !== 'damaged')
  return snapshots
    .slice(newest + 1)
    .toReversed()
    .flatMap(({ name }) => files.snapshots.find((file) => file.name === name)?.path ?? [])
}

function verdictCut({ path, byte, frames, isUnfinished }: Cut) {
  return { name: basename(path), byte, frames, isUnfinished }
}

function cutBytes(disk: Disk, { cut }: JournalEnd): number {
  if (cut === null) return 0
  return cut.dropped.reduce((sum, path) => sum + sizeOf(disk, path), cut.bytes)
}

/** What a start would do, in one line. */
export function verdictLine(verdict: Verdict, usedBy: number | null): string {
  if (!verdict.starts) return `would not start: ${verdict.reason}`
  const { seq, snapshotSeq, cutBytes } = verdict
  const from = snapshotSeq === null ? '' : `, from the snapshot of seq ${count(snapshotSeq)}`
  const start = `would start at seq ${count(seq)}${from}`
  if (usedBy === null) return `${start}${tailText(verdict)}${epochText(verdict)}`
  return cutBytes === 0
    ? start
    : `${start}; the last ${count(cutBytes)} bytes are a write that is under way`
}

function tailText({ cut, cutBytes }: Extract<Verdict, { starts: true }>): string {
  if (cut === null) return ''
  const bytes = `; ${count(cutBytes)} bytes from ${cut.name}, byte ${count(cut.byte)}, on`
  if (cut.isUnfinished) return `${bytes} are half a write and would be cut off`
  const whole = cut.frames === 0 ? '' : `, ${count(cut.frames)} whole frames among them,`
  return `${bytes}${whole} do not go on where the journal ends and would be put aside`
}

function epochText({ newEpoch }: Extract<Verdict, { starts: true }>): string {
  return newEpoch === null ? '' : `; with a new epoch: ${newEpoch}`
}
