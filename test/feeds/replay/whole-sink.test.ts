import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { swapLine } from '../../../bench/example-line.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { StdinFeed } from '../../../src/feeds/replay/replay.ts'

test('lines wait while the sink has no room, and none is lost', async () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `${swapLine(index)}\n`)
  const taken: FeedEvent[] = []
  const room = Promise.withResolvers<void>()
  const feed = new StdinFeed({
    input: Readable.from([Buffer.from(lines.join(''))]),
    report: () => {},
    counters: newFeedCounters(),
    whenRoom: () => (taken.length > 0 ? room.promise : null),
  })
  const running = feed.start({ events: (batch) => void taken.push(...batch), records: () => {} })
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  const before = taken.length
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(lines.length)
  room.resolve()
  await running
  expect(taken).toHaveLength(lines.length)
})
