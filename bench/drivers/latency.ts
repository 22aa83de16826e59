import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

const LONGEST_NS = 60e9
const FIGURES = 3

/** An HDR histogram of nanoseconds, three figures exact up to a minute. */
export function latencyHistogram(): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: LONGEST_NS, figures: FIGURES })
}

export function recordMs(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.min(LONGEST_NS, Math.max(1, Math.round(ms * 1e6))))
}
