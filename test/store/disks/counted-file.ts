import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { boundFile } from './bound-file.ts'

/** A file that says once that it was closed. */
export function countedFile(file: DiskFile, onClose: () => void): DiskFile {
  return {
    ...boundFile(file),
    close: () => {
      onClose()
      file.close()
    },
  }
}
