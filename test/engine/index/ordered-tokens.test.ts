import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OrderedTokens } from '../../../src/engine/index/token-order.ts'

test('tokens added and taken out in any order stand as a sort of them does', () => {
  const key = fc.integer({ min: 0, max: 40 })
  const steps = fc.array(fc.tuple(fc.nat(1_999), key), { minLength: 1, maxLength: 4_000 })
  fc.assert(
    fc.property(steps, fc.array(key, { maxLength: 1_500 }), (moves, first) => {
      const keys = new Map(first.map((value, token) => [token, value]))
      const compare = (a: number, b: number) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0) || a - b
      const ordered = new OrderedTokens(compare)
      ordered.reset([...keys.keys()])
      for (const [token, value] of moves) {
        const isListed = keys.has(token)
        if (isListed) ordered.remove(token)
        // One in ten of those that are listed goes for good.
        if (isListed && value % 10 === 0) keys.delete(token)
        else {
          keys.set(token, value)
          ordered.add(token)
        }
      }
      const sorted = [...keys.keys()].sort(compare)
      expect(ordered.count).toBe(sorted.length)
      expect(ordered.tokens).toEqual(sorted)
      expect(ordered.blocks.every(({ count }) => count > 0)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('tokens that come behind all others leave full blocks', () => {
  const ordered = new OrderedTokens((a, b) => a - b)
  for (let token = 0; token < 5_000; token++) ordered.add(token)
  const counts = ordered.blocks.map(({ count }) => count)
  expect(counts).toEqual([...new Array(9).fill(512), 5_000 - 9 * 512])
})

test('a token that comes behind the last one of a full block stands before the next block', () => {
  const ordered = new OrderedTokens((a, b) => a - b)
  ordered.reset(Array.from({ length: 1_024 }, (_, place) => 2 * place))
  ordered.add(1_023)
  expect(ordered.tokens).toEqual([...ordered.tokens].sort((a, b) => a - b))
  expect(ordered.tokens.indexOf(1_023)).toBe(512)
})

test('a block whose tokens have all gone is gone with its memory', () => {
  const ordered = new OrderedTokens((a, b) => a - b)
  ordered.reset(Array.from({ length: 3 * 512 }, (_, place) => place))
  expect(ordered.bytes).toBe(3 * 512 * Uint32Array.BYTES_PER_ELEMENT)
  for (let token = 512; token < 2 * 512; token++) ordered.remove(token)
  expect(ordered.blocks.map(({ count }) => count)).toEqual([512, 512])
  expect(ordered.bytes).toBe(2 * 512 * Uint32Array.BYTES_PER_ELEMENT)
})
