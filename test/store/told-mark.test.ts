import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { DiskFile } from '../../src/store/disk.ts'
import type { FsyncPolicy } from '../../src/store/fsync-policy.ts'
import { Journal } from '../../src/store/journal.ts'
import { JournaledEngine } from '../../src/store/journaled-engine.ts'
import { history } from '../oracle/histories.ts'
import { BOOT, EPOCH, FOLDER } from './damage/folder.ts'
import { ImageDisk, ImageFile } from './damage/image-disk.ts'
import { MemoryMark } from './disks/memory-mark.ts'

/** A disk whose syncs in the background do not end. */
class BusyDisk extends ImageDisk {
  override create(path: string): DiskFile {
    super.create(path)
    return new BusyFile(this.files, path)
  }
}

class BusyFile extends ImageFile {
  override syncLater(): void {}
}

/** A disk whose syncs in the background end when they are told to. */
class HeldDisk extends ImageDisk {
  endSync = () => {}

  override create(path: string): DiskFile {
    super.create(path)
    return new HeldFile(this, path)
  }
}

class HeldFile extends ImageFile {
  readonly #disk: HeldDisk

  constructor(disk: HeldDisk, path: string) {
    super(disk.files, path)
    this.#disk = disk
  }

  override syncLater(done: (error: Error | null) => void): void {
    this.#disk.endSync = () => done(null)
  }
}

function begun(disk: ImageDisk, fsync: FsyncPolicy, clockMs = () => 0) {
  const mark = new MemoryMark()
  const failures: string[] = []
  const about = { disk, folder: FOLDER, fsync, epoch: EPOCH, boot: BOOT, mark, clockMs }
  const journal = new Journal(
    { ...about, onFailure: ({ message }) => failures.push(message) },
    { seq: 0, crc: 0, segment: 0 },
  )
  const journaled = new JournaledEngine(new Engine({ clock: 'event' }), journal)
  return { mark, failures, journal, journaled }
}

test.each(['always', 'off'] as const)(
  'the mark says each batch as it is written where no sync follows it, fsync %s',
  (fsync) => {
    const { mark, journal, journaled } = begun(new BusyDisk(), fsync)
    for (const event of history(3, 10)) {
      journaled.events([event])
      expect(mark.killed?.seq).toBe(journal.seq)
    }
    expect(journal.seq).toBeGreaterThan(0)
  },
)

test('with group the mark says a batch before anybody sees it, however long the syncs take', () => {
  let nowMs = 0
  const { mark, journal, journaled } = begun(new BusyDisk(), 'group', () => nowMs)
  for (const event of history(3, 10)) {
    journaled.events([event])
    expect(mark.killed?.seq).toBe(journal.seq)
    nowMs += 1
  }
})

test('of batches that come faster than once a millisecond the mark says what it had no time for at the end of a sync', () => {
  const disk = new HeldDisk()
  const { mark, journal, journaled } = begun(disk, 'group')
  for (const event of history(3, 10)) journaled.events([event])
  expect(mark.killed?.seq).toBe(1)
  disk.endSync()
  expect(mark.killed?.seq).toBe(journal.seq)
})

test('a stop in order says in the mark how far was written, though a sync had not ended', () => {
  const disk = new BusyDisk()
  const { mark, failures, journal, journaled } = begun(disk, 'group')
  const events = history(3, 10)
  journaled.events(events.slice(0, 4))
  journaled.events(events.slice(4))
  expect(mark.killed).toMatchObject({ seq: 4, isClosed: false })
  journal.close()
  const closed = { seq: journal.seq, segment: journal.segment, isClosed: true }
  expect(mark.killed).toMatchObject(closed)
  expect(journal.syncedSeq).toBe(journal.seq)
  const bytes = () => [...disk.files.values()].map(({ length }) => length)
  const written = bytes()
  // A second stop is the first.
  journal.close()
  expect(bytes()).toEqual(written)
  expect(mark.killed).toMatchObject(closed)
  expect(failures).toEqual([])
})
