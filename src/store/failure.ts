/** What the store tells when it cannot go on; `message` is a sentence a person can act on. */
export class StoreError extends Error {
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export type StoreErrorCode =
  /** Bytes that were once safe on the disk are not what was written. */
  | 'damaged'
  /** Files of a later version of the program. */
  | 'newer_version'
  /** Something that must be there is not. */
  | 'missing'
  /** Another process uses the folder. */
  | 'in_use'
  /** The disk refused: full, read-only, broken. */
  | 'disk'
