/** Ranks, ties and the limit of the search. */

import { difference } from '../../model/difference.ts'
import { Pair } from '../../model/pair.ts'
import { created, price, swap } from '../../oracle/fixtures.ts'
import type { Case } from '../check.ts'
import { load } from '../story.ts'

const NAMES = ['frog', 'Frogger', 'a frog', 'toad', 'FROG'] as const
const SYMBOLS = ['FRG', 'frog', 'TOAD', 'xfrogx', 'FROGGY', 'F'] as const
const QUERIES = ['frog', 'FROG', 'fr', 'o', 'mint', 'mint 7', ' mint 77 ', 'toad', 'x', 'nothing']
const TOKENS = 80

function run(): string | null {
  const pair = new Pair('event')
  const tokens = Array.from({ length: TOKENS }, (_, index) =>
    created({
      mint: `mint ${index}`,
      signature: `create ${index}`,
      slot: 100 + Math.floor(index / 3),
      name: NAMES[index % NAMES.length],
      symbol: SYMBOLS[index % SYMBOLS.length],
      virtualQuoteRaw: BigInt(30 + (index % 7)) * 10n ** 9n,
    }),
  )
  load(pair, [price(150), ...tokens, swap({ mint: 'mint 3', slot: 150 })])
  for (const query of QUERIES) {
    const found = difference(JSON.parse(pair.answers.search(query)), pair.oracle.search(query))
    if (found !== null) return `${query}: ${found}`
  }
  return null
}

export const cases: readonly Case[] = [{ name: 'search of many', run }]
