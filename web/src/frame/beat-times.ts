/** Numbers are drawn anew at most this often, in ms. The service sends tables every 250 ms. */
export const BEAT_MS = 100
/** What is only glanced at is drawn anew at most this often, in ms; a multiple of the beat. */
export const SLOW_BEAT_MS = 500

/** The first multiple of `everyMs` after `nowMs`. */
export function boundaryAfter(nowMs: number, everyMs: number): number {
  return (Math.floor(nowMs / everyMs) + 1) * everyMs
}
