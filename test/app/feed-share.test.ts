import { expect, test } from 'vitest'
import { SlotlessShare } from '../../src/app/intake-log.ts'
import { FeedShare } from '../../src/app/service.ts'
import { Progress } from '../../src/engine/order/progress.ts'
import type { FeedEvent, Swap } from '../../src/events/event.ts'
import { START_SECOND, swap } from '../oracle/fixtures.ts'

const NONE = new Progress().counts

function shareOf() {
  const total = { ...NONE, swaps: 5_000, lateRefused: 70 }
  const told: string[] = []
  let next = NONE
  const service = {
    engine: { counts: total },
    events: () => {
      total.swaps += next.swaps
      total.duplicates += next.duplicates
      total.lateRefused += next.lateRefused
    },
    records: () => {},
  }
  const share = new FeedShare(service, (foreign) => told.push(foreign))
  const take = (counts: Partial<typeof next>) => {
    next = { ...NONE, ...counts }
    share.events([])
  }
  return { share, told, take }
}

test('a feed whose first thousand swaps are nearly all late is told once, before it ends', () => {
  const { share, told, take } = shareOf()
  take({ lateRefused: 600, swaps: 30 })
  expect(told).toEqual([])
  take({ lateRefused: 600 })
  take({ lateRefused: 5_000 })
  share.ended()
  expect(told).toEqual(['late'])
  expect(share.counts).toEqual({ ...NONE, swaps: 30, lateRefused: 6_200 })
})

test('a feed that comes again, or is late later on, is not told', () => {
  const again = shareOf()
  again.take({ duplicates: 2_000, lateRefused: 100 })
  again.share.ended()
  const later = shareOf()
  later.take({ swaps: 900, duplicates: 50, lateRefused: 50 })
  later.take({ lateRefused: 90_000 })
  later.share.ended()
  const empty = shareOf()
  empty.share.ended()
  expect([...again.told, ...later.told, ...empty.told]).toEqual([])
})

test('a short feed is judged when it ends', () => {
  const { share, told, take } = shareOf()
  take({ lateRefused: 3 })
  expect(told).toEqual([])
  share.ended()
  expect(told).toEqual(['late'])
})

function slotlessShareOf(newestSeconds: number) {
  const total = { ...NONE }
  const told: string[] = []
  const service = {
    engine: { counts: total },
    events: (batch: readonly FeedEvent[]) => {
      total.swaps += batch.length
    },
    records: () => {},
  }
  const slotless = new SlotlessShare((mint) => mint === 'held', newestSeconds)
  const share = new FeedShare(service, (foreign) => told.push(foreign), slotless)
  const take = (count: number, over: Partial<Swap>) =>
    share.events(Array.from({ length: count }, () => swap({ slot: null, ...over })))
  return { share, told, take }
}

test('swaps without slots of tokens that the folder had not are told once, before the feed ends', () => {
  const { share, told, take } = slotlessShareOf(0)
  take(5, { mint: 'held' })
  take(100 - 6, { mint: 'other' })
  expect(told).toEqual([])
  take(1, { mint: 'other' })
  take(1_000, { mint: 'other' })
  share.ended()
  expect(told).toEqual(['slotless'])
})

test('swaps without slots that are older than what the folder holds are told, those that go on are not', () => {
  for (const [seconds, expected] of [
    [START_SECOND + 3_600, ['slotless']],
    [START_SECOND, []],
  ] as const) {
    const { share, told, take } = slotlessShareOf(seconds)
    take(3, { mint: 'held' })
    share.ended()
    expect(told).toEqual(expected)
  }
})

test('swaps with slots are not judged by their tokens', () => {
  const { share, told, take } = slotlessShareOf(START_SECOND + 3_600)
  take(200, { slot: 7, mint: 'other' })
  share.ended()
  expect(told).toEqual([])
})
