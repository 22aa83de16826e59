import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WINDOWS } from '../../client/src/mintfeed.ts'
import { TRENDING_ORDERS } from '../../src/protocol/queries.ts'
import {
  isTrendingBy,
  parseTrendingView,
  TRENDING_BY,
  trendingViewText,
} from '../../web/src/trending/trending-view.ts'

test('every view of what trends is in its address, comes back from it, and is taken by the service', () => {
  const by = fc.constantFrom(...Object.keys(TRENDING_BY).filter(isTrendingBy))
  fc.assert(
    fc.property(fc.record({ window: fc.constantFrom(...WINDOWS), by }), (view) => {
      expect(parseTrendingView(trendingViewText(view))).toEqual(view)
      expect(TRENDING_ORDERS).toContain(view.by)
    }),
  )
  expect(Object.keys(TRENDING_BY).sort()).toEqual([...TRENDING_ORDERS].sort())
})

test('a foreign address shows the list that is shown first', () => {
  const first = { window: '5m', by: 'volume' }
  for (const search of ['', '?window=2m&by=constructor', '?by=', '?new.holders=1..'])
    expect(parseTrendingView(search)).toEqual(first)
})
