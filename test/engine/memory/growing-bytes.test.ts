import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GrowingBytes } from '../../../src/engine/memory/views.ts'

const FIRST_BYTES = 1 << 10
/** What one entry may cost beside itself. */
const SLICE_BYTES = 1 << 16

const touched = (bytes: GrowingBytes) => bytes.bytes - bytes.untouchedBytes

test('bytes that grew by entries, and were blanked here and there, are those of a plain array', () => {
  const entry = fc.uint8Array({ minLength: 1, maxLength: 3_000, size: 'max' })
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ entry }) },
    { weight: 1, arbitrary: fc.record({ from: fc.nat(), length: fc.nat(500) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const growing = new GrowingBytes(FIRST_BYTES)
      const plain: number[] = []
      for (const one of steps) {
        if ('entry' in one) {
          growing.append(one.entry)
          plain.push(...one.entry)
        } else if (plain.length > 0) {
          const from = one.from % plain.length
          const to = Math.min(plain.length, from + one.length)
          growing.fill(0xff, from, to)
          plain.fill(0xff, from, to)
        }
        expect(growing.untouchedBytes).toBeGreaterThanOrEqual(0)
      }
      expect(growing.length).toBe(plain.length)
      const held = growing.buffer.subarray(0, growing.length)
      expect(Buffer.from(plain).equals(held)).toBe(true)
    }),
    // A smaller case of so many bytes takes a minute to find.
    { endOnFailure: true },
  )
})

test('no entry waits for more than a slice to be copied, however much there is', () => {
  const growing = new GrowingBytes(FIRST_BYTES)
  const entry = new Uint8Array(100).fill(7)
  let buffer = growing.buffer
  let before = touched(growing)
  let changes = 0
  while (growing.length < 20_000_000) {
    growing.append(entry)
    const after = touched(growing)
    if (growing.buffer === buffer) {
      expect(after - before).toBeLessThanOrEqual(entry.length + SLICE_BYTES)
    } else {
      // All that it holds had been copied before, but for what came with the last entries.
      changes += 1
      expect(2 * (growing.length - entry.length) - before).toBeLessThanOrEqual(SLICE_BYTES)
    }
    buffer = growing.buffer
    before = after
  }
  expect(changes).toBeGreaterThan(10)
  expect(growing.buffer.subarray(0, growing.length).every((byte) => byte === 7)).toBe(true)
})

test('after a load there is room at once', () => {
  const growing = new GrowingBytes(FIRST_BYTES)
  growing.reset(1 << 20)
  const { buffer } = growing
  growing.append(new Uint8Array(10))
  expect(growing.buffer).toBe(buffer)
  expect(growing.length).toBe((1 << 20) + 10)
})
