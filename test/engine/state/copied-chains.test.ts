import { expect, test } from 'vitest'
import { type Budget, UNFINISHED, within } from '../../../src/base/budget.ts'
import { type ChainCopy, CopiedChains } from '../../../src/engine/state/dormant.ts'
import { budgetOf, NO_TIME, readInTurns } from '../../budgets.ts'
import { Random } from '../../oracle/random.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_123)
const LIMITS = { records: 100, chains: 50 }

/** Chains whose records are numbered: the newest has the highest number, the last is 0. */
function newChains(): CopiedChains {
  const read = (record: number, copy: ChainCopy) => {
    const at = copy.add()
    copy.f64[at] = record
    return record
  }
  return new CopiedChains(1, LIMITS, read)
}

/** Asks for a chain again and again, a few records each time, until all of it is copied. */
function copy(chains: CopiedChains, chain: number, records: number, slice: number) {
  const read = (budget: Budget) => chains.copy(chain, records, budget)
  const between = () => expect(chains.count).toBeLessThanOrEqual(LIMITS.records)
  const { answer } = readInTurns(read, between, () => budgetOf(slice))
  // The oldest first.
  if (answer !== null)
    expect([...answer.f64.subarray(0, answer.count)]).toEqual([...Array(records).keys()])
  return answer
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
