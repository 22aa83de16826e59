import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { USDC_MINT } from '../../src/events/platform.ts'
import { byLength } from '../lengths.ts'
import { created, swap } from '../oracle/fixtures.ts'
import { history } from '../oracle/histories.ts'

test('a token is told of with its creation, and by nothing else', () => {
  const amm = { source: 'pump_amm', pool: 'amm' } as const
  expect(createdAfter([created(), swap(), swap({ ...amm, slot: 111 })])).toEqual([1, 0, 0])
  expect(createdAfter([swap(), swap({ slot: 105 }), created()])).toEqual([0, 0, 1])
})

test('every history tells once of each token whose creation is in it', () => {
  for (let seed = 1; seed <= byLength(100, 500); seed += 1) {
    const events = history(seed, 60)
    const told = createdAfter(events)
    const mintsOf = (some: readonly FeedEvent[]) =>
      some.flatMap((event) => (event.type === 'token_created' ? [event.mint] : []))
    const mints = mintsOf(events.filter((_, i) => (told[i] ?? 0) > 0))
    expect(new Set(mints), `seed ${seed}`).toEqual(new Set(mintsOf(events)))
    expect(
      told.reduce((sum, count) => sum + count),
      `seed ${seed}`,
    ).toBe(mints.length)
    expect(new Set(mints).size, `seed ${seed}`).toBe(mints.length)
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
