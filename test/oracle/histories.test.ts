import { expect, test } from 'vitest'
import { history } from './histories.ts'
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
    for (const event of history(seed, 60)) oracle.apply(event)
    for (const mint of oracle.mints()) {
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
