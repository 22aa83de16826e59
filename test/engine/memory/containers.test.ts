import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HashSlots, Rows } from '../../../src/engine/memory/rows.ts'
import { Identities } from '../../../src/engine/order/position-resolver.ts'
import { copyRing } from '../../../src/engine/order/reorder-window.ts'
import { byLength } from '../../lengths.ts'

/** The same identities as a snapshot brings them back, in place of others. */
function loaded(identities: Identities, capacity: number): Identities {
  const again = new Identities(capacity)
  for (let low = 0; low < 5; low++) again.add(9, low)
  const [from, into] = [identities.part, again.part]
  const views = into.open(from.facts())
  for (const [i, view] of from.views().entries()) views[i].set(view)
  into.settle()
  return again
}

test('identities are those of the last `capacity`, first in first out, also once they were loaded', () => {
  // Few distinct low words, so that runs collide, wrap around and close their holes.
  const key = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.oneof(fc.nat(40), fc.nat(0xffffffff)))
  fc.assert(
    fc.property(
      fc.array(key, { size: 'max', maxLength: 600 }),
      fc.integer({ min: 20, max: 90 }),
      (keys, loadedEvery) => {
        const capacity = 16
        let identities = new Identities(capacity)
        const window = new Set<string>()
        for (const [i, [high, low]] of keys.entries()) {
          if (i % loadedEvery === 0) identities = loaded(identities, capacity)
          const name = `${high} ${low}`
          expect(identities.has(high, low)).toBe(window.has(name))
          expect(identities.add(high, low)).toBe(!window.has(name))
          window.add(name)
          const [oldest] = window
          if (window.size > capacity && oldest !== undefined) window.delete(oldest)
        }
        for (const [high, low] of keys) {
          expect(identities.has(high, low)).toBe(window.has(`${high} ${low}`))
          expect(identities.has(9, low)).toBe(false)
        }
      },
    ),
    { numRuns: byLength(60, 300) },
  )
})

test('a ring keeps every position when it grows, wherever it wraps', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(16), fc.constantFrom(2, 4), (tail, length, times) => {
      const from = new Uint32Array(16)
      const to = new Uint32Array(16 * times)
      for (let at = tail; at < tail + length; at++) from[at % 16] = at + 1
      copyRing(from, to, tail, tail + length)
      const kept = Array.from({ length }, (_, i) => to[(tail + i) % to.length])
      expect(kept).toEqual(Array.from({ length }, (_, i) => tail + i + 1))
    }),
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
    { numRuns: byLength(12, 60) },
  )
})

test('hash slots find what is left after rows are taken out in any order', () => {
  // Few home slots in one shard, so that runs are long, wrap around and hold several homes.
  const hash = fc.oneof(fc.nat(40), fc.nat(40), fc.nat(0xffffffff))
  const step = fc.record({ hash, isAdded: fc.boolean(), pick: fc.nat() })
  fc.assert(
    fc.property(fc.array(step, { size: 'max', maxLength: 400 }), (steps) => {
      const slots = new HashSlots()
      const held: { hash: number; row: number }[] = []
      steps.forEach(({ hash, isAdded, pick }, row) => {
        if (isAdded || held.length === 0) {
          slots.add(hash, row)
          held.push({ hash, row })
        } else {
          const [gone] = held.splice(pick % held.length, 1)
          if (gone !== undefined) slots.remove(gone.hash, gone.row)
        }
      })
      for (const { hash } of steps) {
        const rows = held.filter((one) => one.hash === hash).map(({ row }) => row)
        expect(found(slots, hash)).toEqual(rows)
      }
      for (const { hash, row } of held) slots.remove(hash, row)
      for (const { hash } of steps) expect(slots.first(hash)).toBe(-1)
      expect(() => slots.remove(7, 1)).toThrow(RangeError)
    }),
    { numRuns: byLength(60, 300) },
  )
})

test('rows that were given back are taken again, zeroed, before new ones, through a snapshot too', () => {
  const step = fc.record({ isAdded: fc.boolean(), pick: fc.nat(), isSaved: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { size: 'max', maxLength: 200 }), (steps) => {
      let rows = new Rows(4)
      const held: number[] = []
      const given: number[] = []
      for (const { isAdded, pick, isSaved } of steps) {
        if (isAdded || held.length === 0) {
          const row = rows.add()
          expect(row).toBe(given.pop() ?? held.length)
          expect([...rows.u32[0].subarray(row * 4, row * 4 + 4)]).toEqual([0, 0, 0, 0])
          rows.u32[0].fill(row + 1, row * 4, row * 4 + 4)
          held.push(row)
        } else {
          const [row = 0] = held.splice(pick % held.length, 1)
          rows.giveBack(row)
          given.push(row)
        }
        if (isSaved) rows = copied(rows)
        expect(rows.free).toBe(given.length)
        for (const row of held) expect(rows.u32[0][row * 4 + 3]).toBe(row + 1)
      }
    }),
    { numRuns: byLength(12, 60) },
  )
})

function copied(rows: Rows): Rows {
  const copy = new Rows(rows.lanes)
  const from = rows.reusedPart('rows')
  const to = copy.reusedPart('rows')
  const views = to.open(from.facts())
  from.views().forEach((view, i) => {
    views[i]?.set(view)
  })
  to.settle()
  return copy
}

function found(slots: HashSlots, hash: number): number[] {
  const rows: number[] = []
  for (let row = slots.first(hash); row >= 0; row = slots.next()) rows.push(row)
  return rows.sort((a, b) => a - b)
}
