import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { TAPE_BLOCK_RECORDS, Tape } from '../../src/engine/state/tape.ts'
import { SWAP_RECORD_BYTES } from '../../src/events/swap-record.ts'
import type { CompactorResult } from '../../src/store/compaction/compactor-messages.ts'
import { Snapshots } from '../../src/store/compaction/snapshots.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { bootId } from '../../src/store/folder/process-lock.ts'
import { Kind } from '../../src/store/format/journal-format.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { newFolder } from '../new-folder.ts'
import { MemoryArchive } from './memory-archive.ts'

type SnapshotsOptions = ConstructorParameters<typeof Snapshots>[0]

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
  chunks: { swaps: [], positions: [] },
  damagedSnapshots: [],
  snapshotsRemoved: 0,
  segmentsRemoved: 0,
  durationMs: 0,
  peakBytes: 0,
}

function newJournal(): { journal: Journal; folder: string } {
  const folder = newFolder()
  const about = { disk: new NodeDisk(), folder, epoch: randomUUID(), boot: bootId() }
  const options = { ...about, fsync: 'off', onFailure: () => {} } as const
  return { journal: new Journal(options, { seq: 0, crc: 0, segment: 0 }), folder }
}

/** A tape of so many chunks, of one block each. */
function tapeOf(chunks: number): Tape {
  const tape = new Tape(TAPE_BLOCK_RECORDS)
  tape.archive = new MemoryArchive()
  for (let i = 0; i < chunks * TAPE_BLOCK_RECORDS; i += 1) tape.add()
  return tape
}

function optionsOf(
  over: Pick<SnapshotsOptions, 'journal' | 'folder' | 'compact'> & Partial<SnapshotsOptions>,
): SnapshotsOptions {
  return {
    tape: tapeOf(0),
    dormantTape: tapeOf(0),
    everyMs: EVERY_MS,
    tapeMemoryBytes: 1 << 20,
    keepsJournal: () => false,
    mayBegin: () => true,
    memoryBytes: () => 0,
    clockMs: () => 0,
    onProgress: () => {},
    onDone: () => {},
    onFailed: () => {},
    ...over,
  }
}

test('snapshots that come due while a slow one is made do not queue up behind it', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { journal, folder } = newJournal()
  const ends: (() => void)[] = []
  const compact = () => new Promise<CompactorResult>((resolve) => ends.push(() => resolve(RESULT)))
  const snapshots = new Snapshots(optionsOf({ journal, folder, compact }), NO_SEQ)
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

test('nothing is made of a journal that has nothing new, and one that fails is made again', async () => {
  const { journal, folder } = newJournal()
  const told: string[] = []
  let runs = 0
  const compact = async () => {
    runs += 1
    if (runs === 1) throw new Error('no room')
    return { ...RESULT, seq: journal.seq }
  }
  const onFailed = (reason: string) => told.push(reason)
  const onDone = () => told.push('done')
  const about = { journal, folder, compact, onFailed, onDone }
  const snapshots = new Snapshots(optionsOf(about), NO_SEQ)
  for (let i = 0; i < 4; i += 1) await snapshots.take()
  expect(told).toEqual(['no room', 'done'])
  expect(runs).toBe(2)
  expect(snapshots.figures()).toMatchObject({ snapshot_failures_total: 1, snapshot_running: 0 })
  journal.close()
})

test('once the disk has refused the journal none is tried again by itself: that was told', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { journal, folder } = newJournal()
  const told: string[] = []
  const onFailed = (reason: string) => told.push(reason)
  const about = { journal, folder, compact: async () => RESULT, onFailed }
  const snapshots = new Snapshots(optionsOf(about), NO_SEQ)
  journal.begin().addText(Kind.settings, 0, 0, '{}')
  journal.commit(0)
  rmSync(folder, { recursive: true })
  expect(() => journal.boundary()).toThrow(/The disk refused the journal/)
  snapshots.start()
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS)
  expect(told).toEqual([])
  expect(snapshots.figures()).toMatchObject({ snapshot_failures_total: 0 })
  // Who asks for one is told why there is none.
  await snapshots.take()
  expect(told).toEqual([expect.stringContaining('The disk refused the journal')])
  snapshots.stop()
  journal.close()
})

test('a snapshot that comes due within a run of events waits for its end, and nobody is told of a failure', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { journal, folder } = newJournal()
  const told: string[] = []
  let isInRun = true
  let begun = 0
  const compact = async () => {
    begun += 1
    return RESULT
  }
  const about = { journal, folder, compact, mayBegin: () => !isInRun, clockMs: Date.now }
  const onFailed = (reason: string) => told.push(reason)
  const snapshots = new Snapshots(optionsOf({ ...about, onFailed }), NO_SEQ)
  snapshots.start()
  const { segment } = journal
  await vi.advanceTimersByTimeAsync(EVERY_MS + 20_000)
  expect({ begun, segment: journal.segment }).toEqual({ begun: 0, segment })
  isInRun = false
  await vi.advanceTimersByTimeAsync(100)
  expect(begun).toBe(1)
  // One that never ends does not keep snapshots away for ever.
  isInRun = true
  const asked = snapshots.take()
  await vi.advanceTimersByTimeAsync(29_000)
  expect(begun).toBe(1)
  await vi.advanceTimersByTimeAsync(1_100)
  expect(await asked).toBe(true)
  // At the end nothing is waited for.
  const waiting = snapshots.take()
  await vi.advanceTimersByTimeAsync(1_000)
  snapshots.stop()
  const last = snapshots.take()
  await vi.advanceTimersByTimeAsync(100)
  expect([await waiting, await last]).toEqual([false, false])
  expect({ begun, told }).toEqual({ begun: 2, told: [] })
  journal.close()
})

test('what a snapshot has on the disk leaves memory, of swaps all but what may stay', async () => {
  const { journal, folder } = newJournal()
  const [tape, dormantTape] = [tapeOf(8), tapeOf(8)]
  const archived = { archivedRecords: tape.count, archivedPositions: dormantTape.count }
  const chunks = { swaps: [1, 2, 3, 4, 5, 6, 7, 8], positions: [8, 7, 6, 5, 4, 3, 2, 1] }
  const compact = async () => ({ ...RESULT, ...archived, chunks })
  const tapeMemoryBytes = 3 * TAPE_BLOCK_RECORDS * SWAP_RECORD_BYTES
  const about = { journal, folder, compact, tape, dormantTape, tapeMemoryBytes }
  await new Snapshots(optionsOf(about), NO_SEQ).take()
  expect({ swaps: tape.chunkCrcs, positions: dormantTape.chunkCrcs }).toEqual(chunks)
  expect(tape.firstInMemory).toBe(5 * TAPE_BLOCK_RECORDS)
  expect(dormantTape.firstInMemory).toBe(dormantTape.count)
  journal.close()
})

test('however many ask for a snapshot at a time, one compactor works on the folder', async () => {
  const { journal, folder } = newJournal()
  let running = 0
  let most = 0
  const compact = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 1))
    running -= 1
    return RESULT
  }
  // What the last one held is never where the journal stands: each has something to do.
  const snapshots = new Snapshots(optionsOf({ journal, folder, compact }), NO_SEQ)
  await Promise.all([snapshots.take(), snapshots.take(), snapshots.take(), snapshots.take()])
  expect(most).toBe(1)
  journal.close()
})

test('of a snapshot that takes long it is told every half a minute how far it is, of others nothing', async () => {
  const { journal, folder } = newJournal()
  const at = { seconds: 0 }
  const told: number[] = []
  const compact: SnapshotsOptions['compact'] = async (_run, onProgress) => {
    for (const end = at.seconds + 95; at.seconds < end; at.seconds += 1)
      onProgress({ step: 'replay', done: at.seconds })
    return RESULT
  }
  const clockMs = () => at.seconds * 1_000
  const onProgress = ({ done }: { done: number }) => told.push(done)
  const snapshots = new Snapshots(
    optionsOf({ journal, folder, compact, clockMs, onProgress }),
    NO_SEQ,
  )
  await snapshots.take()
  expect(told).toEqual([30, 60, 90])
  await snapshots.take()
  expect(told).toEqual([30, 60, 90, 125, 155, 185])
  journal.close()
})

test('the figures say what the last snapshot was and how old it is, or that there is none yet', async () => {
  const { journal, folder } = newJournal()
  const at = { seconds: 100 }
  const asked: number[] = []
  const compact: SnapshotsOptions['compact'] = async ({ memoryBytesMax }) => {
    asked.push(memoryBytesMax)
    at.seconds += 7
    return { ...RESULT, seq: 41 + asked.length, durationMs: 7_000, peakBytes: 5_000_000 }
  }
  const times = { clockMs: () => at.seconds * 1_000, memoryBytes: () => 3 * 2 ** 30 }
  const snapshots = new Snapshots(optionsOf({ journal, folder, compact, ...times }), 12)
  const none = { snapshot_seq: 12, snapshot_age_seconds: -1, snapshot_failures_total: 0 }
  const idle = { snapshot_running: 0, snapshot_duration_ms: 0, snapshot_peak_bytes: 0 }
  expect(snapshots.figures()).toEqual({ ...none, ...idle })
  const taken = snapshots.take()
  expect(snapshots.figures()).toMatchObject({ snapshot_running: 1 })
  await taken
  at.seconds += 60
  const made = { snapshot_seq: 42, snapshot_duration_ms: 7_000, snapshot_peak_bytes: 5_000_000 }
  expect(snapshots.figures()).toEqual({ ...none, ...idle, ...made, snapshot_age_seconds: 60 })
  await snapshots.take()
  expect(snapshots.figures()).toMatchObject({ snapshot_seq: 43, snapshot_age_seconds: 0 })
  // Twice what the service has, and room for a program of its own.
  expect(asked).toEqual([7 * 2 ** 30, 7 * 2 ** 30])
  journal.close()
})
