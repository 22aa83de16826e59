import { expect, test } from 'vitest'
import { lanesOf } from '../../src/engine/memory/views.ts'
import { FORMAT_UPGRADES } from '../../src/store/upgrades/format-upgrades.ts'
import type { SavedPart } from '../../src/store/upgrades/saved-part.ts'

/** Lanes of a position up to version 2, and the one that named the next of its wallet, from 1 on. */
const LANES = 40
const NEXT = 31

/** What version 3 has in place of positions of version 2 that name these, 0 being none. */
function upgraded(nexts: readonly number[]): readonly SavedPart[] {
  const rows = new Uint32Array(nexts.length * LANES).fill(7)
  for (const [row, next] of nexts.entries()) rows[row * LANES + NEXT] = next
  const step = FORMAT_UPGRADES.snapshots.find(({ from }) => from === 2)
  const bytes = new Uint8Array(rows.buffer)
  return step?.parts?.()({ name: 'positions', facts: [nexts.length], bytes }) ?? []
}

test('positions of version 2 that named the next of their wallet are linked in both directions', () => {
  // The third of a wallet leads to the first, that one to the second; the fourth is alone.
  const [positions, links] = upgraded([2, 0, 1, 0])
  expect([positions.name, positions.facts]).toEqual(['positions', [4, 0, 0]])
  const rows = lanesOf(positions.bytes)
  for (let at = 0; at < rows.length; at += 1) expect(rows[at]).toBe(at % LANES === NEXT ? 0 : 7)
  expect([links.name, links.facts]).toEqual(['position links', [4]])
  expect([...lanesOf(links.bytes)]).toEqual([2, 3, 0, 1, 1, 0, 0, 0])
})

test('a position of version 2 that names one that is not there is damage', () => {
  expect(() => upgraded([2, 0])).not.toThrow()
  expect(() => upgraded([3, 0])).toThrow('position 0 names position 3 of 2')
})
