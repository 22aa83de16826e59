import { expect, test } from 'vitest'
import { candleChange } from '../../web/src/token/candle-change.ts'

const candle = (time: number, close = time) => ({
  time,
  open: 1,
  high: 9,
  low: 0,
  close,
  volume: 1,
})
const shown = [candle(1), candle(2), candle(3)]

test('a newest bar that moved, and bars after it, are drawn alone', () => {
  const next = [candle(1), candle(2), candle(3, 7), candle(4)]
  expect(candleChange(shown, next)).toEqual({
    kind: 'newest',
    candles: [candle(3, 7), candle(4)],
  })
})

test('whatever else changed draws all bars anew', () => {
  expect(candleChange([], shown).kind).toBe('all')
  expect(candleChange(shown, [candle(1), candle(2, 5), candle(3)]).kind).toBe('all')
  expect(candleChange(shown, shown.slice(1)).kind).toBe('all')
  expect(candleChange(shown, [candle(1), candle(2), candle(4)]).kind).toBe('all')
})
