import fc from 'fast-check'
import { expect, test } from 'vitest'
import { select } from '../../../src/engine/memory/ranked.ts'

const INFINITE = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]

test('the number of a rank stands in its place, lesser ones before it, greater ones behind, others untouched', () => {
  const few = fc.constantFrom(-1, 0, 1, 1.5, 2 ** 60, ...INFINITE)
  const number = fc.double({ noNaN: true }).map((value) => value + 0)
  const lists = fc.oneof(
    ...[few, number].flatMap((one) => [
      fc.array(one, { minLength: 1, maxLength: 40 }),
      fc.array(one, { minLength: 601, maxLength: 3_000 }),
    ]),
  )
  const places = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(lists, places, places, places, (list, a, b, c) => {
      const [left, rank, right] = [a, b, c]
        .map((place) => Math.floor(place * list.length))
        .sort((x, y) => x - y)
      const numbers = Float64Array.from(list)
      select(numbers, rank, left, right)
      const inOrder = Float64Array.from(list)
        .subarray(left, right + 1)
        .sort()
      expect(numbers.slice(left, right + 1).sort()).toEqual(inOrder)
      expect(numbers[rank]).toBe(inOrder[rank - left])
      for (let i = left; i < rank; i++) if (numbers[i] > numbers[rank]) expect(i).toBe(null)
      for (let i = rank; i <= right; i++) if (numbers[i] < numbers[rank]) expect(i).toBe(null)
      expect([...numbers.subarray(0, left)]).toEqual(list.slice(0, left))
      expect([...numbers.subarray(right + 1)]).toEqual(list.slice(right + 1))
    }),
  )
})
