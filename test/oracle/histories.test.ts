import { expect, test } from 'vitest'
import { history, labelledHistory } from './histories.ts'
import {
  ALL_KINDS,
  countKinds,
  KINDS,
  type Kind,
  kindsNamed,
  NO_KINDS,
  noKindCounts,
} from './kinds.ts'
import { Oracle } from './oracle.ts'

/** Fails on what may never stand on the wire. */
function expectClean(value: unknown): void {
  if (typeof value === 'number') {
    expect(Number.isFinite(value) && !Object.is(value, -0)).toBe(true)
  } else if (typeof value === 'string') {
    expect(value).not.toMatch(/\p{Surrogate}/u)
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) expectClean(part)
  } else {
    expect(value).not.toBe(undefined)
  }
}

test('the same seed gives the same history', () => {
  expect(history(7, 60)).toEqual(history(7, 60))
  expect(history(7, 60)).not.toEqual(history(8, 60))
  expect(history(7, 60)).toHaveLength(60)
})

test('histories hold every kind of trouble, and every answer to them is clean', () => {
  const seen = { duplicates: 0, lateRefused: 0, secondCreations: 0, secondMigrations: 0 }
  const query = { page: 1, limit: 200, orderBy: 'pnl', direction: 'desc' } as const
  for (let seed = 0; seed < 200; seed += 1) {
    const oracle = new Oracle({ clock: 'event' })
    for (const event of history(seed, 60, ALL_KINDS)) oracle.apply(event)
    for (const mint of oracle.mints()) {
      expectClean(oracle.quote(mint))
      expectClean(oracle.swaps(mint, null, 1, 200))
      expectClean(oracle.tokenTraders(mint, query))
    }
    expectClean(oracle.marketData(oracle.mints()))
    expectClean(oracle.search('pump'))
    expectClean(oracle.tables({ type: 'all', filters: {}, limit: 50 }))
    seen.duplicates += oracle.counts.duplicates
    seen.lateRefused += oracle.counts.lateRefused
    seen.secondCreations += oracle.counts.secondCreations
    seen.secondMigrations += oracle.counts.secondMigrations
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10)
})

test('histories hold every kind that is on, and nothing of those that are off', () => {
  const counts = noKindCounts()
  let events = 0
  for (let seed = 0; seed < 1_000; seed += 1)
    for (const { kinds } of labelledHistory(seed, 60, ALL_KINDS)) {
      countKinds(counts, kinds)
      events += 1
    }
  // A thousandth of all events is a thousand of a test run's million.
  for (const kind of KINDS) expect(counts[kind], kind).toBeGreaterThan(events / 2_000)
  for (let seed = 0; seed < 100; seed += 1)
    for (const { event, kinds } of labelledHistory(seed, 60, NO_KINDS)) {
      expect(kinds).toEqual([])
      expect(['reserves', 'balance', 'token_state']).not.toContain(event.type)
    }
})

test('kinds are named one by one, or taken out', () => {
  const on = (text: string) => KINDS.filter((kind) => kindsNamed(text)[kind] > 0)
  expect(on('all')).toEqual(KINDS)
  expect(on('none')).toEqual([])
  expect(on('boost,mayhem')).toEqual(['mayhem', 'boost'])
  expect(on('-lp_fee,-late')).toEqual(KINDS.filter((kind) => !['lp_fee', 'late'].includes(kind)))
  expect(() => kindsNamed('boosts')).toThrow('boosts')
  const seen = new Set<Kind>()
  for (let seed = 0; seed < 100; seed += 1)
    for (const { kinds } of labelledHistory(seed, 60, kindsNamed('boost,route_in,coin_quote')))
      for (const kind of kinds) seen.add(kind)
  expect(seen).toEqual(new Set(['boost', 'route_in', 'coin_quote']))
})

test('what comes late, twice, above the supply or for a mint that nobody knows is in them', () => {
  const seen = { late: 0, refused: 0, twice: 0, moved: 0 }
  for (let seed = 0; seed < 300; seed += 1) {
    const oracle = new Oracle({ clock: 'event' })
    for (const event of history(seed, 60, ALL_KINDS)) {
      const { duplicates, lateRefused } = oracle.counts
      oracle.apply(event)
      if (event.type !== 'reserves' && event.type !== 'balance') continue
      seen.twice += oracle.counts.duplicates - duplicates
      seen.late += oracle.counts.lateRefused - lateRefused
      if (oracle.mints().includes(event.mint)) seen.moved += 1
    }
    seen.refused += oracle.refusedBalances
  }
  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(20)
})
