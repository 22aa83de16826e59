import os from 'node:os'

/** What libuv calls an error of the system that it has no name for, as a quota that is used up. */
const NAMELESS = 'UNKNOWN: unknown error'

/** Why the store cannot go on; `message` is a sentence a person can act on. */
export class StoreError extends Error {
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

type StoreErrorCode =
  /** Bytes that were once safe on the disk are not what was written. */
  | 'damaged'
  /** Files of a later version of the program. */
  | 'newer_version'
  /** A snapshot of an older version that this program does not read any more. */
  | 'older_version'
  /** Something that must be there is not. */
  | 'missing'
  /** Another process uses the folder. */
  | 'in_use'
  /** The folder holds the chain and FEED is the simulator, or the other way round. */
  | 'other_market'
  /** The instance of SEED_URL cannot give what this one needs. */
  | 'seed'
  /** It does not answer, or not to the end: that may pass. */
  | 'seed_unreached'
  /** It has a file no longer. */
  | 'seed_gone'
  /** Rules of alerts cannot be used. */
  | 'alerts'
  /** The replicated stream cannot be written, or is another one than the folder's. */
  | 'stream'
  /** Events that this program cannot fold, though it took them once; the cause says where. */
  | 'fault'
  /** The disk refused: full, read-only, broken. */
  | 'disk'

/** Why a file is left alone that a later program wrote. */
export function newerVersion(path: string): StoreError {
  return new StoreError(
    'newer_version',
    `${path} was written by a later version of mintfeed: start that version, or another DATA_DIR.`,
  )
}

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
