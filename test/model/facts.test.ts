import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/engine/event.ts'
import { USDC_MINT } from '../../src/engine/platform.ts'
import { created, swap } from '../oracle/fixtures.ts'
import { history } from '../oracle/histories.ts'

test('a token is told of when it is first heard of, and again only with its creation', () => {
  const amm = { source: 'pump_amm', pool: 'amm' } as const
  expect(createdAfter([created(), swap(), swap({ ...amm, slot: 111 })])).toEqual([1, 0, 0])
  expect(createdAfter([swap(), swap({ slot: 105 }), created()])).toEqual([1, 0, 1])
})

test('no history tells of a token by two swaps', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const events = history(seed, 60)
    const told = createdAfter(events)
    const bySwap = events.filter((event, i) => event.type === 'swap' && (told[i] ?? 0) > 0)
    const mints = bySwap.map((event) => ('mint' in event ? event.mint : ''))
    expect(new Set(mints).size, `seed ${seed}`).toBe(mints.length)
    expect(Math.max(...told), `seed ${seed}`).toBe(1)
  }
})

test('new prices are told of where a creation comes after trades and makes them with something else', () => {
  const repriced = (events: readonly FeedEvent[]) => countsAfter('repriced', events)
  const usdc = created({ quoteMint: USDC_MINT })
  expect(repriced([swap(), created({ decimals: 9 })])).toEqual([0, 1])
  // Far later than an event is folded in its place, and in it.
  expect(repriced([swap(), swap({ slot: 999 }), usdc])).toEqual([0, 0, 1])
  expect(repriced([swap(), swap({ slot: 120 }), usdc])).toEqual([0, 0, 1])
  expect(repriced([usdc, swap(), swap()])).toEqual([0, 0, 0])
  expect(repriced([swap(), created(), usdc])).toEqual([0, 0, 0])
})

/** How many `created` facts each event caused. */
function createdAfter(events: readonly FeedEvent[]): number[] {
  return countsAfter('created', events)
}

/** How many facts of a kind each event caused. */
function countsAfter(kind: 'created' | 'repriced', events: readonly FeedEvent[]): number[] {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  let count = 0
  engine.facts.on(kind, () => {
    count += 1
  })
  return events.map((event) => {
    const before = count
    engine.accept(event)
    return count - before
  })
}
