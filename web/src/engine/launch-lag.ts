import { signal } from '@preact/signals'
import type { LaunchUpdate, Subscription } from '../../../client/src/mintfeed.ts'
import { live } from '../feed/connection.ts'

/** Lags kept for the plot. */
const LAGS_MAX = 300

/** From the second of a token's creation to its news on this page, by this machine's clock; oldest first. */
export const lagsMs = signal<readonly number[]>([])

/** Follows launches until the returned function is called. */
export function followLag(): () => void {
  const subscription = live.launches({ snapshot: true })
  void readLags(subscription)
  return () => subscription.close()
}

async function readLags(subscription: Subscription<LaunchUpdate>): Promise<void> {
  for await (const update of subscription) {
    if (update.kind !== 'event' || update.lagMs === null) continue
    lagsMs.value = [...lagsMs.value, update.lagMs].slice(-LAGS_MAX)
  }
}
