import { expect, test } from 'vitest'
import { type SlotReceiver, SlotsUnavailable } from '../../../src/feeds/supervisor/source.ts'
import { waitFor } from '../../../src/feeds/timers.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'

/** Tells slots with two transactions each, of which the live feed told one. */
async function twoInEach(from: number, to: number, receiver: SlotReceiver): Promise<void> {
  for (let slot = from; slot <= to; slot++) {
    receiver.transaction(told(slot, 0))
    receiver.transaction(told(slot, 1))
    receiver.slotComplete(slot, slot - 1)
  }
}

test('what was missing in slots that were handed over is told before what waits behind a gap', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.tell(10, 11, 12)
  source.receiver.slotsIncomplete(11, 12)
  source.lose()
  await timers.pass(0)
  source.onBackfill = twoInEach
  await timers.pass(150)
  await timers.pass(150)
  source.tell(15)
  await timers.pass(1_000)
  expect(source.askedSlots).toEqual([
    [11, 12],
    [13, 14],
  ])
  const all = signatures()
  expect(new Set(all).size).toBe(all.length)
  expect(all.toSorted()).toEqual(
    ['10/0', '11/0', '11/1', '12/0', '12/1', '13/0', '13/1', '14/0', '14/1', '15/0'].toSorted(),
  )
  expect(supervisor.figures()).toMatchObject({ feed_late_total: 2, feed_slots_given_up_total: 0 })
  expect(supervisor.figures().feed_gap_slots_total).toBe(4)
  await stop()
})

test('slots that may lack something are asked for until they can be had, and what is behind waits', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.tell(10, 11)
  source.onBackfill = () => Promise.reject(new Error('429'))
  source.receiver.slotsIncomplete(11, 11)
  source.lose()
  await timers.pass(300)
  source.tell(14)
  await timers.pass(20_000)
  expect(signatures()).toEqual(['10/0', '11/0'])
  expect(reports).toContain('gap: slots 11 to 11 could not be told again: scripted: 429')
  source.onBackfill = twoInEach
  await timers.pass(30_000)
  expect(signatures().toSorted()).toEqual(
    ['10/0', '11/0', '11/1', '12/0', '12/1', '13/0', '13/1', '14/0'].toSorted(),
  )
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  await stop()
})

test('of slots that may lack something those that a slow source has told are not asked for again', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.tell(...Array.from({ length: 61 }, (_, n) => n + 10))
  source.onBackfill = async (from, to, receiver, signal) => {
    for (let slot = from; slot <= to; slot++) {
      await waitFor(timers, 1_600, signal)
      if (signal.aborted) return
      await twoInEach(slot, slot, receiver)
    }
  }
  source.receiver.slotsIncomplete(11, 70)
  await timers.pass(0)
  source.tell(73)
  await timers.pass(120_000)
  expect(source.askedSlots).toEqual([
    [11, 70],
    [48, 70],
    [71, 72],
  ])
  expect(reports).toContain(
    'gap: slots 48 to 70 could not be told again: scripted: it took longer than 60 s',
  )
  expect(supervisor.cursor).toBe(73)
  expect(signatures()).toHaveLength(61 + 60 + 2 * 2 + 1)
  await stop()
})

test('of slots that may lack something only those are given up that were not told before', async () => {
  const source = new ScriptedSource()
  const { reports, stop, supervisor, timers } = await started([source])
  source.tell(10, 11, 12, 13, 14)
  source.onBackfill = async (from, to, receiver) => {
    if (from < 13) await twoInEach(from, 12, receiver)
    if (from <= 13) throw new SlotsUnavailable('block 13 is no longer there', 13)
    await twoInEach(from, to, receiver)
  }
  source.receiver.slotsIncomplete(11, 14)
  await timers.pass(1_000)
  expect(source.askedSlots).toEqual([
    [11, 14],
    [14, 14],
  ])
  expect(reports).toEqual([
    'gap: slots 13 to 13 are given up, their events are missing: scripted: block 13 is no longer there',
  ])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(1)
  await stop()
})

test('of slots that may lack something only the one is given up that everybody leaves out', async () => {
  const [one, other] = [new ScriptedSource('one'), new ScriptedSource('other')]
  const { reports, stop, supervisor, timers } = await started([one, other])
  one.tell(10, 11, 12, 13, 14)
  for (const source of [one, other])
    source.onBackfill = async (from, to, receiver) => {
      for (let slot = from; slot <= to; slot++)
        if (slot !== 12) await twoInEach(slot, slot, receiver)
    }
  one.receiver.slotsIncomplete(11, 14)
  await timers.pass(300_000)
  expect(one.askedSlots[0]).toEqual([11, 14])
  expect(one.askedSlots.at(-1)).toEqual([13, 14])
  expect(reports.filter((report) => report.includes('given up'))).toEqual([
    'gap: slots 12 to 12 are given up, their events are missing: ' +
      'one: slot 12 was left out; other: slot 12 was left out',
  ])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(1)
  await stop()
})

test('slots that may lack something and that nobody has any more are given up, counted and said', async () => {
  const source = new ScriptedSource()
  const { reports, stop, supervisor, timers } = await started([source])
  source.tell(10, 11, 12)
  source.onBackfill = () => Promise.reject(new SlotsUnavailable('from 12 on', 11))
  source.receiver.slotsIncomplete(10, 11)
  await timers.pass(200)
  expect(reports).toEqual([
    'gap: slots 10 to 11 are given up, their events are missing: scripted: from 12 on',
  ])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(2)
  await stop()
})

test('of slots that may lack something those that the engine would refuse are given up at once', async () => {
  const source = new ScriptedSource()
  const { reports, stop, supervisor, timers } = await started([source], 999)
  source.tell(1_000)
  source.receiver.slotsIncomplete(860, 880)
  await timers.pass(200)
  expect(source.askedSlots).toEqual([[873, 880]])
  expect(reports).toEqual([
    'gap: slots 860 to 872 are given up, their events are missing: they are more than 128 slots old',
  ])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(13)
  await stop()
})

test('a slot that was handed over whole and that a back-fill leaves out is asked for again', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.tell(10, 11, 12)
  // Another machine of the same server, which has not come there, answers that there is no block.
  source.onBackfill = (_from, to, receiver) => twoInEach(12, to, receiver)
  source.receiver.slotsIncomplete(11, 12)
  await timers.pass(300)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0'])
  expect(reports).toEqual([
    'gap: slots 11 to 12 could not be told again: scripted: slot 11 was left out',
  ])
  source.onBackfill = twoInEach
  await timers.pass(1_000)
  source.tell(13, 14)
  expect(signatures().toSorted()).toEqual(
    ['10/0', '11/0', '11/1', '12/0', '12/1', '13/0', '14/0'].toSorted(),
  )
  expect(supervisor.figures()).toMatchObject({ feed_late_total: 2, feed_slots_given_up_total: 0 })
  await stop()
})

test('a slot without a block among those that may lack something is not asked for again', async () => {
  const source = new ScriptedSource()
  const { reports, stop, timers } = await started([source])
  source.tell(10, 11)
  source.receiver.transaction(told(13))
  source.receiver.slotComplete(13, 11)
  source.onBackfill = async (from, to, receiver) => {
    await twoInEach(from, 11, receiver)
    await twoInEach(13, to, receiver)
  }
  source.receiver.slotsIncomplete(11, 13)
  await timers.pass(1_000)
  expect(source.askedSlots).toEqual([[11, 13]])
  expect(reports).toEqual([])
  await stop()
})

test('slots that turn out to lack something while those behind them are told again are asked for next', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.tell(10, 11, 12, 13)
  const { promise, resolve } = Promise.withResolvers<void>()
  source.onBackfill = async (from, to, receiver) => {
    await promise
    await twoInEach(from, to, receiver)
  }
  source.receiver.slotsIncomplete(13, 13)
  await timers.pass(300)
  source.receiver.slotsIncomplete(11, 13)
  resolve()
  await timers.pass(1_000)
  expect(source.askedSlots).toEqual([
    [13, 13],
    [11, 12],
  ])
  source.tell(14, 15)
  expect(signatures().toSorted()).toEqual(
    ['10/0', '11/0', '11/1', '12/0', '12/1', '13/0', '13/1', '14/0', '15/0'].toSorted(),
  )
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  await stop()
})

test('a slot that waits behind a gap and that a back-fill leaves out is asked for again', async () => {
  const source = new ScriptedSource()
  const { signatures, reports, stop, supervisor, timers } = await started([source])
  source.tell(10, 13)
  source.onBackfill = async (from, to, receiver) => {
    if (from < 13) await twoInEach(from, to, receiver)
  }
  source.receiver.slotsIncomplete(13, 13)
  await timers.pass(300)
  expect(source.askedSlots).toEqual([[13, 13]])
  expect(reports).toEqual([
    'gap: slots 13 to 13 could not be told again: scripted: slot 13 was left out',
  ])
  source.onBackfill = twoInEach
  await timers.pass(1_000)
  expect(signatures().toSorted()).toEqual(
    ['10/0', '11/0', '11/1', '12/0', '12/1', '13/0', '13/1'].toSorted(),
  )
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  await stop()
})

test('slots that may lack something when the feed is stopped are said', async () => {
  const source = new ScriptedSource()
  const { reports, stop, timers } = await started([source])
  source.tell(10, 11, 12)
  source.onBackfill = () => Promise.reject(new Error('429'))
  source.receiver.slotsIncomplete(10, 11)
  await timers.pass(300)
  await stop()
  expect(reports.at(-1)).toBe(
    'gap: slots 10 to 11 may lack trades: they were not told again in time',
  )
})

test('slots that may lack something are told as a gap before later ones go too far past them, and filled behind', async () => {
  const source = new ScriptedSource()
  const run = await started([source], null, 100, [], 0, { resumedSlots: 4 })
  source.tell(10, 11, 12, 13)
  source.onBackfill = () => Promise.reject(new Error('429'))
  source.receiver.slotsIncomplete(10, 10)
  source.receiver.slotsIncomplete(12, 12)
  source.tell(14)
  expect(run.told().at(-1)).toBe('14/0')
  source.tell(15)
  expect(run.told().slice(-2)).toEqual(['open 10-12', '15/0'])
  source.onBackfill = twoInEach
  await run.timers.pass(10_000)
  expect(run.told().slice(-5)).toEqual(['filling 10-12', '10/1', '11/1', '12/1', 'filled 10-12'])
  expect(run.supervisor.figures()).toMatchObject({ feed_gaps_behind: 0, feed_gap_slots_total: 3 })
  await run.stop()
})

test('slots that are said to lack something when later ones are far past them are told as a gap at once', async () => {
  const source = new ScriptedSource()
  const run = await started([source], null, 100, [], 0, { resumedSlots: 4 })
  source.tell(10, 11, 12, 13, 14, 15)
  source.receiver.slotsIncomplete(10, 10)
  expect(run.told().at(-1)).toBe('open 10-10')
  await run.stop()
})

test('what comes of slots that are asked for again just as they become a gap comes with that, once', async () => {
  const source = new ScriptedSource()
  const run = await started([source], null, 100, [], 0, { resumedSlots: 4 })
  source.tell(10, 11, 12, 13, 14)
  const { promise, resolve } = Promise.withResolvers<void>()
  source.onBackfill = async (_from, _to, receiver) => {
    receiver.transaction(told(10, 1))
    await promise
    throw new SlotsUnavailable('pruned', null)
  }
  source.receiver.slotsIncomplete(10, 10)
  await run.timers.pass(300)
  source.tell(15)
  resolve()
  await run.timers.pass(0)
  expect(run.told().slice(-2)).toEqual(['open 10-10', '15/0'])
  await run.timers.pass(1_000)
  expect(run.told().slice(-3)).toEqual(['filling 10-10', '10/1', 'lost 10-10'])
  await run.stop()
})
