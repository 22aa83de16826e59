import { TapeDamage } from '../../base/tape-damage.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Disk } from '../disk/disk.ts'
import { isRefusal } from '../disk/disk-reason.ts'
import { StoreError } from '../disk/failure.ts'
import type { DataFiles } from '../folder/data-folder.ts'
import type { FormatUpgrades } from '../upgrades/format-upgrades.ts'
import { foldFrame, isRecords } from './frame-fold.ts'
import { type JournalEnd, type JournalStart, walkJournal } from './journal-scan.ts'
import { RecordRun } from './record-run.ts'
import type { SegmentSource } from './segment-source.ts'

export interface JournalFoldOptions {
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
