/** A part of a snapshot with all its bytes. */
export interface SavedPart {
  readonly name: string
  readonly facts: readonly number[]
  readonly bytes: Uint8Array
}
