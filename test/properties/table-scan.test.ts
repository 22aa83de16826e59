import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TableScan } from '../../src/wire/table-scan.ts'
import type { Column } from '../../src/wire/token-column.ts'

/** Tokens of which more are compared in a column settle it. */
const REFRESHED_MAX = 1_024

/** A column of which nothing is known but what was read since it was made. */
class StrictColumn implements Column {
  readonly bytes = 0
  readonly isSettledSoon = false
  readonly read = new Set<number>()
  isSettled = false
  readonly #values: (token: number) => number

  constructor(values: (token: number) => number) {
    this.#values = values
  }

  cover(): void {}

  refresh(tokens: Uint32Array, count: number): void {
    for (const token of tokens.subarray(0, count)) this.read.add(token)
  }

  settle(): void {
    this.isSettled = true
  }

  isNear(): boolean {
    return true
  }

  narrow(tokens: Uint32Array, count: number, min: number, max: number): number {
    let left = 0
    for (const token of tokens.slice(0, count)) {
      expect(this.isSettled || this.read.has(token)).toBe(true)
      const value = this.#values(token)
      if (value >= min && value <= max) tokens[left++] = token
    }
    return left
  }
}

/** Every token has another number of 0 to 99 in each column. */
const valueIn = (column: number) => (token: number) =>
  (Math.imul(token + 1, 2_654_435_761 + column * 7_919) >>> 7) % 100

const sizes = fc.array(fc.oneof(fc.nat(3), fc.nat(200), fc.nat(1_500)), { maxLength: 8 })
const bounds = fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { maxLength: 3 })
const limits = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4_000 }))

test('a scan finds what passes all conditions, from the end on, as many as are wanted', () => {
  const scan = new TableScan()
  fc.assert(
    fc.property(sizes, bounds, limits, (blockSizes, conditions, limit) => {
      let token = 0
      const blocks = blockSizes.map((size) => Array.from({ length: size }, () => token++))
      const newGates = () =>
        conditions.map(([a, b], i) => ({
          column: new StrictColumn(valueIn(i)),
          ...{ min: Math.min(a, b), max: Math.max(a, b) },
        }))
      const passing = blocks
        .flat()
        .toReversed()
        .filter((one) =>
          newGates().every(({ min, max }, i) => valueIn(i)(one) >= min && valueIn(i)(one) <= max),
        )
      const found: number[] = []
      const gates = newGates()
      scan.run(blocks, gates, (one) => found.push(one) < limit)
      expect(found).toEqual(passing.slice(0, limit))
      // One at a time is cheap for a few, and no way to read a column of a market.
      for (const { column } of gates) expect(column.read.size).toBeLessThanOrEqual(REFRESHED_MAX)

      const soon = newGates()
      const endsSoon = scan.endsSoon(blocks, soon, limit)
      for (const { column } of soon) expect(column.isSettled).toBe(false)
      const wasNeeded = gates.some(({ column }) => column.isSettled)
      if (endsSoon) expect(wasNeeded).toBe(false)
      else expect(token).toBeGreaterThan(REFRESHED_MAX / 2)
    }),
    { numRuns: 200 },
  )
})
