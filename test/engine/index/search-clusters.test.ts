import { expect, test } from 'vitest'
import { needleOf, Rank, SearchIndex } from '../../../src/engine/index/search-index.ts'

const TOKENS = 40_000
/** The oldest tokens, every sixth of which holds the text: many there, and few of all. */
const OLDEST = 2_000

test('a text that only the oldest tokens hold is found without trying all tokens', () => {
  const index = new SearchIndex()
  const holders: number[] = []
  for (let token = 0; token < TOKENS; token += 1) {
    const isHolder = token < OLDEST && token % 6 === 0
    if (isHolder) holders.push(token)
    index.set(token, `mint ${token}`, isHolder ? `an old zqwv ${token}` : `a name ${token}`, 'S')
  }
  const needle = needleOf('zqwv')
  const found: number[] = []
  expect(index.insides(needle, (token) => found.push(token))).toBe(true)
  expect(found).toEqual(holders)
  const has = index.rankTest(needle, Rank.substring)
  expect(Array.from({ length: TOKENS }, (_, token) => token).filter(has)).toEqual(holders)
})
