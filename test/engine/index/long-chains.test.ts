import { expect, test } from 'vitest'
import { needleOf, Rank, SearchIndex } from '../../../src/engine/index/search-index.ts'
import { firstDifference } from '../../model/difference.ts'
import { Pair } from '../../model/pair.ts'
import { created, price, START_SECOND } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

const TOKENS = 40_000
/** Every so many tokens one is called otherwise. */
const RARE = 4_000

/** What most tokens are called, what few are, and the query for these, which looks into a chain of both. */
const CALLED = [
  { rank: Rank.prefix, common: 'trumpcoin', rare: 'trumpets', query: 'trumpe' },
  { rank: Rank.prefix, common: 'trumpcoin to go', rare: 'trumpcoin z', query: 'trumpcoin z' },
  // Other texts that have the same chain.
  { rank: Rank.prefix, common: 'eak', rare: 'zyx', query: 'zyx' },
  { rank: Rank.symbol, common: 'hdjo', rare: 'zyxw', query: 'zyxw' },
] as const

test.each(CALLED)(
  'of a chain that most tokens have, what is not $query is not weighed',
  (called) => {
    const { rank, common, rare, query } = called
    const index = new SearchIndex()
    const rares = new Set<number>()
    for (let token = 0; token < TOKENS; token += 1) {
      const isRare = token % RARE === 0
      if (isRare) rares.add(token)
      const text = isRare ? rare : common
      index.set(token, `mint ${token}`, rank === Rank.prefix ? text : 'a name', text)
    }
    const texts = index.candidates(needleOf(query), rank)
    expect(texts).not.toBeNull()
    expect(new Set([...(texts ?? [])].map((text) => index.tokenOf(text)))).toEqual(rares)
  },
)

test('what few of a long chain have is answered as among few tokens', () => {
  const random = new Random(13)
  const pair = new Pair('event')
  pair.apply(price(150))
  for (let i = 0; i < 3_000; i += 1) {
    const mint = `${random.integer(0, 999)} mint ${i}`
    const place = { slot: 100 + i, timestamp: START_SECOND + i, signature: mint }
    const virtualQuoteRaw = BigInt(random.integer(30, 34)) * 1_000_000_000n
    const name = random.chance(0.9) ? `trumpcoin ${i}` : `trumpets ${i}`
    const symbol = random.chance(0.5) ? 'TRUMPCOIN' : `TRUMPCO${i % 9}`
    pair.apply(created({ ...place, mint, name, symbol, virtualQuoteRaw }))
  }
  const { answers, oracle } = pair
  const queries = ['tru', 'trump', 'trumpe', 'trumpco1', 'trumpcoin', 'trumpcoin 7', 'trumpcoinz']
  const checks = queries.map((query) => ({
    name: `search ${query}`,
    actual: answers.search(query),
    expected: oracle.search(query),
  }))
  expect(firstDifference(checks)).toBeNull()
})
