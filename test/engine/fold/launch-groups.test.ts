import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { USDC_MINT } from '../../../src/events/platform.ts'
import { copyParts } from '../../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { byLength } from '../../lengths.ts'
import { firstDifference } from '../../model/difference.ts'
import { checkAll } from '../../model/full-check.ts'
import { mintChecks } from '../../model/light-check.ts'
import { Pair } from '../../model/pair.ts'
import { created, migrated, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

const FIRST_SLOT = 1_000
/** Creation slot, the one after it, and one that is no launch slot any more. */
const SLOTS = 3
const SIGNERS = [
  'alice',
  'bob',
  'carol',
  'dave',
  'erin',
  'creator',
  'curve',
  'other curve',
] as const
/** Some have bought before it is known what they are. A creator has a key, and a pool has none. */
const POOLS = ['alice', 'bob', 'other curve', 'pool'] as const
/** Around the 0.05 SOL that make a bundler, alone or together. */
const LAMPORTS = [1n, 24_999_999n, 25_000_000n, 49_999_999n, 50_000_000n, 60_000_000n] as const
/** More than there are groups kept. */
const OTHER_MINTS = 80
/** Behind so many events of others the mint is looked at too: the oracle folds all of them anew each time. */
const OTHERS_BETWEEN = 8

test('who bundles in a launch slot is the same however its swaps come, and from whatever they go on', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 2, max: 40 }),
      fc.boolean(),
      (seed, count, isCrowded) => {
        const random = new Random(seed)
        const events = story(random, count, isCrowded)
        const pair = checkedFrom(events, random.integer(0, events.length - 1))
        expect(checkAll(pair, seed)).toBeNull()
      },
    ),
    { numRuns: Number(process.env.RUNS ?? byLength(15, 150)) },
  )
})

const enough = (txIndex: number, over: Partial<Swap> = {}) =>
  swap({ slot: FIRST_SLOT, txIndex, quoteRaw: 60_000_000n, ...over })
const isPool = { source: 'pump_amm', pool: 'alice' } as const

test.each<readonly [string, readonly FeedEvent[]]>([
  ['turns out to be a pool', [enough(1), migration('alice', 0, 2), enough(3, { signer: 'bob' })]],
  ['is the pool of the next swap', [enough(1), enough(2, { signer: 'bob', ...isPool })]],
  [
    'is the pool that a third one names',
    [
      enough(1),
      enough(2, { signer: 'bob' }),
      enough(3, { signer: 'carol', quoteRaw: 1n, ...isPool }),
    ],
  ],
  ['bought for too little', [enough(1, { quoteRaw: 1n }), enough(2, { signer: 'bob' })]],
])('who buys beside one who %s is judged alike from whatever it goes on', (_, events) => {
  const launch = [created({ slot: FIRST_SLOT }), ...events]
  for (const loadedAt of launch.keys()) checkedFrom(launch, loadedAt)
})

/** Holds both a state and one that is loaded from it amid the events to the oracle. */
function checkedFrom(events: readonly FeedEvent[], loadedAt: number): Pair {
  const pair = new Pair('event')
  pair.apply(price(150))
  const loaded = usedEngine()
  for (const [at, event] of events.entries()) {
    if (at === loadedAt) copyParts(pair.engine.parts, loaded.parts)
    pair.apply(event)
    if (at >= loadedAt) loaded.accept(event)
    const isItsOwn = 'mint' in event && event.mint === 'mint'
    if (isItsOwn || at % OTHERS_BETWEEN === 0)
      expect(firstDifference(mintChecks(pair, 'mint')), event.type).toBeNull()
  }
  expect(stateDigest(loaded.parts)).toBe(stateDigest(pair.engine.parts))
  return pair
}

/** It has groups of its own of a mint with the same number, in the same slots. */
function usedEngine(): Engine {
  const { engine } = new Pair('event')
  const own = { signer: 'somebody', quoteRaw: 60_000_000n, slot: FIRST_SLOT }
  for (const event of [price(150), created({ slot: FIRST_SLOT }), swap(own)]) engine.accept(event)
  return engine
}

/** The launch of a mint, told in order but for some late events; `isCrowded`: among many others. */
function story(random: Random, count: number, isCrowded: boolean): FeedEvent[] {
  const creations = random.chance(0.9) ? [creation(random)] : []
  const others = isCrowded ? Array.from({ length: OTHER_MINTS }, (_, i) => buyOf(`mint ${i}`)) : []
  const houses = random.chance(0.5)
    ? [migration(random.pick(POOLS), random.integer(0, SLOTS - 1), random.integer(0, 2_000))]
    : []
  const events = [...creations, ...trades(random, count), ...others, ...houses]
  const arriving = events.map((event) => {
    const late = random.chance(0.2) ? random.integer(1, SLOTS) : 0
    return { event, at: event.slot + late + random.integer(0, 999) / 1_000 }
  })
  return arriving.sort((a, b) => a.at - b.at).map(({ event }) => event)
}

function creation(random: Random) {
  const quoteMint = random.chance(0.2) ? { quoteMint: USDC_MINT } : {}
  return { ...created({ slot: FIRST_SLOT, ...quoteMint }), slot: FIRST_SLOT }
}

function migration(poolAmm: string, slotsLater: number, txIndex: number) {
  const slot = FIRST_SLOT + slotsLater
  return { ...migrated({ slot, txIndex, poolAmm, timestamp: START_SECOND + 4 }), slot }
}

/** Some of them of the transaction of the one before. */
function trades(random: Random, count: number): (Swap & { slot: number })[] {
  const made: (Swap & { slot: number })[] = []
  for (let i = 0; i < count; i += 1) {
    const before = made.at(-1)
    const slot = FIRST_SLOT + random.integer(0, SLOTS - 1)
    const own = {
      signer: random.pick(SIGNERS),
      direction: random.chance(0.75) ? 'buy' : 'sell',
      quoteRaw: random.pick(LAMPORTS),
      pool: random.chance(0.1) ? 'other curve' : 'curve',
      timestamp: START_SECOND + 4,
    } as const
    if (before !== undefined && random.chance(0.15)) {
      const { signature, txIndex } = before
      const ordinal = (before.ordinal ?? 0) + 1
      made.push({ ...swap({ ...own, signature, txIndex, ordinal }), slot: before.slot })
    } else made.push({ ...swap(own), slot })
  }
  return made
}

function buyOf(mint: string) {
  return { ...swap({ mint, signer: `buyer of ${mint}` }), slot: FIRST_SLOT + 1 }
}
