import { expect, test } from 'vitest'
import { BEAT_MS, boundaryAfter, SLOW_BEAT_MS } from '../../web/src/frame/beat-times.ts'

test('beats of every length stand on the same grid, so that their frames are shared', () => {
  expect(boundaryAfter(0, BEAT_MS)).toBe(BEAT_MS)
  expect(boundaryAfter(BEAT_MS, BEAT_MS)).toBe(2 * BEAT_MS)
  expect(boundaryAfter(SLOW_BEAT_MS - 1, BEAT_MS)).toBe(boundaryAfter(1, SLOW_BEAT_MS))
  expect(SLOW_BEAT_MS % BEAT_MS).toBe(0)
})
