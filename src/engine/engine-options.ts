import type { EngineSettings, Thresholds } from '../base/thresholds.ts'

export interface EngineOptions {
  readonly clock: EngineSettings['clock']
  readonly lateSlots?: number
  /** Swap identities remembered, a power of two. */
  readonly identities?: number
  readonly rules?: Partial<Thresholds>
  /** Records of the tape that leave memory together. */
  readonly tapeChunkRecords?: number
}

/** What leaves the engine by itself. Listeners must not throw and must not fold. */
export interface Facts {
  /** A new swap, by tape index; valid until the listener returns. */
  trade: (index: number) => void
  /** A token migrated. */
  migration: (token: number) => void
  /** The creation of a token was told: once, and not when a swap first names its mint. */
  created: (token: number) => void
  /** The prices of a token's trades are other ones, however old they are. */
  repriced: (token: number) => void
}
