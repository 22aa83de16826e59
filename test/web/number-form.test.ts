import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compact,
  completion,
  exact,
  money,
  percent,
  share,
  signedMoney,
  signedPercent,
  usd,
} from '../../web/src/text/number-form.ts'

test.each([
  [0, '0'],
  [4.5, '4.5'],
  [12.34, '12.3'],
  [812.4, '812'],
  [999.96, '1K'],
  [1_234_567, '1.23M'],
  [1_200_000, '1.2M'],
  [59_871.2, '59.9K'],
  [2.5e12, '2.5T'],
  [0.032, '0.032'],
  [0.0000042, '0.0₅42'],
  [0.00012, '0.0₃12'],
  [0.99999, '1'],
  [-1500, '-1.5K'],
  [999.4e12, '999T'],
  [999.6e12, '1e15'],
  [-2.7e27, '-2.7e27'],
  [Number.MAX_VALUE, '1.8e308'],
  [Number.NaN, '–'],
])('%d is written %s', (value, text) => {
  expect(compact(value)).toBe(text)
})

test.each([
  [8_066.69, 5, '8.0667K'],
  [8_068.56, 5, '8.0686K'],
  [8_070, 5, '8.07K'],
  [0.0000042135, 6, '0.0₅42135'],
  [812.456, 5, '812.46'],
  [999.996, 5, '1K'],
  [999.96, 5, '999.96'],
  [2.71828e27, 5, '2.7183e27'],
])('%d with %i digits is written %s', (value, digits, text) => {
  expect(compact(value, digits)).toBe(text)
})

test('dollars and percents have their sign in front and no needless zeros', () => {
  expect(usd(-30)).toBe('-$30')
  expect(signedMoney(1_234)).toBe('+$1.23K')
  expect(signedMoney(0)).toBe('$0')
  expect(money(0.4231)).toBe('$0.42')
  expect(money(0.9949)).toBe('$0.99')
  expect(money(0.9961)).toBe('$1')
  expect(money(-0.9961)).toBe('-$1')
  expect(signedMoney(0.9961)).toBe('+$1')
  expect(money(-0.001)).toBe('-<$0.01')
  expect(money(1_234)).toBe('$1.23K')
  expect(share(56.4)).toBe('56')
  expect(share(2.55)).toBe('2.5')
  expect(percent(12.34)).toBe('12.3%')
  expect(percent(100)).toBe('100%')
  expect(percent(0.01)).toBe('<0.1%')
  expect(percent(0)).toBe('0%')
  expect(percent(-0.01)).toBe('-<0.1%')
  expect(signedPercent(12.34)).toBe('+12.3%')
  expect(signedPercent(0.05)).toBe('+0.1%')
  expect(signedPercent(0.01)).toBe('<0.1%')
  expect(signedPercent(0)).toBe('0%')
  expect(signedPercent(-0.01)).toBe('-<0.1%')
  expect(signedPercent(-12.34)).toBe('-12.3%')
})

test('what is not complete is never shown as complete', () => {
  expect(completion(99.96)).toBe('99.9%')
  expect(completion(99.9999)).toBe('99.9%')
  expect(completion(100)).toBe('100%')
  expect(completion(64.1)).toBe('64.1%')
  expect(completion(0.01)).toBe('<0.1%')
})

test('exact numbers have all their digits', () => {
  expect(exact(12_345)).toBe('12,345')
  expect(exact(59_871.2)).toBe('59,871.2')
  expect(exact(0.1)).toBe('0.1')
  expect(exact(5.6e-13)).toBe('0.00000000000056')
  expect(exact(8.333e-21)).toBe('0.000000000000000000008333')
})

test('what is written is never off by more than half a percent', () => {
  const letters: Record<string, number> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 }
  const read = (text: string): number => {
    const counted = /^0\.0([₀-₉]+)(\d+)$/.exec(text)
    if (counted !== null) {
      const zeros = Number([...counted[1]].map((digit) => '₀₁₂₃₄₅₆₇₈₉'.indexOf(digit)).join(''))
      return Number(`0.${'0'.repeat(zeros)}${counted[2]}`)
    }
    const letter = text.slice(-1)
    return letter in letters ? Number(text.slice(0, -1)) * letters[letter] : Number(text)
  }
  fc.assert(
    fc.property(fc.double({ min: 1e-15, max: 1e30, noNaN: true }), (value) => {
      expect(Math.abs(read(compact(value)) / value - 1)).toBeLessThanOrEqual(0.005)
    }),
  )
})
