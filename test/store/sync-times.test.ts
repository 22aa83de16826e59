import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import type { DiskFile } from '../../src/store/disk/disk.ts'
import { SEGMENT_BYTES } from '../../src/store/journal/journal.ts'
import type { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { history } from '../oracle/histories.ts'
import { begun } from './damage/folder.ts'
import { ImageDisk, ImageFile } from './damage/image-disk.ts'

const SYNC_MS = 7

/** Each sync of a file moves the clock on. */
class SlowDisk extends ImageDisk {
  nowMs = 0

  override create(path: string): DiskFile {
    super.create(path)
    return new SlowFile(this, path)
  }
}

class SlowFile extends ImageFile {
  readonly #disk: SlowDisk

  constructor(disk: SlowDisk, path: string) {
    super(disk.files, path)
    this.#disk = disk
  }

  override sync(): void {
    this.#disk.nowMs += SYNC_MS
  }

  override syncLater(done: (error: Error | null) => void): void {
    this.sync()
    done(null)
  }
}

/** A journal on a slow disk, and how long what it made last had waited. */
class SlowJournal {
  readonly disk = new SlowDisk()
  readonly waitsMs: number[] = []
  readonly #journaled: JournaledEngine

  constructor(fsync: Config['fsync'], segmentBytes = SEGMENT_BYTES) {
    const { disk, waitsMs } = this
    const clockMs = () => disk.nowMs
    const onSynced = (waitedMs: number) => waitsMs.push(waitedMs)
    this.#journaled = begun(disk, { fsync, segmentBytes, clockMs, onSynced }).journaled
  }

  events(events: readonly FeedEvent[]): void {
    this.#journaled.events(events)
  }
}

test.each(['group', 'always'] as const)('how long a sync took is told, fsync %s', (fsync) => {
  const journal = new SlowJournal(fsync)
  for (const event of history(3, 4)) journal.events([event])
  expect(journal.waitsMs).toEqual([SYNC_MS, SYNC_MS, SYNC_MS, SYNC_MS])
})

test('a quiet hour behind the end of a segment is no wait', () => {
  const events = history(3, 41)
  const journal = new SlowJournal('group', 1_000)
  journal.events(events.slice(0, 40))
  expect(journal.waitsMs).toEqual([SYNC_MS])
  journal.disk.nowMs += 3_600_000
  journal.events(events.slice(40))
  expect(journal.waitsMs).toEqual([SYNC_MS, SYNC_MS])
})

test('without syncs no wait is told, at the ends of segments neither', () => {
  const journal = new SlowJournal('off', 1_000)
  for (const event of history(3, 40)) journal.events([event])
  expect(journal.waitsMs).toEqual([])
})
