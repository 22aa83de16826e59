import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import type { Disk, DiskFile } from '../../src/store/disk/disk.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { Kind } from '../../src/store/format/journal-format.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { Random } from '../oracle/random.ts'
import { BOOT, EPOCH, FOLDER } from './damage/folder.ts'
import { systemError } from './disks/crash-disk.ts'
import { MemoryMark } from './disks/memory-mark.ts'

const SEGMENT_BYTES = 600
const STEPS = 120
const POLICIES: readonly Config['fsync'][] = ['group', 'always', 'off']

type Done = (error: Error | null) => void

/** A file of which it is known how much is on the disk, and how often it was closed. */
class KnownFile {
  written = 0
  synced = 0
  closed = 0
  isNamed = false
}

/** A disk that refuses now and then, whose background calls end when it is told. */
class KnownDisk implements Disk {
  readonly files = new Map<string, KnownFile>()
  /** Background calls under way. */
  readonly pending: { readonly work: () => void; readonly done: Done }[] = []
  readonly #random: Random
  /** Chance that a call is refused. */
  refuses = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** Ends one of the calls in the background. */
  endOne(): void {
    const ended = this.pending.shift()
    if (ended === undefined) return
    const error = this.#refusal('a background call')
    if (error === null) ended.work()
    ended.done(error)
  }

  create(path: string): DiskFile {
    this.#call(path)
    const file = new KnownFile()
    this.files.set(path, file)
    return {
      append: (bytes) => {
        this.#open(file)
        this.#call(path)
        file.written += bytes.length
        return bytes.length
      },
      sync: () => {
        this.#open(file)
        this.#call(path)
        file.synced = file.written
      },
      syncLater: (done) => {
        this.#open(file)
        const { written } = file
        const work = () => {
          file.synced = Math.max(file.synced, written)
        }
        this.pending.push({ work, done })
      },
      // As the kernel has it: whatever it answers, the number is another one's from now on.
      close: () => {
        file.closed += 1
        this.#call(path)
      },
      ...{ size: () => file.written, read: () => 0, truncate: () => {} },
    }
  }

  syncFolder(folder: string): void {
    this.#call(folder)
    this.#name()
  }

  syncFolderLater(_folder: string, done: Done): void {
    const there = [...this.files.values()]
    this.pending.push({ work: () => this.#name(there), done })
  }

  #name(files: Iterable<KnownFile> = this.files.values()): void {
    for (const file of files) file.isNamed = true
  }

  #open(file: KnownFile): void {
    if (file.closed > 0) throw new Error('a file is used that was closed')
  }

  #call(what: string): void {
    const error = this.#refusal(what)
    if (error !== null) throw error
  }

  #refusal(what: string): Error | null {
    return this.#random.chance(this.refuses) ? systemError('EIO', what) : null
  }

  list = () => []
  makeFolder = () => {}
  rename = () => {}
  remove = () => {}
  open = (path: string) => this.create(path)
}

/** Where a batch ends: in its file, and in the seqs. */
interface Batch {
  readonly seq: number
  readonly file: KnownFile
  readonly end: number
}

/** A journal on such a disk, taken through random batches, segments, ends of syncs and refusals. */
function live(random: Random, fsync: Config['fsync']) {
  const disk = new KnownDisk(random)
  const mark = new MemoryMark()
  const failures: string[] = []
  const onFailure = ({ message }: StoreError) => failures.push(message)
  const about = { disk, folder: FOLDER, epoch: EPOCH, boot: BOOT, segmentBytes: SEGMENT_BYTES }
  const journal = new Journal({ ...about, fsync, mark, onFailure }, { seq: 0, crc: 0, segment: 0 })
  const batches: Batch[] = []
  let syncedSeq = 0
  disk.refuses = random.chance(0.5) ? 0.02 : 0
  const write = () => {
    const file = [...disk.files.values()].at(-1) ?? new KnownFile()
    const seq = journal.seq + random.integer(1, 9)
    journal.begin().add(Kind.event, journal.seq, seq - journal.seq, new Uint8Array(60))
    journal.commit(seq)
    batches.push({ seq, file, end: file.written })
    if (fsync === 'always') expect(journal.syncedSeq).toBe(seq)
  }
  const refusing = (step: () => void) => {
    const wasOver = journal.failure !== null
    try {
      step()
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      return
    }
    expect(wasOver && step === write).toBe(false)
  }
  const others = [() => journal.keepSyncing(), () => journal.boundary(), () => disk.endOne()]
  for (let i = 0; i < STEPS; i += 1) {
    const begun = disk.pending.length
    const wasOver = journal.failure !== null
    refusing(random.pick([write, write, write, ...others]))
    if (wasOver) expect(disk.pending.length).toBeLessThanOrEqual(begun)
    expect(disk.pending.length).toBeLessThanOrEqual(1)
    expect(journal.syncedSeq).toBeGreaterThanOrEqual(syncedSeq)
    syncedSeq = journal.syncedSeq
    const isSafe = ({ seq, file, end }: Batch) =>
      seq > syncedSeq || (file.isNamed && file.synced >= end)
    expect(batches.every(isSafe)).toBe(true)
  }
  journal.close()
  while (disk.pending.length > 0) disk.endOne()
  journal.close()
  return { disk, journal, mark, failures }
}

test.each(POLICIES)(
  'in whatever order syncs end, segments fill and the disk refuses, nothing counts as safe that is not, fsync %s',
  (fsync) => {
    let refused = 0
    let segments = 0
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { disk, journal, mark, failures } = live(new Random(seed), fsync)
        const files = [...disk.files.values()]
        expect(
          files.map(({ closed }) => closed),
          `seed ${seed}`,
        ).toEqual(files.map(() => 1))
        expect(failures.length).toBe(journal.failure === null ? 0 : 1)
        refused += failures.length
        segments += files.length
        if (journal.failure !== null) return
        expect(files.every((file) => file.synced === file.written && file.isNamed)).toBe(true)
        expect(mark.killed).toMatchObject({ seq: journal.seq, isClosed: true })
      }),
      { numRuns: 100 },
    )
    expect(refused).toBeGreaterThan(20)
    expect(segments).toBeGreaterThan(200)
  },
)
