/** Who sold all and who handed tokens on, as engine and oracle judge it after every event. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { byLength } from '../lengths.ts'
import { checkAll } from '../model/full-check.ts'
import { Pair } from '../model/pair.ts'
import { follow } from '../mutants/story.ts'
import { balance, created, price, reserves, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'

const FIRST_SLOT = 1_000
const MINTS = ['mint', 'other'] as const
const WALLETS = ['creator', 'creator', 'alice'] as const
const SUPPLY = 10n ** 15n
const SOLD_ALL: TablesQuery = { type: 'new', filters: { new: { devSoldAll: true } }, limit: 9 }

/**
 * Follows the events; whose creator has sold all is the same on both sides after each of them. Returns whose
 * has in the end.
 */
function followAll(events: readonly FeedEvent[]): string[] {
  const pair = new Pair('event')
  for (const event of events) {
    expect(follow(pair, [event])).toBeNull()
    const expected = JSON.stringify(pair.oracle.tables(SOLD_ALL))
    expect(JSON.parse(pair.answers.tables(SOLD_ALL))).toEqual(JSON.parse(expected))
  }
  expect(checkAll(pair, 1)).toBeNull()
  return JSON.parse(pair.answers.tables(SOLD_ALL)).new.map(({ mint }: { mint: string }) => mint)
}

test('what leaves a creator is sold, burned or handed on, whatever of it comes late', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 8 }), (seed, count) => {
      followAll(story(new Random(seed), count))
    }),
    { numRuns: byLength(30, 240) },
  )
})

test('a burn explains what left a wallet in its own transaction and mint, and no boost does', () => {
  const at = { slot: 120, txIndex: 1, signature: 'one transaction' }
  const burn = (over = {}) =>
    reserves({
      ...at,
      reason: 'burn',
      source: 'pump_amm',
      supplyRaw: SUPPLY - 100_000_000n,
      ...over,
    })
  const gone = balance({ ...at, ordinal: 1, wallet: 'creator', balanceRaw: 0n })
  const births = MINTS.map((mint) => created({ mint, supplyRaw: SUPPLY }))
  const soldAllAfter = (event: FeedEvent) =>
    followAll([...births, swap({ signer: 'creator' }), event, gone])
  expect(soldAllAfter(burn())).toEqual(['mint'])
  expect(soldAllAfter(burn({ mint: 'other' }))).toEqual([])
  expect(soldAllAfter(burn({ signature: 'another' }))).toEqual([])
  expect(soldAllAfter(burn({ reason: 'boost' }))).toEqual([])
})

/** Transactions one after the other; some of their events come behind later ones. */
function story(random: Random, count: number): FeedEvent[] {
  const supplies = new Map(MINTS.map((mint) => [mint, SUPPLY]))
  const events = Array.from({ length: count }, (_, n) => transaction(random, n, supplies)).flat()
  const arriving = events.map((event, i) => ({ event, at: i + random.integer(0, 5) }))
  arriving.sort((a, b) => a.at - b.at)
  const creations = MINTS.map((mint) => created({ mint, slot: FIRST_SLOT - 60, supplyRaw: SUPPLY }))
  return [price(150), ...creations, ...arriving.map(({ event }) => event)]
}

type Mint = (typeof MINTS)[number]

/** Burns in front, swaps, and what the chain tells of balances behind them. */
function transaction(random: Random, number: number, supplies: Map<Mint, bigint>): FeedEvent[] {
  const at = {
    ...{ slot: FIRST_SLOT + number, txIndex: 1, signature: `transaction ${number}` },
    timestamp: START_SECOND + number,
  }
  const mint = random.pick(MINTS)
  const some = () => BigInt(random.integer(0, 12))
  const burns = Array.from({ length: random.pick([0, 0, 1, 2]) }, () => {
    const of = random.chance(0.8) ? mint : random.pick(MINTS)
    const supplyRaw = (supplies.get(of) ?? 0n) - some()
    supplies.set(of, supplyRaw)
    const reason = random.pick(['burn', 'burn', 'burn', 'boost'] as const)
    return reserves({ ...at, mint: of, reason, source: 'pump_amm', supplyRaw })
  })
  const told = new Map<string, object>()
  const swaps = Array.from({ length: random.integer(0, 3) }, () => {
    const [signer, baseRaw] = [random.pick(WALLETS), some() + 1n]
    const of = {
      ...(random.chance(0.5) && { baseBalanceBeforeRaw: some() }),
      ...(random.chance(0.5) && { baseBalanceAfterRaw: some() }),
    }
    const balances = told.get(signer) ?? of
    told.set(signer, balances)
    const direction = random.pick(['buy', 'buy', 'sell'] as const)
    return swap({
      ...at,
      mint,
      signer,
      direction,
      baseRaw,
      quoteRaw: baseRaw * 1_000n,
      ...balances,
    })
  })
  const owners = random.chance(0.5) ? [random.pick(WALLETS)] : []
  const balances = owners.map((wallet) => balance({ ...at, mint, wallet, balanceRaw: some() }))
  return [...burns, ...swaps, ...balances].map((event, ordinal) => ({ ...event, ordinal }))
}
