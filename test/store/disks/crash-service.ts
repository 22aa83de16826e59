import type { Engine } from '../../../src/engine/engine.ts'
import { compact } from '../../../src/store/compaction/compaction.ts'
import type { StoreError } from '../../../src/store/disk/failure.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import type { WrittenBefore } from '../../../src/store/folder/commit-marker.ts'
import { Journal } from '../../../src/store/journal/journal.ts'
import { JournaledEngine } from '../../../src/store/journal/journaled-engine.ts'
import { type Recovered, recover } from '../../../src/store/recovery/recovery.ts'
import { Random } from '../../oracle/random.ts'
import type { CrashDisk } from './crash-disk.ts'
import { CrashRing } from './crash-ring.ts'
import { MemoryMark } from './memory-mark.ts'
import { type Batch, FOLDER, type Story } from './story.ts'

/** Small, so that a short history has many segments. */
export const SEGMENT_BYTES = 6_000

let uuids = 0

/** A uuid that none was before. */
export function newUuid(): string {
  uuids += 1
  return `00000000-0000-4000-8000-${uuids.toString(16).padStart(12, '0')}`
}

/** Recovers an engine of its own from a disk. */
export function recoverFrom(
  story: Story,
  disk: CrashDisk,
  boot: string,
  written: WrittenBefore | null = null,
): { engine: Engine; recovered: Recovered } {
  const newEngine = () => story.newEngine(disk)
  const engine = newEngine()
  const about = { disk, folder: FOLDER, boot, written, ring: ringOn(story, disk) }
  const steps = recover({ ...about, engine, newEngine, newEpoch: newUuid })
  return { engine, recovered: runToEnd(steps) }
}

function ringOn({ ringBytes }: Story, disk: CrashDisk): CrashRing | undefined {
  return ringBytes === null ? undefined : new CrashRing(disk, ringBytes, new Random(uuids))
}

/** The parts of the service that keep its events, put together as src/app/durability.ts does. */
export class CrashService {
  readonly engine: Engine
  readonly recovered: Recovered
  readonly journal: Journal
  readonly journaled: JournaledEngine
  readonly failures: StoreError[] = []
  readonly #story: Story
  readonly #disk: CrashDisk
  #compaction: ReturnType<typeof compact> | null = null

  constructor(
    story: Story,
    disk: CrashDisk,
    boot: string,
    mark = new MemoryMark(null, story.ringBytes !== null),
  ) {
    this.#story = story
    this.#disk = disk
    const { engine, recovered } = recoverFrom(story, disk, boot, mark.killed)
    this.engine = engine
    this.recovered = recovered
    this.journal = new Journal(
      {
        disk,
        folder: FOLDER,
        fsync: story.fsync,
        epoch: recovered.epoch,
        boot,
        mark,
        segmentBytes: SEGMENT_BYTES,
        ring: ringOn(story, disk),
        onFailure: (failure) => this.failures.push(failure),
      },
      recovered.place,
    )
    this.journaled = new JournaledEngine(engine, this.journal, () => story.chooseRests())
    this.journaled.settings()
  }

  /** Takes what it has not had of the batch that holds its next event. */
  feed(batch: Batch): void {
    this.#story.feed(batch, this.engine, this.journaled, this.journal.seq)
  }

  get isCompacting(): boolean {
    return this.#compaction !== null
  }

  /** Begins a compaction; `step` does the work. */
  beginCompaction(): void {
    this.#compaction = compact({
      disk: this.#disk,
      folder: FOLDER,
      untilSegment: this.journal.boundary(),
      newEngine: () => this.#story.newEngine(this.#disk),
      keepsJournal: false,
    })
  }

  /** Goes on with the compaction up to its next rest, if there is one. */
  step(): void {
    const step = this.#compaction?.next()
    if (step?.done !== true) return
    this.#compaction = null
    const { tape, dormant } = this.engine.state
    tape.archivedCount = step.value.archivedRecords
    tape.chunkCrcs = step.value.chunks.swaps
    tape.shrink(0)
    dormant.tape.archivedCount = step.value.archivedPositions
    dormant.tape.chunkCrcs = step.value.chunks.positions
    dormant.tape.shrink(0)
  }
}
