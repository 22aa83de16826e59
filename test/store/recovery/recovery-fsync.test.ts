import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import type { NumberedFile } from '../../../src/store/folder/data-folder.ts'
import { RecoveryFsync } from '../../../src/store/recovery/recovery.ts'
import { newFolder } from '../../new-folder.ts'
import { boundFile } from '../disks/bound-file.ts'

/** The real disk, whose background syncs end when the test says so. */
class SlowDisk extends NodeDisk {
  readonly calls: string[] = []
  readonly pending: ((error: Error | null) => void)[] = []
  opened = 0
  /** A file that the disk refuses to close, as a network may. */
  unclosable = ''

  override open(path: string): DiskFile {
    const file = super.open(path)
    const name = basename(path)
    this.opened += 1
    return {
      ...boundFile(file),
      sync: () => {
        this.calls.push(`sync ${name}`)
        file.sync()
      },
      syncLater: (done) => {
        this.calls.push(`later ${name}`)
        this.pending.push(done)
      },
      close: () => {
        this.opened -= 1
        file.close()
        if (name === this.unclosable) throw new Error(`EIO, close ${name}`)
      },
    }
  }
}

let folder = ''
let files: NumberedFile[] = []
beforeEach(() => {
  folder = newFolder()
  files = [1, 2, 3].map((number) => {
    const name = `segment-${number}`
    const path = join(folder, name)
    writeFileSync(path, name)
    return { number, name, path }
  })
})

test('what was synced while the recovery went on is not synced again, what was not is', () => {
  const disk = new SlowDisk()
  const syncs = new RecoveryFsync(disk)
  syncs.begin(files.map(({ path }) => path))
  disk.pending.shift()?.(null)
  syncs.finish(folder, files)
  expect(disk.calls).toEqual([
    'later segment-1',
    'later segment-2',
    'sync segment-2',
    'sync segment-3',
  ])
  disk.pending.shift()?.(null)
  expect([disk.calls.length, disk.opened]).toEqual([4, 0])
})

test('a sync that failed in the background is told, and nothing is synced in its place', () => {
  const disk = new SlowDisk()
  const syncs = new RecoveryFsync(disk)
  syncs.begin(files.map(({ path }) => path))
  disk.pending.shift()?.(new Error('EIO'))
  expect(() => syncs.finish(folder, files)).toThrow('EIO')
  expect(disk.calls.filter((call) => call.startsWith('sync'))).toEqual([])
})

test('a file that cannot be closed in the background is told as one that cannot be synced, and ends nothing else', () => {
  const disk = new SlowDisk()
  disk.unclosable = 'segment-1'
  const syncs = new RecoveryFsync(disk)
  syncs.begin(files.map(({ path }) => path))
  expect(() => disk.pending.shift()?.(null)).not.toThrow()
  disk.pending.shift()?.(null)
  expect(disk.calls).toEqual(['later segment-1', 'later segment-2', 'later segment-3'])
  expect(() => syncs.finish(folder, files)).toThrow('EIO, close segment-1')
})

test('a file that has gone meanwhile stops no other', () => {
  const disk = new SlowDisk()
  const syncs = new RecoveryFsync(disk)
  rmSync(files[0].path)
  syncs.begin(files.map(({ path }) => path))
  expect(disk.calls).toEqual(['later segment-2'])
  disk.pending.shift()?.(null)
  syncs.finish(folder, files.slice(1))
  expect(disk.calls).toEqual(['later segment-2', 'later segment-3', 'sync segment-3'])
})
