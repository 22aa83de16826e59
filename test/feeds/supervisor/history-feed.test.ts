import { expect, test } from 'vitest'
import type { FeedEvent, SwapContent } from '../../../src/events/event.ts'
import { HistoryFeed } from '../../../src/feeds/supervisor/history-feed.ts'
import { SlotsUnavailable } from '../../../src/feeds/supervisor/source.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { swap, withoutPlace } from './told-trades.ts'
import { VirtualTimers } from './virtual-timers.ts'

const GAP = { from: 0, to: 500, seconds: 1_790_000_900 }

function started(
  source: ScriptedSource,
  from: number,
  cursor: number | null = null,
  earlierReserveTrades: readonly SwapContent[] = [],
) {
  const timers = new VirtualTimers()
  const sink = new CollectingSink()
  const reports: string[] = []
  const report = (reason: string) => reports.push(reason)
  const feed = new HistoryFeed({
    ...{ sources: [source], gap: GAP, from, cursor, report, timers, earlierReserveTrades },
    random: () => 1,
  })
  const ended = feed.start(sink)
  return { timers, sink, reports, feed, ended }
}

const wordOf = (event: FeedEvent) =>
  event.type === 'gap'
    ? `${event.state} ${event.fromSlot}-${event.toSlot} behind ${event.timestamp}`
    : String('slot' in event ? event.slot : event.type)

test('slots come from the oldest on, behind what is not fetched, which is lost before the first event', async () => {
  const source = new ScriptedSource()
  const { feed, timers, sink, ended } = started(source, 401)
  await timers.pass(10_000)
  await ended
  expect(feed.isDone).toBe(true)
  const slots = Array.from({ length: 100 }, (_, i) => String(401 + i))
  expect(sink.all.map(wordOf)).toEqual(['lost 0-400 behind 1790000000', ...slots])
  expect(feed.figures()).toMatchObject({ history_slots: 100, history_slots_done: 100 })
})

test('a run behind another one asks for the rest alone, and loses nothing again', async () => {
  const source = new ScriptedSource()
  const { timers, sink, ended } = started(source, 401, 450)
  await timers.pass(10_000)
  await ended
  expect(sink.all.map(wordOf)[0]).toBe('451')
  expect(sink.all).toHaveLength(50)
  expect(Math.min(...source.askedSlots.map(([from]) => from))).toBe(451)
})

test('what the server has given up is lost at once, however much it is, and asked for once', async () => {
  const source = new ScriptedSource()
  source.onBackfill = async (from, to, receiver) => {
    if (from <= 390) throw new SlotsUnavailable('it keeps none', 390)
    for (let slot = from; slot <= to; slot++) {
      receiver.transaction(told(slot))
      receiver.slotComplete(slot, slot - 1)
    }
  }
  const { timers, sink, reports, ended } = started(source, 1)
  await timers.pass(10_000)
  await ended
  expect(reports).toHaveLength(1)
  expect(sink.all.map(wordOf).slice(0, 2)).toEqual(['lost 0-390 behind 1790000000', '391'])
})

test('what is lost at the end is told with the time of what follows', async () => {
  const source = new ScriptedSource()
  source.onBackfill = async () => {
    throw new SlotsUnavailable('it keeps none', null)
  }
  const { timers, sink, feed, ended } = started(source, 401)
  await timers.pass(60_000)
  await ended
  expect(feed.isDone).toBe(true)
  expect(sink.all.map(wordOf)).toEqual([`lost 0-500 behind ${GAP.seconds}`])
})

test('pieces grow while the server is quick', async () => {
  const source = new ScriptedSource()
  const { timers, ended } = started(source, 1)
  await timers.pass(10_000)
  await ended
  const sizes = source.askedSlots.map(([from, to]) => to - from + 1)
  expect(sizes.slice(0, 3)).toEqual([64, 128, 256])
})

test('a stop ends it where it is', async () => {
  const source = new ScriptedSource()
  source.onBackfill = async () => {
    throw new Error('not now')
  }
  const { feed, timers, ended } = started(source, 401)
  await timers.pass(3_000)
  feed.stop()
  await timers.pass(0)
  await ended
  expect(feed.isDone).toBe(false)
})

test('trades that the reserve told while the chain was away are not told again', async () => {
  const source = new ScriptedSource()
  source.onBackfill = async (from, to, receiver) => {
    for (let slot = from; slot <= to; slot++) {
      const trade = swap(`trade ${slot}`, 701n, { slot })
      receiver.transaction(told(slot, 0, { signature: trade.signature, events: [trade] }))
      receiver.slotComplete(slot, slot - 1)
    }
  }
  const { timers, sink, ended } = started(source, 498, 497, [withoutPlace('trade 499', 700n)])
  await timers.pass(10_000)
  await ended
  expect(sink.all.map(wordOf)).toEqual(['498', '500'])
})
