import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Tape } from '../../src/engine/tape.ts'
import type { CompactorResult } from '../../src/store/compactor-messages.ts'
import { Journal } from '../../src/store/journal.ts'
import { NodeDisk } from '../../src/store/node-disk.ts'
import { bootId } from '../../src/store/process-lock.ts'
import { Snapshots } from '../../src/store/snapshots.ts'

const EVERY_MS = 1_000
/** A seq that no journal has, so that there always is something new. */
const NO_SEQ = -1

const RESULT: CompactorResult = {
  seq: NO_SEQ,
  fromSeq: 0,
  framesFolded: 0,
  digest: '',
  archivedRecords: 0,
  archivedPositions: 0,
  damagedSnapshots: [],
  snapshotsRemoved: 0,
  segmentsRemoved: 0,
  durationMs: 0,
  peakBytes: 0,
}

function newJournal(): { journal: Journal; folder: string } {
  const folder = fs.mkdtempSync(join(tmpdir(), 'mintfeed-pace-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const about = { disk: new NodeDisk(), folder, epoch: randomUUID(), boot: bootId() }
  const options = { ...about, fsync: 'off', onFailure: () => {} } as const
  return { journal: new Journal(options, { seq: 0, crc: 0, segment: 0 }), folder }
}

test('snapshots that come due while a slow one is made do not queue up behind it', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { journal, folder } = newJournal()
  const ends: (() => void)[] = []
  const snapshots = new Snapshots(
    {
      journal,
      folder,
      tape: new Tape(),
      dormantTape: new Tape(),
      everyMs: EVERY_MS,
      tapeMemoryBytes: 1 << 20,
      keepsJournal: false,
      compact: () => new Promise((resolve) => ends.push(() => resolve(RESULT))),
      memoryBytes: () => 0,
      clockMs: () => 0,
      onProgress: () => {},
      onDone: () => {},
      onFailed: () => {},
    },
    NO_SEQ,
  )
  snapshots.start()
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS)
  expect(ends.length).toBe(1)
  ends[0]()
  await vi.advanceTimersByTimeAsync(EVERY_MS - 1)
  expect(ends.length).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(ends.length).toBe(2)
  ends[1]()
  snapshots.stop()
  journal.close()
})
