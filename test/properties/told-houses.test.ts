import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Completed, FeedEvent } from '../../src/events/event.ts'
import { byLength } from '../lengths.ts'
import { type Check, firstDifference } from '../model/difference.ts'
import { checkAll } from '../model/full-check.ts'
import { mintChecks } from '../model/light-check.ts'
import { Pair } from '../model/pair.ts'
import { created, migrated, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'

const FIRST_SLOT = 1_000
/** Slots that an event comes late at most. */
const LATE_SLOTS_MAX = 25
const CURVES = ['curve', 'bob', 'carol'] as const
const POOLS = ['pool', 'pool', 'alice'] as const
const SIGNERS = ['alice', 'bob', 'carol', 'creator', 'curve', 'pool'] as const

test('of curves and pools that each event names differently, one is right, and no holder', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 2, max: 16 }), (seed, count) => {
      const pair = new Pair('event')
      for (const event of story(new Random(seed), count)) {
        pair.apply(event)
        expect(firstDifference(checksOf(pair)), event.type).toBeNull()
      }
      expect(checkAll(pair, seed)).toBeNull()
    }),
    { numRuns: Number(process.env.RUNS ?? byLength(10, 100)) },
  )
})

function* checksOf(pair: Pair): Generator<Check> {
  yield* mintChecks(pair, 'mint')
}

/** Swaps of one mint with its creation, completion and migration among them, some of them late. */
function story(random: Random, count: number): FeedEvent[] {
  const last = FIRST_SLOT + count * 6
  const slot = () => random.integer(FIRST_SLOT, last)
  const told = Array.from({ length: count }, () => trade(random, slot()))
  const others = [creation(random, slot()), completion(random, slot()), migration(random, slot())]
  const events = [...told, ...others.filter(() => random.chance(0.6))]
  const arriving = events.map((event) => {
    const late = random.chance(0.3) ? random.integer(1, LATE_SLOTS_MAX) : 0
    return { event, at: event.slot + late }
  })
  return arriving.sort((a, b) => a.at - b.at).map(({ event }) => event)
}

function trade(random: Random, slot: number) {
  const isAmm = random.chance(0.2)
  const event = swap({
    source: isAmm ? 'pump_amm' : 'pump',
    pool: random.pick(isAmm ? POOLS : CURVES),
    signer: random.pick(SIGNERS),
    direction: random.chance(0.7) ? 'buy' : 'sell',
    quoteRaw: BigInt(random.integer(1, 2_000_000_000)),
    timestamp: START_SECOND + slot,
  })
  return { ...event, slot }
}

function creation(random: Random, slot: number) {
  return { ...created({ bondingCurve: random.pick(CURVES), timestamp: START_SECOND + slot }), slot }
}

function completion(random: Random, slot: number): Completed & { slot: number } {
  return {
    type: 'completed',
    slot,
    txIndex: random.integer(0, 20),
    ordinal: 1,
    signature: 'complete',
    timestamp: START_SECOND + slot,
    mint: 'mint',
    bondingCurve: random.pick(CURVES),
  }
}

function migration(random: Random, slot: number) {
  const named = { bondingCurve: random.pick(CURVES), poolAmm: random.pick(POOLS) }
  return { ...migrated({ ...named, timestamp: START_SECOND + slot }), slot }
}
