/** What a figure has to reach: at least or at most `limit`. */
export interface Goal {
  /** Which figure of the line is meant. */
  readonly of: 'ours' | 'ratio'
  readonly is: 'at least' | 'at most'
  readonly limit: number
}

/** One line of the result: what was measured, ours, and the peer of the same run if there is one. */
export interface Line {
  readonly what: string
  readonly unit: string
  readonly ours: number
  readonly peer?: { readonly name: string; readonly value: number }
  /** Median of ours / peer over the pairs of rounds; for times, of peer / ours where it says so. */
  readonly ratio?: number
  /** (greatest − least) / median, of the ratios when there is a peer, else of ours; percent. */
  readonly spreadPercent?: number
  readonly goal?: Goal
  /** What could not go faster. */
  readonly saturated?: string
  /** Why the figures are not worth reporting: the driver was late. */
  readonly late?: string
  /** More about the rounds, for the JSON alone. */
  readonly detail?: Readonly<Record<string, number>>
}

export type Verdict = 'met' | 'not met' | 'late' | ''

/** Whether a line reaches its goal; lines without one and lines of late drivers have no say. */
export function verdictOf(line: Line): Verdict {
  if (line.late !== undefined) return 'late'
  if (line.goal === undefined) return ''
  const value = line.goal.of === 'ratio' ? line.ratio : line.ours
  // A figure that could not be told is null in the JSON.
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'not met'
  const isReached =
    line.goal.is === 'at least' ? value >= line.goal.limit : value <= line.goal.limit
  return isReached ? 'met' : 'not met'
}

export function ratioAtLeast(limit: number): Goal {
  return { of: 'ratio', is: 'at least', limit }
}

export function ratioAtMost(limit: number): Goal {
  return { of: 'ratio', is: 'at most', limit }
}

export function atLeast(limit: number): Goal {
  return { of: 'ours', is: 'at least', limit }
}

export function atMost(limit: number): Goal {
  return { of: 'ours', is: 'at most', limit }
}
