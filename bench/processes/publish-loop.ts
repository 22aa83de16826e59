/**
 * Publishes as fast as the readers take it: some trades a turn of the loop, and never more than a
 * window ahead of the slowest reader, whose count the parent hands on.
 */
import { setImmediate } from 'node:timers/promises'
import { onParent } from '../child.ts'

/** Messages ahead of the slowest reader at most; well below the feed's limit of 1 MiB unread. */
const AHEAD_MAX = 512

export function publishOnDemand(publish: (count: number) => void): void {
  let isRunning = false
  let published = 0
  let seen = 0
  let heard: (() => void) | null = null
  const run = async (perTurn: number) => {
    isRunning = true
    published = seen = 0
    while (isRunning) {
      if (published - seen > AHEAD_MAX) {
        await new Promise<void>((resolve) => {
          heard = resolve
        })
        continue
      }
      publish(perTurn)
      published += perTurn
      await setImmediate()
    }
  }
  onParent(({ perTurn, seen: count, stop }) => {
    if (perTurn !== undefined) void run(Number(perTurn))
    if (count !== undefined) seen = Number(count)
    if (stop !== undefined) isRunning = false
    heard?.()
    heard = null
  })
}
