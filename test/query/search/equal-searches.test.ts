import { expect, test } from 'vitest'
import { needleOf, Rank, SearchIndex } from '../../../src/engine/index/search-index.ts'
import { greatestFirst } from '../../../src/engine/memory/ranked.ts'
import { equalsInOrder } from '../../../src/query/search/token-search.ts'
import { firstDifference } from '../../model/difference.ts'
import { Pair } from '../../model/pair.ts'
import { created, price, START_SECOND } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

const TOKENS = 20_000
/** More places at once than that are a stall. */
const BATCH_MAX = 4_096

test('places of equal values come by their order, few at first', () => {
  const random = new Random(3)
  const places = Array.from({ length: TOKENS }, (_, place) => place)
  for (const tied of [0, 7, Number.NaN]) {
    const value = () => random.pick([tied, tied, tied, tied, random.integer(1, 1_000)])
    const values = Float64Array.from(places, value)
    const precedences = Float64Array.from(places, () => random.integer(1, 1_000_000))
    const batches = [...greatestFirst(values)].flatMap((batch) => [
      ...equalsInOrder(batch, values, () => precedences),
    ])
    expect(batches.flat().toSorted((a, b) => a - b)).toEqual(places)
    const firstTied = batches.find((batch) => batch.some((place) => values[place] === tied))
    if (!Number.isNaN(tied)) expect(firstTied?.length).toBeLessThanOrEqual(BATCH_MAX)
    for (let i = 0; i + 1 < batches.length; i += 1)
      expect(leastOf(batches[i], values, precedences)).not.toBeLessThan(
        greatestOf(batches[i + 1], values, precedences),
      )
  }
})

/** Value and precedence as one number: values are whole, precedences below a million and one. */
function leastOf(batch: readonly number[], values: Float64Array, precedences: Float64Array) {
  return Math.min(...batch.map((place) => (values[place] || 0) * 2e6 + precedences[place]))
}

function greatestOf(batch: readonly number[], values: Float64Array, precedences: Float64Array) {
  return Math.max(...batch.map((place) => (values[place] || 0) * 2e6 + precedences[place]))
}

test('a symbol that thousands of tokens have is given up on, and mints are found all the same', () => {
  const index = new SearchIndex()
  index.set(0, 'same', 'a name', 'first')
  for (let token = 1; token < TOKENS; token += 1)
    index.set(token, `mint ${token}`, 'a name', 'Same')
  const found: number[] = []
  const needle = needleOf('SAME')
  expect(index.candidates(needle, Rank.symbol)).toBeNull()
  index.mints(needle, (token) => found.push(token))
  expect(found).toEqual([0])
})

test.each([0, 150])(
  'tokens of one market cap are found by their mints, SOL at %i dollars',
  (usd) => {
    const random = new Random(9)
    const pair = new Pair('event')
    if (usd > 0) pair.apply(price(usd))
    for (let i = 0; i < 6_000; i += 1) {
      const mint = `${random.integer(0, 999_999)} mint ${i}`
      const place = { slot: 100 + i, timestamp: START_SECOND + i, signature: mint }
      const virtualQuoteRaw = random.chance(0.05) ? 60_000_000_000n : 30_000_000_000n
      const name = random.chance(0.3) ? 'a rarer one' : 'a coin'
      const symbol = random.chance(0.5) ? 'SAME' : 'SAMENESS'
      pair.apply(created({ ...place, mint, name, symbol, virtualQuoteRaw }))
    }
    const { answers, oracle } = pair
    const checks = ['same', 'sameness', 'sam', 'a', 'coin', 'rarer', 'm', 'mint 7', 'e'].map(
      (query) => ({
        name: `search ${query}`,
        actual: answers.search(query),
        expected: oracle.search(query),
      }),
    )
    expect(firstDifference(checks)).toBeNull()
  },
)
