import type { Engine } from '../engine/engine.ts'
import { TapeDamage } from '../engine/tape.ts'
import type { DataFiles } from './data-folder.ts'
import type { Disk } from './disk.ts'
import { StoreError } from './failure.ts'
import type { FormatUpgrades } from './format-upgrades.ts'
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
 * @throws StoreError when the journal, or history that it needs, is damaged
 */
export function* foldJournal(
  engine: Engine,
  options: JournalFoldOptions,
): Generator<number, JournalFold> {
  const { disk, files, from, source, upgrades } = options
  const run = new RecordRun(engine)
  let frames = 0
  const walk = walkJournal(
    disk,
    files,
    from,
    (frame, header) => {
      frames += 1
      if (isRecords(frame, header)) return run.add(frame)
      run.fold()
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
    throw error
  }
}
