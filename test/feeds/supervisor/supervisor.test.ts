import { expect, test } from 'vitest'
import { ARRIVAL_STEP } from '../../../src/feeds/chain/arrival-index.ts'
import { Supervisor } from '../../../src/feeds/supervisor/supervisor.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'

test('a slot is handed over when it is whole, in the order of its block', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor } = await started([source])
  const { receiver } = source
  receiver.connected()
  for (const index of [2, 0, 1]) receiver.transaction(told(10, index))
  expect(signatures()).toEqual([])
  receiver.slotComplete(10, 9)
  expect(signatures()).toEqual(['10/0', '10/1', '10/2'])
  expect(supervisor.cursor).toBe(10)
  await stop()
})

test('slots follow each other as the chain does, whatever came first', async () => {
  const source = new ScriptedSource()
  const { signatures, stop } = await started([source])
  source.tell(10)
  source.receiver.transaction(told(14))
  source.receiver.slotComplete(14, 12)
  source.receiver.transaction(told(11))
  source.receiver.transaction(told(12))
  source.receiver.slotComplete(12, 11)
  expect(signatures()).toEqual(['10/0'])
  source.receiver.slotComplete(11, 10)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '14/0'])
  await stop()
})

test('a transaction counts once, whoever tells it and under whatever slot', async () => {
  const [one, two] = [new ScriptedSource('one'), new ScriptedSource('two')]
  const { signatures, stop, supervisor } = await started([one, two])
  one.tell(10)
  two.tell(10, 11)
  one.tell(11)
  one.receiver.transaction(told(9, 0, { signature: '12/0' }))
  one.receiver.transaction(told(500, 0, { signature: '12/0' }))
  one.tell(12, 13)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0'])
  expect(supervisor.figures()).toMatchObject({
    feed_duplicates_total: 3,
    feed_wrong_slots_total: 1,
    feed_late_total: 0,
  })
  await stop()
  expect(supervisor.figures()).toMatchObject({ feed_wrong_slots_total: 2 })
  expect(signatures()).toHaveLength(4)
})

test('an exact transaction replaces one whose place is only guessed', async () => {
  const [logs, blocks] = [new ScriptedSource('logs'), new ScriptedSource('blocks')]
  const { signatures, stop } = await started([logs, blocks])
  logs.receiver.transaction(told(10, 0, { signature: 'b', isExact: false }))
  logs.receiver.transaction(told(10, 1, { signature: 'a', isExact: false }))
  blocks.receiver.transaction(told(10, 3, { signature: 'a' }))
  blocks.receiver.transaction(told(10, 7, { signature: 'b' }))
  blocks.receiver.slotComplete(10, 9)
  expect(signatures()).toEqual(['a', 'b'])
  await stop()
})

test('a slot of which some places are guessed and some exact goes by places of its own', async () => {
  const [logs, blocks] = [new ScriptedSource('logs'), new ScriptedSource('blocks')]
  const { events, signatures, stop } = await started([logs, blocks])
  blocks.receiver.transaction(told(10, 700, { signature: 'a' }))
  for (const [index, signature] of ['a', 'b', 'c'].entries())
    logs.receiver.transaction(told(10, index, { signature, isExact: false }))
  logs.receiver.slotComplete(10, 9)
  blocks.receiver.transaction(told(10, 900, { signature: 'b' }))
  expect(signatures()).toEqual(['a', 'b', 'c'])
  expect(events().map((event) => 'txIndex' in event && event.txIndex)).toEqual(
    [1, 2, 3].map((place) => place * ARRIVAL_STEP),
  )
  await stop()
})

test('what comes after its slot is handed over late, one slot later', async () => {
  const source = new ScriptedSource()
  const { signatures, stop, supervisor } = await started([source])
  source.tell(10)
  source.receiver.transaction(told(10, 1))
  source.tell(11)
  expect(signatures()).toEqual(['10/0', '11/0'])
  source.tell(12)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '10/1'])
  expect(supervisor.figures().feed_late_total).toBe(1)
  await stop()
})

test('a connection that is silent for five seconds is made anew', async () => {
  const source = new ScriptedSource()
  const { reports, stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  await timers.pass(4_000)
  source.receiver.alive()
  await timers.pass(4_900)
  source.receiver.slotSeen(10)
  expect(source.cursors).toHaveLength(1)
  const dead = source.receiver
  await timers.pass(100 + 250)
  expect(source.cursors).toHaveLength(2)
  expect(reports).toEqual(['scripted: nothing came for 5 s'])
  dead.transaction(told(11))
  dead.slotComplete(11, 10)
  expect(supervisor.cursor).toBe(null)
  expect(supervisor.figures()).toMatchObject({
    feed_scripted_watchdog_total: 1,
    feed_scripted_losses_total: 1,
  })
  await stop()
})

test('a connection that is lost is watched no more, and one that was never made counts as refused', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  source.lose()
  await timers.pass(250)
  source.receiver.connected()
  await timers.pass(5_000 + 500)
  source.lose(new Error('refused'))
  await timers.pass(1_000)
  expect(supervisor.figures()).toMatchObject({
    feed_scripted_attempts_total: 4,
    feed_scripted_watchdog_total: 1,
    feed_scripted_losses_total: 2,
    feed_scripted_refusals_total: 1,
  })
  await stop()
})

test('a feed whose slots nobody says to be whole is not live after a minute', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  for (let slot = 10; slot < 29; slot++) {
    source.receiver.transaction(told(slot))
    await timers.pass(3_000)
  }
  expect(supervisor.notLive()).toBe(null)
  source.receiver.alive()
  await timers.pass(3_000)
  expect(supervisor.notLive()).toBe('Slots are told, but none could be handed over for 60 s.')
  source.tell(29)
  expect(supervisor.notLive()).toBe(null)
  await stop()
})

test('a feed that tells whole slots with nothing in them is not live after a minute', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  source.tell(10)
  const empty = async (first: number, last: number) => {
    for (let slot = first; slot <= last; slot++) {
      await timers.pass(3_000)
      source.receiver.slotComplete(slot, slot - 1)
    }
  }
  await empty(11, 29)
  expect(supervisor.notLive()).toBe(null)
  await empty(30, 30)
  expect(supervisor.notLive()).toBe('Slots are told, but for 60 s no transaction in them.')
  source.tell(31)
  expect(supervisor.notLive()).toBe(null)
  await empty(32, 60)
  expect(supervisor.notLive()).not.toBe(null)
  source.lose()
  await timers.pass(250)
  source.receiver.connected()
  expect(supervisor.notLive()).toBe(null)
  await stop()
})

test('of what a peer says when it refuses a bounded part is repeated', async () => {
  const source = new ScriptedSource()
  const { reports, stop, supervisor, timers } = await started([source])
  source.lose(new Error(`too many requests ${'\u{1f4a5}'.repeat(1_000_000)}`))
  await timers.pass(10_000)
  expect(reports[0]).toMatch(/^scripted: too many requests \u{1f4a5}+…$/u)
  expect(reports[0].length).toBeLessThan(500)
  expect(supervisor.notLive()?.length).toBeLessThan(500)
  source.onBackfill = () => Promise.reject(new Error('x'.repeat(1_000_000)))
  source.tell(10, 12)
  await timers.pass(1_000)
  expect(reports.at(-1)).toMatch(/^gap: slots 11 to 11 could not be told again: scripted: x+…$/)
  for (const report of reports) expect(report.length).toBeLessThan(500)
  await stop()
})

test('waits between connections double until one works', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  for (const waitMs of [250, 500, 1_000]) {
    source.lose(new Error('refused'))
    await timers.pass(waitMs - 1)
    const { length } = source.cursors
    await timers.pass(1)
    expect(source.cursors).toHaveLength(length + 1)
  }
  expect(supervisor.notLive()).toBe(null)
  await timers.pass(30_000)
  expect(supervisor.notLive()).toBe('No feed is connected (scripted: nothing came for 5 s).')
  source.receiver.connected()
  expect(supervisor.notLive()).toBe(null)
  source.tell(10)
  const { length } = source.cursors
  source.lose()
  await timers.pass(250)
  expect(source.cursors).toHaveLength(length + 1)
  await stop()
})

test('a peer that lets everybody in and throws them out at once is not asked four times a second', async () => {
  const [chain, portal] = [new ScriptedSource('chain'), new ScriptedSource('portal', true)]
  const { stop, timers } = await started([chain, portal])
  for (const waitMs of [250, 500, 1_000, 2_000]) {
    for (const source of [chain, portal]) {
      source.receiver.connected()
      source.receiver.events([])
      source.lose(new Error('too many connections'))
    }
    const { length } = chain.cursors
    await timers.pass(waitMs - 1)
    expect([chain, portal].map(({ cursors }) => cursors.length)).toEqual([length, length])
    await timers.pass(1)
    expect([chain, portal].map(({ cursors }) => cursors.length)).toEqual([length + 1, length + 1])
  }
  portal.receiver.events(told(0, 0, { signature: 'a' }).events)
  portal.lose()
  const { length } = portal.cursors
  await timers.pass(250)
  expect(portal.cursors).toHaveLength(length + 1)
  await stop()
})

test('events without a slot are left out while a source that knows slots is connected', async () => {
  const [full, degraded] = [new ScriptedSource('full'), new ScriptedSource('portal', true)]
  const { signatures, stop, supervisor } = await started([full, degraded])
  degraded.receiver.connected()
  degraded.receiver.events(told(0, 0, { signature: 'a' }).events)
  full.receiver.connected()
  degraded.receiver.events(told(0, 0, { signature: 'b' }).events)
  expect(signatures()).toEqual(['a'])
  expect(supervisor.figures()).toMatchObject({
    feed_portal_standby_total: 1,
    feed_portal_degraded: 1,
  })
  await stop()
})

test('a chain that is ahead of the clock of the machine is not live: its events wait', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  const at = (slot: number, timestamp: number) => {
    const transaction = told(slot)
    const events = transaction.events.map((event) => ({ ...event, timestamp }))
    source.receiver.transaction({ ...transaction, events })
    source.receiver.slotComplete(slot, slot - 1)
  }
  at(10, 1_790_000_060)
  expect(supervisor.notLive()).toBe(null)
  at(11, 1_790_000_100)
  expect(supervisor.notLive()).toBe(
    'The chain is 100 s ahead of the clock of this machine, and events more than 60 s ahead wait: set the clock.',
  )
  await timers.pass(1_000)
  at(12, 1_790_000_000)
  expect(supervisor.notLive()).toBe(null)
  await timers.pass(99_000)
  expect(supervisor.figures().feed_seconds_behind).toBe(40)
  await stop()
})

test('a sink that throws ends the feed with its error', async () => {
  const source = new ScriptedSource()
  const supervisor = new Supervisor({
    ...{ sources: [source], cursor: null, report: () => {} },
    backfillSlotsMax: 100,
  })
  const ended = supervisor.start({
    events: () => {
      throw new Error('disk full')
    },
    records: () => {},
  })
  source.tell(10)
  await expect(ended).rejects.toThrow('disk full')
})
