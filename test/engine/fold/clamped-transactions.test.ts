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
const MINTS = ['mint', 'other'] as const
const SIGNERS = ['alice', 'bob', 'carol'] as const

test('inventories follow the balance after a transaction of many swaps, whichever of them comes late', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 8 }), (seed, transactions) => {
      const random = new Random(seed)
      const pair = new Pair('event')
      expect(follow(pair, story(random, transactions))).toBeNull()
      expect(checkAll(pair, seed)).toBeNull()
    }),
    { numRuns: byLength(10, 100) },
  )
})

test('inventories of sixteen positions in one transaction are clamped each for itself', () => {
  const events = Array.from({ length: 48 }, (_, ordinal) =>
    swap({
      ...{ slot: FIRST_SLOT, txIndex: 1, ordinal, signature: 'one for all' },
      ...{ signer: `wallet ${ordinal % 16}`, quoteRaw: BigInt(ordinal + 1) * 1_000_000n },
      ...{ baseRaw: 100n, baseBalanceAfterRaw: 130n },
    }),
  )
  const pair = new Pair('event')
  expect(follow(pair, [price(150), created(), ...events])).toBeNull()
  expect(checkAll(pair, 1)).toBeNull()
})

/** Transactions one after the other, their swaps in any order; some swaps come behind later transactions. */
function story(random: Random, transactions: number): FeedEvent[] {
  const swaps = Array.from({ length: transactions }, (_, i) => transaction(random, i)).flat()
  const arriving = swaps.map((event, i) => ({ event, at: i + random.integer(0, 5) }))
  arriving.sort((a, b) => a.at - b.at)
  const creations = MINTS.map((mint) => created({ mint, slot: FIRST_SLOT - 60 }))
  return [price(150), ...creations, ...arriving.map(({ event }) => event)]
}

/** Every swap tells the balance of its signer after all of them, which is mostly less than was bought. */
function transaction(random: Random, number: number): FeedEvent[] {
  const slot = FIRST_SLOT + number
  const left = new Map<string, bigint>()
  return Array.from({ length: random.integer(1, 6) }, (_, ordinal) => {
    const mint = random.pick(MINTS)
    const signer = random.pick(SIGNERS)
    const baseRaw = BigInt(random.integer(1, 1_000))
    const balance = left.get(mint + signer) ?? BigInt(random.pick([0, random.integer(0, 1_500)]))
    left.set(mint + signer, balance)
    return swap({
      ...{ slot, txIndex: 1, ordinal, signature: `transaction ${number}` },
      ...{ timestamp: START_SECOND + number, mint, signer, baseRaw },
      direction: random.chance(0.6) ? 'buy' : 'sell',
      quoteRaw: BigInt(random.integer(1, 10 ** 9)),
      ...(random.chance(0.8) && { baseBalanceAfterRaw: balance }),
    })
  })
}
