import { expect, test } from 'vitest'
import { Pace } from '../../web/src/board/pace.ts'

test('rows glide after a rest, and not while their order changes all the time', () => {
  const pace = new Pace()
  expect(pace.isQuick('ab', 0)).toBe(false)
  expect(pace.isQuick('ab', 5)).toBe(false)
  expect(pace.isQuick('ba', 300)).toBe(true)
  // The same order is still that of the last change: a drawing of other numbers moves nothing.
  expect(pace.isQuick('ba', 900)).toBe(true)
  expect(pace.isQuick('ab', 1_200)).toBe(true)
  expect(pace.isQuick('ba', 2_400)).toBe(false)
})
