import { expect, test } from 'vitest'
import {
  type SlotReceiver,
  SlotsUnavailable,
  SlotUnreadable,
} from '../../../src/feeds/supervisor/source.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'

/** A back-fill that has forgotten some slots. */
function without(...missing: readonly number[]) {
  return async (from: number, to: number, receiver: SlotReceiver) => {
    let parent = from - 1
    for (let slot = from; slot <= to; slot++) {
      if (!missing.includes(slot)) {
        receiver.transaction(told(slot))
        receiver.slotComplete(slot, parent)
      }
      parent = slot
    }
  }
}

test('a gap is told again before what comes after it', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.tell(10, 13, 14)
  expect(signatures()).toEqual(['10/0'])
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0', '14/0'])
  expect(source.askedSlots).toEqual([[11, 12]])
  expect(supervisor.figures()).toMatchObject({ feed_gaps_total: 1, feed_gap_slots_total: 2 })
  await stop()
})

test('a gap that another source closes meanwhile is not asked for', async () => {
  const [one, two] = [new ScriptedSource('one'), new ScriptedSource('two')]
  const { signatures, stop, timers } = await started([one, two])
  one.tell(10, 12)
  two.tell(11)
  await timers.pass(1_000)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0'])
  expect([...one.askedSlots, ...two.askedSlots]).toEqual([])
  await stop()
})

test('after a restart the slots since the last whole one are told again', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, timers } = await started([source], 7)
  expect(source.cursors).toEqual([7])
  source.tell(10)
  await timers.pass(200)
  expect(signatures()).toEqual(['8/0', '9/0', '10/0'])
  await stop()
})

test('a stop hands over nothing behind a gap, so that a restart still asks for it', async () => {
  const source = new ScriptedSource()
  const { signatures, stop } = await started([source])
  source.tell(10, 13, 14)
  source.receiver.transaction(told(15))
  source.receiver.transaction(told(16))
  await stop()
  expect(signatures()).toEqual(['10/0'])
})

test('a back-fill that fails is tried again, with waits', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.onBackfill = async () => {
    throw new Error('429')
  }
  source.tell(10, 12)
  await timers.pass(200 + 250 + 500)
  expect(source.askedSlots).toHaveLength(3)
  expect(supervisor.figures().feed_backfill_errors_total).toBe(3)
  source.onBackfill = null
  await timers.pass(1_000)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0'])
  await stop()
})

test('a slot that a back-fill leaves out in the middle is asked for again', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.onBackfill = without(12)
  source.tell(10, 15)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '11/0'])
  expect(reports).toEqual([
    'gap: slots 11 to 14 could not be told again: scripted: slot 12 was left out',
  ])
  source.onBackfill = null
  await timers.pass(250)
  expect(source.askedSlots).toEqual([
    [11, 14],
    [12, 12],
  ])
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0', '14/0', '15/0'])
  expect(supervisor.figures()).toMatchObject({
    feed_backfill_errors_total: 1,
    feed_slots_given_up_total: 0,
  })
  await stop()
})

test('what one source leaves out another one is asked for at once', async () => {
  const [one, two] = [new ScriptedSource('one'), new ScriptedSource('two')]
  const { signatures, stop, supervisor, timers } = await started([one, two])
  one.onBackfill = without(11, 12)
  one.tell(10, 13)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0'])
  expect(two.askedSlots).toEqual([[11, 12]])
  expect(supervisor.figures().feed_backfill_errors_total).toBe(0)
  await stop()
})

test('a slot between two pieces of a long gap is not forgotten', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, timers } = await started([source], 9, 1_000)
  source.onBackfill = without(73)
  source.tell(150)
  await timers.pass(200)
  expect(signatures()).toHaveLength(63)
  source.onBackfill = null
  await timers.pass(250)
  expect(signatures()).toEqual(Array.from({ length: 141 }, (_, n) => `${n + 10}/0`))
  await stop()
})

test('a stretch without blocks that is longer than a piece is passed', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source], 9, 1_000)
  source.onBackfill = async (_from, to, receiver) => {
    if (to < 249) return
    receiver.transaction(told(249))
    receiver.slotComplete(249, 9)
  }
  source.tell(250)
  await timers.pass(200)
  expect(signatures()).toEqual(['249/0', '250/0'])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  await stop()
})

test('where nobody knows the parent of a slot, a back-fill without one is believed in the end', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.onBackfill = async () => {}
  source.tell(10)
  source.receiver.transaction(told(13))
  source.receiver.slotComplete(13, null)
  await timers.pass(200 + 250 + 249)
  expect(signatures()).toEqual(['10/0'])
  await timers.pass(500)
  expect(signatures()).toEqual(['10/0', '13/0'])
  expect(supervisor.figures()).toMatchObject({
    feed_backfill_errors_total: 3,
    feed_slots_given_up_total: 0,
  })
  await stop()
})

test('where every source lacks the block behind a gap of which nobody knows the end, the feed goes on', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.onBackfill = async (from) => {
    if (from === 13) throw new SlotsUnavailable('from 14 on', 13)
  }
  source.tell(10)
  source.receiver.transaction(told(13))
  source.receiver.slotComplete(13, null)
  await timers.pass(300)
  expect(source.askedSlots).toEqual([
    [11, 12],
    [13, 13],
  ])
  expect(signatures()).toEqual(['10/0', '13/0'])
  expect(supervisor.figures().feed_backfill_errors_total).toBe(0)
  await stop()
})

test('slots that a node did not know yet, though it did when it was asked how far it is, are told as soon as it does', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.tell(10)
  source.receiver.transaction(told(14))
  // As the first one behind a connection: nobody has heard which one was before it.
  source.receiver.slotComplete(14, null)
  source.onBackfill = without(12, 13)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '11/0'])
  expect(reports).toEqual([
    'gap: slots 12 to 13 could not be told again: scripted: slot 13 was left out',
  ])
  source.onBackfill = null
  await timers.pass(250)
  expect(source.askedSlots).toEqual([
    [11, 13],
    [14, 14],
    [12, 13],
    [12, 13],
  ])
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0', '14/0'])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  await stop()
})

test('where the block behind a gap cannot be had yet, nothing is passed over', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, timers } = await started([source])
  source.tell(10)
  source.receiver.transaction(told(13))
  source.receiver.slotComplete(13, null)
  source.onBackfill = async (from, to, receiver) => {
    if (to === 13) throw new Error('the RPC server has not reached slot 13 yet')
    return without(12)(from, to, receiver)
  }
  await timers.pass(10_000)
  expect(signatures()).toEqual(['10/0', '11/0'])
  source.onBackfill = null
  await timers.pass(30_000)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0'])
  await stop()
})

test('where nobody tells the block behind a gap, and so whether it holds one, it is given up and said', async () => {
  const source = new ScriptedSource()
  const { reports, signatures, stop, supervisor, timers } = await started([source])
  source.tell(10, 11)
  source.receiver.transaction(told(13))
  source.receiver.slotComplete(13, null)
  source.onBackfill = async (from) => {
    if (from === 13) throw new SlotsUnavailable('of a version that is not read', 13)
  }
  await timers.pass(1_000)
  expect(signatures()).toEqual(['10/0', '11/0', '13/0'])
  expect(reports).toEqual([
    'gap: slots 12 to 12 are given up, their events are missing: scripted: of a version that is not read',
  ])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(1)
  await stop()
})

test('a slot that the chain has and no source tells is given up in the end, counted and said', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.onBackfill = without(12)
  source.tell(10, 14)
  await timers.pass(300_000)
  expect(signatures()).toEqual(['10/0', '11/0', '13/0', '14/0'])
  expect(reports.filter((report) => report.startsWith('gap: ')).at(-1)).toBe(
    'gap: slots 12 to 12 are given up, their events are missing: scripted: slot 12 was left out',
  )
  expect(supervisor.figures().feed_slots_given_up_total).toBe(1)
  await stop()
})

test('a slot that cannot be had though later ones can is given up in the end, alone', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.onBackfill = async (from, to, receiver) => {
    for (let slot = from; slot <= to; slot++) {
      if (slot === 12) throw new SlotUnreadable('internal error', 12)
      receiver.transaction(told(slot))
      receiver.slotComplete(slot, slot - 1)
    }
  }
  source.tell(10, 15)
  await timers.pass(60_000)
  expect(signatures()).toEqual(['10/0', '11/0'])
  await timers.pass(240_000)
  expect(signatures()).toEqual(['10/0', '11/0', '13/0', '14/0', '15/0'])
  expect(reports.filter((report) => report.startsWith('gap: ')).at(-1)).toBe(
    'gap: slots 12 to 12 are given up, their events are missing: scripted: internal error',
  )
  expect(supervisor.figures()).toMatchObject({
    feed_slots_given_up_total: 1,
    feed_backfill_errors_total: 9,
  })
  await stop()
})

test('slots that cannot be had once each are not given up, however many', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  const failed = new Set<number>()
  source.onBackfill = async (from, to, receiver) => {
    for (let slot = from; slot <= to; slot++) {
      if (!failed.has(slot)) {
        failed.add(slot)
        throw new SlotUnreadable('internal error', slot)
      }
      receiver.transaction(told(slot))
      receiver.slotComplete(slot, slot - 1)
    }
  }
  source.tell(10, 40)
  await timers.pass(1_200_000)
  expect(signatures()).toHaveLength(31)
  expect(supervisor.figures()).toMatchObject({
    feed_slots_given_up_total: 0,
    feed_backfill_errors_total: 29,
  })
  await stop()
})

test('slots that nobody can tell are given up, counted and said', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.onBackfill = async () => {
    throw new SlotsUnavailable('pruned', 13)
  }
  source.tell(10, 14)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '14/0'])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(3)
  expect(reports).toEqual([
    'gap: slots 11 to 13 are given up, their events are missing: scripted: pruned',
  ])
  await stop()
})

test('only what every source lacks is given up, the slots behind it are told', async () => {
  const [one, two] = [new ScriptedSource('one'), new ScriptedSource('two')]
  const from = (first: number, source: ScriptedSource) => {
    source.onBackfill = async (asked, to, receiver) => {
      if (asked < first) throw new SlotsUnavailable(`from ${first} on`, first - 1)
      return without()(asked, to, receiver)
    }
  }
  from(14, one)
  from(13, two)
  const { signatures, reports, stop, supervisor, timers } = await started([one, two])
  one.tell(10, 16)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '13/0', '14/0', '15/0', '16/0'])
  expect(reports).toEqual([
    'gap: slots 11 to 12 are given up, their events are missing: one: from 14 on; two: from 13 on',
  ])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(2)
  await stop()
})

test('of an outage that was too long the oldest slots are given up', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source], 1_000, 100)
  source.tell(2_000)
  await timers.pass(200)
  expect(source.askedSlots).toEqual([
    [1_900, 1_963],
    [1_964, 1_999],
  ])
  expect(supervisor.figures()).toMatchObject({ feed_slots_given_up_total: 899, feed_slot: 2_000 })
  await stop()
})

test('when too much is held behind a gap it is let go and told again', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source], null, 2_000)
  source.onBackfill = async () => {
    throw new Error('busy')
  }
  source.tell(10)
  for (let slot = 12; slot < 700; slot++) source.tell(slot)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0'])
  expect(supervisor.figures().feed_slots_held).toBeLessThanOrEqual(512)
  expect(supervisor.figures().feed_held_dropped_total).toBeGreaterThan(0)
  source.onBackfill = null
  await timers.pass(60_000)
  expect(signatures()).toEqual(Array.from({ length: 690 }, (_, n) => `${n + 10}/0`))
  await stop()
})

test('slots that are told to be whole minutes after their transactions, as after look-ups that hang, lack none of them', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source], 9, 2_000)
  for (let slot = 10; slot < 700; slot++) source.receiver.transaction(told(slot))
  expect(supervisor.figures().feed_held_dropped_total).toBeGreaterThan(0)
  for (let slot = 10; slot < 700; slot++) source.receiver.slotComplete(slot, slot - 1)
  source.tell(700)
  await timers.pass(60_000)
  expect(signatures()).toEqual(Array.from({ length: 691 }, (_, n) => `${n + 10}/0`))
  await stop()
})

test('a block’s own parent counts, whatever its slot was said to stand on when it began', async () => {
  const source = new ScriptedSource()
  const { timers, supervisor, reports, signatures, stop } = await started([source], 10)
  source.onBackfill = async (from, to, receiver) => {
    // The slots 11 and 12 were skipped in the end.
    for (let slot = from; slot <= to; slot++) if (slot >= 13) receiver.slotComplete(slot, 10)
  }
  source.receiver.connected()
  source.receiver.transaction(told(13))
  source.receiver.slotComplete(13, 12)
  await timers.pass(4_000)
  expect(signatures()).toEqual(['13/0'])
  expect(supervisor.cursor).toBe(13)
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  expect(reports.join()).not.toContain('given up')
  await stop()
})

test('a market begins with the first slot that came whole, though parts of older ones came before', async () => {
  const source = new ScriptedSource()
  const { told: all, stop, timers } = await started([source])
  // The connection is lost before anything is whole, and the next one begins later.
  source.receiver.connected()
  source.receiver.transaction(told(5, 3))
  source.lose(new Error('lost'))
  await timers.pass(1_000)
  source.receiver.connected()
  source.receiver.transaction(told(9, 4))
  source.tell(10)
  expect(all()).toEqual(['lost 0-9', '5/3', '9/4', '10/0'])
  await stop()
})
