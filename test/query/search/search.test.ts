import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutOfTime } from '../../../src/base/budget.ts'
import { GramFilter } from '../../../src/engine/index/search-candidates.ts'
import { needleOf, Rank, SearchIndex } from '../../../src/engine/index/search-index.ts'
import { greatestFirst } from '../../../src/engine/memory/ranked.ts'
import { NO_TIME } from '../../budgets.ts'
import { byLength } from '../../lengths.ts'
import { firstDifference } from '../../model/difference.ts'
import { Pair } from '../../model/pair.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { USDC } from '../../oracle/market.ts'
import { Random } from '../../oracle/random.ts'
import { chainedTokens } from '../../properties/chained-tokens.ts'

/** Few letters, so that texts begin and hold alike; some take two bytes, some have another case. */
const LETTERS = ['a', 'A', 'b', 'é', 'É', ' ']
const textOf = (maxLength: number) =>
  fc.array(fc.constantFrom(...LETTERS), { maxLength }).map((letters) => letters.join(''))
const text = fc.oneof(textOf(5), textOf(14))
/** A text, or the beginning of one that is there: of so many letters. */
const query = fc.oneof(text, fc.integer({ min: 1, max: 12 }))
const texts = fc.record({ token: fc.integer({ min: 0, max: 6 }), name: text, symbol: text })
const MINTS = ['aab', 'bb', 'ab', 'ba', 'a', 'AAb', 'bé']

type Texts = readonly [mint: string, name: string, symbol: string]

test('every token that holds a text is found once, with its best rank, after any renaming', () => {
  fc.assert(
    fc.property(
      fc.array(texts, { maxLength: 12 }),
      query,
      fc.boolean(),
      (sets, asked, isLoaded) => {
        const last = sets.at(-1)
        const query = typeof asked === 'string' ? asked : (last?.name ?? 'a').slice(0, asked)
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
      },
    ),
    { numRuns: Number(process.env.RUNS ?? byLength(150, 1_000)) },
  )
})

function matchesOf(index: SearchIndex, query: string): number[][] {
  const needle = needleOf(query)
  if (needle.length === 0) return []
  const found: number[][] = []
  index.mints(needle, (token) => found.push([token, Rank.mint]))
  for (const rank of [Rank.symbol, Rank.prefix] as const)
    for (const token of chainedTokens(index, needle, rank) ?? []) found.push([token, rank])
  expect(index.insides(needle, (token) => found.push([token, Rank.substring]))).toBe(true)
  for (const rank of [Rank.symbol, Rank.prefix, Rank.substring] as const) {
    const hasRank = index.rankTest(needle, rank)
    for (const token of MINTS.keys())
      expect(hasRank(token)).toBe(found.some(([other, own]) => other === token && own === rank))
  }
  return found.toSorted(([a = 0], [b = 0]) => a - b)
}

test('what a text is found by in thousands of others, the filter lets through', () => {
  const random = new Random(7)
  const index = new SearchIndex()
  const fields: Texts[] = []
  const letters = (count: number, of: string) =>
    Array.from({ length: count }, () => of[random.integer(0, of.length - 1)]).join('')
  for (let token = 0; token < 3_000; token++) {
    const mint = letters(44, '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz')
    const name = letters(random.integer(0, 12), 'abcdefgh éß月 0-')
    const symbol = letters(random.integer(0, 5), 'ABCD$é0')
    index.set(token, mint, name, symbol)
    fields.push([mint, name, symbol])
  }
  const queries = fields.flatMap((texts, token) => {
    const text = texts[token % 3]
    const from = random.integer(0, text.length)
    const length = random.integer(1, 6)
    const query = [...text.slice(from, from + length)].join('')
    return token % 5 === 0 && query !== '' ? [query] : []
  })
  // A copy whose filter knows only some of them.
  const started = loaded(index)
  expect(() => started.load(NO_TIME)).toThrow(OutOfTime)
  for (const query of [...queries, 'zz0', '0', '月', ' ', 'no such text', 'é0']) {
    const expected: number[] = []
    for (const [token, texts] of fields.entries())
      if (texts.some((text) => needleOf(text).includes(needleOf(query)))) expected.push(token)
    for (const each of [index, started]) {
      const holders = holdersOf(each, query)
      // Of what is common not all are found.
      if (holders === null) expect(expected.length).toBeGreaterThanOrEqual(256)
      else expect([query, holders]).toEqual([query, expected])
    }
  }
})

/** Tokens that hold a text; null when they are too many to find all. */
function holdersOf(index: SearchIndex, query: string): number[] | null {
  const needle = needleOf(query)
  const found: number[] = []
  index.mints(needle, (token) => found.push(token))
  for (const rank of [Rank.symbol, Rank.prefix] as const) {
    const tokens = chainedTokens(index, needle, rank)
    if (tokens === null) return null
    found.push(...tokens)
  }
  const isWhole = index.insides(needle, (token) => found.push(token))
  return isWhole ? found.toSorted((a, b) => a - b) : null
}

test('the filter keeps away from most blocks that do not hold a text, and from none that does', () => {
  const random = new Random(11)
  const filter = new GramFilter()
  const entries = 32 * 64
  const alphabet = 'abcdefghijklmnopqrstuvwxyz123456789'
  const letter = () => alphabet[random.integer(0, alphabet.length - 1)]
  const texts = Array.from({ length: entries }, () => Array.from({ length: 60 }, letter).join(''))
  for (const [entry, text] of texts.entries()) {
    const bytes = Buffer.from(text)
    filter.add(entry, bytes, 0, bytes.length)
  }
  let passed = 0
  const blocks = Array.from({ length: 64 }, (_, block) => block)
  for (const [entry, text] of texts.entries()) {
    const bits = filter.bitsOf(Buffer.from(text.slice(entry % 50, (entry % 50) + 5)))
    expect(filter.mayHold(Math.floor(entry / 32), bits)).toBe(true)
    passed += blocks.filter((block) => filter.mayHold(block, bits)).length
  }
  expect(passed / (entries * 64)).toBeLessThan(0.1)
})

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
  expect(beginningWith(index, query)).toEqual([0])
})

/** Tokens whose name or symbol begins with a query and goes on. */
function beginningWith(index: SearchIndex, query: string): number[] | null {
  return chainedTokens(index, needleOf(query), Rank.prefix)
}

test('a dotless i is a letter of its own', () => {
  const index = new SearchIndex()
  index.set(0, 'mint', 'kırmızı', '')
  expect(beginningWith(index, 'kirmizi')).toEqual([])
})

/** A text as searches compare it. */
const folded = (text: string) => needleOf(text).toString()

test('capitals fold as their small letters do, and what is folded stays as it is', () => {
  const unlike: string[] = []
  for (let code = 1; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const letter = String.fromCodePoint(code)
    const once = folded(letter)
    const isAlike = letter === 'ı' || folded(letter.toUpperCase()) === once
    if (!isAlike || folded(once) !== once) unlike.push(letter)
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

const WORTHS = [
  ['', 10n],
  [' dull', 7n],
  [' faint', 4n],
] as const

test('what thousands of tokens hold is answered by the greatest market caps', () => {
  const random = new Random(5)
  const pair = new Pair('event')
  pair.apply(price(150))
  for (let i = 0; i < 3_300; i += 1) {
    const mint = `mint ${i} common`
    const place = { mint, slot: 100 + i, timestamp: START_SECOND + i }
    // Those that are called dull are worth less than all others, faint ones less than these.
    const [word, digits] = WORTHS[i % 3]
    const name = `n${i % 7}${word}`
    const virtualQuoteRaw = BigInt(random.integer(1, 400)) * 10n ** digits
    const about = { ...place, signature: mint, name, symbol: `s${i % 11}`, virtualQuoteRaw }
    // Worth less than all others that are called so.
    const usdc = { quoteMint: USDC, virtualQuoteRaw: virtualQuoteRaw / 10_000n + 1n }
    pair.apply(created(i % 5 === 0 ? { ...about, ...usdc } : about))
    // Some were never traded, some have the same price as others.
    if (i % 5 !== 0 && random.chance(0.8))
      pair.apply(swap({ ...place, pool: `curve ${i}`, virtualQuoteRaw }))
  }
  const { answers, oracle } = pair
  const queries = [
    'common',
    'dull',
    'faint',
    'mint',
    't 25',
    'n',
    'n3',
    'n3 d',
    'n3 faint',
    's',
    's1',
    's10',
    'o',
    'u',
    'mint 7 common',
    'nobody',
  ]
  const expectAlike = () => {
    const checks = queries.map((query) => ({
      name: `search ${query}`,
      actual: answers.search(query),
      expected: oracle.search(query),
    }))
    expect(firstDifference(checks)).toBeNull()
  }
  expectAlike()
  // Faint ones that come to be worth most.
  for (let i = 2; i < 600; i += 15) {
    const virtualQuoteRaw = BigInt(random.integer(1, 400)) * 10n ** 11n
    const about = { mint: `mint ${i} common`, slot: 4_000 + i, timestamp: START_SECOND + 4_000 + i }
    pair.apply(swap({ ...about, signature: `later ${i}`, pool: `curve ${i}`, virtualQuoteRaw }))
  }
  expectAlike()
  // What is priced in USDC comes to be worth more than the others.
  pair.apply(price(0.000_001))
  expectAlike()
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
    { numRuns: byLength(4, 20), endOnFailure: true },
  )
})
