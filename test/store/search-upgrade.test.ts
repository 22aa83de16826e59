import { expect, test } from 'vitest'
import { needleOf, Rank, SearchIndex } from '../../src/engine/index/search-index.ts'
import { FORMAT_UPGRADES } from '../../src/store/upgrades/format-upgrades.ts'
import type { SavedPart } from '../../src/store/upgrades/saved-part.ts'
import { chainedTokens } from '../properties/chained-tokens.ts'

const FIELD_END = 0xfe
const TOKEN_END = 0xff

/** An entry as versions before 4 wrote it: lower case, with its ends. */
function oldEntry(fields: readonly string[]): Buffer {
  const parts = fields.map((field, i) =>
    Buffer.concat([Buffer.from(field), Buffer.of(i === 2 ? TOKEN_END : FIELD_END)]),
  )
  return Buffer.concat(parts)
}

function lanes(...values: readonly number[]): Buffer {
  return Buffer.from(new Uint32Array(values).buffer)
}

function upgraded(part: SavedPart): SavedPart {
  const step = FORMAT_UPGRADES.snapshots.find(({ from }) => from === 3)
  const [found] = step?.parts?.()(part) ?? []
  if (found === undefined) throw new Error('no step leads on from version 3')
  return found
}

test('a search of version 3 finds by full case folding once it is read', () => {
  const entries = [
    // Folded in full the last of these is a byte shorter: what is behind it moves.
    oldEntry(['mint a', 'straße', 'ﬁn']),
    // Renamed since: blanked.
    Buffer.alloc(9, TOKEN_END),
    oldEntry(['mint b', 'plain', 'σίσυφος']),
  ]
  const starts = [0, entries[0].length, entries[0].length + entries[1].length]
  const texts = Buffer.concat(entries)
  const lists = lanes(...starts, 0, 1, 1, 1, 3)
  const part = { name: 'search', facts: [texts.length, 3, 2], bytes: Buffer.concat([texts, lists]) }
  const { facts, bytes } = upgraded(part)
  const index = new SearchIndex()
  let at = 0
  for (const view of index.part.open(facts)) {
    view.set(bytes.subarray(at, at + view.length))
    at += view.length
  }
  index.part.settle()
  expect(at).toBe(bytes.length)
  const foundBy = (query: string) => {
    const needle = needleOf(query)
    const ranks = [Rank.symbol, Rank.prefix] as const
    return ranks.flatMap((rank) => chainedTokens(index, needle, rank) ?? [])
  }
  const queries = ['STRASSE', 'FIN', 'ΣΊΣ', 'plain', 'x']
  expect(queries.map(foundBy)).toEqual([[0], [0], [1], [1], []])
})

test('a search whose entries overlap is damage, not a start', () => {
  const texts = oldEntry(['a', 'b', 'c'])
  const part = {
    name: 'search',
    facts: [texts.length, 2, 1],
    bytes: Buffer.concat([texts, lanes(4, 2, 0, 0, 1)]),
  }
  expect(() => upgraded(part)).toThrow(/ends before it begins/)
})
