import { expect, test } from 'vitest'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'

test('a feed that is more than 150 slots behind the chain is not live', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor } = await started([source])
  source.receiver.connected()
  source.receiver.slotSeen(1_150)
  expect(supervisor.notLive()).toBe(null)
  source.tell(1_000)
  expect(supervisor.notLive()).toBe(null)
  source.receiver.slotSeen(1_151)
  expect(supervisor.notLive()).toBe('The feed is 151 slots behind the chain.')
  expect(supervisor.figures().feed_slots_behind).toBe(151)
  await stop()
})

test('a chain that is more than 150 slots behind what was recovered is another one', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor } = await started([source], 1_000)
  source.receiver.connected()
  expect(supervisor.notLive()).toBe(null)
  source.receiver.slotSeen(849)
  expect(supervisor.notLive()).toBe(
    'The chain is 151 slots behind what DATA_DIR holds: is that of another feed?',
  )
  source.receiver.slotSeen(850)
  expect(supervisor.notLive()).toBe(null)
  expect(supervisor.figures().feed_slots_behind).toBe(0)
  await stop()
})

test('a feed that has lost its connection is live for another ten seconds', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  source.tell(10, 11)
  for (let n = 0; n < 20; n++) {
    await timers.pass(3_000)
    source.receiver.alive()
  }
  const { receiver: dead } = source
  source.lose(new Error('reset'))
  await timers.pass(9_999)
  // What the lost connection still says is not heard.
  dead.slotSeen(9_000)
  expect(supervisor.notLive()).toBe(null)
  await timers.pass(1)
  expect(supervisor.notLive()).toMatch(/^No feed is connected \(scripted: .*\)\.$/)
  source.receiver.connected()
  expect(supervisor.notLive()).toBe(null)
  expect(supervisor.figures()).toMatchObject({
    ...{ feed_slots_behind: 0, feed_scripted_slots_total: 2, feed_scripted_transactions_total: 2 },
  })
  await stop()
})

test('slots that cannot be handed over are said a minute after the last one that could', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  for (let slot = 10; slot < 30; slot++) {
    source.tell(slot)
    await timers.pass(3_000)
  }
  const held = async (first: number, last: number) => {
    for (let slot = first; slot <= last; slot++) {
      source.receiver.transaction(told(slot))
      await timers.pass(3_000)
    }
  }
  await held(30, 47)
  expect(supervisor.notLive()).toBe(null)
  await held(48, 48)
  expect(supervisor.notLive()).toBe('Slots are told, but none could be handed over for 60 s.')
  await stop()
})
