import { expect, test } from 'vitest'
import { ArrivalIndexes } from '../../src/feeds/chain/arrival-index.ts'

test('the signatures of a slot are numbered as they arrive, and keep their numbers', () => {
  const arrivals = new ArrivalIndexes()
  const indexes = (slot: number, signatures: string) =>
    [...signatures].map((signature) => arrivals.of(slot, signature))
  expect(indexes(10, 'abca')).toEqual([0, 1, 2, 0])
  expect(indexes(11, 'cb')).toEqual([0, 1])
  expect(indexes(10, 'dcb')).toEqual([3, 2, 1])
})

test('only the newest slots are remembered, and no more signatures of one than a block holds', () => {
  const arrivals = new ArrivalIndexes()
  for (let slot = 1; slot <= 65; slot++) for (const one of ['a', 'b']) arrivals.of(slot, one)
  expect([arrivals.of(2, 'b'), arrivals.of(1, 'b')]).toEqual([1, 0])
  for (let n = 0; n < 20_000; n++) arrivals.of(100, `${n}`)
  expect([arrivals.of(100, '19999'), arrivals.of(100, 'x'), arrivals.of(100, 'y')]).toEqual([
    19_999, 20_000, 20_000,
  ])
})
