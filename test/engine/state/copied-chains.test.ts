import { expect, test } from 'vitest'
import { type Budget, UNFINISHED, within } from '../../../src/base/budget.ts'
import { type ChainCopy, CopiedChains } from '../../../src/engine/state/copied-chains.ts'
import { budgetOf, NO_TIME, readInTurns } from '../../budgets.ts'
import { Random } from '../../oracle/random.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_123)
const LIMITS = { records: 100, chains: 50 }

/** A chain whose records are counted alone: the newest has the highest number, the last is 1. */
class Counted implements ChainCopy<Counted> {
  readonly newestPlus1: number
  nextPlus1: number
  count = 0

  constructor(newestPlus1: number) {
    this.newestPlus1 = newestPlus1
    this.nextPlus1 = newestPlus1
  }

  takeNext(): void {
    this.nextPlus1 -= 1
    this.count += 1
  }

  takeAll(older: Counted): void {
    this.nextPlus1 = older.nextPlus1
    this.count += older.count
  }
}

function newChains(): CopiedChains<Counted> {
  return new CopiedChains((newestPlus1) => new Counted(newestPlus1), LIMITS)
}

/** Asks for a chain again and again, a few records each time, until all of it is copied. */
function copy(chains: CopiedChains<Counted>, chain: number, records: number, slice: number) {
  const read = (budget: Budget) => chains.copy(chain, records, budget)
  const between = () => expect(chains.count).toBeLessThanOrEqual(LIMITS.records)
  return readInTurns(read, between, () => budgetOf(slice)).answer
}

test.each([1, 7, 1_000])('chains copied %d records at a time count with all they have', (slice) => {
  const chains = newChains()
  copy(chains, 1, 40, slice)
  copy(chains, 2, 30, slice)
  expect(chains.count).toBe(70)
  // It has ten more since.
  copy(chains, 1, 50, slice)
  expect(chains.count).toBe(80)
})

test.each([1, 7, 1_000])('chains copied %d records at a time make room for others', (slice) => {
  const chains = newChains()
  for (const chain of [1, 2, 3, 4]) copy(chains, chain, 40, slice)
  // Those that were asked for longest ago go.
  expect(chains.count).toBe(80)
  const isKept = (chain: number) =>
    within(NO_TIME, (budget) => chains.copy(chain, 40, budget)) !== UNFINISHED
  expect([4, 3, 2, 1].map(isKept)).toEqual([true, true, false, false])
})

test('a chain that is longer than all that is kept is read where it lies', () => {
  const chains = newChains()
  expect(copy(chains, 1, 101, 7)).toBeNull()
  expect(chains.count).toBe(0)
})

test(`chains copied in pieces of any size take no more than there is for all (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const chains = newChains()
  const lengths = Array.from({ length: 60 }, () => random.integer(1, 30))
  for (let go = 0; go < 4_000; go++) {
    const chain = random.integer(0, lengths.length - 1)
    if (random.chance(0.05)) lengths[chain] += random.integer(1, 20)
    const budget = budgetOf(random.integer(1, 12))
    const copied = within(budget, () => chains.copy(chain, lengths[chain], budget))
    if (copied !== UNFINISHED && lengths[chain] <= LIMITS.records)
      expect(copied?.count).toBe(lengths[chain])
    expect(chains.count, `go ${go}`).toBeLessThanOrEqual(LIMITS.records)
  }
})
