import { expect, test } from 'vitest'
import { padded } from '../../src/store/format/journal-format.ts'

test('a length is rounded up to whole 8 bytes, also one that no 32-bit integer holds', () => {
  const lengths = [0, 1, 7, 8, 9, 2 ** 31 - 1, 2 ** 31 + 1, 2 ** 32, 5 * 2 ** 32 + 3]
  for (const length of lengths) {
    const full = padded(length)
    expect(full % 8).toBe(0)
    expect(full - length).toBeGreaterThanOrEqual(0)
    expect(full - length).toBeLessThan(8)
  }
})
