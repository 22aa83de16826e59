import type { EngineSettings } from '../../../src/base/thresholds.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { EvictionPolicy } from '../../../src/engine/fold/cold-store.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { RecordBatch } from '../../../src/events/swap-record.ts'
import { type Compaction, compact } from '../../../src/store/compaction/compaction.ts'
import type { CompactorProgress } from '../../../src/store/compaction/compactor-messages.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { listDataFiles } from '../../../src/store/folder/data-folder.ts'
import { Journal } from '../../../src/store/journal/journal.ts'
import { JournaledEngine } from '../../../src/store/journal/journaled-engine.ts'
import { recover } from '../../../src/store/recovery/recovery.ts'
import { archivedEngine } from '../../../src/store/snapshot/tape-archive.ts'
import type { Random } from '../../oracle/random.ts'
import { BOOT, EPOCH, FOLDER } from '../damage/folder.ts'
import { ImageDisk } from '../damage/image-disk.ts'
import { Side } from './side.ts'

/** Few records a chunk and few identities; the clock is that of the settings from the first start on. */
const SIZES = { clock: 'event', identities: 1 << 10, tapeChunkRecords: 64 } as const
const RULES = { proTrades: 8, proMints: 2 } as const
const LEFT = {
  seq: 0,
  segment: 0,
  epoch: EPOCH,
  boot: BOOT,
  isClosed: false,
  isHere: true,
} as const

/**
 * A service with next to no memory, in a folder: stopped, killed in the middle of snapshots, robbed of
 * the newest of them, started again with other settings. Beside it one that has all in memory and only
 * hears of the settings.
 */
export class Life {
  readonly disk = new ImageDisk()
  readonly whole = new Side(new Engine(SIZES))
  readonly events: FeedEvent[] = []
  small: Side
  restarts = 0
  readonly #random: Random
  #settings: EngineSettings = { clock: 'event', lateSlots: 32, rules: RULES }
  #journal: Journal
  #journaled: JournaledEngine
  #snapshot: Generator<CompactorProgress, Compaction> | null = null

  constructor(random: Random) {
    this.#random = random
    this.whole.engine.settle(this.#settings)
    const { side, journal, journaled } = this.#started()
    this.small = side
    this.#journal = journal
    this.#journaled = journaled
  }

  newEngine(): Engine {
    return archivedEngine(this.disk, FOLDER, SIZES)
  }

  /** Both take a batch, as single events or as records. */
  take(batch: readonly FeedEvent[], now: number): void {
    for (const { engine } of [this.small, this.whole]) engine.advance(now)
    if (this.#random.chance(0.5)) this.#journaled.events(batch)
    else this.#journaled.records(recordsOf(this.small.engine, batch))
    // A journal has the names of a whole batch numbered before any of it is folded.
    this.whole.engine.records(recordsOf(this.whole.engine, batch))
    this.events.push(...batch)
  }

  /** Begins a snapshot, unless one is being made. */
  beginSnapshot(): void {
    if (this.#snapshot !== null) return
    const { disk } = this
    const keepsJournal = this.#random.chance(0.3)
    const untilSegment = this.#journal.boundary()
    const newEngine = () => this.newEngine()
    this.#snapshot = compact({ disk, folder: FOLDER, untilSegment, newEngine, keepsJournal })
  }

  /** The compactor gets on; what it has archived leaves memory. */
  workOnSnapshot(steps = Number.POSITIVE_INFINITY): void {
    for (let i = 0; i < steps && this.#snapshot !== null; i++) {
      const step = this.#snapshot.next()
      if (!step.done) continue
      const { tape, dormant } = this.small.engine.state
      tape.archivedCount = step.value.archivedRecords
      tape.chunkCrcs = step.value.chunks.swaps
      dormant.tape.archivedCount = step.value.archivedPositions
      dormant.tape.chunkCrcs = step.value.chunks.positions
      tape.shrink(0)
      dormant.tape.shrink(0)
      this.#snapshot = null
    }
  }

  /** Ends it in order, or at once and with it the compactor; starts it with other settings. */
  restart(): void {
    const random = this.#random
    if (random.chance(0.5)) this.beginSnapshot()
    if (random.chance(0.4)) this.stop()
    else this.workOnSnapshot(random.integer(0, 5))
    this.#snapshot = null
    const { snapshots } = listDataFiles(this.disk, FOLDER)
    const newest = snapshots.length > 1 && random.chance(0.3) ? snapshots.at(-1) : undefined
    if (newest !== undefined) this.#spoil(newest.path)
    if (random.chance(0.5)) this.#settings = this.#otherSettings()
    const { side, journal, journaled } = this.#started()
    this.small = side
    this.#journal = journal
    this.#journaled = journaled
    this.whole.engine.settle(this.#settings)
    this.whole.leaveAll()
    this.restarts += 1
  }

  /** The stop in order, with its last snapshot. */
  stop(): void {
    this.workOnSnapshot()
    this.#journal.close()
    this.beginSnapshot()
    this.workOnSnapshot()
  }

  #started(): { side: Side; journal: Journal; journaled: JournaledEngine } {
    const { disk } = this
    const engine = this.newEngine()
    const about = { disk, folder: FOLDER, boot: BOOT }
    const written = this.events.length === 0 ? null : LEFT
    const newEngine = () => this.newEngine()
    const { place, cut, epoch } = runToEnd(
      recover({ ...about, written, engine, newEngine, newEpoch: () => EPOCH }),
    )
    if (cut !== null || place.seq !== this.events.length)
      throw new Error(`it came back with ${place.seq} of ${this.events.length} events`)
    engine.settle(this.#settings)
    const journal = new Journal({ ...about, epoch, fsync: 'always', onFailure: () => {} }, place)
    const positionsMemory = this.#random.pick([0, 2_000, 20_000, 1 << 30] as const)
    const rests = new EvictionPolicy(engine.state, engine.coldStore, positionsMemory)
    const journaled = new JournaledEngine(engine, journal, (events) => rests.choose(events))
    journaled.settings()
    return { side: new Side(engine), journal, journaled }
  }

  #spoil(path: string): void {
    const random = this.#random
    const bytes = new Uint8Array(this.disk.bytesOf(path))
    bytes[random.integer(0, bytes.length - 1)] ^= 1 << random.integer(0, 7)
    if (random.chance(0.5)) this.disk.remove(path)
    else this.disk.files.set(path, bytes)
  }

  #otherSettings(): EngineSettings {
    const random = this.#random
    return {
      clock: random.pick(['event', 'event', 'wall'] as const),
      lateSlots: random.pick([0, 4, 32, 200] as const),
      rules: {
        ...RULES,
        completingPercent: random.pick([5, 40, 90] as const),
        mintSuffix: random.pick(['pump', 'moon'] as const),
        ...(random.chance(0.5) && { sniperSlots: 1_000, bundleSlots: 10, bundleLamports: 1 }),
        ...(random.chance(0.5) && { freshTrades: 100, soldAllWhole: 100_000, proTrades: 4 }),
      },
    }
  }
}

function recordsOf(engine: Engine, batch: readonly FeedEvent[]): RecordBatch {
  const records = new RecordBatch(batch.length)
  for (const event of batch)
    if (event.type === 'swap') records.addSwap(event, engine.state.book)
    else records.addOther(event)
  return records
}
