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
