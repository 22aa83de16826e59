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
