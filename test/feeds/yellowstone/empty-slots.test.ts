import { expect, test } from 'vitest'
import { EmptySlots } from '../../../src/feeds/yellowstone/empty-slots.ts'

const FIVE_SECONDS = 'slots came without a transaction for 5 s'

test('slots without a transaction for five seconds end a stream, the next one after twice as long', () => {
  const empty = new EmptySlots()
  empty.begin(9)
  empty.transaction(10)
  expect(empty.whole(10, 0)).toBe(null)
  expect(empty.whole(22, 5_000)).toBe(null)
  expect(empty.whole(23, 5_001)).toBe(FIVE_SECONDS)
  empty.begin(23)
  expect(empty.whole(24, 6_000)).toBe(null)
  expect(empty.whole(48, 16_000)).toBe(null)
  expect(empty.whole(49, 16_001)).toBe('slots came without a transaction for 10 s')
  for (let n = 0, ms = 20_000; n < 4; n++, ms += 100_000) {
    empty.begin(50)
    empty.whole(51, ms)
    expect(empty.whole(52, ms + 60_001)).not.toBe(null)
  }
  empty.transaction(60)
  expect(empty.whole(60, 900_000)).toBe(null)
  expect(empty.whole(61, 905_001)).toBe(FIVE_SECONDS)
})

test('transactions in between keep a stream, however few', () => {
  const empty = new EmptySlots()
  empty.begin(null)
  for (let slot = 1; slot < 100; slot++) {
    if (slot % 10 === 0) empty.transaction(slot)
    expect(empty.whole(slot, slot * 400)).toBe(null)
  }
})

test('the next stream begins where transactions may be missing, until one has told past that', () => {
  const empty = new EmptySlots()
  const end = (slot: number, ms: number) => {
    empty.whole(slot, ms)
    empty.whole(slot, ms + 600_000)
  }
  expect(empty.begin(null)).toBe(null)
  empty.transaction(100)
  end(101, 0)
  expect(empty.isDoubtful).toBe(true)
  expect(empty.begin(120)).toBe(100)
  // Lost before it came there.
  empty.transaction(105)
  expect(empty.isDoubtful).toBe(false)
  expect(empty.whole(105, 700_000)).toBe(null)
  expect(empty.begin(120)).toBe(100)
  empty.transaction(121)
  empty.whole(121, 700_001)
  expect(empty.begin(121)).toBe(121)
  // Of a long silence only what the engine would still take.
  end(122, 800_000)
  expect(empty.begin(10_000)).toBe(10_000 - 127)
})

test('a stream that never had a transaction is suspect from its first whole slot on', () => {
  const empty = new EmptySlots()
  empty.begin(9)
  expect(empty.whole(10, 0)).toBe(null)
  expect(empty.whole(22, 5_001)).toBe(FIVE_SECONDS)
  expect(empty.begin(30)).toBe(10)
})

test('what came without a transaction before a loss may lack some, however short it was', () => {
  const empty = new EmptySlots()
  empty.begin(9)
  for (const slot of [10, 11]) {
    empty.transaction(slot)
    empty.whole(slot, 0)
  }
  for (const slot of [12, 13, 14]) expect(empty.whole(slot, 2_000)).toBe(null)
  expect(empty.isDoubtful).toBe(false)
  expect(empty.begin(14)).toBe(11)
  empty.transaction(11)
  empty.whole(11, 4_000)
  empty.transaction(15)
  empty.whole(15, 4_000)
  expect(empty.begin(15)).toBe(15)
})
