import { expect, test } from 'vitest'
import { supplyOf } from '../../web/src/token/supply.ts'

test('the supply of a token does not tremble with the digits of its price', () => {
  for (let price = 1.1e-18; price < 1e18; price *= 1.37)
    expect(supplyOf(price * 1e9, price)).toBe(1e9)
})

test('a supply below one whole token makes market caps too', () => {
  expect(supplyOf(1_931_399.9999999998, 4_828_499.999999999)).toBe(0.4)
  expect(supplyOf(2.5 * 0.003, 0.003)).toBe(2.5)
})

test('without a price it is the usual one, and nothing is nothing', () => {
  expect(supplyOf(0, 0)).toBe(1e9)
  expect(supplyOf(0, 0.5)).toBe(0)
})
