import { Engine, type EngineOptions } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { type Compaction, compact } from '../../../src/store/compaction/compaction.ts'
import type { Disk } from '../../../src/store/disk/disk.ts'
import { StoreError } from '../../../src/store/disk/failure.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import type { WrittenBefore } from '../../../src/store/folder/commit-marker.ts'
import { listDataFiles } from '../../../src/store/folder/data-folder.ts'
import { Journal } from '../../../src/store/journal/journal.ts'
import { foldFrame } from '../../../src/store/journal/journal-fold.ts'
import { walkJournal } from '../../../src/store/journal/journal-scan.ts'
import { JournaledEngine } from '../../../src/store/journal/journaled-engine.ts'
import { type Recovered, recover } from '../../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { archivedEngine } from '../../../src/store/snapshot/tape-archive.ts'
import { ImageDisk } from './image-disk.ts'

type JournalOptions = ConstructorParameters<typeof Journal>[0]

export const FOLDER = '/data'
export const BOOT = '11111111-2222-4333-8444-555555555555'
export const EPOCH = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
export const NEW_EPOCH = '99999999-8888-4777-8666-555555555555'
/** Few records a chunk and few identities, so that files are small. */
export const SIZES = { clock: 'event', identities: 64, tapeChunkRecords: 64 } as const
/** Those of the program: what it starts from has them. */
export const FULL_SIZES: EngineOptions = { clock: 'event' }

const BATCH = 4
const NOWHERE: Recovered['place'] = { seq: 0, crc: 0, segment: 0 }

/** A journal that begins in the folder, synced always where nothing else is said, and who writes it. */
export function begun(
  disk: Disk,
  options: Partial<JournalOptions> = {},
  engine = new Engine({ clock: 'event' }),
  place = NOWHERE,
) {
  const about = { disk, folder: FOLDER, fsync: 'always', epoch: EPOCH, boot: BOOT } as const
  const journal = new Journal({ ...about, onFailure: () => {}, ...options }, place)
  return { engine, journal, journaled: new JournaledEngine(engine, journal) }
}

/** What a run leaves in its folder. */
export interface RunPlan {
  readonly events: readonly FeedEvent[]
  /** Events before each of which a segment begins. */
  readonly segmentsAt: readonly number[]
  /** Segments before which a snapshot is made, by their index. */
  readonly snapshotsAt: readonly number[]
  /** Every token that may is put to rest before every batch. */
  readonly hasRests?: boolean
}

/** A folder as a run in order leaves it, all of its journal kept. */
export function writtenFolder(
  { events, segmentsAt, snapshotsAt, hasRests }: RunPlan,
  sizes: EngineOptions = SIZES,
): ImageDisk {
  const disk = new ImageDisk()
  const engine = new Engine(sizes)
  const all = () => Array.from({ length: engine.state.tokens.count }, (_, token) => token)
  const { journal } = begun(disk, {}, engine)
  const journaled = new JournaledEngine(engine, journal, hasRests === true ? all : () => [])
  journaled.settings()
  for (let from = 0; from < events.length; ) {
    if (segmentsAt.includes(from)) {
      const untilSegment = journal.boundary()
      if (snapshotsAt.includes(untilSegment)) makeSnapshot(disk, untilSegment, true, sizes)
    }
    const stop = segmentsAt.find((at) => at > from) ?? events.length
    const to = Math.min(from + BATCH, stop)
    journaled.events(events.slice(from, to))
    from = to
  }
  journal.close()
  return disk
}

/** Writes events behind a recovery, and stops in order. */
export function goOn(
  disk: ImageDisk,
  engine: Engine,
  place: Recovered['place'],
  events: readonly FeedEvent[],
): void {
  const { journal, journaled } = begun(disk, { epoch: NEW_EPOCH }, engine, place)
  journaled.settings()
  for (let from = 0; from < events.length; from += BATCH)
    journaled.events(events.slice(from, from + BATCH))
  journal.close()
}

export function makeSnapshot(
  disk: ImageDisk,
  untilSegment: number,
  keepsJournal = true,
  sizes: EngineOptions = SIZES,
): Compaction {
  const newEngine = () => archivedEngine(disk, FOLDER, sizes)
  return runToEnd(compact({ disk, folder: FOLDER, untilSegment, newEngine, keepsJournal }))
}

/** What a process that was killed in the boot of the folder has left, and no word of how far it was. */
const LEFT: WrittenBefore = {
  ...{ seq: 0, segment: 0, epoch: EPOCH, boot: BOOT },
  ...{ isClosed: false, isHere: true },
}

/** Recovers a folder; the engine is empty before. */
export function recovered(
  disk: ImageDisk,
  boot = BOOT,
  written: Partial<WrittenBefore> | null = {},
  sizes: EngineOptions = SIZES,
): { engine: Engine; found: Recovered } {
  const newEngine = () => archivedEngine(disk, FOLDER, sizes)
  const engine = newEngine()
  const left = written === null ? null : { ...LEFT, ...written }
  const options = { disk, folder: FOLDER, boot, written: left, engine, newEngine }
  return { engine, found: runToEnd(recover({ ...options, newEpoch: () => NEW_EPOCH })) }
}

/** The refusal of a folder that must not start. */
export function refusal(disk: ImageDisk): StoreError {
  try {
    recovered(disk)
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
  throw new Error('the folder was not refused')
}

/** Digests of the state behind each frame of a whole journal; frames without events share a seq. */
export function digestsOf(disk: ImageDisk): Map<number, string[]> {
  const engine = new Engine(SIZES)
  const digests = new Map([[0, [stateDigest(engine.parts)]]])
  const walk = walkJournal(disk, listDataFiles(disk, FOLDER), 0, (frame) => {
    foldFrame(engine, frame)
    const seq = frame.seq + frame.events
    digests.set(seq, [...(digests.get(seq) ?? []), stateDigest(engine.parts)])
  })
  runToEnd(walk)
  return digests
}
