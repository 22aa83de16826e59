import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import { byLength } from '../../lengths.ts'
import { checkAll } from '../../model/full-check.ts'
import { Pair } from '../../model/pair.ts'
import { follow } from '../../mutants/story.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

const FIRST_SLOT = 1_000
const SUPPLIES = [1n, 10n ** 15n, 123_456_789_012_345_678n] as const

test('a creation told late passes its supply to the swaps before any was known', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 2, max: 20 }), (seed, count) => {
      const pair = new Pair('event')
      expect(follow(pair, story(new Random(seed), count))).toBeNull()
      expect(checkAll(pair, seed)).toBeNull()
    }),
    { numRuns: byLength(15, 150) },
  )
})

/**
 * Swaps of one mint, some of them late and few with a supply, and its creation somewhere among
 * them: too early to make snipers, now and then too late to be folded in its place.
 */
function story(random: Random, count: number): FeedEvent[] {
  const events: FeedEvent[] = [price(150)]
  let slot = FIRST_SLOT
  for (let i = 0; i < count; i += 1) {
    slot += random.integer(0, 12)
    const late = random.chance(0.3) ? random.integer(0, 25) : 0
    const supplyRaw = random.chance(0.2) ? { supplyRaw: random.pick(SUPPLIES) } : {}
    const timestamp = START_SECOND + slot
    events.push(swap({ slot: slot - late, txIndex: i + 1, timestamp, ...supplyRaw }))
  }
  const at = random.integer(1, events.length)
  events.splice(at, 0, creation(random, FIRST_SLOT - random.integer(30, 60)))
  return events
}

function creation(random: Random, slot: number): FeedEvent {
  const supplyRaw = random.chance(0.7) ? { supplyRaw: random.pick(SUPPLIES) } : {}
  return created({ slot, timestamp: START_SECOND + FIRST_SLOT - 60, ...supplyRaw })
}
