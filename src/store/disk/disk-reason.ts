import os from 'node:os'
import { StoreError } from './failure.ts'

/** What libuv calls an error of the system that it has no name for, as a quota that is used up. */
const NAMELESS = 'UNKNOWN: unknown error'

/** Why the disk refused, in the words of the system. */
export function diskReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!error.message.startsWith(NAMELESS)) return error.message
  const number = 'errno' in error && typeof error.errno === 'number' ? -error.errno : 0
  const [name] = Object.entries(os.constants.errno).find(([, value]) => value === number) ?? []
  return error.message.replace(NAMELESS, name ?? `error ${number} of the system`)
}

/** Is it what a call of the system was refused with, and so for the user to mend? */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

/** The disk refused what a start reads or writes. */
export function folderRefused(error: unknown, folder: string): StoreError {
  return new StoreError(
    'disk',
    `DATA_DIR ${folder} cannot be used (${diskReason(error)}): mend that, or give another DATA_DIR.`,
  )
}
