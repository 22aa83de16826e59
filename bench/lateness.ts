/** p99 of how late a driver may send, after the time it meant to. */
const LATENESS_P99 = { percent: 99, maxMs: 1 }

/** The mark of a line whose driver sent too late at this percentile, or nothing. */
export function latenessMark(
  latenessMs: number,
  allowed: { readonly percent: number; readonly maxMs: number } = LATENESS_P99,
): { readonly late?: string } {
  const { percent, maxMs } = allowed
  if (latenessMs <= maxMs) return {}
  return { late: `driver sent ${latenessMs.toFixed(3)} ms late (p${percent}), allowed ${maxMs} ms` }
}
