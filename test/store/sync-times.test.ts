import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { DiskFile } from '../../src/store/disk.ts'
import { Journal } from '../../src/store/journal.ts'
import { JournaledEngine } from '../../src/store/journaled-engine.ts'
import { history } from '../oracle/histories.ts'
import { BOOT, EPOCH, FOLDER } from './damage/folder.ts'
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

test.each(['group', 'always'] as const)('how long a sync took is told, fsync %s', (fsync) => {
  const disk = new SlowDisk()
  const waitsMs: number[] = []
  const journal = new Journal(
    {
      ...{ disk, folder: FOLDER, fsync, epoch: EPOCH, boot: BOOT },
      clockMs: () => disk.nowMs,
      onSynced: (waitedMs) => waitsMs.push(waitedMs),
      onFailure: () => {},
    },
    { seq: 0, crc: 0, segment: 0 },
  )
  const journaled = new JournaledEngine(new Engine({ clock: 'event' }), journal)
  for (const event of history(3, 4)) journaled.events([event])
  expect(waitsMs).toEqual([SYNC_MS, SYNC_MS, SYNC_MS, SYNC_MS])
})
