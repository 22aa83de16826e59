import { expect, test } from 'vitest'
import { ScriptedSource } from './scripted-source.ts'
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
