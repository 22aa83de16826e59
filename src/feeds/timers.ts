import { setTimeout as sleep } from 'node:timers/promises'

/** Events this far before the newest are of another recording; closer ones are only out of order. */
export const RECORDING_GAP_SECONDS = 60

/** Time as the live feeds see it; tests put a faster or a virtual one in its place. */
export interface Timers {
  /** Milliseconds that never go back. */
  nowMs(): number
  /** Unix milliseconds. */
  wallMs(): number
  /** Calls back once after `delayMs`; the answer takes it back. */
  after(delayMs: number, call: () => void): () => void
}

export const REAL_TIMERS: Timers = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs)
    return () => clearTimeout(timer)
  },
}

/** setTimeout holds 31 bits of milliseconds; longer waits go in steps. */
const WAIT_MS_MAX = 86_400_000

/** Waits; resolves early when the signal aborts. */
export function waitFor(timers: Timers, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = timers.after(delayMs, done)
    signal.addEventListener('abort', done)
  })
}

/** Waits; ends early, without an error, when the signal says so. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + ms
  while (!signal.aborted) {
    const rest = until - performance.now()
    if (rest <= 0) return
    await sleep(Math.min(rest, WAIT_MS_MAX), undefined, { signal }).catch(() => {})
  }
}
