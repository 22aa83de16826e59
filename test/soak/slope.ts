/** A figure read at a time. */
export interface Sample {
  readonly atMs: number
  readonly value: number
}

const MS_PER_HOUR = 3_600_000

/** How much a figure grows in an hour, by least squares; 0 for fewer than two samples. */
export function slopePerHour(samples: readonly Sample[]): number {
  if (samples.length < 2) return 0
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const meanMs = mean(samples.map(({ atMs }) => atMs))
  const meanValue = mean(samples.map(({ value }) => value))
  let rise = 0
  let run = 0
  for (const { atMs, value } of samples) {
    rise += (atMs - meanMs) * (value - meanValue)
    run += (atMs - meanMs) ** 2
  }
  return run === 0 ? 0 : (rise / run) * MS_PER_HOUR
}
