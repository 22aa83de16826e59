import { expect, test } from 'vitest'
import { EngineHydration } from '../../../src/app/feeds/engine-hydration.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { created, migrated, swap, tokenState } from '../../oracle/fixtures.ts'

test('wanted are followed mints, then those asked for, then those in tables', () => {
  const engine = new Engine({ clock: 'event' })
  const answers = new EngineQueries(engine, () => {})
  const reads = { followed: () => ['followed'], asked: () => answers.unseen.mints() }
  const market = new EngineHydration(() => engine, reads)
  for (const mint of ['a', 'b', 'c', 'followed']) engine.accept(swap({ mint }))
  engine.accept(migrated({ mint: 'd', poolAmm: 'pool' }))
  engine.accept(created({ mint: 'new', slot: 111, signature: 'new' }))
  for (const mint of ['b', 'a', 'new', 'nobody']) answers.detail(mint)
  const [followed, ...others] = market.wanted()
  expect(followed).toBe('followed')
  // The last one asked for comes first; of what is known whole nothing is remembered.
  expect(others.slice(0, 2)).toEqual(['a', 'b'])
  expect(new Set(others.slice(2))).toEqual(new Set(['a', 'b', 'c', 'd', 'followed', 'new']))
})

test('a token is unknown until its creation or its largest holders are told', () => {
  const engine = new Engine({ clock: 'event' })
  const market = new EngineHydration(() => engine, { followed: () => [], asked: () => [] })
  expect(market.isUnknown('mint')).toBe(false)
  engine.accept(swap())
  expect(market.isUnknown('mint')).toBe(true)
  engine.accept(tokenState())
  expect(market.isUnknown('mint')).toBe(true)
  engine.accept(tokenState({ hasLargestHolders: true }))
  expect(market.isUnknown('mint')).toBe(false)
  engine.accept(swap({ mint: 'other' }))
  engine.accept(created({ mint: 'other', slot: 1, signature: 'other' }))
  expect(market.isUnknown('other')).toBe(false)
})
