import { expect, test } from 'vitest'
import { ChainNormaliser } from '../../../src/feeds/chain/normalise.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { NO_RECORDER } from '../../../src/feeds/raw-frames.ts'
import { GeyserReader, newGeyserCounters } from '../../../src/feeds/yellowstone/geyser-reader.ts'
import type { GeyserUpdate } from '../../../src/feeds/yellowstone/geyser-update.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'

/** A stream that was asked to begin at a slot, and the slots that it has told whole. */
function started(wholeFrom: number | null) {
  const timers = new VirtualTimers()
  const counters = newFeedCounters()
  const own = newGeyserCounters()
  const whole: number[] = []
  const parents: (number | null)[][] = []
  const reached: number[] = []
  const reader = new GeyserReader(
    {
      ...{ normaliser: new ChainNormaliser(counters), counters, own, timers },
      ...{ rawFrames: NO_RECORDER, settleMs: 10 },
    },
    {
      transaction: () => {},
      slotComplete: (slot, parentSlot) => {
        whole.push(slot)
        parents.push([slot, parentSlot])
      },
    },
    { admits: (slot) => slot < 1_000, slotSeen: (slot) => reached.push(slot) },
    wholeFrom,
  )
  const read = (update: GeyserUpdate) => reader.read({ update, bytes: new Uint8Array() })
  const tell = async (slot: number, parentSlot: number) => {
    read({ slot: { slot, status: 1 } })
    read({ blockMeta: { slot, parentSlot } })
    await timers.pass(20)
  }
  return { tell, read, whole, reached, own, parents, timers }
}

test('a stream that begins later than it was asked to may have begun in the middle of a slot', async () => {
  const { tell, whole } = started(100)
  await tell(140, 139)
  await tell(141, 140)
  await tell(142, 141)
  expect(whole).toEqual([141, 142])
})

test('a stream that begins in the slot behind the one it was asked to begin at may have begun in its middle', async () => {
  const { tell, whole } = started(100)
  await tell(101, 100)
  await tell(102, 101)
  expect(whole).toEqual([102])
})

test('a stream that was asked to begin at a slot without a block has the first one behind it whole', async () => {
  const { tell, whole } = started(100)
  await tell(102, 99)
  await tell(103, 102)
  expect(whole).toEqual([102, 103])
})

test('a stream that began anywhere has its second slot whole', async () => {
  const { tell, whole } = started(null)
  await tell(102, 99)
  await tell(103, 102)
  expect(whole).toEqual([103])
})

test('a slot that a fork has left behind is counted, and the chain has not reached it', async () => {
  const { tell, whole, reached, read, own } = started(100)
  await tell(100, 99)
  read({ slot: { slot: 101, status: 6 } })
  // What is on its way may be the slot of a leader of much later.
  for (const status of [3, 4, 5]) read({ slot: { slot: 900, status } })
  await tell(102, 100)
  expect(whole).toEqual([100, 102])
  expect(reached).toEqual([100, 102])
  expect(own.deadSlots).toBe(1)
})

test('a block’s own parent is that of its slot, whatever the slot was said to stand on before', async () => {
  const { read, parents, timers } = started(100)
  read({ slot: { slot: 100, status: 1 } })
  read({ blockMeta: { slot: 100, parentSlot: 99 } })
  read({ slot: { slot: 102, status: 0, bankId: 7 } })
  read({ slot: { slot: 102, status: 1, bankId: 8 } })
  read({ blockMeta: { slot: 102, parentSlot: 101, bankId: 7 } })
  read({ blockMeta: { slot: 102, parentSlot: 100, bankId: 8 } })
  await timers.pass(20)
  expect(parents).toEqual([
    [100, 99],
    [102, 100],
  ])
})
