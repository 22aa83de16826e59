import { expect, test } from 'vitest'
import type { Gap } from '../../../src/events/event.ts'
import { created, swap } from '../../oracle/fixtures.ts'
import { engineOf } from '../../store/restoring.ts'

const gap = (state: Gap['state'], fromSlot: number, toSlot: number): Gap => ({
  ...{ type: 'gap', state, fromSlot, toSlot, timestamp: 1_700_000_000 },
})

test('complete tokens are those whose creation was seen behind all that was not', () => {
  const engine = engineOf('event')
  const counted = () => {
    engine.complete.look()
    return engine.complete.count
  }
  expect(counted()).toBe(0)
  engine.events([gap('lost', 0, 1_000)])
  for (const n of [1, 2, 3]) {
    const place = { mint: `mint ${n}`, slot: 1_000 + n, signature: `created ${n}` }
    engine.accept(created(place))
  }
  engine.accept(swap({ mint: 'old', slot: 1_004, signature: 'swap' }))
  expect(counted()).toBe(3)
  engine.accept(gap('open', 1_002, 1_002))
  expect(counted()).toBe(1)
  engine.accept(gap('filled', 1_002, 1_002))
  expect(counted()).toBe(3)
})

test('a large market is counted in rounds, and shown as of the last whole one', () => {
  const engine = engineOf('event')
  for (let n = 0; n < 25_000; n++)
    engine.accept(created({ mint: `mint ${n}`, slot: 1_000 + n, signature: `created ${n}` }))
  engine.complete.look()
  expect(engine.complete.count).toBe(0)
  engine.complete.look()
  expect(engine.complete.count).toBe(25_000)
})
