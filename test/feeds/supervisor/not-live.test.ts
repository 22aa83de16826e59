import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'

// A minute of slots of 268 ms, which is what is taken until the chain has shown better: 223.
test('a feed that is more than a minute of slots behind the chain is not live', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor } = await started([source])
  source.receiver.connected()
  source.receiver.slotSeen(1_223)
  expect(supervisor.notLive()).toBe(null)
  source.tell(1_000)
  expect(supervisor.notLive()).toBe(null)
  source.receiver.slotSeen(1_224)
  expect(supervisor.notLive()).toBe('The feed is 224 slots behind the chain, 60 s.')
  expect(supervisor.figures().feed_slots_behind).toBe(224)
  await stop()
})

test('a chain that is more than a minute of slots behind what was recovered is another one', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor } = await started([source], 1_000)
  source.receiver.connected()
  expect(supervisor.notLive()).toBe(null)
  source.receiver.slotSeen(776)
  expect(supervisor.notLive()).toBe(
    'The chain is 224 slots behind what DATA_DIR holds: is that of another feed?',
  )
  source.receiver.slotSeen(777)
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

function aged(ageSeconds: number): (event: FeedEvent) => FeedEvent {
  return (event) => ({ ...event, timestamp: 1_790_000_000 - ageSeconds })
}

/** Tells whole slots whose events were so many seconds before the clock of the machine. */
function tellOld(source: ScriptedSource, ageSeconds: number, ...slots: readonly number[]): void {
  for (const slot of slots) {
    source.receiver.transaction(told(slot, 0, { events: told(slot).events.map(aged(ageSeconds)) }))
    source.receiver.slotSeen(slot)
    source.receiver.slotComplete(slot, slot - 1)
  }
}

test('a feed that is two minutes behind the clock is not live, though it knows of no later slot', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor } = await started([source])
  source.receiver.connected()
  tellOld(source, 121, 10, 11)
  expect(supervisor.figures()).toMatchObject({ feed_slots_behind: 0, feed_seconds_behind: 121 })
  expect(supervisor.notLive()).toBe(
    'What the feed tells is 121 s old by the clock of this machine: the feed lags behind the chain, or the clock is ahead.',
  )
  tellOld(source, 120, 12)
  expect(supervisor.notLive()).toBe(null)
  // What is told late says nothing about how far the feed is.
  source.receiver.transaction(told(9, 0, { events: told(9).events.map(aged(300)) }))
  tellOld(source, 100, 13, 14)
  expect(supervisor.notLive()).toBe(null)
  await stop()
})

test('a source without slots that stands in for a feed that lagged is live', async () => {
  const [chain, portal] = [new ScriptedSource('chain'), new ScriptedSource('portal', true)]
  const { stop, supervisor, timers } = await started([chain, portal], null, 100, [])
  chain.receiver.connected()
  tellOld(chain, 600, 10)
  expect(supervisor.notLive()).toMatch('600 s old')
  chain.lose(new Error('lost'))
  await timers.pass(0)
  portal.receiver.connected()
  portal.receiver.events(told(0, 0, { signature: 'now' }).events)
  expect(supervisor.notLive()).toBe(null)
  // That one is up to date says nothing about the other, which is back.
  await timers.pass(250)
  chain.receiver.connected()
  tellOld(chain, 599, 11)
  expect(supervisor.notLive()).toMatch('599 s old')
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

test('a server that tells for a minute what was handed over already lags, and the feed is not live', async () => {
  const source = new ScriptedSource()
  const { stop, supervisor, timers } = await started([source])
  source.receiver.connected()
  source.tell(...Array.from({ length: 50 }, (_, n) => n + 1))
  source.lose()
  await timers.pass(250)
  // Another machine of the same provider, which is behind the first one.
  source.receiver.connected()
  const again = async (first: number, last: number) => {
    for (let slot = first; slot <= last; slot++) {
      await timers.pass(3_000)
      source.tell(slot)
    }
  }
  await again(1, 19)
  expect(supervisor.notLive()).toBe(null)
  await again(20, 20)
  expect(supervisor.notLive()).toBe(
    'For 60 s nothing newer was told than slot 50, the last one handed over: the server lags.',
  )
  source.tell(51)
  expect(supervisor.notLive()).toBe(null)
  await stop()
})
