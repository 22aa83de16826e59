import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Candidates, type TokenRun } from '../../../src/query/tables/candidates.ts'
import { type Column, type Predicate, TableScan } from '../../../src/query/tables/column-scan.ts'

/** Tokens of which more are compared in a column settle it. */
const REFRESHED_MAX = 1_024

/** A column of which nothing is known but what was read since it was made. */
class StrictColumn implements Column {
  readonly bytes = 0
  readonly unsettled: number
  readonly read = new Set<number>()
  isSettled = false
  readonly #values: (token: number) => number

  constructor(values: (token: number) => number, unsettled: number) {
    this.#values = values
    this.unsettled = unsettled
  }

  cover(): void {}

  refresh({ tokens, from, to }: TokenRun): void {
    for (const token of tokens.subarray(from, to)) this.read.add(token)
  }

  settle(): void {
    this.isSettled = true
  }

  load(): void {}

  /** As far as it likes: tokens that it says nothing of stay. */
  narrow(candidates: Candidates, { min, max }: Predicate): void {
    expect(this.isSettled).toBe(true)
    const column = candidates.kept(null)
    if (column === null) return
    for (let token = 0; token < candidates.count; token++)
      column.f32[token] = token % 1_000 === 7 ? Number.NaN : this.#values(token)
    candidates.keepValues(column, min, max)
  }

  filter(
    { tokens, from, to }: TokenRun,
    kept: Uint32Array,
    end: number,
    bounds: Omit<Predicate, 'column'>,
  ): number {
    let first = end
    for (const token of tokens.slice(from, to).reverse()) {
      expect(this.isSettled || this.read.has(token)).toBe(true)
      const value = this.#values(token)
      if (value >= bounds.min && value <= bounds.max) kept[--first] = token
    }
    return first
  }
}

/** Every token has another number of 0 to 99 in each column. */
const valueIn = (column: number) => (token: number) =>
  (Math.imul(token + 1, 2_654_435_761 + column * 7_919) >>> 7) % 100

/** To be settled it has to read everything. */
const isFar = ({ column }: { readonly column: Column }) => !Number.isFinite(column.unsettled)

const sizes = fc.array(fc.oneof(fc.nat(3), fc.nat(200), fc.nat(1_500)), { maxLength: 8 })
/** Changes since a column was read; most were never read. */
const unsettled = fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 200)
const bounds = fc.array(fc.tuple(fc.nat(99), fc.nat(99), unsettled), { maxLength: 3 })
const limits = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4_000 }))

test('a scan finds what passes all conditions, from the end on, as many as are wanted', () => {
  const scan = new TableScan()
  fc.assert(
    fc.property(sizes, bounds, limits, (blockSizes, conditions, limit) => {
      let token = 0
      const listed = blockSizes.map((size) => Array.from({ length: size }, () => token++))
      // What is behind the last of a block is of no matter.
      const blocks = listed.map((tokens) => ({
        tokens: Uint32Array.from([...tokens, 0, 1]),
        count: tokens.length,
      }))
      const newPredicates = () =>
        conditions.map(([a, b, changes], i) => ({
          column: new StrictColumn(valueIn(i), changes),
          ...{ min: Math.min(a, b), max: Math.max(a, b) },
        }))
      const passing = listed
        .flat()
        .toReversed()
        .filter((one) =>
          newPredicates().every(
            ({ min, max }, i) => valueIn(i)(one) >= min && valueIn(i)(one) <= max,
          ),
        )
      const found: number[] = []
      const predicates = newPredicates()
      scan.run({ blocks }, predicates, (one) => found.push(one) < limit, limit)
      expect(found).toEqual(passing.slice(0, limit))
      // One at a time is cheap for a few, and no way to read a column of a market.
      for (const { column } of predicates) {
        const most = column.unsettled === 0 ? 0 : REFRESHED_MAX
        expect(column.read.size).toBeLessThanOrEqual(most)
      }

      const soon = newPredicates()
      const endsSoon = scan.endsSoon({ blocks }, soon, limit)
      for (const { column } of soon.filter(isFar)) expect(column.isSettled).toBe(false)
      const wasNeeded = predicates.filter(isFar).some(({ column }) => column.isSettled)
      if (endsSoon) expect(wasNeeded).toBe(false)
      else expect(token).toBeGreaterThan(REFRESHED_MAX / 2)
    }),
    { numRuns: 200 },
  )
})

/** So many that few of them pass, in a table that others do not stand in. */
const MANY = 9_000
const isListed = (token: number) => token % 7 !== 3 && token < MANY - 5
/** Tokens of a table stand in no order of their numbers. */
const placeOf = (token: number) => Math.imul(token + 1, 2_654_435_761) >>> 0

test('a scan that narrows its tokens to candidates finds the same ones in the same order', () => {
  const listed = Array.from({ length: MANY }, (_, token) => token)
    .filter(isListed)
    .sort((a, b) => placeOf(a) - placeOf(b))
  const blocks = Array.from({ length: Math.ceil(listed.length / 500) }, (_, i) => {
    const tokens = Uint32Array.from(listed.slice(i * 500, (i + 1) * 500))
    return { tokens, count: tokens.length }
  })
  let asked = 0
  const table = {
    // The last tokens were in no table yet.
    lists: Uint8Array.from({ length: MANY - 5 }, (_, token) => (isListed(token) ? 2 : 1)),
    list: 2,
    lastFirst: (tokens: Uint32Array) => {
      asked += 1
      return tokens.sort((a, b) => placeOf(b) - placeOf(a))
    },
  }
  const scan = new TableScan(new Candidates({ count: MANY }))
  const condition = fc.tuple(fc.nat(99), fc.oneof(fc.nat(2), fc.nat(99)), unsettled)
  fc.assert(
    fc.property(
      fc.array(condition, { minLength: 1, maxLength: 3 }),
      fc.oneof(limits, fc.constant(Number.POSITIVE_INFINITY)),
      (conditions, limit) => {
        const predicates = conditions.map(([min, more, changes], i) => ({
          column: new StrictColumn(valueIn(i), changes),
          ...{ min, max: min + more },
        }))
        const passing = listed
          .toReversed()
          .filter((one) =>
            predicates.every(({ min, max }, i) => valueIn(i)(one) >= min && valueIn(i)(one) <= max),
          )
        const found: number[] = []
        scan.run({ blocks, table }, predicates, (one) => found.push(one) < limit, limit)
        expect(found).toEqual(passing.slice(0, limit))
      },
    ),
    { numRuns: 200 },
  )
  expect(asked).toBeGreaterThan(20)
})
