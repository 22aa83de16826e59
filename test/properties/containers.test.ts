import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Identities } from '../../src/engine/identities.ts'
import { HashSlots } from '../../src/engine/memory/hash-slots.ts'

test('identities are those of the last `capacity`, first in first out', () => {
  // Few distinct low words, so that runs collide, wrap around and close their holes.
  const key = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.oneof(fc.nat(40), fc.nat(0xffffffff)))
  fc.assert(
    fc.property(fc.array(key, { size: 'max', maxLength: 600 }), (keys) => {
      const capacity = 16
      const identities = new Identities(capacity)
      const window = new Set<string>()
      for (const [high, low] of keys) {
        const name = `${high} ${low}`
        expect(identities.has(high, low)).toBe(window.has(name))
        expect(identities.add(high, low)).toBe(!window.has(name))
        window.add(name)
        const [oldest] = window
        if (window.size > capacity && oldest !== undefined) window.delete(oldest)
      }
      for (const [high, low] of keys)
        expect(identities.has(high, low)).toBe(window.has(`${high} ${low}`))
    }),
    { numRuns: 300 },
  )
})

test('hash slots find every row of a hash and no other, through all their growth', () => {
  const hash = fc.oneof(fc.nat(0xffffffff), fc.nat(200), fc.constantFrom(0, 0xffffffff, 0x80000000))
  fc.assert(
    fc.property(fc.array(hash, { size: 'max', maxLength: 3_000 }), (hashes) => {
      const slots = new HashSlots()
      const rows = new Map<number, number[]>()
      hashes.forEach((value, row) => {
        slots.add(value, row)
        rows.set(value, [...(rows.get(value) ?? []), row])
      })
      for (const [value, expected] of rows) expect(found(slots, value)).toEqual(expected)
      for (const value of [1e9, 12_345, 2 ** 31 + 7])
        if (!rows.has(value)) expect(slots.first(value)).toBe(-1)
    }),
    { numRuns: 60 },
  )
})

function found(slots: HashSlots, hash: number): number[] {
  const rows: number[] = []
  for (let row = slots.first(hash); row >= 0; row = slots.next()) rows.push(row)
  return rows.sort((a, b) => a - b)
}
