/** The market's clock, as feeds go by it. */
export interface FeedTime {
  /** Are events of a time refused now, as too far ahead of the clock? */
  readonly isAhead: (timestamp: number) => boolean
  /** Unix milliseconds. */
  readonly nowMs: () => number
}
