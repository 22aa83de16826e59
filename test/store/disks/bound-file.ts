import type { DiskFile } from '../../../src/store/disk/disk.ts'

/** A file whose calls can be spread into another one, which answers some of them by itself. */
export function boundFile(file: DiskFile): DiskFile {
  return {
    size: () => file.size(),
    append: (bytes) => file.append(bytes),
    read: (into, position) => file.read(into, position),
    truncate: (size) => file.truncate(size),
    sync: () => file.sync(),
    syncLater: (done) => file.syncLater(done),
    close: () => file.close(),
  }
}
