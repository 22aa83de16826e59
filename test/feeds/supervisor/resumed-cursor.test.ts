import { expect, test } from 'vitest'
import { resumedCursor } from '../../../src/app/feeds/live-sources.ts'
import { INCOMPLETE_SLOTS_MAX } from '../../../src/feeds/supervisor/incomplete-slots.ts'

test('a restart asks again for the oldest slot of which swaps are still taken', () => {
  // It goes on behind the cursor: exactly 32 slots late is still inside the window (contract section 8).
  expect(resumedCursor(1_000, 32)).toBe(1_000 - 33)
  expect(resumedCursor(1_000, 0)).toBe(999)
})

test('a restart asks for no slot before the first, and for no more than are kept as suspects', () => {
  expect(resumedCursor(20, 32)).toBe(0)
  expect(resumedCursor(1_000, 10_000)).toBe(1_000 - INCOMPLETE_SLOTS_MAX)
})

test('a restart of an empty state begins with what comes', () => {
  expect(resumedCursor(0, 32)).toBeNull()
})

test('a restart of which only the start was told begins with the slot behind it', () => {
  expect(resumedCursor(-1, 32, 500)).toBe(500)
  expect(resumedCursor(-1, 32, Number.MAX_SAFE_INTEGER)).toBeNull()
})
