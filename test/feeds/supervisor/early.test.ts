import { expect, test } from 'vitest'
import { type SlotReceiver, SlotsUnavailable } from '../../../src/feeds/supervisor/source.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'
import type { VirtualTimers } from './virtual-timers.ts'

const HOUR_SECONDS = 3_600
/** As the machine's clock has it at the start. */
const START_SECONDS = 1_790_000_000
const SLOT_MS = 400
const BUFFERED_SLOTS_MAX = 512

/** Whole slots of one transaction each, at the times of a chain that is an hour ahead of the machine. */
function tell(receiver: SlotReceiver, from: number, to: number, aheadSeconds = HOUR_SECONDS): void {
  for (let slot = from; slot <= to; slot++) {
    const timestamp = START_SECONDS + aheadSeconds + Math.floor((slot * SLOT_MS) / 1_000)
    const events = told(slot).events.map((event) => ({ ...event, timestamp }))
    receiver.transaction(told(slot, 0, { events }))
    receiver.slotComplete(slot, slot - 1)
  }
}

/** Somebody sets the clock to the time of a slot. */
function setClock(timers: VirtualTimers, slot: number): void {
  timers.setMs = HOUR_SECONDS * 1_000 + slot * SLOT_MS - timers.nowMs()
}

const signaturesOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `${from + n}/0`)

test('while the clock is behind, slots wait; once it is set none is missing', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  tell(source.receiver, 10, 200)
  source.receiver.slotSeen(200)
  await timers.pass(1_000)
  expect(signatures()).toEqual([])
  expect(supervisor.notLive()).toMatch(/^The chain is 36\d\d s ahead of the clock of this machine/)
  setClock(timers, 201)
  tell(source.receiver, 201, 201)
  expect(signatures()).toEqual(signaturesOf(10, 201))
  expect(supervisor.notLive()).toBe(null)
  expect(source.askedSlots).toEqual([])
  await stop()
})

test('what is let go while the clock is behind is back-filled once it is set, and not before', async () => {
  const source = new ScriptedSource()
  source.onBackfill = async (from, to, receiver) => tell(receiver, from, to)
  const { signatures, stop, supervisor, timers } = await started([source], 9, 9_000)
  source.receiver.connected()
  const last = 10 + 3 * BUFFERED_SLOTS_MAX
  for (let slot = 10; slot < last; slot += 64) {
    tell(source.receiver, slot, slot + 63)
    // A connection that was lost leaves a gap.
    if (slot === 74) tell(source.receiver, slot + 70, slot + 70)
    await timers.pass(1_000)
  }
  expect(signatures()).toEqual([])
  expect(source.askedSlots).toEqual([])
  expect(supervisor.figures().feed_held_dropped_total).toBeGreaterThan(BUFFERED_SLOTS_MAX)
  setClock(timers, last + 64)
  tell(source.receiver, last + 64, last + 64)
  await timers.pass(10_000)
  expect(signatures()).toEqual(signaturesOf(10, last + 64))
  expect(supervisor.figures()).toMatchObject({ feed_slots_given_up_total: 0, feed_gap_open: 0 })
  await stop()
})

test('a clock that is somewhat more than a minute behind delays slots by what is more', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, timers } = await started([source])
  source.receiver.connected()
  tell(source.receiver, 10, 10, 62)
  await timers.pass(5_000)
  expect(signatures()).toEqual([])
  await timers.pass(1_000)
  tell(source.receiver, 11, 11, 62)
  expect(signatures()).toEqual(['10/0', '11/0'])
  await stop()
})

test('what came after its slot waits too when the clock is set back, while slots without events go on', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, timers } = await started([source])
  source.receiver.connected()
  tell(source.receiver, 10, 11, 0)
  source.receiver.transaction(told(11, 1))
  timers.setMs = -HOUR_SECONDS * 1_000
  for (const slot of [12, 13, 14]) source.receiver.slotComplete(slot, slot - 1)
  expect(signatures()).toEqual(['10/0', '11/0'])
  timers.setMs = 0
  source.receiver.slotComplete(15, 14)
  expect(signatures()).toEqual(['10/0', '11/0', '11/1'])
  await stop()
})

test('one event far ahead keeps its slot back for no longer than until the next one comes', async () => {
  const source = new ScriptedSource()
  const { signatures, stop } = await started([source])
  source.receiver.connected()
  tell(source.receiver, 10, 10, 0)
  tell(source.receiver, 11, 11)
  expect(signatures()).toEqual(['10/0'])
  tell(source.receiver, 12, 12, 0)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0'])
  await stop()
})

test('slots of an outage longer than is back-filled, as of a clock that was wrong for days, are told to be missing', async () => {
  const source = new ScriptedSource()
  source.onBackfill = async () => {
    throw new SlotsUnavailable('none', null)
  }
  const { reports, stop, timers } = await started([source], 9)
  source.receiver.connected()
  for (let slot = 10; slot < 1_000; slot += 10) tell(source.receiver, slot, slot + 9)
  setClock(timers, 1_000)
  tell(source.receiver, 1_000, 1_000)
  await timers.pass(1_000)
  expect(reports[0]).toMatch(/^gap: slots 10 to \d+ are given up, their events are missing/)
  await stop()
})

test('what fills a gap while the clock is behind is handed over once it is set', async () => {
  const source = new ScriptedSource()
  source.onBackfill = async () => {
    throw new Error('broken')
  }
  const more = { gapWaitMs: 3_000 }
  const run = await started([source], 9, 100, [], 0, more)
  source.receiver.connected()
  tell(source.receiver, 10, 10, 0)
  tell(source.receiver, 13, 13, 0)
  await run.timers.pass(3_100)
  expect(run.told()).toEqual(['10/0', 'open 11-12', '13/0'])
  run.timers.setMs = -HOUR_SECONDS * 1_000
  source.onBackfill = async (from, to, receiver) => tell(receiver, from, to, 0)
  await run.timers.pass(60_000)
  expect(run.told()).toHaveLength(3)
  run.timers.setMs = 0
  await run.timers.pass(60_000)
  expect(run.told().slice(3)).toEqual(['filling 11-12', '11/0', '12/0', 'filled 11-12'])
  await run.stop()
})
