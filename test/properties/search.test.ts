import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldCase } from '../../src/engine/fold-case.ts'
import { Rank, SearchIndex } from '../../src/engine/search-index.ts'
import { greatestFirst } from '../../src/wire/greatest-first.ts'
import { firstDifference } from '../model/difference.ts'
import { Pair } from '../model/pair.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'

/** Few letters, so that texts begin and hold alike; some take two bytes, some have another case. */
const LETTERS = ['a', 'A', 'b', 'é', 'É', ' ']
const text = fc
  .array(fc.constantFrom(...LETTERS), { maxLength: 5 })
  .map((letters) => letters.join(''))
const texts = fc.record({ token: fc.integer({ min: 0, max: 6 }), name: text, symbol: text })
const MINTS = ['aab', 'bb', 'ab', 'ba', 'a', 'AAb', 'bé']

type Texts = readonly [mint: string, name: string, symbol: string]

test('every token that holds a text is found once, with its best rank, after any renaming', () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 12 }), text, fc.boolean(), (sets, query, isLoaded) => {
      const index = new SearchIndex()
      const present = new Map<number, Texts>()
      for (const { token, name, symbol } of sets) {
        index.set(token, MINTS[token], name, symbol)
        present.set(token, [MINTS[token], name, symbol])
      }
      const found = matchesOf(isLoaded ? loaded(index) : index, query)
      const expected = [...present].flatMap(([token, fields]) => {
        const rank = query === '' ? null : rankOf(fields, query)
        return rank === null ? [] : [[token, rank]]
      })
      expect(found).toEqual(expected.toSorted(([a = 0], [b = 0]) => a - b))
    }),
    { numRuns: Number(process.env.RUNS ?? 1_000) },
  )
})

function matchesOf(index: SearchIndex, query: string): number[][] {
  const found: number[][] = []
  index.beginnings(query, (token, rank) => found.push([token, rank]))
  expect(index.insides(query, 7, (token) => found.push([token, Rank.substring]))).toBe(true)
  const isInside = index.insideTest(query)
  for (const token of MINTS.keys()) {
    const own = found.find(([other]) => other === token)
    if (query !== '') expect(isInside(token)).toBe(own?.[1] === Rank.substring)
  }
  return found.toSorted(([a = 0], [b = 0]) => a - b)
}

/** What one text finds another by, when case does not count (Unicode's CaseFolding.txt). */
const ALIKE = [
  ['Straße', 'STRASSE'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
  ['ΚΟΣΜΟΣ', 'ΚΟΣ'],
  ['ﬁre', 'FI'],
  ['STRAẞE', 'straß'],
  ['ſtar', 'STAR'],
  ['Kelvin', 'kelvin'],
  ['ДОМ', 'дом'],
  ['ıssız', 'ıSSı'],
] as const

test.each(ALIKE)('%s is found by %s', (name, query) => {
  const index = new SearchIndex()
  index.set(0, 'mint', name, '')
  const found: number[] = []
  index.beginnings(query, (token) => found.push(token))
  expect(found).toEqual([0])
})

test('a dotless i is a letter of its own', () => {
  const index = new SearchIndex()
  index.set(0, 'mint', 'kırmızı', '')
  const found: number[] = []
  index.beginnings('kirmizi', (token) => found.push(token))
  expect(found).toEqual([])
})

test('capitals fold as their small letters do, and what is folded stays as it is', () => {
  const unlike: string[] = []
  for (let code = 1; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const letter = String.fromCodePoint(code)
    const folded = foldCase(letter)
    const isAlike = letter === 'ı' || foldCase(letter.toUpperCase()) === folded
    if (!isAlike || foldCase(folded) !== folded) unlike.push(letter)
  }
  expect(unlike).toEqual([])
})

function rankOf(fields: Texts, query: string): number | null {
  const needle = query.toLowerCase()
  const [mint, name, symbol] = fields.map((field) => field.toLowerCase())
  if (mint === needle) return Rank.mint
  if (symbol === needle) return Rank.symbol
  if (name.startsWith(needle) || symbol.startsWith(needle)) return Rank.prefix
  return [mint, name, symbol].some((field) => field.includes(needle)) ? Rank.substring : null
}

function loaded(index: SearchIndex): SearchIndex {
  const copy = new SearchIndex()
  const views = index.part.views()
  for (const [i, view] of copy.part.open(index.part.facts()).entries()) view.set(views[i])
  copy.part.settle()
  return copy
}

test('what thousands of tokens hold is answered by the greatest market caps', () => {
  const random = new Random(5)
  const pair = new Pair('event')
  pair.apply(price(150))
  for (let i = 0; i < 3_300; i += 1) {
    const mint = `mint ${i} common`
    const place = { mint, slot: 100 + i, timestamp: START_SECOND + i }
    // Those that are called dull are worth less than all others.
    const isDull = i % 3 !== 0
    const name = isDull ? `n${i % 7} dull` : `n${i % 7}`
    const virtualQuoteRaw = BigInt(random.integer(1, 400)) * (isDull ? 10n ** 7n : 10n ** 10n)
    const about = { ...place, signature: mint, name, symbol: `s${i % 11}`, virtualQuoteRaw }
    pair.apply(created(about))
    // Some were never traded, some have the same price as others.
    if (random.chance(0.8)) pair.apply(swap({ ...place, pool: `curve ${i}`, virtualQuoteRaw }))
  }
  const { answers, oracle } = pair
  const queries = ['common', 'dull', 'mint', 't 25', 'n3', 's', 'o', 'mint 7 common', 'nobody']
  const checks = queries.map((query) => ({
    name: `search ${query}`,
    actual: answers.search(query),
    expected: oracle.search(query),
  }))
  expect(firstDifference(checks)).toBeNull()
})

test('places come in batches, every value of one greater than all behind it', () => {
  const value = fc.oneof(fc.constantFrom(0, 1, Number.NaN), fc.double({ min: 0, noNaN: true }))
  fc.assert(
    fc.property(fc.array(value, { minLength: 1_000, maxLength: 4_000 }), (values) => {
      const own = values.map((each) => each || 0)
      const batches = [...greatestFirst(Float64Array.from(values))]
      expect(batches.flat().toSorted((a, b) => a - b)).toEqual([...values.keys()])
      for (let i = 0; i + 1 < batches.length; i += 1) {
        const least = Math.min(...batches[i].map((place) => own[place]))
        const next = Math.max(...batches[i + 1].map((place) => own[place]))
        expect(least).toBeGreaterThan(next)
      }
    }),
    { numRuns: 20, endOnFailure: true },
  )
})
