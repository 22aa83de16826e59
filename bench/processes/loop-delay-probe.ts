/**
 * Loaded into the program (`--import`): answers every message of its parent with p99.9 of the loop's
 * delay since the last one, in ms.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const NANOSECONDS = 1e6

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  process.on('message', () => {
    process.send?.({ delayMs: delay.percentile(99.9) / NANOSECONDS })
    delay.reset()
  })
  process.channel?.unref()
}
