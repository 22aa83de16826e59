import { expect, test } from 'vitest'
import { ARRIVAL_STEP, ArrivalIndexes } from '../../../src/feeds/chain/arrival-index.ts'

/** As first, second and so on, from 0. */
const placeOf = (index: number) => index / ARRIVAL_STEP - 1

test('the signatures of a slot are numbered as they arrive, and keep their numbers', () => {
  const arrivals = new ArrivalIndexes()
  const indexes = (slot: number, signatures: string) =>
    [...signatures].map((signature) => placeOf(arrivals.of(slot, signature)))
  expect(indexes(10, 'abca')).toEqual([0, 1, 2, 0])
  expect(indexes(11, 'cb')).toEqual([0, 1])
  expect(indexes(10, 'dcb')).toEqual([3, 2, 1])
})

test('only the newest slots are remembered, and no more signatures of one than a block holds', () => {
  const arrivals = new ArrivalIndexes()
  for (let slot = 1; slot <= 65; slot++) for (const one of ['a', 'b']) arrivals.of(slot, one)
  expect([arrivals.of(2, 'b'), arrivals.of(1, 'b')].map(placeOf)).toEqual([1, 0])
  for (let n = 0; n < 20_000; n++) arrivals.of(100, `${n}`)
  const places = ['19999', 'x', 'y'].map((signature) => placeOf(arrivals.of(100, signature)))
  expect(places).toEqual([19_999, 20_000, 20_000])
})

test('before the first of a slot and between two there is room for a whole block', () => {
  const arrivals = new ArrivalIndexes()
  const [first, second] = ['a', 'b'].map((signature) => arrivals.of(10, signature))
  expect(first).toBeGreaterThan(20_000)
  expect(second - first).toBeGreaterThan(20_000)
  expect(100_000 * ARRIVAL_STEP).toBeLessThan(2 ** 32)
})
