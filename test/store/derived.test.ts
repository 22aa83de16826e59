import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { created, price, START_SECOND, swap, twitter } from '../oracle/fixtures.ts'
import { crowd } from './crowd.ts'
import { differenceOf, engineOf, restored } from './restoring.ts'

const MINTS = ['first', 'second', 'third'] as const

function engineAfter(events: readonly FeedEvent[]): Engine {
  const engine = engineOf('event')
  for (const event of events) engine.accept(event)
  return engine
}

const creations = MINTS.map((mint, i) =>
  created({ mint, slot: 100 + i, signature: mint, creator: mint }),
)
const links = MINTS.map((mint) => twitter(mint, 'https://x.com/same/status/1'))

test('how often a link was used before is known after loading, whatever the engine held', () => {
  const whole = engineAfter([...creations, ...links])
  const others = engineAfter([...creations, ...links, twitter('first', '')])
  for (const into of [engineOf('event'), engineAfter([...links, ...creations]), others]) {
    const loaded = restored(whole, into)
    const uses = MINTS.map((mint) => loaded.links.reusesOf(loaded.state.book.findToken(mint)))
    expect(uses).toEqual([0, 1, 2])
  }
})

test('rows that were answered before a load are not answered after it', () => {
  const [events, others] = [crowd(1, 100), crowd(2, 100)]
  const [whole, into] = [engineAfter(events), engineAfter(others)]
  const answers = new EngineQueries(into, () => {})
  const tables = (from: EngineQueries) => from.tables({ type: 'all', filters: {}, limit: 50 })
  const before = tables(answers)
  restored(whole, into)
  expect(tables(answers)).not.toBe(before)
  expect(tables(answers)).toBe(tables(new EngineQueries(whole, () => {})))
})

test('the ten largest are those of the loaded balances, not of what was read before', () => {
  const [events, others] = [crowd(1, 100), crowd(2, 100)]
  const [whole, into] = [engineAfter(events), engineAfter(others)]
  const before = into.top.sum(0)
  const expected = whole.top.sum(0)
  expect(before).not.toBe(expected)
  expect(restored(whole, into).top.sum(0)).toBe(expected)
})

test('the newest event is told by the time it happened at, also after loading, and by no price or metadata', () => {
  const at = (seconds: number) => ({ timestamp: START_SECOND + seconds })
  const whole = engineAfter([
    { ...price(150), ...at(90) },
    swap({ mint: 'first', slot: 101, signature: 'a', ...at(40) }),
    swap({ mint: 'first', slot: 102, signature: 'b', ...at(30) }),
    twitter('first', 'https://x.com/same/status/1'),
  ])
  expect(engineOf('event').newestEventSeconds).toBe(0)
  expect(whole.newestEventSeconds).toBe(START_SECOND + 40)
  // The newest on the tape: the other may lie on the disk.
  expect(restored(whole, engineOf('event')).newestEventSeconds).toBe(START_SECOND + 30)
})

test('tokens that graduated in another order than they were created stay in that order', () => {
  const graduations = MINTS.toReversed().map(
    (mint, i): FeedEvent => ({
      type: 'migrated',
      slot: 120 + i,
      txIndex: 0,
      ordinal: 0,
      signature: `out ${mint}`,
      timestamp: START_SECOND,
      mint,
      bondingCurve: 'curve',
      poolAmm: `pool ${mint}`,
    }),
  )
  const whole = engineAfter([...creations, ...graduations])
  const loaded = restored(whole, engineOf('event'))
  expect(loaded.order.graduated.tokens).toEqual([2, 1, 0])
  expect(loaded.order.new.tokens).toEqual([])
  expect(loaded.order.completing.tokens).toEqual([])
})

test('an engine can be loaded again and again', () => {
  const [first, second] = [engineAfter(crowd(1, 100)), engineAfter(crowd(2, 150))]
  const into = engineOf('event')
  for (let i = 0; i < 6; i += 1) {
    expect(differenceOf(restored(first, into), first, crowd(1, 100))).toBeNull()
    expect(differenceOf(restored(second, into), second, crowd(2, 150))).toBeNull()
  }
})
