import { diskReason } from '../disk/disk-reason.ts'
import { StoreError } from '../disk/failure.ts'

/** The disk refused a journal that was being written: it is over. */
export function journalRefused(error: unknown, folder: string): StoreError {
  if (error instanceof StoreError) return error
  return new StoreError(
    'disk',
    `The disk refused the journal (${reasonAt(error, folder)}): no events are taken until the program ` +
      'is started anew with a disk that works; reads go on.',
  )
}

/** The disk refused to begin one. */
export function journalNotBegun(error: unknown, folder: string): StoreError {
  if (error instanceof StoreError) return error
  return new StoreError(
    'disk',
    `The disk refused to begin the journal (${reasonAt(error, folder)}): mend that, or give another ` +
      'DATA_DIR.',
  )
}

/** A write and a sync do not tell where. */
function reasonAt(error: unknown, folder: string): string {
  const reason = diskReason(error)
  return reason.includes(folder) ? reason : `${reason}, in ${folder}`
}
