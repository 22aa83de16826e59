import { expect, test } from 'vitest'
import { needleOf, Rank, SearchIndex } from '../../../src/engine/index/search-index.ts'
import { chainedTokens } from '../../properties/chained-tokens.ts'

const MINT = 'm'.repeat(40)
const LONG = `needle${'x'.repeat(30)}`
/** Mint, name and symbol each have an end of one byte. */
const OTHER_BYTES = MINT.length + LONG.length + 'S'.length + 3
/** The index keeps its entries in a buffer of a power of two. */
const BUFFER_BYTES = [2 ** 16, 2 ** 17, 2 ** 18]

test('a text longer than what follows it is looked for in an entry at the end of the buffer', () => {
  for (const bytes of BUFFER_BYTES) {
    const index = new SearchIndex()
    index.set(0, MINT, 'y'.repeat(bytes - OTHER_BYTES) + LONG, 'S')
    const insides: number[] = []
    const needle = needleOf(LONG)
    expect(chainedTokens(index, needle, Rank.prefix)).toEqual([])
    expect(index.insides(needle, (token) => insides.push(token))).toBe(true)
    expect(insides).toEqual([0])
  }
})
