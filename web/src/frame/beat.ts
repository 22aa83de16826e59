import { BEAT_MS, boundaryAfter } from './beat-times.ts'

/**
 * The page is drawn on beats: whatever came meanwhile is shown together, in one frame. Between two
 * beats the browser has nothing to do, and a page that nobody sees has none at all.
 */

interface Waiter {
  readonly dueMs: number
  readonly resolve: () => void
}

/** One for each stream or cell that waits: what may be followed and drawn bounds them. */
let waiters: Waiter[] = []
let isTimed = false

/** Comes with the next frame that stands on a multiple of `everyMs`; in a hidden tab with the first that is seen. */
export function nextBeat(everyMs: number = BEAT_MS): Promise<void> {
  return new Promise((resolve) => {
    waiters.push({ dueMs: boundaryAfter(performance.now(), everyMs), resolve })
    time()
  })
}

function time(): void {
  if (isTimed || waiters.length === 0) return
  isTimed = true
  const nowMs = performance.now()
  setTimeout(() => requestAnimationFrame(serve), boundaryAfter(nowMs, BEAT_MS) - nowMs)
}

function serve(): void {
  isTimed = false
  const nowMs = performance.now()
  const due = waiters.filter(({ dueMs }) => dueMs <= nowMs)
  waiters = waiters.filter(({ dueMs }) => dueMs > nowMs)
  for (const { resolve } of due) resolve()
  time()
}
