import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SLOT_MS_START, SlotLength } from '../../../src/feeds/supervisor/slot-reach.ts'
import { SeededRandom } from '../seeded-random.ts'

const SECONDS = 1_790_000_000

/** Tells the whole seconds of slots `from` to `to`, some of which have none. */
function tell(length: SlotLength, slotMs: number, from: number, to: number, start = SECONDS): void {
  for (let slot = from; slot <= to; slot++)
    if (slot % 7 !== 0) length.observe(slot, start + Math.floor(((slot - from) * slotMs) / 1_000))
}

test('until enough was seen a slot takes what it took in October 2026', () => {
  const length = new SlotLength()
  expect(length.ms).toBe(SLOT_MS_START)
  tell(length, 400, 1_000, 1_500)
  expect(length.ms).toBe(268)
  expect(length.slotsIn(26_800)).toBe(100)
})

test.each([150, 200, 268, 400, 800])(
  'slots of %i ms are seen to be so, skipped ones among them',
  (slotMs) => {
    const length = new SlotLength()
    tell(length, slotMs, 1_000, 6_000)
    expect(Math.abs(length.ms - slotMs)).toBeLessThan(5)
  },
)

test('a chain that grows faster is followed within minutes', () => {
  const length = new SlotLength()
  tell(length, 268, 1_000, 5_000)
  tell(length, 200, 5_001, 9_000, SECONDS + 1_073)
  expect(Math.abs(length.ms - 200)).toBeLessThan(5)
})

test('wrong times, late slots and leaps move it by little, and never out of its bounds', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`slot lengths with SEED=${seed}`)
  const random = new SeededRandom(seed)
  const length = new SlotLength()
  let slot = 1_000
  for (let step = 0; step < 20_000; step++) {
    slot += 1 + random.below(2)
    const seconds = SECONDS + Math.floor((slot - 1_000) * 0.268)
    // One of a thousand is an hour off, one of fifty is of an older slot.
    if (random.below(1_000) === 0)
      length.observe(slot, seconds + (random.below(2) === 0 ? 3_600 : -3_600))
    else if (random.below(50) === 0) length.observe(slot - random.below(900), seconds)
    else length.observe(slot, seconds)
    if (step === 10_000) slot += 500_000
  }
  expect(Math.abs(length.ms - 268)).toBeLessThan(20)
})

test('whatever is told, a slot takes between a tenth of a second and a second', () => {
  const any = fc.array(fc.tuple(fc.nat(), fc.nat(2 ** 32 - 1)), { maxLength: 200 })
  fc.assert(
    fc.property(any, (told) => {
      const length = new SlotLength()
      for (const [slot, seconds] of told) length.observe(slot, seconds)
      expect(length.ms).toBeGreaterThanOrEqual(100)
      expect(length.ms).toBeLessThanOrEqual(1_000)
    }),
  )
})

test('another chain, whose slots lie far before, is measured too', () => {
  const length = new SlotLength()
  tell(length, 268, 1_000_000, 1_004_000)
  tell(length, 400, 1_000, 6_000)
  expect(Math.abs(length.ms - 400)).toBeLessThan(5)
})

test('one time that is wrong by little does not move it', () => {
  const length = new SlotLength()
  tell(length, 268, 1_000, 5_000)
  const seconds = SECONDS + Math.floor(4_300 * 0.268)
  // Within what a slot may take, and far from what it does.
  length.observe(5_300, seconds + 90)
  expect(Math.abs(length.ms - 268)).toBeLessThan(5)
})
