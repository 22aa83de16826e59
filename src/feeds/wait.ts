import { setTimeout as sleep } from 'node:timers/promises'

/** setTimeout holds 31 bits of milliseconds; longer waits go in steps. */
const WAIT_MS_MAX = 86_400_000

/** Waits; ends early, without an error, when the signal says so. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + ms
  while (!signal.aborted) {
    const rest = until - performance.now()
    if (rest <= 0) return
    await sleep(Math.min(rest, WAIT_MS_MAX), undefined, { signal }).catch(() => {})
  }
}
