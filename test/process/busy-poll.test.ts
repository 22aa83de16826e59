import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { BusyPoll } from '../../src/app/busy-poll.ts'

const REST_MS = 20

/** Milliseconds that the loop sleeps while a timer is waited for. */
async function sleptMs(): Promise<number> {
  const before = performance.eventLoopUtilization()
  await setTimeout(REST_MS)
  return performance.eventLoopUtilization(before).idle
}

test('a loop that is kept awake never sleeps, and sleeps again once it is not', async () => {
  const awake = new BusyPoll()
  onTestFinished(() => awake.stop())
  // One turn of the loop has to end before the kernel is no longer waited for.
  awake.start()
  await setTimeout(1)
  expect(await sleptMs()).toBe(0)
  awake.stop()
  await expect.poll(sleptMs).toBeGreaterThan(0)
})
