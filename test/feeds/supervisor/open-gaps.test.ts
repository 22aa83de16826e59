import { expect, test } from 'vitest'
import { type SlotReceiver, SlotsUnavailable } from '../../../src/feeds/supervisor/source.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'

const WAIT = { gapWaitMs: 3_000 }
const FAILS = async () => {
  throw new Error('broken')
}

test('what is behind a gap waits for it as long as is said, and goes on then', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.tell(10, 13)
  await run.timers.pass(2_900)
  expect(run.told()).toEqual(['10/0'])
  await run.timers.pass(200)
  expect(run.told()).toEqual(['10/0', 'open 11-12', '13/0'])
  source.tell(14)
  expect(run.told().at(-1)).toBe('14/0')
  await run.stop()
})

test('a gap is filled behind what went on, as one run in the order of the chain', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.tell(10, 13)
  await run.timers.pass(3_100)
  source.onBackfill = null
  await run.timers.pass(60_000)
  expect(run.told()).toEqual([
    ...['10/0', 'open 11-12', '13/0'],
    ...['filling 11-12', '11/0', '12/0', 'filled 11-12'],
  ])
  expect(run.supervisor.figures().feed_gaps_behind).toBe(0)
  await run.stop()
})

test('what the stream delivers late of an open gap comes with the rest of it', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.receiver.transaction(told(11, 0))
  source.tell(10, 13)
  await run.timers.pass(3_100)
  source.receiver.transaction(told(12, 5))
  source.tell(14, 15)
  expect(run.told()).toEqual(['10/0', 'open 11-12', '13/0', '14/0', '15/0'])
  source.onBackfill = null
  await run.timers.pass(60_000)
  expect(run.told().slice(5)).toEqual([
    ...['filling 11-12', '11/0', '12/0', '12/5', 'filled 11-12'],
  ])
  await run.stop()
})

test('slots of an open gap that nobody has are said to be lost, and the rest is filled', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.tell(10, 15)
  await run.timers.pass(3_100)
  source.onBackfill = async (from, to, receiver) => {
    if (from <= 12) throw new SlotsUnavailable('pruned', 12)
    for (let slot = from; slot <= to; slot++) {
      receiver.transaction(told(slot))
      receiver.slotComplete(slot, slot - 1)
    }
  }
  await run.timers.pass(60_000)
  expect(run.told().slice(1)).toEqual([
    ...['open 11-14', '15/0', 'lost 11-12'],
    ...['filling 13-14', '13/0', '14/0', 'filled 13-14'],
  ])
  await run.stop()
})

test('trades that came of slots of an open gap stay when nobody has the rest of these slots', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.receiver.transaction(told(11, 4))
  source.tell(10, 15)
  await run.timers.pass(3_100)
  source.receiver.transaction(told(12, 0))
  source.onBackfill = async () => {
    throw new SlotsUnavailable('pruned', null)
  }
  await run.timers.pass(60_000)
  expect(run.told().slice(1)).toEqual([
    ...['open 11-14', '15/0', 'filling 11-14', '11/4', '12/0', 'lost 11-14'],
  ])
  await run.stop()
})

test('what a second source has of the last slots of an open gap, and the first one lacked, comes with them', async () => {
  const { one, other, run } = await twoBehindGap()
  const tellBoth = (receiver: SlotReceiver, transactions: number) => {
    for (const slot of [11, 12]) {
      for (let n = 0; n < transactions; n++) receiver.transaction(told(slot, n))
      receiver.slotComplete(slot, slot - 1)
    }
  }
  one.onBackfill = async (_from, _to, receiver) => {
    tellBoth(receiver, 1)
    throw new Error('reset')
  }
  other.onBackfill = async (_from, _to, receiver) => tellBoth(receiver, 2)
  await run.timers.pass(60_000)
  expect(run.told().slice(2)).toEqual([
    ...['13/0', 'filling 11-12', '11/0', '12/0', '11/1', '12/1', 'filled 11-12'],
  ])
  await run.stop()
})

test('what a second source has of a slot before those that are given up comes with it', async () => {
  const { one, other, run } = await twoBehindGap()
  const tellFirst = (transactions: number) => async (_: number, to: number, by: SlotReceiver) => {
    for (let n = 0; n < transactions; n++) by.transaction(told(11, n))
    by.slotComplete(11, 10)
    throw new SlotsUnavailable('pruned', to)
  }
  one.onBackfill = tellFirst(1)
  other.onBackfill = tellFirst(2)
  await run.timers.pass(60_000)
  expect(run.told().slice(2)).toEqual([
    ...['13/0', 'filling 11-11', '11/0', 'filled 11-11'],
    ...['filling 12-12', '11/1', 'lost 12-12'],
  ])
  await run.stop()
})

test('a gap that can never be filled holds nothing, and is said to be lost', async () => {
  const source = new ScriptedSource()
  source.onBackfill = async () => {
    throw new SlotsUnavailable('it keeps none', null)
  }
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.tell(10, 13)
  await run.timers.pass(500)
  expect(run.told()).toEqual(['10/0', 'lost 11-12', '13/0'])
  await run.stop()
})

test('a gap that was open at a stop is filled by the next run', async () => {
  const source = new ScriptedSource()
  const gap = { from: 11, to: 12, seconds: 1_790_000_000 }
  const run = await started([source], 20, 100, [], 0, { ...WAIT, openGaps: [gap] })
  source.tell(21)
  await run.timers.pass(1_000)
  expect(run.told()).toContain('filled 11-12')
  expect(run.signatures().toSorted()).toEqual(['11/0', '12/0', '21/0'])
  await run.stop()
})

test('a gap that was open at a kill stays open until it is filled, however near to the newest slot it lies', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const openGaps = [{ from: 22, to: 23, seconds: 1_790_000_000 }]
  const resumed = { ...WAIT, openGaps, unseenTo: 25 }
  const run = await started([source], 20, 100, [], 0, resumed)
  source.tell(21, 22, 23, 24)
  expect(run.told()).toEqual([...['filled 21-21', 'filled 24-25', '21/0', '22/0', '23/0', '24/0']])
  source.onBackfill = null
  await run.timers.pass(60_000)
  expect(run.told().slice(6)).toEqual(['filling 22-23', 'filled 22-23'])
  await run.stop()
})

test('a gap that is given up before the first event of a run has the time of the run before', async () => {
  const source = new ScriptedSource()
  const resumedSeconds = 1_789_999_990
  const run = await started([source], 9, 1, [], resumedSeconds, WAIT)
  source.receiver.slotComplete(13, 12)
  await run.timers.pass(300)
  expect(run.told()[0]).toBe('lost 10-11')
  expect(run.gaps()[0]?.timestamp).toBe(resumedSeconds)
  await run.stop()
})

test('a gap that is given up before any event was seen has the time of this machine', async () => {
  const source = new ScriptedSource()
  const run = await started([source], 9, 1, [], 0, WAIT)
  source.receiver.slotComplete(13, 12)
  await run.timers.pass(300)
  expect(run.gaps()[0]?.timestamp).toBe(1_790_000_000)
  await run.stop()
})

test('gaps behind each other are filled one after the other', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.tell(10, 13)
  await run.timers.pass(3_100)
  source.tell(16)
  await run.timers.pass(3_100)
  expect(run.told()).toEqual(['10/0', 'open 11-12', '13/0', 'open 14-15', '16/0'])
  expect(run.supervisor.figures().feed_gaps_behind).toBe(2)
  source.onBackfill = null
  await run.timers.pass(120_000)
  expect(run.told().slice(5)).toEqual([
    ...['filling 11-12', '11/0', '12/0', 'filled 11-12'],
    ...['filling 14-15', '14/0', '15/0', 'filled 14-15'],
  ])
  await run.stop()
})

test('of more gaps than may be open the oldest is given up, said, counted and asked for no more', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.tell(10)
  for (let gap = 0; gap <= 16; gap++) {
    source.tell(13 + 3 * gap)
    await run.timers.pass(3_100)
  }
  expect(run.told().filter((word) => word.startsWith('lost'))).toEqual(['lost 11-12'])
  expect(run.supervisor.figures()).toMatchObject({
    ...{ feed_gaps_behind: 16, feed_slots_given_up_total: 2 },
  })
  const givenUp = 'gap: slots 11 to 12 are given up, their events are missing: '
  expect(run.reports.filter((report) => report.startsWith(givenUp))).toEqual([
    `${givenUp}16 newer gaps are open`,
  ])
  source.onBackfill = null
  source.askedSlots.length = 0
  await run.timers.pass(120_000)
  expect(run.supervisor.figures().feed_gaps_behind).toBe(0)
  expect(Math.min(...source.askedSlots.map(([from]) => from))).toBe(14)
  const told = run.told()
  expect(told).toContain('filled 14-15')
  expect(told).not.toContain('11/0')
  expect(run.supervisor.figures().feed_slots_given_up_total).toBe(2)
  await run.stop()
})

test('a gap that came as it happens, while older ones are filled, is handed over when there is no room for it', async () => {
  const source = new ScriptedSource()
  source.onBackfill = () => new Promise(() => {})
  const run = await started([source], 9, 100, [], 0, WAIT)
  source.tell(10)
  for (let gap = 0; gap <= 17; gap++) {
    source.tell(13 + 3 * gap)
    await run.timers.pass(3_100)
    if (gap === 1) source.tell(14, 15)
  }
  expect(run.told().filter((word) => word.startsWith('lost'))).toEqual(['lost 11-12'])
  expect(run.told().slice(-5, -1)).toEqual(['filling 14-15', '14/0', '15/0', 'filled 14-15'])
  await run.stop()
})

test('nothing is known whole of a source without slots, until one that has them goes on', async () => {
  const reserve = new ScriptedSource('reserve', true)
  const first = await started([reserve], null, 100, [], 0, WAIT)
  reserve.receiver.events([{ type: 'sol_price', timestamp: 1_790_000_000, usd: 150 }])
  const all = `0-${Number.MAX_SAFE_INTEGER}`
  expect(first.told()).toEqual([`lost ${all}`, 'sol_price'])
  await first.stop()
  const source = new ScriptedSource()
  const unseenTo = Number.MAX_SAFE_INTEGER
  const run = await started([source], null, 100, [], 0, { ...WAIT, unseenTo })
  source.tell(500)
  expect(run.told()).toEqual(['lost 0-499', `filled 500-${unseenTo}`, '500/0'])
  await run.stop()
})

test('what lies before the first slot of a market is said to be not seen', async () => {
  const source = new ScriptedSource()
  const run = await started([source], null, 100, [], 0, WAIT)
  source.tell(500, 501)
  expect(run.told()).toEqual(['lost 0-499', '500/0', '501/0'])
  await run.stop()
})

test('a gap that is too long for the undo log holds nothing where somebody fills it beside', async () => {
  const taken: object[] = []
  const takeLongGap = (gap: object) => taken.push(gap) > 0
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const run = await started([source], 9, 20_000, [], 1, { ...WAIT, takeLongGap })
  source.tell(10, 6_000)
  await run.timers.pass(2_900)
  expect(run.told()).toEqual(['10/0'])
  await run.timers.pass(200)
  expect(taken).toEqual([{ from: 11, to: 5_999, seconds: 1_790_000_000 }])
  expect(run.told()).toEqual(['10/0', 'lost 11-5999', '6000/0'])
  source.tell(6_001)
  expect(run.told().at(-1)).toBe('6001/0')
  await run.stop()
})

test('a gap that is too long holds what is behind it where nobody can fill it beside', async () => {
  const source = new ScriptedSource()
  source.onBackfill = FAILS
  const takeLongGap = () => false
  const run = await started([source], 9, 20_000, [], 1, { ...WAIT, takeLongGap })
  source.tell(10, 6_000)
  await run.timers.pass(60_000)
  expect(run.told()).toEqual(['10/0'])
  await run.stop()
})

/** Two sources that back-fill nothing yet, behind an open gap of slots 11 and 12. */
async function twoBehindGap() {
  const [one, other] = [new ScriptedSource('one'), new ScriptedSource('other')]
  one.onBackfill = FAILS
  other.onBackfill = FAILS
  const run = await started([one, other], 9, 100, [], 0, WAIT)
  one.tell(10, 13)
  await run.timers.pass(3_100)
  return { one, other, run }
}
