import { setTimeout as sleep } from 'node:timers/promises'

/** Looks every few milliseconds until the condition holds; the test's own time limit ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2)
}
