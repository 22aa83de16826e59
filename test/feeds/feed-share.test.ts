import { expect, test } from 'vitest'
import { noCounts } from '../../src/engine/progress.ts'
import { FeedShare } from '../../src/feed-setup/feed-share.ts'

function shareOf() {
  const total = { ...noCounts(), swaps: 5_000, lateRefused: 70 }
  const told: string[] = []
  let next = noCounts()
  const sink = {
    events: () => {
      total.swaps += next.swaps
      total.duplicates += next.duplicates
      total.lateRefused += next.lateRefused
    },
    records: () => {},
  }
  const share = new FeedShare(sink, total, () => told.push('foreign'))
  const take = (counts: Partial<typeof next>) => {
    next = { ...noCounts(), ...counts }
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
  expect(told).toEqual(['foreign'])
  expect(share.counts).toEqual({ ...noCounts(), swaps: 30, lateRefused: 6_200 })
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
  expect(told).toEqual(['foreign'])
})
