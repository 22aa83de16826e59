/**
 * The start: out of a data folder, the state before the last stop, and the place where the journal goes on.
 *
 * - The newest whole snapshot is loaded and the journal behind it folded; what a killed process had in its ring alone
 *   is put into the journal first.
 * - A tail that was never safe is cut off. Damage of what had been safe stops the start with a sentence.
 * - The epoch stays only if nothing a client saw can be missing (folder/commit-marker.ts).
 */

import { basename, join } from 'node:path'
import { errorOf } from '../../base/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { StateError, type StatePart } from '../../engine/memory/state-part.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'
import { StoreError } from '../disk/failure.ts'
import { isUnreadable } from '../disk/node-disk.ts'
import { mapProgress } from '../disk/steps.ts'
import { lossOf, type WrittenBefore } from '../folder/commit-marker.ts'
import {
  copyTail,
  DAMAGED,
  type DataFiles,
  listDataFiles,
  type NumberedFile,
  putSnapshotAside,
  syncFiles,
  withFile,
} from '../folder/data-folder.ts'
import { SEGMENT_HEADER_BYTES } from '../format/journal-format.ts'
import { foldJournal } from '../journal/journal-fold.ts'
import type { RingPlace } from '../journal/journal-ring.ts'
import {
  type Cut,
  type JournalEnd,
  type SegmentSource,
  segmentsFrom,
  settleRing,
} from '../journal/journal-scan.ts'
import { type Contents, loadParts, readContents } from '../snapshot/snapshot-file.ts'
import { needChunks } from '../snapshot/tape-archive.ts'

/** How far a recovery has come. */
interface RecoveryProgress {
  readonly step: 'snapshot' | 'chunks' | 'journal' | 'clock'
  /** Bytes of the snapshot, number of a chunk, seq of the journal, or unix seconds that the clock has come to. */
  readonly done: number
}

/** What the recovery found and did. */
export interface Recovered {
  /** Where the journal goes on. */
  readonly place: Pick<JournalEnd, 'seq' | 'crc' | 'segment'>
  readonly epoch: string
  /** That of the folder as it was found; null: there is none. */
  readonly foundEpoch: string | null
  /** Why something of the stream may be gone, and the epoch is a new one; null when nothing is. */
  readonly loss: string | null
  readonly snapshotSeq: number | null
  /** Snapshots that were damaged and left aside. */
  readonly damagedSnapshots: readonly string[]
  readonly framesFolded: number
  /** Bytes of the journal that its ring had alone. */
  readonly ringBytes: number
  readonly cut: Cut | null
  /** Paths of what of the journal was put aside. */
  readonly putAside: readonly string[]
}

/**
 * The state before the last stop: the newest whole snapshot, then the journal behind it. A tail
 * that is not known to have been safe is taken off the journal; anything else that is wrong stops
 * the start.
 *
 * A generator, so that a server answers 503 meanwhile: it yields every few milliseconds.
 * @throws StoreError with a sentence that says what to do
 */
export function* recover(options: {
  readonly disk: Disk
  readonly folder: string
  /** Uuid of the machine's boot now. */
  readonly boot: string
  /** What the process before has left of how far it had written; null for nothing. */
  readonly written: WrittenBefore | null
  /** Recovered in place. */
  readonly engine: Engine
  /** Makes an empty one like it: what `engine` starts from when a snapshot turned out damaged. */
  readonly newEngine: () => Engine
  readonly newEpoch: () => string
  /** Where the ring of the journal is that was written last; what it has alone is put into the journal. */
  readonly ring?: RingPlace | undefined
  /** Loads segments ahead of the fold; the disk is read as it goes when left out. */
  readonly ahead?: SegmentSource & { begin(paths: readonly string[]): void }
}): Generator<RecoveryProgress, Recovered> {
  const { disk, folder, engine } = options
  disk.makeFolder(folder)
  const files = listDataFiles(disk, folder)
  const damaged: string[] = []
  const { ring } = options
  const ringBytes = ring === undefined ? 0 : settleRing(disk, folder, files.segments, ring)
  const syncs = new RecoveryFsync(disk)
  const snapshotSeq = files.snapshots.at(-1)?.number ?? 0
  const paths = segmentsFrom(disk, files.segments, snapshotSeq).map(({ path }) => path)
  syncs.begin(paths)
  options.ahead?.begin(paths)
  const newest = yield* loadNewest(disk, files.snapshots, () => engine, damaged)
  if (newest === null && damaged.length > 0) copyParts(options.newEngine().parts, engine.parts)
  const loaded = newest?.contents ?? null
  if (loaded !== null) yield* neededChunks(disk, folder, engine)
  const from = loaded ?? { seq: 0, segment: 0 }
  const folding = foldJournal(engine, { disk, files, from, source: options.ahead })
  const { end, frames } = yield* folded(folding, damaged)
  if (loaded === null && damaged.length > 0 && end.segment === 0) throw allDamaged(damaged)
  engine.order.keepUp()
  for (const path of damaged) putSnapshotAside(disk, path)
  const putAside = end.cut === null ? [] : cutTail(disk, folder, end.cut)
  const remaining = remainingSegments(files.segments, end.cut)
  // What a killed process had written may still be in memory alone, and counts as safe from now on. What
  // a snapshot was made of was synced before it: of a journal that nobody prunes there may be years.
  const written = remaining.filter(({ number }) => number >= from.segment)
  syncs.finish(folder, written)
  const found = foundStream(files, end, loaded)
  const loss = lossOf(found, options.written, options.boot)
  return {
    place: { crc: end.crc, ...(found?.place ?? { seq: 0, segment: 0 }) },
    epoch: loss !== null || !found?.epoch ? options.newEpoch() : found.epoch,
    foundEpoch: found?.epoch ?? null,
    loss,
    snapshotSeq: loaded?.seq ?? null,
    damagedSnapshots: damaged,
    framesFolded: frames,
    ringBytes,
    cut: end.cut,
    putAside,
  }
}

function neededChunks(disk: Disk, folder: string, engine: Engine) {
  const { tape, dormant } = engine.state
  const needed = needChunks(disk, folder, tape, dormant.tape)
  return mapProgress(needed, (done) => ({ step: 'chunks' as const, done }))
}

function* folded(folding: ReturnType<typeof foldJournal>, damaged: readonly string[]) {
  try {
    return yield* mapProgress(folding, (done) => ({ step: 'journal' as const, done }))
  } catch (error) {
    throw namingDamaged(error, damaged)
  }
}

/**
 * Loads the newest snapshot that is whole into an engine; null when there is none at all. Puts the paths of those that
 * were passed over into `damaged`. An engine that one of these was loaded into may be given again.
 */
export function* loadNewest(
  disk: Disk,
  snapshots: readonly NumberedFile[],
  engineFor: () => Engine,
  damaged: string[] = [],
): Generator<RecoveryProgress, { engine: Engine; contents: Contents } | null> {
  for (const { path } of snapshots.toReversed()) {
    const engine = engineFor()
    const contents = yield* loadSnapshot(disk, path, engine)
    if (contents !== null) return { engine, contents }
    damaged.push(path)
  }
  return null
}

/**
 * Loads one snapshot; null when it is damaged or a sector of it cannot be read, and the engine's state is
 * then worth nothing.
 */
export function* loadSnapshot(
  disk: Disk,
  path: string,
  engine: Engine,
): Generator<RecoveryProgress, Contents | null> {
  const file = disk.open(path)
  try {
    const contents = readContents(file, path)
    if (contents === null) return null
    const loading = loadParts(file, contents, engine.parts)
    if (!(yield* mapProgress(loading, (done) => ({ step: 'snapshot' as const, done })))) return null
    engine.settle(contents.settings)
    engine.state.tape.chunkCrcs = contents.chunks.swaps
    engine.state.dormant.tape.chunkCrcs = contents.chunks.positions
    return contents
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  } finally {
    file.close()
  }
}

/** What there is of a stream once its tail is cut; null for a folder without any. */
export function foundStream(
  { segments }: DataFiles,
  end: JournalEnd,
  loaded: Pick<Contents, 'epoch' | 'segment'> | null,
) {
  if (segments.length === 0 && loaded === null) return null
  const remaining = remainingSegments(segments, end.cut)
  const lastSegment = remaining.at(-1)?.number ?? 0
  // The next segment is one of those that the snapshot counts as behind it.
  const segment = Math.max(lastSegment, (loaded?.segment ?? 0) - 1)
  return {
    place: { seq: end.seq, segment },
    lastSegment,
    epoch: end.epoch ?? loaded?.epoch ?? null,
    isClosed: end.isClosed,
    isTailDamaged: end.cut?.isUnfinished === false,
  }
}

/** Segments that are there when a tail is cut off. */
function remainingSegments(segments: readonly NumberedFile[], cut: Cut | null): NumberedFile[] {
  const dropped = new Set(cut?.dropped)
  return segments.filter(
    ({ path }) => !dropped.has(path) && (path !== cut?.path || cut.byte >= SEGMENT_HEADER_BYTES),
  )
}

/** Moves a state from one engine to another in memory; what the other held is gone. */
export function copyParts(from: readonly StatePart[], to: readonly StatePart[]): void {
  if (from.length !== to.length)
    throw new StateError(`a state of ${from.length} parts does not fit one of ${to.length}`)
  for (const [i, target] of to.entries()) {
    const source = from[i]
    if (source?.name !== target.name)
      throw new StateError(`the state has ${source?.name} where ${target.name} belongs`)
    copyBytes(source, target)
  }
  for (const part of to) part.settle()
}

function copyBytes(from: StatePart, to: StatePart): void {
  const sources = from.views()
  const targets = to.open(from.facts())
  if (sources.length !== targets.length)
    throw new StateError(`the state's ${to.name} has ${sources.length} runs of bytes`)
  for (const [i, source] of sources.entries()) {
    const target = targets[i]
    if (source.length !== target?.length)
      throw new StateError(`run ${i} of the state's ${to.name} has ${source.length} bytes`)
    target.set(source)
  }
}

/**
 * Takes a tail that cannot be read off the journal; returns the paths of what was put aside. Only
 * half a write goes for good: it was never seen, and no whole frame can be in it.
 */
export function cutTail(disk: Disk, folder: string, cut: Cut): readonly string[] {
  const aside: string[] = []
  const putAside = (path: string) => {
    const name = freeName(disk, folder, path)
    aside.push(name)
    disk.rename(path, name)
  }
  for (const path of cut.dropped.toReversed()) putAside(path)
  if (cut.byte < SEGMENT_HEADER_BYTES) {
    if (cut.isUnfinished) disk.remove(cut.path)
    else putAside(cut.path)
  } else {
    if (!cut.isUnfinished) {
      const copy = freeName(disk, folder, `${cut.path}.from-byte-${cut.byte}`)
      copyTail(disk, cut, copy)
      // The copy has to be there, by its name, before the original goes.
      disk.syncFolder(folder)
      aside.push(copy)
    }
    withFile(disk.open(cut.path), (file) => {
      file.truncate(cut.byte)
      file.sync()
    })
  }
  disk.syncFolder(folder)
  return aside
}

/** A name that nothing has: an earlier start may have put the same place aside. */
function freeName(disk: Disk, folder: string, path: string): string {
  const names = new Set(disk.list(folder))
  const name = basename(path)
  let free = `${name}${DAMAGED}`
  for (let i = 2; names.has(free); i++) free = `${name}.${i}${DAMAGED}`
  return join(folder, free)
}

/** Nothing is left to start from. */
export function allDamaged(paths: readonly string[]): StoreError {
  return new StoreError(
    'damaged',
    `No snapshot is whole (${paths.join(', ')}) and no journal can be read: put back a copy, or ` +
      'start with an empty DATA_DIR.',
  )
}

/** What is missing may be in snapshots that are there and damaged: then they are named. */
export function namingDamaged(error: unknown, paths: readonly string[]): unknown {
  if (!(error instanceof StoreError) || error.code !== 'missing' || paths.length === 0) return error
  const which =
    paths.length === 1
      ? `The snapshot ${paths[0]} is damaged`
      : `These snapshots are damaged: ${paths.join(', ')}`
  return new StoreError('missing', `${which}. ${error.message}`)
}

/**
 * Makes the journal of a killed process last while a recovery folds it: its bytes may be in memory
 * alone, and to write them only at the end would keep everybody waiting for the disk.
 */
export class RecoveryFsync {
  readonly #disk: Disk
  #waiting: string[] = []
  readonly #synced = new Set<string>()
  #failure: Error | null = null

  constructor(disk: Disk) {
    this.#disk = disk
  }

  /** Begins to sync these in the background, one after the other. */
  begin(paths: readonly string[]): void {
    this.#waiting = [...paths]
    this.#next()
  }

  /**
   * Syncs those of the folder's files that are not on the disk yet, and their names; begins with no
   * more by itself.
   * @throws the error of a sync that failed: to try again would take what is lost for safe
   */
  finish(folder: string, files: readonly NumberedFile[]): void {
    this.#waiting = []
    if (this.#failure !== null) throw this.#failure
    const left = files.filter(({ path }) => !this.#synced.has(path))
    syncFiles(this.#disk, folder, left)
  }

  #next(): void {
    for (let path = this.#waiting.shift(); path !== undefined; path = this.#waiting.shift())
      if (this.#syncLater(path)) return
  }

  /** False when the file cannot be opened, which the walk through the journal reports. */
  #syncLater(path: string): boolean {
    const file = this.#opened(path)
    file?.syncLater((error) => {
      // Nobody else would catch what the disk refuses here.
      const notClosed = refusalToClose(file)
      const failure = error ?? notClosed
      if (failure === null) this.#synced.add(path)
      else this.#failure ??= failure
      this.#next()
    })
    return file !== null
  }

  #opened(path: string): DiskFile | null {
    try {
      return this.#disk.open(path)
    } catch {
      return null
    }
  }
}

/** null: it is closed. */
function refusalToClose(file: DiskFile): Error | null {
  try {
    file.close()
    return null
  } catch (error) {
    return errorOf(error)
  }
}
