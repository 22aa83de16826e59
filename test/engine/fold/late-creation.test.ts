import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { byLength } from '../../lengths.ts'
import { checkAll } from '../../model/full-check.ts'
import { Pair } from '../../model/pair.ts'
import { follow } from '../../mutants/story.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { USDC } from '../../oracle/market.ts'
import { Random } from '../../oracle/random.ts'

const FIRST_SLOT = 1_000
const SOL = 'So11111111111111111111111111111111111111112'

test('a creation told at any time, of any content, leaves one right answer', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 2, max: 20 }), (seed, count) => {
      const pair = new Pair('event')
      expect(follow(pair, story(new Random(seed), count))).toBeNull()
      expect(checkAll(pair, seed)).toBeNull()
    }),
    { numRuns: Number(process.env.RUNS ?? byLength(15, 150)) },
  )
})

test('who was taken for the curve is a holder again once the creation names another', () => {
  const pair = new Pair('event')
  const events = [
    swap({ pool: 'bob', signer: 'bob' }),
    swap({ pool: 'bob', signer: 'alice' }),
    created({ slot: 200, bondingCurve: 'curve' }),
  ]
  expect(follow(pair, events)).toBeNull()
  expect(checkAll(pair, 1)).toBeNull()
  expect(JSON.parse(pair.answers.marketData(['mint']))).toMatchObject([{ holders: 2 }])
})

/** Swaps of one mint and, somewhere among them, its creation: on time, late, or behind them. */
function story(random: Random, count: number): FeedEvent[] {
  const events: FeedEvent[] = random.chance(0.8) ? [price(150)] : []
  let slot = FIRST_SLOT
  for (let i = 0; i < count; i += 1) {
    slot += random.integer(0, 12)
    events.push(trade(random, slot - (random.chance(0.3) ? random.integer(0, 25) : 0)))
  }
  const createdSlot = FIRST_SLOT - random.pick([random.integer(0, 60), -random.integer(0, 30)])
  events.splice(random.integer(0, events.length), 0, creation(random, createdSlot))
  return events
}

function trade(random: Random, slot: number): FeedEvent {
  const zero = random.chance(0.1)
    ? random.pick<Partial<Swap>>([{ baseRaw: 0n }, { quoteRaw: 0n }])
    : {}
  return swap({
    slot,
    timestamp: START_SECOND + slot,
    // A pool that the creation says nothing of is the mint's curve until it comes.
    pool: random.pick(['curve', 'curve', 'bob']),
    signer: random.pick(['alice', 'bob', 'carol', 'creator', 'curve']),
    direction: random.chance(0.7) ? 'buy' : 'sell',
    quoteRaw: BigInt(random.integer(1, 2_000_000_000)),
    virtualQuoteRaw: BigInt(random.integer(4_000_000_000, 40_000_000_000)),
    realBaseRaw: BigInt(random.integer(1, 793)) * 10n ** 12n,
    platformFeeRaw: BigInt(random.integer(0, 1_000_000)),
    ...(random.chance(0.2) && { txIndex: null }),
    ...(random.chance(0.2) && { supplyRaw: 10n ** 15n - 7n }),
    ...(random.chance(0.2) && { solPriceUsd: random.integer(10_000, 30_000) / 137 }),
    ...(random.chance(0.3) && { quoteMint: random.pick([USDC, USDC, SOL, 'another quote']) }),
    ...zero,
  })
}

function creation(random: Random, slot: number): FeedEvent {
  return created({
    slot,
    txIndex: random.integer(0, 3),
    timestamp: START_SECOND + slot,
    realBaseRaw: random.pick([700n, 793n]) * 10n ** 12n,
    ...(random.chance(0.5) && { quoteMint: USDC }),
    ...(random.chance(0.3) && { decimals: 9 }),
    ...(random.chance(0.3) && { supplyRaw: 2n * 10n ** 15n }),
    ...(random.chance(0.2) && { creator: '' }),
  })
}
