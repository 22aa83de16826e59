import type { Problem } from './problem.ts'

/** An answer of a read, or why there is none. */
export type Answer<T> = Read<T> | Unread

export interface Read<T> {
  readonly ok: true
  readonly data: T
  /**
   * `X-Mintfeed-Seq`: events that the service had taken; compares to the `position` of snapshots. A chart may be
   * up to 5 s older than it says.
   */
  readonly position: number | null
  /** `X-Mintfeed-Epoch`. */
  readonly epoch: string | null
}

export interface Unread {
  readonly ok: false
  readonly problem: Problem
}
