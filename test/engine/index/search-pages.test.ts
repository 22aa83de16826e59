import { expect, test } from 'vitest'
import { Random } from '../../../src/base/random.ts'
import { needleOf, Rank, SearchIndex } from '../../../src/engine/index/search-index.ts'
import type { StatePart } from '../../../src/engine/memory/state-part.ts'
import { chainedTokens } from '../../properties/chained-tokens.ts'

/** Three pages and more: entries are 100 to 900 bytes. */
const TOKENS = 7_000
const PAGE_SHIFT = 20
const ROUNDS = 100
const LETTERS = 'abcdefghij'

interface Token {
  readonly mint: string
  readonly name: string
  readonly symbol: string
}

function words(random: Random, most: number): string {
  const length = 1 + random.below(most)
  return Array.from({ length }, () => LETTERS[random.below(LETTERS.length)]).join('')
}

function tokensOf(random: Random): Token[] {
  return Array.from({ length: TOKENS }, () => ({
    mint: words(random, 44).padEnd(44, 'z'),
    name: words(random, 800),
    symbol: words(random, 10),
  }))
}

/** Tokens that hold a text and neither are it nor begin with it. */
function holding(tokens: readonly Token[], text: string): number[] {
  return tokens.flatMap(({ mint, name, symbol }, token) => {
    const isHigher = mint === text || symbol.startsWith(text) || name.startsWith(text)
    const holds = [mint, name, symbol].some((field) => field.includes(text))
    return holds && !isHigher ? [token] : []
  })
}

/** Tokens around those whose texts the end of a page cuts, as all were written one behind the other. */
function atPageEnds(tokens: readonly Token[]): number[] {
  let place = 0
  return tokens.flatMap(({ mint, name, symbol }, token) => {
    const page = place >>> PAGE_SHIFT
    place += mint.length + name.length + symbol.length + 3
    return place >>> PAGE_SHIFT === page ? [] : [token - 1, token, token + 1]
  })
}

function expectFound(
  index: SearchIndex,
  tokens: readonly Token[],
  random: Random,
  ends: readonly number[],
): void {
  for (let round = 0; round < ROUNDS; round++) {
    const { mint, name } = tokens[ends[round % (2 * ends.length)] ?? random.below(TOKENS)]
    const from = random.below(name.length)
    const text = round % 3 > 0 ? name.slice(from, from + 12) : `${mint.slice(-8)}`
    const needle = needleOf(text)
    const insides: number[] = []
    if (!index.insides(needle, (token) => insides.push(token))) continue
    expect(insides.sort((a, b) => a - b)).toEqual(holding(tokens, text))
    const beginning = name.slice(0, 12)
    const begins = tokens.flatMap((token, i) => (token.name.startsWith(beginning) ? [i] : []))
    const found = new Set(chainedTokens(index, needleOf(beginning), Rank.prefix))
    expect(begins.filter((token) => !found.has(token))).toEqual([])
  }
}

/** The bytes of a part, as a snapshot has them: in one piece, whatever its views are. */
function bytesOf(part: StatePart): Buffer {
  return Buffer.concat(part.views())
}

function loaded(part: StatePart): SearchIndex {
  const index = new SearchIndex()
  const bytes = bytesOf(part)
  let at = 0
  for (const view of index.part.open(part.facts())) {
    view.set(bytes.subarray(at, at + view.length))
    at += view.length
  }
  index.part.settle()
  return index
}

test('texts of many pages are found wherever they lie, renamed ones and after a load too', () => {
  const seed = Number(process.env.SEED ?? 20_261_129)
  const random = new Random(seed)
  const index = new SearchIndex()
  const tokens = tokensOf(random)
  tokens.forEach(({ mint, name, symbol }, token) => {
    index.set(token, mint, name, symbol)
  })
  expect(index.part.facts()[0], `seed ${seed}`).toBeGreaterThan(3 << 20)
  const ends = atPageEnds(tokens)
  expect(ends.length).toBeGreaterThanOrEqual(9)
  expectFound(index, tokens, random, ends)
  for (let round = 0; round < 500; round++) {
    const token = random.below(TOKENS)
    tokens[token] = { ...tokens[token], name: words(random, 800) }
    index.set(token, tokens[token].mint, tokens[token].name, tokens[token].symbol)
  }
  expectFound(index, tokens, random, ends)
  const after = loaded(index.part)
  expect(bytesOf(after.part).equals(bytesOf(index.part))).toBe(true)
  expectFound(after, tokens, random, ends)
})
