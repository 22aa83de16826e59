/** p99 of how late a driver may send, after the time it meant to. */
const LATENESS_P99_MAX_MS = 1

/** The mark of a line whose driver sent too late, or nothing. */
export function latenessMark(
  latenessP99Ms: number,
  maxMs = LATENESS_P99_MAX_MS,
): { readonly late?: string } {
  if (latenessP99Ms <= maxMs) return {}
  return { late: `driver sent ${latenessP99Ms.toFixed(2)} ms late (p99), allowed ${maxMs} ms` }
}
