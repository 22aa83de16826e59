import { expect, test } from 'vitest'
import { Kind } from '../../src/store/format/journal-format.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { Random } from '../oracle/random.ts'
import { VirtualTime } from '../simulation/virtual-time.ts'
import { BOOT, EPOCH } from './damage/folder.ts'
import { CrashDisk } from './disks/crash-disk.ts'
import { CrashRing } from './disks/crash-ring.ts'
import { FOLDER } from './disks/story.ts'

/** What the journal promises at least between two syncs that follow each other. */
const EVERY_MS = 4
/** So many of them, and when they begin. */
const SYNCS = 20
const BEGIN_MS = Array.from({ length: SYNCS }, (_, i) => i * EVERY_MS)

/** How long a timer of Node takes in truth: of whole milliseconds, by a clock of such, so that one may be early. */
function nodeTimerMs(ms: number, nowMs: number): number {
  return Math.trunc(nowMs) + Math.max(1, Math.trunc(ms)) - nowMs
}

/** A journal whose syncs take so long, on a clock that stands still unless it is moved. */
class PacedJournal {
  readonly time = new VirtualTime(0)
  readonly disk = new CrashDisk()
  /** When each sync of a batch began. */
  readonly begunMs: number[] = []
  readonly waitsMs: number[] = []
  readonly failures: string[] = []
  /** What runs behind the present turn of the loop. */
  readonly behindTurn: (() => void)[] = []
  /** Timers that were set. */
  timers = 0
  readonly journal: Journal

  constructor(syncMs: number, hasRing = true) {
    const { time, disk } = this
    disk.makeFolder(FOLDER)
    const later = disk.later.bind(disk)
    disk.later = (what, work, done) => {
      if (/^syncLater|^synced write/.test(what)) this.begunMs.push(time.nowMs)
      later(what, work, done)
      time.after(syncMs, () => disk.settle(1))
    }
    this.journal = new Journal(
      {
        ...{ disk, folder: FOLDER, fsync: 'group', epoch: EPOCH, boot: BOOT },
        ring: hasRing ? new CrashRing(disk, 1 << 16, new Random(5)) : undefined,
        clockMs: () => time.nowMs,
        later: (run, ms) => {
          this.timers += 1
          time.after(nodeTimerMs(ms, time.nowMs), run)
        },
        behindTurn: (run) => this.behindTurn.push(run),
        onSynced: (waitedMs) => this.waitsMs.push(waitedMs),
        onFailure: ({ message }) => this.failures.push(message),
      },
      { seq: 0, crc: 0, segment: 0 },
    )
  }

  batch(begin?: 'behindTurn'): void {
    const { journal } = this
    journal.begin().add(Kind.event, journal.seq, 1, new Uint8Array(60))
    journal.commit(journal.seq + 1)
    journal.keepSyncing(begin)
  }

  endTurn(): void {
    for (const run of this.behindTurn.splice(0)) run()
  }

  /** A batch each millisecond. */
  batches(count: number): this {
    for (let i = 0; i < count; i++) {
      this.batch()
      this.time.advance(1)
    }
    return this
  }
}

test('batches that follow each other closely share a sync every few milliseconds', () => {
  const paced = new PacedJournal(0.5).batches(SYNCS * EVERY_MS - 1)
  expect(paced.begunMs).toEqual(BEGIN_MS)
  expect(Math.max(...paced.waitsMs)).toBeLessThanOrEqual(EVERY_MS + 0.5)
  expect(paced.timers).toBe(paced.begunMs.length)
})

test('timers of whole milliseconds do not make the syncs follow each other closer', () => {
  const paced = new PacedJournal(0.4)
  for (let i = 0; i < SYNCS * EVERY_MS * 4 - 1; i++) {
    paced.batch()
    paced.time.advance(0.25)
  }
  expect(paced.begunMs).toEqual(BEGIN_MS)
})

test('a timer that is early by a part of a millisecond is early enough', () => {
  const paced = new PacedJournal(0.1)
  paced.time.advance(0.5)
  paced.batch()
  paced.time.advance(1)
  paced.batch()
  paced.time.advance(10)
  expect(paced.begunMs).toEqual([0.5, EVERY_MS])
})

test('a batch after a quiet while is synced at once, and the next one has its time from there', () => {
  const paced = new PacedJournal(0.5)
  for (const quietMs of [0, EVERY_MS, 5, 1_000]) {
    paced.time.advance(quietMs)
    paced.batch()
    expect(paced.begunMs.at(-1)).toBe(paced.time.nowMs)
  }
  const { length } = paced.begunMs
  paced.time.advance(1)
  paced.batch()
  expect(paced.begunMs).toHaveLength(length)
})

test('what came last is synced though nothing comes behind it', () => {
  const paced = new PacedJournal(0.5).batches(2)
  expect(paced.journal.syncedSeq).toBe(1)
  paced.time.advance(100)
  expect(paced.journal.syncedSeq).toBe(2)
  expect(paced.begunMs).toEqual([0, EVERY_MS])
})

test('the batches of a turn share a sync that begins behind it, when their trades are sent', () => {
  const paced = new PacedJournal(0.5)
  for (const beganMs of [0, 10]) {
    paced.time.advance(beganMs - paced.time.nowMs)
    for (let i = 0; i < 3; i++) paced.batch('behindTurn')
    expect(paced.begunMs).not.toContain(beganMs)
    expect(paced.behindTurn).toHaveLength(1)
    paced.endTurn()
    expect(paced.begunMs.at(-1)).toBe(beganMs)
    paced.time.advance(1)
    expect(paced.journal.syncedSeq).toBe(paced.journal.seq)
  }
  // Neither the turn in which the journal ends begins one.
  paced.batch('behindTurn')
  paced.journal.close()
  const { length } = paced.begunMs
  paced.endTurn()
  paced.time.advance(100)
  expect(paced.begunMs).toHaveLength(length)
})

test('a sync that takes longer is followed by the next one at once', () => {
  const paced = new PacedJournal(7).batches(30)
  expect(paced.begunMs).toEqual([0, 7, 14, 21, 28])
})

test('a journal that writes each batch to its file syncs all the time', () => {
  const paced = new PacedJournal(0.5, false).batches(40)
  expect(paced.begunMs).toHaveLength(40)
})

test('no sync begins behind the end of a journal, nor when the disk had refused', () => {
  const closed = new PacedJournal(0.5).batches(1)
  closed.batch()
  closed.journal.close()
  const refused = new PacedJournal(0.5).batches(1)
  refused.batch()
  refused.disk.failAt(refused.disk.operations + 1, { code: 'EIO' })
  refused.time.advance(5)
  expect(refused.failures).toHaveLength(1)
  for (const { begunMs, time } of [closed, refused]) {
    const { length } = begunMs
    time.advance(100)
    expect(begunMs).toHaveLength(length)
  }
})
