/** What the store tells when it cannot go on; `message` is a sentence a person can act on. */
export class StoreError extends Error {
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export type StoreErrorCode =
  /** Bytes that were once safe on the disk are not what was written. */
  | 'damaged'
  /** Files of a later version of the program. */
  | 'newer_version'
  /** Files of an older version that this program does not read any more. */
  | 'older_version'
  /** Something that must be there is not. */
  | 'missing'
  /** Another process uses the folder. */
  | 'in_use'
  /** The folder holds the chain and FEED is the simulator, or the other way round. */
  | 'other_market'
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
