import { expect, test } from 'vitest'
import {
  type SlotReceiver,
  SlotsUnavailable,
  type Source,
} from '../../../src/feeds/supervisor/source.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'

test('a back-fill that takes a minute is ended and asked for again, whatever the others lack', async () => {
  const [slow, pruned] = [new ScriptedSource('slow'), new ScriptedSource('pruned')]
  const ends: (() => void)[] = []
  slow.onBackfill = () => new Promise((resolve) => ends.push(resolve))
  pruned.onBackfill = async () => {
    throw new SlotsUnavailable('from 20 on', 19)
  }
  const { signatures, reports, stop, supervisor, timers } = await started([slow, pruned])
  slow.tell(10, 13)
  await timers.pass(200 + 60_000)
  expect(ends).toHaveLength(1)
  ends[0]()
  await timers.pass(0)
  expect(reports.filter((report) => report.startsWith('gap: '))).toEqual([
    'gap: slots 11 to 12 could not be told again: slow: it took longer than 60 s; pruned: from 20 on',
  ])
  slow.onBackfill = null
  await timers.pass(250)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0'])
  expect(supervisor.figures()).toMatchObject({
    feed_backfill_errors_total: 1,
    feed_slots_given_up_total: 0,
  })
  await stop()
})

test('a back-fill that fails for an hour gives no slot up, when nobody said that it cannot be had', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.onBackfill = () => Promise.reject(new Error('the RPC server answers with status 502'))
  source.tell(10, 12)
  for (let minute = 0; minute < 60; minute++) {
    await timers.pass(60_000)
    source.receiver.alive()
  }
  expect(supervisor.figures()).toMatchObject({ feed_slots_given_up_total: 0, feed_gap_open: 1 })
  expect(source.askedSlots.length).toBeGreaterThan(60)
  source.onBackfill = null
  await timers.pass(60_000)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0'])
  await stop()
})

test('a slot that one source leaves out is not given up while another one cannot be asked', async () => {
  const [holed, away] = [new ScriptedSource('holed'), new ScriptedSource('away')]
  holed.onBackfill = async () => {}
  away.onBackfill = () => Promise.reject(new Error('ECONNREFUSED'))
  const { signatures, stop, supervisor, timers } = await started([holed, away])
  holed.tell(10, 12)
  await timers.pass(3_600_000)
  expect(away.askedSlots.length).toBeGreaterThan(60)
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  away.onBackfill = null
  await timers.pass(60_000)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0'])
  await stop()
})

test('of slots that a source lacks, those told meanwhile are not given up', async () => {
  const source = new ScriptedSource()
  const { reports, signatures, stop, supervisor, timers } = await started([source])
  source.onBackfill = async (from, _to, receiver) => {
    receiver.transaction(told(from))
    receiver.slotComplete(from, from - 1)
    if (from === 11) throw new SlotsUnavailable('pruned', 11)
  }
  source.tell(10, 13)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0'])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  expect(reports).toEqual([])
  await stop()
})

test('a gap that no source can tell again is given up at once, and said', async () => {
  const source: ScriptedSource & Source = Object.assign(new ScriptedSource(), {
    backfill: undefined,
  })
  const { reports, signatures, stop, supervisor, timers } = await started([source])
  source.tell(10, 13)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '13/0'])
  expect(reports).toEqual([
    'gap: slots 11 to 12 are given up, their events are missing: no feed can tell old slots',
  ])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(2)
  await stop()
})

test('a stop ends the back-fill under way', async () => {
  const signals: AbortSignal[] = []
  const source = new ScriptedSource()
  source.backfill = (_from: number, _to: number, _: SlotReceiver, signal?: AbortSignal) => {
    if (signal !== undefined) signals.push(signal)
    return new Promise(() => {})
  }
  const { reports, stop, timers } = await started([source])
  source.tell(10, 12)
  await timers.pass(200)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  await stop()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  // That the connection has ended is no news.
  expect(reports).toEqual([])
})

test('a back-fill that a stop has ended did not fail', async () => {
  for (const isSuspect of [false, true]) {
    const source = new ScriptedSource()
    source.backfill = (from: number, to: number, _: SlotReceiver, signal?: AbortSignal) => {
      source.askedSlots.push([from, to])
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')))
      })
    }
    const { supervisor, reports, stop, timers } = await started([source])
    source.tell(10, 11)
    if (isSuspect) source.receiver.slotsIncomplete(11, 11)
    else source.tell(13)
    await timers.pass(200)
    expect(source.askedSlots).toHaveLength(1)
    await stop()
    expect(reports.filter((report) => report.includes('could not be told'))).toEqual([])
    expect(supervisor.figures().feed_backfill_errors_total).toBe(0)
  }
})

test('one slot that a back-fill has not, where nobody knows of a block there, is passed as soon as the one behind it was asked for', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.onBackfill = async (_from, to, receiver) => {
    if (to === 12) receiver.slotComplete(12, 10)
  }
  source.tell(10)
  source.receiver.transaction(told(12))
  source.receiver.slotComplete(12, null)
  await timers.pass(200)
  expect(signatures()).toEqual(['10/0', '12/0'])
  expect(source.askedSlots).toEqual([
    [11, 11],
    [12, 12],
  ])
  expect(supervisor.figures().feed_slots_given_up_total).toBe(0)
  await stop()
})

test('every gap is told again, not the first one only, and counted once however long it is', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source], null, 1_000)
  source.tell(10, 110)
  await timers.pass(200)
  expect(source.askedSlots).toEqual([
    [11, 74],
    [75, 109],
  ])
  expect(supervisor.figures()).toMatchObject({ feed_gaps_total: 1, feed_gap_slots_total: 99 })
  source.tell(111, 113)
  await timers.pass(200)
  expect(source.askedSlots.at(-1)).toEqual([112, 112])
  expect(supervisor.figures()).toMatchObject({ feed_gaps_total: 2, feed_gap_slots_total: 100 })
  expect(signatures()).toEqual(Array.from({ length: 104 }, (_, n) => `${n + 10}/0`))
  await stop()
})

test('while a back-fill is under way, what the chain goes on with asks for nothing again', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  source.onBackfill = () => new Promise(() => {})
  source.tell(10, 13)
  await timers.pass(200)
  source.tell(14, 15, 17)
  await timers.pass(1_000)
  expect(source.askedSlots).toEqual([[11, 12]])
  expect(supervisor.figures()).toMatchObject({ feed_gaps_total: 1, feed_gap_slots_total: 2 })
  await stop()
})

test('behind a back-fill that went well the waits of the next gap begin anew', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, timers } = await started([source])
  const refuse = () => Promise.reject(new Error('busy'))
  source.onBackfill = refuse
  source.tell(10, 12)
  await timers.pass(20_000)
  source.onBackfill = null
  await timers.pass(30_000)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0'])
  source.onBackfill = refuse
  source.receiver.alive()
  source.tell(14)
  await timers.pass(200)
  source.onBackfill = null
  await timers.pass(250)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0', '14/0'])
  await stop()
})
