import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import type { DiskFile } from '../../src/store/disk/disk.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { history } from '../oracle/histories.ts'
import { begun, FOLDER, makeSnapshot, recovered, writtenFolder } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'
import { countedFile } from './disks/counted-file.ts'

/** Stay open while their tape is read: open-chunks.test.ts says how many. */
const CHUNK = /tape-|positions-/
const POLICIES: readonly Config['fsync'][] = ['group', 'always', 'off']

/** Counts the files that are open: a process that leaves some so has no descriptor left one day. */
class CountingDisk extends ImageDisk {
  opened = 0

  override create(path: string): DiskFile {
    return this.#counted(super.create(path), path)
  }

  override open(path: string): DiskFile {
    return this.#counted(super.open(path), path)
  }

  #counted(file: DiskFile, path: string): DiskFile {
    if (CHUNK.test(path)) return file
    this.opened += 1
    return countedFile(file, () => (this.opened -= 1))
  }
}

test.each(POLICIES)('of a journal the segment that is written is open alone, fsync %s', (fsync) => {
  const disk = new CountingDisk()
  const { journal, journaled } = begun(disk, { fsync, segmentBytes: 1_000 })
  for (const event of history(3, 40)) journaled.events([event])
  expect(listDataFiles(disk, FOLDER).segments.length).toBeGreaterThan(5)
  expect(disk.opened).toBe(1)
  journal.close()
  expect(disk.opened).toBe(0)
})

test('a compaction and a start leave no file open, whole or damaged', () => {
  const events = history(5, 300)
  const whole = writtenFolder({ events, segmentsAt: [100, 200], snapshotsAt: [2, 3] })
  const disk = new CountingDisk(whole)
  const { segments, snapshots } = listDataFiles(disk, FOLDER)
  makeSnapshot(disk, segments.length + 1)
  recovered(disk)
  expect(disk.opened).toBe(0)
  for (const { path } of snapshots.slice(-1)) disk.files.set(path, disk.bytesOf(path).slice(0, -9))
  disk.files.set(segments[2].path, disk.bytesOf(segments[2].path).slice(0, -9))
  recovered(disk)
  expect(disk.opened).toBe(0)
})
