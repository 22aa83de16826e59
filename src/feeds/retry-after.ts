/** A wait that a server names is believed up to this; timers take far longer ones for none. */
const WAIT_MS_MAX = 3_600_000

/**
 * The ms for which a server wants to be left alone, an hour at most; 0: no wait that can be read. `Retry-After` has
 * seconds or a date (RFC 9110, 10.2.3), which counts from the answer's `Date`: this machine's clock may be wrong.
 */
export function retryAfterMs(retryAfter = '', date = ''): number {
  const seconds = Number(retryAfter)
  const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.parse(date) : seconds * 1_000
  return waitMs > 0 ? Math.min(waitMs, WAIT_MS_MAX) : 0
}
