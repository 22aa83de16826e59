/** How the benchmark runs; environment variables set by the Makefile. */
export interface BenchSettings {
  /** Seed of the market, the filters and the send times. */
  readonly seed: number
  /** Factor of warm-ups and rounds: below 1 for a look at the mechanics, with wider spreads. */
  readonly timeScale: number
  /** Report lines whose driver was late as well, marked as such. */
  readonly showsLate: boolean
}

const WARM_MS = 3_000
const ROUND_MS = 600

export const settings: BenchSettings = {
  seed: Number(process.env.SEED || 1),
  timeScale: Number(process.env.TIME_SCALE || 1),
  showsLate: process.env.SHOW_LATE === 'on',
}

/** Driving before the first round that counts. */
export const warmMs = WARM_MS * settings.timeScale
/** One round that counts. */
export const roundMs = ROUND_MS * settings.timeScale
/** Pairs of rounds where rates are compared. */
export const PAIRS = 9
