import { expect, test } from 'vitest'
import { newSlotCounters, SlotSequencer } from '../../../src/feeds/supervisor/slot-sequencer.ts'
import { told } from './scripted-source.ts'

const LATE_TRANSACTIONS_MAX = 10_000
const BUFFERED_SLOTS_MAX = 512
const BUFFERED_TRANSACTIONS_MAX = 100_000

/** A desk that has handed over slot 10, and what it handed over behind it. */
function deskAt10() {
  const signatures: string[] = []
  const counters = newSlotCounters()
  const desk = new SlotSequencer(
    (events) => {
      for (const event of events) if ('signature' in event) signatures.push(event.signature)
    },
    counters,
    null,
  )
  desk.live.slotComplete(10, 9)
  return { desk, counters, signatures }
}

test('what came after its slot is handed over at the end, once, and what nobody said to be whole is not', () => {
  const { desk, counters, signatures } = deskAt10()
  for (const index of [3, 3, 2]) desk.live.transaction(told(10, index))
  desk.live.transaction(told(11))
  expect(signatures).toEqual([])
  desk.flush()
  expect(signatures).toEqual(['10/3', '10/2'])
  expect(counters).toMatchObject({ late: 2, duplicates: 1, wrongSlots: 0 })
  desk.flush()
  expect(signatures).toHaveLength(2)
})

test('what came after its slot waits in a bounded place, the oldest goes first', () => {
  const { desk, counters, signatures } = deskAt10()
  for (let n = 0; n < LATE_TRANSACTIONS_MAX; n++) desk.live.transaction(told(10, n))
  expect(signatures).toEqual([])
  desk.live.transaction(told(10, LATE_TRANSACTIONS_MAX))
  desk.live.transaction(told(10, LATE_TRANSACTIONS_MAX + 1))
  expect(signatures).toEqual(['10/0', '10/1'])
  expect(counters.late).toBe(2)
  desk.live.transaction(told(10, 0))
  desk.flush()
  expect(signatures).toHaveLength(LATE_TRANSACTIONS_MAX + 2)
  expect(new Set(signatures).size).toBe(LATE_TRANSACTIONS_MAX + 2)
})

test('transactions behind a gap are let go when there are too many, and told again', () => {
  const { desk, counters, signatures } = deskAt10()
  desk.live.slotComplete(12, 11)
  const tell = (slot: number, from: number, to: number) => {
    for (let n = from; n < to; n++) desk.live.transaction(told(slot, n))
  }
  tell(13, 0, BUFFERED_TRANSACTIONS_MAX)
  desk.live.slotComplete(13, 12)
  expect(counters.heldDropped).toBe(0)
  desk.live.transaction(told(14))
  expect(counters.heldDropped).toBe(3)
  expect(desk.bufferedSlots).toBe(0)
  // They are not taken as they come any more: that would leave holes in them.
  tell(13, 0, 10)
  desk.live.slotComplete(14, 13)
  expect(desk.gap).toBe(null)
  desk.live.slotComplete(15, 14)
  expect(desk.gap).toEqual({ from: 11, to: 14, hasBlock: true })
  for (const slot of [11, 12, 13, 14]) {
    desk.backfill.transaction(told(slot))
    desk.backfill.slotComplete(slot, slot - 1)
  }
  expect(signatures).toEqual(['11/0', '12/0', '13/0', '14/0'])
  expect(desk.cursor).toBe(15)
})

test('slots with transactions that nobody says to be whole are let go in the end, and told again', () => {
  const { desk, counters, signatures } = deskAt10()
  for (let slot = 11; slot <= 11 + BUFFERED_SLOTS_MAX; slot++) desk.live.transaction(told(slot))
  expect(counters.heldDropped).toBe(BUFFERED_SLOTS_MAX + 1)
  expect(desk.bufferedSlots).toBe(0)
  // None of them is whole any more, however late that is said: what was told of it is gone.
  desk.live.transaction(told(42, 1))
  for (let slot = 11; slot <= 11 + BUFFERED_SLOTS_MAX; slot++)
    desk.live.slotComplete(slot, slot - 1)
  expect(desk.bufferedSlots).toBe(0)
  expect(desk.cursor).toBe(10)
  const next = 12 + BUFFERED_SLOTS_MAX
  desk.live.slotComplete(next, next - 1)
  expect(desk.gap).toEqual({ from: 11, to: next - 1, hasBlock: true })
  for (let slot = 11; slot < next; slot++) {
    desk.backfill.transaction(told(slot))
    desk.backfill.slotComplete(slot, slot - 1)
  }
  expect(signatures).toHaveLength(BUFFERED_SLOTS_MAX + 1)
  expect(desk.cursor).toBe(next)
})

test('of slots before the end of a gap what came stays when those behind it are let go', () => {
  const { desk, counters, signatures } = deskAt10()
  desk.live.transaction(told(12))
  desk.live.slotComplete(14, 13)
  for (let slot = 15; counters.heldDropped === 0; slot++) desk.live.transaction(told(slot))
  expect(counters.heldDropped).toBe(BUFFERED_SLOTS_MAX)
  expect(desk.bufferedSlots).toBe(1)
  // Nobody can tell them again: what is there of them is handed over.
  desk.passOver(13)
  expect(signatures).toEqual(['12/0'])
})

test('a slot that a back-fill is telling is not let go in its middle', () => {
  const { desk, signatures } = deskAt10()
  desk.backfill.transaction(told(11, 0))
  for (let slot = 12; slot <= 12 + BUFFERED_SLOTS_MAX; slot++) desk.live.transaction(told(slot))
  expect(desk.bufferedSlots).toBe(2)
  desk.backfill.transaction(told(11, 1))
  desk.backfill.slotComplete(11, 10)
  expect(signatures).toEqual(['11/0', '11/1'])
})

test('a slot that is said to be whole again does not take the feed back', () => {
  const { desk } = deskAt10()
  desk.live.slotComplete(11, 10)
  for (const again of [10, 11, 5]) {
    desk.live.slotComplete(again, again - 1)
    desk.backfill.slotComplete(again, null)
    desk.passOver(again)
  }
  expect(desk.cursor).toBe(11)
  expect(desk.bufferedSlots).toBe(0)
})

test('a slot whose parent is told as one that is not before it follows the slot before it', () => {
  const { desk } = deskAt10()
  desk.live.slotComplete(11, 11)
  desk.live.slotComplete(12, 9_999)
  expect(desk.cursor).toBe(12)
  expect(desk.gap).toBe(null)
})

test('slots of which nobody tells the one before follow each other at once', () => {
  const { desk, signatures } = deskAt10()
  for (const slot of [11, 12]) {
    desk.live.transaction(told(slot))
    desk.live.slotComplete(slot, null)
  }
  expect(signatures).toEqual(['11/0', '12/0'])
  desk.live.slotComplete(14, null)
  expect(desk.gap).toEqual({ from: 13, to: 13, hasBlock: false })
})

test('of a slot that two sources tell in part, one by its index and one by arrival, nothing is lost', () => {
  const { desk, signatures } = deskAt10()
  desk.live.transaction(told(11, 700, { signature: 'b' }))
  desk.live.transaction(told(11, 3, { signature: 'a', isExact: false }))
  desk.live.slotComplete(11, 10)
  expect(signatures).toEqual(['b', 'a'])
})

test('transactions that come out of order, and slots that nobody said to be whole, are counted', () => {
  const { desk, counters, signatures } = deskAt10()
  for (const index of [0, 4, 2, 3, 5]) desk.live.transaction(told(11, index))
  for (const n of [0, 1]) desk.live.transaction({ ...told(12, n), txIndex: null })
  desk.live.transaction(told(13))
  desk.live.slotComplete(14, 10)
  expect(signatures).toEqual(['11/0', '11/2', '11/3', '11/4', '11/5', '12/0', '12/1', '13/0'])
  expect(counters).toMatchObject({ reordered: 2, partialSlots: 3 })
})

test('the index in the block that a transaction was told with stays when it is told again without one', () => {
  const { desk, signatures } = deskAt10()
  desk.live.transaction(told(11, 7, { signature: 'a' }))
  desk.live.transaction(told(11, 0, { signature: 'a', isExact: false }))
  desk.live.transaction(told(11, 3, { signature: 'b' }))
  desk.live.slotComplete(11, 10)
  expect(signatures).toEqual(['b', 'a'])
})

test('what was handed over counts no longer towards what is held', () => {
  const { desk, counters, signatures } = deskAt10()
  const each = BUFFERED_TRANSACTIONS_MAX / 4
  for (let slot = 11; slot < 17; slot++) {
    for (let n = 0; n < each; n++) desk.live.transaction(told(slot, n))
    desk.live.slotComplete(slot, slot - 1)
  }
  expect(counters.heldDropped).toBe(0)
  expect(signatures).toHaveLength(6 * each)
})

test('a slot that a back-fill begins to tell where no more can be held is not let go with what it told first', () => {
  const { desk, signatures } = deskAt10()
  for (let slot = 12; slot < 12 + BUFFERED_SLOTS_MAX; slot++) desk.live.transaction(told(slot))
  expect(desk.bufferedSlots).toBe(BUFFERED_SLOTS_MAX)
  for (const index of [0, 1]) desk.backfill.transaction(told(11, index))
  desk.backfill.slotComplete(11, 10)
  expect(signatures).toEqual(['11/0', '11/1'])
})
