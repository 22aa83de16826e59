import { TapeDamage } from '../../base/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { PREFETCHED_SWAPS } from '../../engine/fold/prefetcher.ts'
import type { Disk } from '../disk/disk.ts'
import { isRefusal, StoreError } from '../disk/failure.ts'
import type { DataFiles } from '../folder/data-folder.ts'
import type { SegmentScan } from '../format/segment-scan.ts'
import type { FormatUpgrades } from '../upgrades/format-upgrades.ts'
import { foldFrame, isRecords } from './frame-fold.ts'
import { type JournalEnd, type JournalStart, walkJournal } from './journal-scan.ts'
import type { SegmentSource } from './segment-source.ts'

interface JournalFoldOptions {
  readonly disk: Disk
  readonly files: DataFiles
  readonly from: JournalStart
  /** The disk itself when left out. */
  readonly source?: SegmentSource | undefined
  readonly upgrades?: FormatUpgrades | undefined
}

export interface JournalFold {
  readonly end: JournalEnd
  readonly frames: number
}

/**
 * Folds the journal behind a snapshot into its state; yields the seq it has come to.
 * @throws StoreError when the journal, or history that it needs, is damaged, or an event in it meets a
 *   fault of this program; the system's own error when the disk refuses
 */
export function* foldJournal(
  engine: Engine,
  options: JournalFoldOptions,
): Generator<number, JournalFold> {
  const { disk, files, from, source, upgrades } = options
  const run = new RecordRun(engine)
  let frames = 0
  let seq = from.seq
  const walk = walkJournal(
    disk,
    files,
    from,
    (frame, header) => {
      frames += 1
      if (isRecords(frame, header)) {
        run.add(frame)
        return
      }
      run.fold()
      seq = frame.seq
      foldFrame(engine, frame, header, upgrades)
    },
    { source },
  )
  try {
    for (;;) {
      const step = walk.next()
      // Before the walk takes another segment into the same memory.
      run.fold()
      if (step.done) return { end: step.value, frames }
      yield step.value
    }
  } catch (error) {
    // A late event may ask for swaps that have left memory long ago.
    if (error instanceof TapeDamage) throw new StoreError('damaged', error.message)
    if (error instanceof StoreError || isRefusal(error)) throw error
    throw faultAt(Math.max(seq, run.firstSeq), error)
  }
}

function faultAt(seq: number, error: unknown): StoreError {
  return new StoreError(
    'fault',
    `An event of the journal at seq ${seq} or soon behind it met a fault of this program (${String(error)}): ` +
      'start another version of it, or, if there is none that folds it, give up everything from there on with ' +
      `mintfeed repair --until ${seq}.`,
    { cause: error },
  )
}

/**
 * Frames of records that stand behind each other in a segment, folded together: most hold a swap or
 * a few, and the rows of many swaps are brought near at once (engine/fold/prefetcher.ts).
 */
class RecordRun {
  readonly #engine: Engine
  readonly #starts = new Uint32Array(PREFETCHED_SWAPS)
  readonly #counts = new Uint32Array(PREFETCHED_SWAPS)
  #frames = 0
  #firstSeq = 0
  #u32: Uint32Array = new Uint32Array(0)
  #f64: Float64Array = new Float64Array(0)

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Seq of the first frame of those that are folded next, or were last. */
  get firstSeq(): number {
    return this.#firstSeq
  }

  /** Adds a frame; the segment's bytes have to stay until `fold`. */
  add(frame: SegmentScan): void {
    if (this.#frames === 0) this.#firstSeq = frame.seq
    this.#u32 = frame.u32
    this.#f64 = frame.f64
    this.#starts[this.#frames] = frame.payloadAt >>> 2
    this.#counts[this.#frames] = frame.events
    this.#frames += 1
    if (this.#frames === PREFETCHED_SWAPS) this.fold()
  }

  /** Folds what was added, in order. */
  fold(): void {
    const { prefetcher } = this.#engine
    const frames = this.#frames
    this.#frames = 0
    for (let i = 0; i < frames; i++) prefetcher.touchIndex(this.#u32, this.#starts[i])
    for (let i = 0; i < frames; i++) prefetcher.touchRow(this.#u32, this.#starts[i])
    for (let i = 0; i < frames; i++)
      this.#engine.acceptLanes(this.#u32, this.#f64, this.#starts[i], this.#counts[i])
  }
}
