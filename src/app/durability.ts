import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Budget, within } from '../base/budget.ts'
import { residentBytes } from '../base/this-process.ts'
import type { Config } from '../config/config.ts'
import { marketOf } from '../config/source-settings.ts'
import { Engine } from '../engine/engine.ts'
import { EvictionPolicy } from '../engine/fold/cold-store.ts'
import { boundedPart, type MemoryPart } from '../engine/memory/state-part.ts'
import { SeedSource } from '../seed/seed-source.ts'
import type { Log } from '../server/http/exchange.ts'
import { CompactorLauncher } from '../store/compaction/compactor-launcher.ts'
import { Snapshots } from '../store/compaction/snapshots.ts'
import type { Disk } from '../store/disk/disk.ts'
import { folderRefused, isRefusal, StoreError } from '../store/disk/failure.ts'
import { loadMapFile, type MapFile, shortenPoolSlices } from '../store/disk/kernel-calls.ts'
import { NodeDisk } from '../store/disk/node-disk.ts'
import { mapProgress } from '../store/disk/steps.ts'
import { WaitTimes, watchedDisk } from '../store/disk/watched-disk.ts'
import { FileCommitMarker, readMark } from '../store/folder/commit-marker.ts'
import { markMarket, otherMarket } from '../store/folder/market-mark.ts'
import { bootId, endOrphan, lockFolder } from '../store/folder/process-lock.ts'
import { markWhole, replaceData } from '../store/folder/replace-data.ts'
import { Journal, SegmentWatch } from '../store/journal/journal.ts'
import { JournalCopy } from '../store/journal/journal-copy.ts'
import { MappedRing, type RingPlace } from '../store/journal/journal-ring.ts'
import { type EventLog, JournaledEngine } from '../store/journal/journaled-engine.ts'
import { SegmentPrefetcher } from '../store/journal/segment-prefetcher.ts'
import { type Recovered, recover } from '../store/recovery/recovery.ts'
import { archive } from '../store/snapshot/tape-archive.ts'
import { logRecovery, storedSentence } from './recovery-log.ts'
import type { Service } from './service.ts'

/** Slice of a recovery between two turns of the event loop. */
const SLICE_MS = 10
/** How often the journal checks that its folder was not moved. */
const WATCH_EVERY_MS = 1_000
/** Holdings of dormant tokens are prefetched this often for so long: a tenth of the loop until all are. */
const PREFETCH_EVERY_MS = 10
const PREFETCH_SLICE_MS = 1
/** Progress lines are this far apart. */
const PROGRESS_MS = 1_000

/** Logged when positions first pass POSITIONS_MEMORY. */
const EVICTING =
  'positions take POSITIONS_MEMORY: those of tokens that are quiet longest leave memory for the disk, ' +
  'and are read back when they are asked for'

interface DurabilityOptions {
  readonly config: Config
  readonly folder: string
  readonly service: Service
  readonly log: Log
  /** Called once when the disk has refused: feeds are to stop. */
  readonly onFailure: () => void
  /** Takes why the API does not answer yet while the folder is filled from SEED_URL; null: it is. */
  readonly onSeeding: (sentence: string | null) => void
  /** Called for each call of the disk that blocks the event loop. */
  readonly onDiskCall: Parameters<typeof watchedDisk>[1]
  /** Called when the folder is locked, before anything of it is folded. */
  readonly onLocked?: (() => void) | undefined
  /** Called before a snapshot is made of the events so far; rejects when it must not be. */
  readonly beforeSnapshot?: (() => Promise<void>) | undefined
  /** Did this program fill the folder with a copy, whose new epoch is no loss? */
  readonly isCopy?: boolean
  /** The folder is a copy of the replicated stream, whose epoch it has; null: of a stream that cannot be asked now. */
  readonly stream?: {
    readonly epoch: string | null
    /** The stream is new and goes on where the folder ends, whatever epoch that had. */
    readonly isNew: boolean
  }
}

/** DATA_DIR of a running service: lock, recovery, journal, snapshots (contract section 6). */
export class Durability {
  readonly epoch: string
  /** What the recovery found; null epoch and seq: there was none. */
  readonly found: Pick<Recovered, 'foundEpoch' | 'snapshotSeq'>
  /** What other instances may take of the folder. */
  readonly seed: SeedSource
  readonly #folder: string
  readonly #own: OpenFolder
  readonly #journal: Journal
  readonly #chooseEvictions: EvictionPolicy['choose']
  readonly #service: Service
  /** Null: events come by the stream. */
  #journaled: JournaledEngine | null = null
  /** The folder as a copy of the stream. */
  readonly copy: JournalCopy
  readonly #snapshots: Snapshots
  readonly #waits: WaitTimes
  readonly #fsync: Config['fsync']
  readonly #watchTimer: NodeJS.Timeout
  readonly #prefetchTimer: NodeJS.Timeout

  private constructor(
    options: DurabilityOptions,
    recovered: Pick<Recovered, 'epoch' | 'place' | 'snapshotSeq' | 'foundEpoch'>,
    own: OpenFolder,
  ) {
    const { config, folder, service, log } = options
    this.#folder = folder
    this.#service = service
    this.#own = own
    this.epoch = recovered.epoch
    this.found = recovered
    this.#waits = new WaitTimes()
    this.#fsync = config.fsync
    const { disk } = own
    const clockMs = performance.now.bind(performance)
    this.#journal = new Journal(
      {
        disk,
        folder,
        fsync: config.fsync,
        epoch: recovered.epoch,
        boot: own.boot,
        mark: new FileCommitMarker(folder, own.map),
        ring: own.ring,
        watch: new SegmentWatch(),
        clockMs,
        later: setTimeout,
        behindTurn: setImmediate,
        onSynced: this.#waits.add.bind(this.#waits),
        onFailure: (failure) => {
          log.error({ reason: failure.message }, 'the disk refused')
          options.onFailure()
        },
      },
      recovered.place,
    )
    const { engine } = service
    const eviction = new EvictionPolicy(
      engine.state,
      engine.coldStore,
      config.positionsMemoryBytes,
      () => log.warn({ positions: engine.state.positions.count }, EVICTING),
    )
    this.#chooseEvictions = eviction.choose.bind(eviction)
    this.copy = new JournalCopy(engine, this.#journal)
    if (options.stream === undefined) this.lead(service, this.#journal)
    this.#snapshots = new Snapshots(
      {
        journal: this.#journal,
        tape: engine.state.tape,
        dormantTape: engine.state.dormant.tape,
        folder,
        everyMs: config.snapshotEveryMs,
        tapeMemoryBytes: config.tapeMemoryBytes,
        // What is built in there needs all of it, whoever builds it and whenever.
        mayBegin: () => !engine.areFactsWaiting && !this.copy.isInRun,
        keepsJournal: () => config.keepsJournal || existsSync(historyFolder(folder)),
        compact: async (run, onProgress) => {
          await options.beforeSnapshot?.()
          return own.launcher.run(run, onProgress)
        },
        memoryBytes: residentBytes,
        clockMs,
        onProgress: (progress) => log.info({ ...progress }, 'snapshot under way'),
        onDone: (result) => {
          log.info({ ...result }, 'snapshot made and verified')
          for (const path of result.damagedSnapshots)
            log.warn({ path }, 'an older snapshot was damaged and is put aside')
        },
        onFailed: (reason) => log.error({ reason }, 'snapshot failed'),
      },
      recovered.snapshotSeq ?? 0,
    )
    this.seed = new SeedSource({
      ...{ folder, epoch: this.epoch },
      newestSeq: () => this.#snapshots.seq,
      tape: engine.state.tape,
      dormantTape: engine.state.dormant.tape,
    })
    this.#snapshots.start()
    this.#watchTimer = setInterval(() => this.#journal.look(), WATCH_EVERY_MS)
    this.#watchTimer.unref()
    this.#prefetchTimer = setInterval(() => {
      within(Budget.ofMs(PREFETCH_SLICE_MS), (budget) => engine.coldHoldings.load(budget))
    }, PREFETCH_EVERY_MS)
    this.#prefetchTimer.unref()
  }

  /**
   * Takes the folder, recovers the service's engine from it and begins its journal.
   * @throws StoreError with a sentence that says what to do
   */
  static async open(options: DurabilityOptions): Promise<Durability> {
    const { config, folder, service, log } = options
    let unlock = () => {}
    const launcher = new CompactorLauncher()
    try {
      unlock = lockFolder(folder)
      options.onLocked?.()
      // A process was killed while it did so.
      replaceData(new NodeDisk(), folder, historyFolder(folder))
      const market = marketOf(config.feeds)
      const refusal = otherMarket(folder, market)
      if (refusal !== null) throw new StoreError('other_market', refusal)
      endOrphan(folder)
      const isSeeded = options.stream === undefined && (await seeded(options, market))
      launcher.start()
      const disk = watchedDisk(new NodeDisk(), options.onDiskCall)
      const boot = bootId()
      const archives = archive(disk, folder, service.engine)
      const map = await loadMapFile()
      await shortenPoolSlices()
      const ring = new MappedRing(folder, map, options.onDiskCall)
      const startedMs = performance.now()
      const ahead = new SegmentPrefetcher(disk)
      const steps = recover({
        ahead,
        disk,
        folder,
        ring,
        boot,
        written: readMark(folder, boot),
        engine: service.engine,
        newEngine: () => new Engine({ clock: config.clock }),
        newEpoch: randomUUID,
      })
      const recovered = await inSlices(steps, log).finally(() => ahead.close())
      const { clock, lateSlots, rules } = config
      const { stream } = options
      // Those of a stream come by it.
      if (stream === undefined) service.engine.settle({ clock, lateSlots, rules })
      await inSlices(
        mapProgress(service.catchUp(), (done) => ({ step: 'clock' as const, done })),
        log,
      )
      const epoch = stream === undefined ? recovered.epoch : epochOf(folder, recovered, stream)
      const found = { ...recovered, epoch }
      const isLoss = !isSeeded && !options.isCopy && stream === undefined
      logRecovery(found, isLoss, service, performance.now() - startedMs, log)
      markMarket(folder, market, (sentence) => log.warn({}, sentence))
      return new Durability(options, found, {
        ...{ disk, ring, map, boot, archives, launcher, unlock },
      })
    } catch (error) {
      launcher.stop()
      unlock()
      // A disk that refuses at the start is for the user to mend and not a fault of the program.
      throw isRefusal(error) ? folderRefused(error, folder) : error
    }
  }

  /**
   * Goes on in this folder with what another one holds, of which nothing is lost by a kill from here on: its files
   * replace those of this folder. Both end in order; a snapshot must not be under way in either.
   * @throws StoreError or the system's own error when the disk refuses
   */
  static replaced(options: DurabilityOptions, before: Durability, by: Durability): Durability {
    const { folder, service } = options
    before.#end()
    by.#end()
    const { epoch } = by
    const { place } = by.#journal
    const snapshotSeq = by.#snapshots.seq
    by.#own.launcher.stop()
    by.#own.unlock()
    const { disk, map } = before.#own
    markWhole(disk, by.#folder)
    replaceData(disk, folder, by.#folder)
    return new Durability(
      options,
      { epoch, place, snapshotSeq, foundEpoch: epoch },
      {
        ...before.#own,
        ring: new MappedRing(folder, map, options.onDiskCall),
        archives: archive(disk, folder, service.engine),
      },
    )
  }

  /** Why events are refused, or null. */
  get failure(): StoreError | null {
    return this.#journal.failure
  }

  /** From now on events of feeds go by this log, and are folded behind it. */
  lead(service: Service, log: EventLog): void {
    this.#journaled = new JournaledEngine(service.engine, log, this.#chooseEvictions)
    this.#journaled.settings()
    service.journalTo(this.#journaled)
  }

  /** Events that arrived. */
  get seq(): number {
    return this.#journal.seq
  }

  /** Events that a power loss does not take; all of them where FSYNC=off lets it take any. */
  get lastingSeq(): number {
    return this.#fsync === 'off' ? this.seq : this.#journal.syncedSeq
  }

  /** That of the folder; its calls are watched. */
  get disk(): Disk {
    return this.#own.disk
  }

  /** The segments that are whole, which hold every event so far; later ones get the events from here on. */
  wholeSegments(): { readonly folder: string; readonly until: number } {
    const until = this.#journal.boundary()
    return { folder: this.#folder, until }
  }

  /** Resolves when no snapshot is being made; none is begun from then on, until `beginSnapshots`. */
  async endSnapshots(): Promise<void> {
    await this.#snapshots.end()
  }

  beginSnapshots(): void {
    this.#snapshots.start()
  }

  /** Caches of what was read from the disk. */
  get memory(): readonly MemoryPart[] {
    const { swaps, dormant } = this.#own.archives
    return [boundedPart('tape_cache', swaps), boundedPart('dormant_cache', dormant)]
  }

  figures(): Readonly<Record<string, number>> {
    const journal = this.#journal
    const { swaps, dormant } = this.#own.archives
    return {
      journal_seq: journal.seq,
      journal_synced_seq: journal.syncedSeq,
      journal_segment: journal.segment,
      journal_segment_bytes: journal.segmentSize,
      journal_ring_bytes: journal.ringBytes,
      journal_failed: journal.failure === null ? 0 : 1,
      journal_left_out_total: this.#journaled?.leftOut ?? 0,
      ...this.#waits.figures(),
      ...this.#snapshots.figures(),
      tape_cache_hits_total: swaps.hits,
      tape_cache_misses_total: swaps.misses,
      dormant_cache_hits_total: dormant.hits,
      dormant_cache_misses_total: dormant.misses,
    }
  }

  /** Takes a snapshot now; resolves with one sentence about the result. */
  async snapshot(): Promise<string> {
    if (!(await this.#snapshots.take())) return 'The snapshot failed; the log says why.'
    return `The newest snapshot holds seq ${this.#snapshots.seq}.`
  }

  /** What the folder holds: events that arrived, and how many of them are in the newest snapshot. */
  stored(): object {
    const { seq, syncedSeq, failure } = this.#journal
    const { seq: snapshotSeq } = this.#snapshots
    return {
      kept: storedSentence(this.#folder, seq, syncedSeq, snapshotSeq, failure),
      seq,
      snapshotSeq,
    }
  }

  /** After the last event: syncs the journal, takes a last snapshot, unlocks the folder. */
  async close(): Promise<void> {
    this.#endJournal()
    this.#endRun()
    if (this.#journal.failure === null) await this.#snapshots.take()
    this.#endArchives()
    this.#own.launcher.stop()
    this.#own.unlock()
  }

  /** As the next start would: alerts and the last snapshot have what the journal has. */
  #endRun(): void {
    const { engine } = this.#service
    if (!engine.areFactsWaiting) return
    try {
      this.#service.follow(0, () => engine.endFill())
    } catch {
      // A fault of the program, which the service has told.
    }
  }

  #end(): void {
    this.#endJournal()
    this.#endArchives()
  }

  #endJournal(): void {
    this.#snapshots.stop()
    clearInterval(this.#watchTimer)
    clearInterval(this.#prefetchTimer)
    this.#journal.close()
  }

  #endArchives(): void {
    this.#own.archives.swaps.close()
    this.#own.archives.dormant.close()
  }
}

/** Where the history of a data folder's market is built that came from before its first slot. */
export function historyFolder(folder: string): string {
  return join(folder, 'history')
}

interface OpenFolder {
  readonly disk: Disk
  readonly ring: RingPlace
  readonly map: MapFile | null
  readonly boot: string
  readonly archives: ReturnType<typeof archive>
  readonly launcher: CompactorLauncher
  readonly unlock: () => void
}

/** Fills a folder from SEED_URL, where one is set and the folder is empty; false: nothing was done. */
async function seeded(
  { config, folder, log, isCopy, onSeeding }: DurabilityOptions,
  market: ReturnType<typeof marketOf>,
): Promise<boolean> {
  if (config.seed === null || isCopy) return false
  const server = config.seed
  const { seedFolder } = await import('../seed/seed-folder.ts')
  const isSeeded = await seedFolder({ folder, server, market, log, onState: onSeeding })
  onSeeding(null)
  return isSeeded
}

/** @throws StoreError when the folder is no copy of the stream */
function epochOf(
  folder: string,
  { foundEpoch }: Recovered,
  { epoch, isNew }: NonNullable<DurabilityOptions['stream']>,
): string {
  const known = epoch ?? foundEpoch
  if (known === null)
    throw new StoreError('stream', 'NATS cannot be asked and DATA_DIR is empty: nothing is known.')
  if (foundEpoch === null || foundEpoch === known || isNew) return known
  throw new StoreError('stream', `${folder} is no copy of the stream that NATS_STREAM names.`)
}

/** Runs a recovery in slices, between which the event loop runs. */
async function inSlices<T>(steps: Generator<object, T>, log: Log): Promise<T> {
  let sliceEndMs = performance.now() + SLICE_MS
  let nextLineMs = performance.now() + PROGRESS_MS
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    const nowMs = performance.now()
    if (nowMs < sliceEndMs) continue
    if (nowMs >= nextLineMs) {
      log.info({ ...step.value }, 'recovering')
      nextLineMs = nowMs + PROGRESS_MS
    }
    await nextTurn()
    sliceEndMs = performance.now() + SLICE_MS
  }
}
