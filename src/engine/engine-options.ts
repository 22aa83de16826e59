import type { Thresholds } from '../base/thresholds.ts'

/** What decides how events are folded; a journal keeps it beside them. */
export interface EngineSettings {
  /** `event`: now is the newest event time; `wall`: the owner moves it with `advance`. */
  readonly clock: 'event' | 'wall'
  /** Slots a swap may be late. */
  readonly lateSlots: number
  /** Thresholds other than the contract's; left out where there are none. */
  readonly rules?: Partial<Thresholds>
}

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
