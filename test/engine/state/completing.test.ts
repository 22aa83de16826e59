import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { completionOf, isCompleting } from '../../../src/engine/state/lanes.ts'
import { byLength } from '../../lengths.ts'
import { created, swap } from '../../oracle/fixtures.ts'

const COMPLETING_PERCENT = 40n

test('a token completes from exactly 40 % sold on, however long its amounts are', () => {
  const nearThreshold = fc.record({
    initial: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    aside: fc.oneof(fc.bigInt({ min: -2n, max: 2n }), fc.bigInt({ min: -4096n, max: 4096n })),
  })
  fc.assert(
    fc.property(fc.array(nearThreshold, { minLength: 1, maxLength: 40 }), (cases) => {
      const engine = new Engine({ clock: 'event', identities: 1 << 12 })
      for (const [i, { initial, aside }] of cases.entries()) {
        const threshold = (initial * (100n - COMPLETING_PERCENT)) / 100n
        const left = threshold + aside
        const real = left < 0n ? 0n : left > initial ? initial : left
        const place = { mint: `mint ${i}`, slot: 100 + i }
        engine.accept(created({ ...place, signature: `create ${i}`, realBaseRaw: initial }))
        engine.accept(swap({ ...place, signature: `swap ${i}`, realBaseRaw: real }))
        const isExpected = (initial - real) * 100n >= COMPLETING_PERCENT * initial
        const token = engine.state.book.findToken(place.mint)
        expect(isCompleting(engine.state, token)).toBe(isExpected)
      }
    }),
    { numRuns: Number(process.env.RUNS ?? byLength(30, 300)) },
  )
})

test('the part of a curve that is sold has all its digits, also where few of many units are sold', () => {
  const initials = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n })
  fc.assert(
    fc.property(initials, fc.bigInt({ min: 0n, max: 4_096n }), (initial, sold) => {
      const engine = new Engine({ clock: 'event', identities: 1 << 12 })
      engine.accept(created({ realBaseRaw: initial }))
      engine.accept(swap({ realBaseRaw: initial - sold }))
      const token = engine.state.book.findToken('mint')
      expect(completionOf(engine.state, token)).toBe((Number(sold) * 100) / Number(initial))
    }),
    { numRuns: Number(process.env.RUNS ?? byLength(30, 300)) },
  )
})
