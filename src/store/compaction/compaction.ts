/**
 * Compaction: a new snapshot out of the last one and the journal behind it. In: the segments before one that is being
 * written. Out: a snapshot that was loaded again and compared, chunks, and the removal of what is no longer needed.
 *
 * It runs in a process of its own: snapshots.ts asks compactor-launcher.ts, a small process (launch.ts), which starts
 * compact.ts through compactor-process.ts. They talk in the messages of compactor-messages.ts.
 *
 * - Nothing is removed before the new snapshot has been read back with the same digest.
 */
import { join } from 'node:path'
import type { Engine } from '../../engine/engine.ts'
import { totalBytes } from '../../engine/memory/views.ts'
import type { Disk } from '../disk/disk.ts'
import { StoreError } from '../disk/failure.ts'
import { mapProgress } from '../disk/steps.ts'
import {
  type DataFiles,
  dataPath,
  listDataFiles,
  type NumberedFile,
  putSnapshotAside,
  syncFiles,
  withFile,
} from '../folder/data-folder.ts'
import { foldJournal } from '../journal/journal-fold.ts'
import { headerOf, type JournalStart } from '../journal/journal-scan.ts'
import { loadNewest, loadSnapshot } from '../recovery/recovery.ts'
import {
  type Contents,
  readContents,
  SNAPSHOT_VERSION,
  stateDigest,
  writeSnapshot,
} from '../snapshot/snapshot-file.ts'
import { archiveTape, unarchivedBytes } from '../snapshot/tape-archive.ts'
import { DORMANT_CHUNKS, SWAP_CHUNKS } from '../snapshot/tape-chunk.ts'
import type { CompactorProgress, CompactorResult } from './compactor-messages.ts'

/** The newest snapshots stay, two of them: the older is there should the newer be damaged. */
const SNAPSHOTS_KEPT = 2

interface CompactionOptions {
  readonly disk: Disk
  readonly folder: string
  /** Segments before this one are folded; it and later ones are being written. */
  readonly untilSegment: number
  /** Makes an empty engine that reads the tape's chunks of the folder. */
  readonly newEngine: () => Engine
  /** Keep journal segments that no snapshot needs any more. */
  readonly keepsJournal: boolean
  /** Throws when so many bytes more would leave the journal without room. */
  readonly checkRoom?: (bytes: number) => void
}

/** What a compaction did; how long it took, and in how much memory, its process says. */
export type Compaction = Omit<CompactorResult, 'durationMs' | 'peakBytes'>

/**
 * Brings the snapshot up to date: the last one, the journal behind it, a new one, which is then
 * loaded and must have the same digest. Only after that is anything older removed.
 * @throws StoreError when the journal cannot be read to its end or the new snapshot does not verify
 */
export function* compact(options: CompactionOptions): Generator<CompactorProgress, Compaction> {
  // Steps of their own: what they hold goes with them, so that only one state is in memory.
  const written = yield* bringUp(options)
  if (written.path === null) return written.compaction
  yield* verify(options, written.path, written.compaction.digest)
  const removed = prune(options.disk, options.folder, options.keepsJournal)
  return { ...written.compaction, ...removed }
}

/** Writes the new snapshot; its path is null when nothing came since the last one. */
function* bringUp(
  options: CompactionOptions,
): Generator<CompactorProgress, { path: string | null; compaction: Compaction }> {
  const { disk, folder, newEngine } = options
  const files = listDataFiles(disk, folder)
  // Only compactors leave such files, and this is the only one.
  for (const name of files.unfinished) disk.remove(join(folder, name))
  const damagedSnapshots: string[] = []
  const loading = loadNewest(disk, files.snapshots, newEngine, damagedSnapshots)
  const loaded = yield* mapProgress(loading, ({ done }) => ({ step: 'load' as const, done }))
  const from = loaded?.contents ?? { seq: 0, segment: 0 }
  const fromSeq = from.seq
  const engine = loaded?.engine ?? newEngine()
  const { tape, dormant } = engine.state
  const segments = files.segments.filter(({ number }) => number < options.untilSegment)
  const { end, frames } = yield* replay(disk, { ...files, segments }, from, engine)
  if (end.segment === 0 || end.seq === fromSeq)
    return { path: null, compaction: nothingNew(fromSeq, engine) }
  // Should the snapshot turn out damaged, the journal must have what is in it. What came before the one
  // that it was begun with was synced for that.
  const added = segments.filter(({ number }) => number >= from.segment)
  syncFiles(disk, folder, added)
  options.checkRoom?.(bytesOf(engine))
  archiveTape(disk, folder, tape, engine.settledSwaps, SWAP_CHUNKS)
  const { count } = dormant.tape
  archiveTape(disk, folder, dormant.tape, count, DORMANT_CHUNKS)
  // Put aside, as a start does: else it would count as one of those that stay. Before the new one
  // is written, which may have the name of one.
  for (const damaged of damagedSnapshots) putSnapshotAside(disk, damaged)
  const path = dataPath(folder, 'snapshot', end.seq)
  const about = {
    seq: end.seq,
    epoch: end.epoch ?? '',
    segment: options.untilSegment,
    settings: engine.settings,
    ...(loaded !== null && upgradedFrom(loaded.contents)),
    chunks: chunksOf(engine),
  }
  const digest = writeSnapshot(disk, folder, path, engine.parts, about)
  const made = { seq: end.seq, framesFolded: frames, digest, damagedSnapshots }
  return { path, compaction: { ...nothingNew(fromSeq, engine), ...made } }
}

/** Version that a snapshot goes back to which is made of one with these contents; the present one: nothing. */
function upgradedFrom({ version, upgradedFrom }: Contents): Pick<Contents, 'upgradedFrom'> {
  if (upgradedFrom !== undefined) return { upgradedFrom }
  return version < SNAPSHOT_VERSION ? { upgradedFrom: version } : {}
}

/** Bytes of a snapshot of it, and of the chunks that are archived with it. */
function bytesOf({ parts, state, settledSwaps }: Engine): number {
  const { tape, dormant } = state
  const chunks =
    unarchivedBytes(tape, settledSwaps) + unarchivedBytes(dormant.tape, dormant.tape.count)
  return parts.reduce((sum, part) => sum + totalBytes(part.views()), chunks)
}

function chunksOf({ state }: Engine) {
  return { swaps: state.tape.chunkCrcs, positions: state.dormant.tape.chunkCrcs }
}

function nothingNew(seq: number, engine: Engine): Compaction {
  return {
    seq,
    fromSeq: seq,
    framesFolded: 0,
    digest: '',
    archivedRecords: engine.state.tape.archivedCount,
    archivedPositions: engine.state.dormant.tape.archivedCount,
    chunks: chunksOf(engine),
    damagedSnapshots: [],
    snapshotsRemoved: 0,
    segmentsRemoved: 0,
  }
}

function* replay(disk: Disk, files: DataFiles, from: JournalStart, engine: Engine) {
  const folding = foldJournal(engine, { disk, files, from })
  const folded = yield* mapProgress(folding, (done) => ({ step: 'replay' as const, done }))
  const { cut } = folded.end
  if (cut === null) return folded
  throw new StoreError('damaged', `${cut.path} ends in the middle of a frame at byte ${cut.byte}.`)
}

function* verify(
  { disk, folder, newEngine }: CompactionOptions,
  path: string,
  digest: string,
): Generator<CompactorProgress, void> {
  const engine = newEngine()
  const loading = loadSnapshot(disk, path, engine)
  const contents = yield* mapProgress(loading, ({ done }) => ({ step: 'verify' as const, done }))
  if (contents !== null && stateDigest(engine.parts) === digest) return
  // One is there to be looked at. It is tried again every few minutes: all of them would fill the disk.
  if (listDataFiles(disk, folder).snapshotsAside.length > 0) disk.remove(path)
  else putSnapshotAside(disk, path)
  throw new StoreError(
    'damaged',
    `The snapshot ${path} does not read as it was written: the disk or the memory of this machine ` +
      'is not to be trusted. Nothing that was there before was removed.',
  )
}

function contentsOf(disk: Disk, { path }: NumberedFile): Contents | null {
  return withFile(disk.open(path), (file) => readContents(file, path))
}

/** Removes snapshots past the newest ones, and segments that the oldest of these does not need. */
function prune(
  disk: Disk,
  folder: string,
  keepsJournal: boolean,
): { snapshotsRemoved: number; segmentsRemoved: number } {
  const { snapshots, segments } = listDataFiles(disk, folder)
  const old = snapshots.slice(0, -SNAPSHOTS_KEPT)
  // The whole journal stays behind the first snapshot: should that be damaged, a start reads the journal.
  const oldest = snapshots.at(-SNAPSHOTS_KEPT)
  const needed = oldest === undefined ? null : contentsOf(disk, oldest)
  for (const { path } of old) disk.remove(path)
  let segmentsRemoved = 0
  if (!keepsJournal && needed !== null)
    for (const [i, following] of segments.slice(1).entries()) {
      const next = headerOf(disk, following.path)
      if (next === null || next === 'newer' || next.firstSeq > needed.seq) break
      const segment = segments[i]
      // Of a write that was torn there may be names, and no event: at its seq, and behind it.
      if (segment === undefined || segment.number >= needed.segment) break
      disk.remove(segment.path)
      segmentsRemoved += 1
    }
  if (old.length + segmentsRemoved > 0) disk.syncFolder(folder)
  return { snapshotsRemoved: old.length, segmentsRemoved }
}
