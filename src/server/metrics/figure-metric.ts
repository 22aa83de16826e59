/** A figure of `/readyz` as Prometheus has it: in base units, its unit last. */
interface FigureMetric {
  /** Without the prefix of all metrics. */
  readonly name: string
  /** How many of the figure's units are one of the metric's. */
  readonly divisor: number
}

const MS_PER_S = 1000

/** Figures whose unit does not stand last. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  feed_seconds_behind: 'feed_behind_seconds',
}

/** Units of figures that are no base units, and what takes their place. */
const UNITS = [
  { suffix: '_ms', base: '_seconds', divisor: MS_PER_S },
  { suffix: '_percent', base: '_ratio', divisor: 100 },
]

/** https://prometheus.io/docs/practices/naming: seconds and ratios, whatever people read elsewhere. */
export function metricOf(figure: string): FigureMetric {
  const name = OTHER_NAMES[figure]
  if (name !== undefined) return { name, divisor: 1 }
  const unit = UNITS.find(({ suffix }) => figure.endsWith(suffix))
  if (unit === undefined) return { name: figure, divisor: 1 }
  return { name: figure.slice(0, -unit.suffix.length) + unit.base, divisor: unit.divisor }
}

/**
 * Figures that were metrics under their own names up to version 0.9.24. They are told beside the new ones for one
 * version, so that alerts and boards can be changed after the upgrade; then this list goes.
 */
export const FORMER_NAMES: ReadonlySet<string> = new Set([
  'feed_pumpportal_continuity_percent',
  'feed_seconds_behind',
  'feed_slot_ms',
  'gc_pause_max_ms',
  'journal_sync_longest_ms',
  'journal_sync_p50_ms',
  'journal_sync_p99_ms',
  'loop_delay_max_ms',
  'loop_delay_now_ms',
  'loop_delay_p99_ms',
  'snapshot_duration_ms',
])
