import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { countedFile } from './counted-file.ts'

/** The real disk, which counts the files that are open. */
export class CountingDisk extends NodeDisk {
  opened = 0

  override open(path: string): DiskFile {
    const file = super.open(path)
    this.opened += 1
    return countedFile(file, () => (this.opened -= 1))
  }
}
