import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { writeWhole } from '../../../src/store/folder/data-folder.ts'
import { newFolder } from '../../new-folder.ts'

const UNSYNCED_BYTES_MAX = 8 << 20

/** A disk whose files tell how many of their bytes lay in memory alone, at most. */
class CountingDisk extends NodeDisk {
  mostUnsyncedBytes = 0
  unsyncedBytes = 0

  override create(path: string): DiskFile {
    const file = super.create(path)
    const { append, sync } = { append: file.append.bind(file), sync: file.sync.bind(file) }
    file.append = (bytes) => {
      const taken = append(bytes)
      this.unsyncedBytes += taken
      this.mostUnsyncedBytes = Math.max(this.mostUnsyncedBytes, this.unsyncedBytes)
      return taken
    }
    file.sync = () => {
      sync()
      this.unsyncedBytes = 0
    }
    return file
  }
}

test('a long file is made to last piece by piece while it is written, and holds the same bytes', () => {
  const folder = newFolder()
  const disk = new CountingDisk()
  const lengths = [3, UNSYNCED_BYTES_MAX, 0, 3 * UNSYNCED_BYTES_MAX + 7, UNSYNCED_BYTES_MAX - 10, 9]
  const views = lengths.map((length, i) => new Uint8Array(length).fill(i + 1))
  const path = join(folder, 'long')
  writeWhole(disk, folder, path, (append) => {
    for (const view of views) append(view)
  })
  expect(fs.readFileSync(path).equals(Buffer.concat(views))).toBe(true)
  expect(disk.unsyncedBytes).toBe(0)
  expect(disk.mostUnsyncedBytes).toBe(UNSYNCED_BYTES_MAX)
})
