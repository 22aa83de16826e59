/** A figure read at a time. */
export interface Sample {
  readonly atMs: number
  readonly value: number
}

/** Growth in an hour, and how far off it may be: one standard error. */
export interface Slope {
  readonly perHour: number
  readonly error: number
}

const MS_PER_HOUR = 3_600_000

/** How much a figure grows in an hour, by least squares; 0 for fewer than two samples. */
export function slopePerHour(samples: readonly Sample[]): number {
  return slopeOf(samples).perHour
}

/** The same with its error, which takes three samples to be known; else it is 0. */
export function slopeOf(samples: readonly Sample[]): Slope {
  if (samples.length < 2) return { perHour: 0, error: 0 }
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const meanMs = mean(samples.map(({ atMs }) => atMs))
  const meanValue = mean(samples.map(({ value }) => value))
  let rise = 0
  let run = 0
  for (const { atMs, value } of samples) {
    rise += (atMs - meanMs) * (value - meanValue)
    run += (atMs - meanMs) ** 2
  }
  if (run === 0) return { perHour: 0, error: 0 }
  const slope = rise / run
  const distances = samples.map(
    ({ atMs, value }) => (value - meanValue - slope * (atMs - meanMs)) ** 2,
  )
  const variance = (mean(distances) * samples.length) / Math.max(1, samples.length - 2)
  return { perHour: slope * MS_PER_HOUR, error: Math.sqrt(variance / run) * MS_PER_HOUR }
}

/**
 * The same where some samples stand far above the others, as what is under way at a moment does: the
 * median of the slopes between all pairs (Theil and Sen), whose error is half of what holds as many of
 * them as one standard error of Kendall's count of rising pairs.
 */
export function steadySlopeOf(samples: readonly Sample[]): Slope {
  const count = samples.length
  const slopes = samples.flatMap((one, index) =>
    samples
      .slice(index + 1)
      .filter(({ atMs }) => atMs !== one.atMs)
      .map((other) => (other.value - one.value) / (other.atMs - one.atMs)),
  )
  if (slopes.length === 0) return { perHour: 0, error: 0 }
  slopes.sort((a, b) => a - b)
  const reach = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18) / 2
  const at = (place: number) =>
    slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(place)))] * MS_PER_HOUR
  const middle = (slopes.length - 1) / 2
  const perHour = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2
  return { perHour, error: (at(middle + reach) - at(middle - reach)) / 2 }
}
