import { messageOf } from '../../base/errors.ts'
import type { Tape } from '../../engine/state/tape.ts'
import type { Journal } from '../journal/journal.ts'
import { PROGRAM } from '../snapshot/snapshot-file.ts'
import type { CompactorProgress, CompactorResult, CompactorRun } from './compactor-messages.ts'

/** Memory a compactor may take beyond twice the serving process: its own program and buffers. */
const COMPACTOR_SPARE_BYTES = 1 << 30
/** Progress of a snapshot is logged this often: most are made before. */
const PROGRESS_MS = 30_000
/** One that cannot begin yet looks again after so long, and begins all the same after so long. */
const LOOK_EVERY_MS = 100
const WAIT_MS = 30_000

/** A snapshot that was made, without its chunks, of which there are thousands. */
type SnapshotMade = Omit<CompactorResult, 'chunks'>

interface SnapshotsOptions {
  readonly journal: Journal
  readonly tape: Tape
  readonly dormantTape: Tape
  readonly folder: string
  readonly everyMs: number
  /** Bytes of tape that stay in memory. */
  readonly tapeMemoryBytes: number
  readonly keepsJournal: () => boolean
  /** False within a run of events that fills a gap, which is folded as a whole: a snapshot waits for its end. */
  readonly mayBegin: () => boolean
  readonly compact: (
    run: CompactorRun,
    onProgress: (progress: CompactorProgress) => void,
  ) => Promise<CompactorResult>
  /** Resident bytes of this process now. */
  readonly memoryBytes: () => number
  /** Milliseconds that never go back, whatever the clock of the machine is set to. */
  readonly clockMs: () => number
  readonly onProgress: (progress: CompactorProgress) => void
  readonly onDone: (result: SnapshotMade) => void
  readonly onFailed: (reason: string) => void
}

/**
 * Has a snapshot made every so often, one at a time, and lets old tape leave memory once it is on
 * the disk. The serving process only begins a new journal segment for it.
 */
export class Snapshots {
  readonly #options: SnapshotsOptions
  #timer: NodeJS.Timeout | null = null
  /** None is begun, not even one that is ordered. */
  #isOver = false
  #running: Promise<boolean> | null = null
  /** Seq of the newest snapshot; 0 for none. */
  seq: number
  #failures = 0
  #madeAtMs: number | null = null
  #last: SnapshotMade | null = null

  constructor(options: SnapshotsOptions, seq: number) {
    this.#options = options
    this.seq = seq
  }

  start(): void {
    const { journal, everyMs } = this.#options
    this.#isOver = false
    this.#timer = setInterval(() => {
      // A journal that has failed gets no events, so no snapshot is made of it.
      const isOver = journal.failure !== null
      // One that takes longer than the interval is not followed by all that came due meanwhile.
      if (this.#running === null && !isOver) void this.take()
    }, everyMs)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Begins none any more, until `start`; resolves when the one that is running has ended. */
  async end(): Promise<void> {
    this.stop()
    this.#isOver = true
    while (this.#running !== null) await this.#running
  }

  /** Makes one now, after the one that is running; false when it has failed, or must not be made at the end. */
  async take(): Promise<boolean> {
    while (this.#running !== null) await this.#running
    if (this.#isOver) return false
    this.#running = this.#make()
    const isMade = await this.#running
    this.#running = null
    return isMade
  }

  /** Figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      snapshot_seq: this.seq,
      snapshot_failures_total: this.#failures,
      snapshot_age_seconds:
        this.#madeAtMs === null
          ? -1
          : Math.round((this.#options.clockMs() - this.#madeAtMs) / 1000),
      snapshot_duration_ms: this.#last?.durationMs ?? 0,
      snapshot_peak_bytes: this.#last?.peakBytes ?? 0,
      snapshot_running: this.#running === null ? 0 : 1,
    }
  }

  async #make(): Promise<boolean> {
    const options = this.#options
    if (options.journal.seq === this.seq) return true
    const untilMs = options.clockMs() + WAIT_MS
    while (!options.mayBegin() && options.clockMs() < untilMs) {
      // Of what it waits for nothing comes any more.
      if (this.#timer === null) return false
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    try {
      const untilSegment = options.journal.boundary()
      const run = {
        program: PROGRAM,
        folder: options.folder,
        untilSegment,
        keepsJournal: options.keepsJournal(),
        memoryBytesMax: 2 * options.memoryBytes() + COMPACTOR_SPARE_BYTES,
      }
      const { chunks, ...made } = await options.compact(run, this.#throttledProgress())
      this.seq = made.seq
      this.#last = made
      this.#madeAtMs = options.clockMs()
      options.tape.archivedCount = made.archivedRecords
      options.tape.chunkCrcs = chunks.swaps
      options.tape.shrink(options.tapeMemoryBytes)
      options.dormantTape.archivedCount = made.archivedPositions
      options.dormantTape.chunkCrcs = chunks.positions
      options.dormantTape.shrink(0)
      options.onDone(made)
      return true
    } catch (error) {
      this.#failures += 1
      options.onFailed(messageOf(error))
      return false
    }
  }

  /** The compactor says each second that it is alive: logged each time, it would fill the log. */
  #throttledProgress(): (progress: CompactorProgress) => void {
    const { clockMs, onProgress } = this.#options
    let nextMs = clockMs() + PROGRESS_MS
    return (progress) => {
      if (clockMs() < nextMs) return
      nextMs = clockMs() + PROGRESS_MS
      onProgress(progress)
    }
  }
}
