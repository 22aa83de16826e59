import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { kernelsModule } from '../../../packaging/kernels.ts'
import { Candidates, type NarrowColumn } from '../../../src/query/tables/candidates.ts'
import { ROOT } from '../../tidy/source-files.ts'

/** Candidates that are told one by one. */
const TOLD_MAX = 128
/** Tokens that are looked at together. */
const BATCH_TOKENS = 1_024
/** Tokens that the first columns have room for. */
const ROOM = 1 << 15
/** Memory past which columns are not made narrow. */
const BYTES_MAX = 1 << 28

/** Tokens by number: a part of a word of bits, whole words, and more than one page of memory. */
const counts = fc.oneof(fc.nat(70), fc.nat(1_000), fc.constantFrom(32, 64, 5_001))
const odd = [0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1e300]
const edges = [...odd, 5e-324, 1, 1 + 2 ** -40, 3.4028235677973366e38, 2 ** 24 + 1, 2 ** 32, -1]
const values = fc.oneof(
  fc.constantFrom(...edges),
  fc.integer({ min: -3, max: 100 }),
  fc.double(),
  fc.double({ min: 0.9, max: 1.1 }),
)
const pairs = fc.tuple(values, values)

/** The values of some tokens, drawn out of a few. */
function valuesOf(count: number, some: readonly number[]): number[] {
  return Array.from({ length: count }, (_, i) => some[Math.imul(i + 1, 2_654_435_761) % 13] ?? i)
}

function columnOf(candidates: Candidates): NarrowColumn {
  const column = candidates.kept(null)
  if (column === null) throw new Error('no memory')
  return column
}

/** All that are candidates, by the filter of tokens in an order. */
function kept(candidates: Candidates, count: number): number[] {
  const tokens = Uint32Array.from({ length: count }, (_, i) => i)
  const to = new Uint32Array(count + 1)
  const passed: number[] = []
  for (let from = 0; from < count; from += BATCH_TOKENS) {
    const end = Math.min(count, from + BATCH_TOKENS)
    const first = candidates.filter({ tokens, from, to: end }, to, end)
    passed.push(...to.subarray(first, end))
  }
  return passed
}

const within = (value: number, [min, max]: readonly [number, number]) =>
  value >= min && value <= max

test('of values those stay that are within the bounds, and no other ones but for rounding', () => {
  fc.assert(
    fc.property(counts, fc.array(values, { maxLength: 13 }), pairs, pairs, (count, some, a, b) => {
      const candidates = new Candidates({ count })
      expect(candidates.begin()).toBe(true)
      expect(kept(candidates, count)).toEqual(Array.from({ length: count }, (_, i) => i))
      const columns = [valuesOf(count, some), valuesOf(count, some.toReversed())]
      const stays = columns[0].map(() => true)
      // Values that pass and would be taken out.
      const wrong: number[] = []
      for (const [i, bounds] of [a, b].entries()) {
        const column = columnOf(candidates)
        column.f32.set(columns[i])
        candidates.keepValues(column, ...bounds)
        const [low, high] = bounds.map(Math.fround)
        columns[i].forEach((value, token) => {
          const rounded = Math.fround(value)
          if (rounded < low || rounded > high) {
            stays[token] = false
            if (within(value, bounds)) wrong.push(value)
          }
        })
      }
      expect(wrong).toEqual([])
      const expected = stays.flatMap((one, token) => (one ? [token] : []))
      expect(kept(candidates, count)).toEqual(expected)
      const told = candidates.told()
      if (expected.length > TOLD_MAX) expect(told).toBeNull()
      else expect([...(told ?? [])]).toEqual(expected)
    }),
    { numRuns: 150 },
  )
})

test('of counts those stay that are within the bounds, of a token or of what its number stands for', () => {
  const some = fc.array(
    fc.oneof(fc.nat(5), fc.constantFrom(2 ** 31, 2 ** 32 - 1), fc.nat(2 ** 32 - 1)),
    { maxLength: 13 },
  )
  fc.assert(
    fc.property(counts, some, pairs, fc.boolean(), (count, some, bounds, isNumbered) => {
      fc.pre(!bounds.some(Number.isNaN))
      const candidates = new Candidates({ count })
      candidates.begin()
      const all = valuesOf(count, some).map((value) => value >>> 0)
      const numbers = all.map((_, i) => Math.imul(i, 40_503) % Math.max(1, count))
      const places = numbers.map((one) => Math.abs(one))
      if (isNumbered) {
        const [ofToken, ofPlace] = [columnOf(candidates), columnOf(candidates)]
        ofToken.u32.set(places)
        ofPlace.u32.set(all)
        candidates.keepCountsOf(ofToken, ofPlace, ...bounds)
      } else {
        const lent = candidates.lent(Uint32Array.from([...all, 1, 2]))
        if (lent === null) throw new Error('no memory')
        candidates.keepCounts(lent, ...bounds)
      }
      const expected = all.flatMap((value, token) =>
        within(isNumbered ? all[places[token]] : value, bounds) ? [token] : [],
      )
      expect(kept(candidates, count)).toEqual(expected)
    }),
    { numRuns: 150 },
  )
})

test('those stay that are of a table, which may have been listed before the last tokens came', () => {
  fc.assert(
    fc.property(counts, fc.nat(40), fc.nat(3), (count, behind, list) => {
      const candidates = new Candidates({ count })
      candidates.begin()
      candidates.lent(new Uint32Array(count).fill(0x1010101 * (list + 1)))
      const lists = Uint8Array.from({ length: Math.max(0, count - behind) }, (_, i) => i % 5)
      expect(candidates.keepMembers(lists, list + 1)).toBe(true)
      const expected = [...lists.keys()].filter((token) => lists[token] === list + 1)
      expect(kept(candidates, count)).toEqual(expected)
    }),
    { numRuns: 100 },
  )
})

test('columns are given up once there are more tokens than they have room for', () => {
  const tokens = { count: ROOM }
  const candidates = new Candidates(tokens)
  candidates.begin()
  const column = columnOf(candidates)
  const lent = candidates.lent(new Uint32Array(ROOM))
  expect(candidates.kept(column)).toBe(column)
  tokens.count = ROOM + 1
  expect(candidates.begin()).toBe(true)
  expect([column.at, lent?.at]).toEqual([0, 0])
  column.f32[0] = 1
  const next = candidates.lent(Uint32Array.from({ length: ROOM + 1 }, (_, i) => i))
  if (next === null) throw new Error('no memory')
  candidates.keepCounts(next, ROOM - 1, Number.POSITIVE_INFINITY)
  expect([...(candidates.told() ?? [])]).toEqual([ROOM - 1, ROOM])
})

test('no column is made past the memory that candidates may have', () => {
  const candidates = new Candidates({ count: 2 ** 22 })
  candidates.begin()
  let columns = 0
  while (candidates.kept(null) !== null) columns += 1
  expect(columns).toBe(BYTES_MAX / (4 * 2 ** 22) - 1)
  expect(candidates.bytes).toBeLessThanOrEqual(BYTES_MAX)
  expect(candidates.lent(new Uint32Array(2 ** 22))).toBeNull()
})

test('the WebAssembly that is loaded is made of its source', async () => {
  const file = join(ROOT, 'src/query/tables/candidates-wasm.ts')
  expect(readFileSync(file, 'utf8')).toBe(await kernelsModule())
})
