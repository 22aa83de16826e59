import { Service } from '../../src/app/service.ts'
import { EvictionPolicy } from '../../src/engine/fold/cold-store.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import type { EventSink } from '../../src/events/event-sink.ts'
import { RecordBatch } from '../../src/events/swap-record.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { EngineLive } from '../../src/query/json/engine-live.ts'
import { type Compaction, compact } from '../../src/store/compaction/compaction.ts'
import type {
  CompactorProgress,
  CompactorResult,
  CompactorRun,
} from '../../src/store/compaction/compactor-messages.ts'
import { Snapshots } from '../../src/store/compaction/snapshots.ts'
import type { Disk } from '../../src/store/disk/disk.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import type { RingPlace } from '../../src/store/journal/journal-ring.ts'
import { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { type Recovered, recover } from '../../src/store/recovery/recovery.ts'
import { archive } from '../../src/store/snapshot/tape-archive.ts'
import type { Random } from '../oracle/random.ts'
import type { MemoryMark } from '../store/disks/memory-mark.ts'
import type { Lie } from './lies.ts'
import type { Plan } from './plan.ts'
import { Ended, type ProcessDisk } from './process-disk.ts'
import { type Arrival, listenToAll, settingsOf, simulatedEngine } from './reference.ts'
import type { VirtualTime } from './virtual-time.ts'

export const FOLDER = '/data'

export interface ProcessOptions {
  readonly plan: Plan
  readonly disk: ProcessDisk
  readonly time: VirtualTime
  readonly boot: string
  readonly mark: MemoryMark
  readonly newEpoch: () => string
  /** Epoch before the last stop; null for none. */
  readonly formerEpoch: string | null
  readonly lie: Lie
  readonly newCompactorDisk: () => ProcessDisk
  readonly random: Random
  readonly onMessage: (message: string) => void
  readonly onSnapshot: (result: Omit<CompactorResult, 'chunks'>) => void
}

/** A compactor at work. */
export interface RunningCompaction {
  readonly steps: Generator<CompactorProgress, Compaction>
  readonly disk: ProcessDisk
  readonly succeed: (result: CompactorResult) => void
  readonly fail: (reason: Error) => void
}

/** The program as src/app/program.ts and src/app/durability.ts put it together, on a simulated machine. */
export class SimulatedProcess {
  readonly service: Service
  readonly answers: EngineQueries
  readonly recovered: Recovered
  readonly epoch: string
  readonly journal: Journal
  readonly snapshots: Snapshots
  readonly disk: ProcessDisk
  compaction: RunningCompaction | null = null
  readonly #options: ProcessOptions
  readonly #archives: ReturnType<typeof archive>
  readonly #ring: RingPlace | undefined
  /** Tokens that were put to rest, or were to be, before the batch that was taken last. */
  rests: readonly number[] = []
  readonly #journaled: JournaledEngine

  /**
   * Starts it: recovers and begins a journal.
   * @throws StoreError, or Ended when the fate of the disk was that
   */
  constructor(options: ProcessOptions, onRecovered: (process: SimulatedProcess) => void) {
    const { plan, time, boot, lie } = options
    this.#options = options
    this.disk = options.disk
    this.service = new Service(
      { clock: plan.clock, lateSlots: 32 },
      () => {},
      () => time.wallMs,
      simulatedEngine(plan),
    )
    const { engine } = this.service
    this.answers = new EngineQueries(engine, () => this.service.tick())
    const live = new EngineLive(engine)
    listenToAll(live, options.onMessage)
    const disk = lie.disk?.(this.disk) ?? this.disk
    // A ring goes past a disk that lies.
    const isHonest = lie.disk === undefined && lie.recoveryDisk === undefined
    const { ringBytes } = plan
    if (ringBytes !== null && isHonest) this.#ring = this.disk.ring(ringBytes, options.random)
    this.#archives = archive(disk, FOLDER, engine)
    this.recovered = this.#recover(lie.recoveryDisk?.(disk) ?? disk)
    this.epoch = lie.epoch?.(this.recovered.epoch, options.formerEpoch) ?? this.recovered.epoch
    engine.settle(settingsOf(plan))
    onRecovered(this)
    this.journal = new Journal(
      {
        disk,
        folder: FOLDER,
        fsync: lie.fsync?.(plan.fsync) ?? plan.fsync,
        epoch: this.epoch,
        boot,
        mark: options.mark,
        segmentBytes: plan.segmentBytes,
        ring: this.#ring,
        clockMs: () => time.nowMs,
        later: (run, ms) => this.disk.after(ms, run),
        onFailure: () => {},
      },
      this.recovered.place,
    )
    const choice = new EvictionPolicy(engine.state, engine.coldStore, plan.positionsMemoryBytes)
    this.#journaled = new JournaledEngine(engine, this.journal, (events) => {
      this.rests = choice.choose(events)
      return this.rests
    })
    this.#journaled.settings()
    const sink: EventSink = lie.sink?.(engine, this.#journaled) ?? this.#journaled
    this.service.journalTo(sink)
    this.snapshots = this.#newSnapshots()
    live.attach()
  }

  get leftOut(): number {
    return this.#journaled.leftOut
  }

  /** A feed hands over a batch; the disk may end the process in the middle of it. */
  take({ kind, events }: Arrival): void {
    this.rests = []
    try {
      if (kind === 'records') this.service.records(recordsOf(this.service, events))
      else this.service.events(events)
    } catch (error) {
      if (!(error instanceof Ended)) throw error
    }
  }

  /** The stop in order up to the last snapshot, which is under way when this returns. */
  async close(): Promise<void> {
    this.journal.close()
    if (this.journal.failure === null) await this.snapshots.take()
  }

  /** After the last snapshot. */
  closed(): void {
    this.#archives.swaps.close()
    this.#archives.dormant.close()
    this.disk.end()
  }

  #recover(disk: Disk): Recovered {
    const { plan, boot, mark, newEpoch } = this.#options
    return runToEnd(
      recover({
        disk,
        folder: FOLDER,
        boot,
        written: mark.killed,
        engine: this.service.engine,
        newEngine: () => simulatedEngine(plan),
        newEpoch,
        ring: this.#options.lie.forgetsRing === true ? undefined : this.#ring,
      }),
    )
  }

  #newSnapshots(): Snapshots {
    const { plan, time, onSnapshot } = this.#options
    return new Snapshots(
      {
        journal: this.journal,
        tape: this.service.engine.state.tape,
        dormantTape: this.service.engine.state.dormant.tape,
        folder: FOLDER,
        everyMs: Number.MAX_SAFE_INTEGER,
        tapeMemoryBytes: plan.tapeMemoryBytes,
        keepsJournal: () => plan.keepsJournal,
        mayBegin: () => true,
        compact: (run) => this.#compact(run),
        memoryBytes: () => 0,
        clockMs: () => time.wallMs,
        onProgress: () => {},
        onDone: onSnapshot,
        onFailed: () => {},
      },
      this.recovered.snapshotSeq ?? 0,
    )
  }

  #compact(run: CompactorRun): Promise<CompactorResult> {
    const { plan, lie } = this.#options
    const own = this.#options.newCompactorDisk()
    const disk = lie.disk?.(own) ?? own
    const newEngine = () => {
      const engine = simulatedEngine({ ...plan, clock: 'event' })
      if (lie.compactorSettings !== undefined) engine.settle = lie.compactorSettings(engine)
      archive(disk, FOLDER, engine)
      return engine
    }
    const { folder, untilSegment, keepsJournal } = run
    const steps = compact({ disk, folder, untilSegment, newEngine, keepsJournal })
    return new Promise((succeed, fail) => {
      this.compaction = { steps, disk: own, succeed, fail }
    })
  }
}

/** Lets a compaction work for some steps; true once it has come to an end. */
export function stepCompaction(
  { steps, succeed, fail }: RunningCompaction,
  count: number,
): boolean {
  try {
    for (let i = 0; i < count; i++) {
      const step = steps.next()
      if (!step.done) continue
      succeed({ ...step.value, durationMs: 0, peakBytes: 0 })
      return true
    }
    return false
  } catch (error) {
    // The serving process only hears that the compactor is no more, and of its complaint.
    fail(error instanceof Ended ? new Error('killed') : asError(error))
    return true
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function recordsOf(service: Service, events: readonly FeedEvent[]): RecordBatch {
  const batch = new RecordBatch(events.length)
  for (const event of events)
    if (event.type === 'swap') batch.addSwap(event, service.engine.state.book)
    else batch.addOther(event)
  return batch
}
