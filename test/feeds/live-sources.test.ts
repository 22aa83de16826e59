import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/base/config.ts'
import { Engine } from '../../src/engine/engine.ts'
import { supervisedFeed } from '../../src/feed-setup/live-sources.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { swap } from '../oracle/fixtures.ts'
import { CollectingSink } from './collecting-sink.ts'
import { MockSocketServer } from './mock-socket-server.ts'

const SETTINGS = {
  ...{ FEED: 'solana', SOLANA_RPC_URL: 'http://127.0.0.1:9', SOLANA_WS_URL: 'ws://127.0.0.1:9' },
}

function figuresOf(engine: Engine, lateSlots = '32') {
  const config = readConfig([], { ...SETTINGS, LATE_SLOTS: lateSlots })
  return supervisedFeed(config, newFeedCounters(), engine, () => {}).figures?.()
}

test('a start goes on some slots before the newest that is known: what came late of them may not have been written', () => {
  const engine = new Engine({ clock: 'event' })
  expect(figuresOf(engine)).toMatchObject({ feed_slot: -1 })
  engine.events([
    {
      ...{ type: 'completed', slot: 500, txIndex: 3, ordinal: 0, signature: 'a' },
      ...{ timestamp: 1_790_000_000, mint: 'mint', bondingCurve: 'curve' },
    },
  ])
  expect(figuresOf(engine)).toMatchObject({ feed_slot: 467 })
  // Where late swaps are refused, only the newest one may get more.
  expect(figuresOf(engine, '5')).toMatchObject({ feed_slot: 494 })
  expect(figuresOf(engine, '0')).toMatchObject({ feed_slot: 499 })
})

test('behind an hour of a feed without slots the chain may be as far as it comes in an hour', async () => {
  const sockets = await MockSocketServer.listen()
  onTestFinished(() => sockets.close())
  const engine = new Engine({ clock: 'event' })
  const nowSeconds = Math.floor(Date.now() / 1_000)
  engine.events([
    swap({ slot: 1_000, timestamp: nowSeconds - 3_600, signature: 'of the chain' }),
    swap({ slot: null, txIndex: null, timestamp: nowSeconds, signature: 'without a slot' }),
  ])
  const config = readConfig([], { ...SETTINGS, SOLANA_WS_URL: sockets.url })
  const told: string[] = []
  const report = (_who: string, reason: string) => told.push(reason)
  const feed = supervisedFeed(config, newFeedCounters(), engine, report)
  const ended = feed.start(new CollectingSink())
  onTestFinished(async () => {
    feed.stop()
    await ended
  })
  await sockets.until(() => sockets.received.length === 3)
  const say = (slot: number) =>
    sockets.say({
      method: 'slotNotification',
      params: { result: { slot, parent: slot - 1, root: 1 } },
    })
  say(10_000)
  await sockets.heard()
  expect(told).toEqual([])
  say(90_000)
  await sockets.heard()
  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(/^it speaks of slot 90000, where the chain cannot be yet/)
})
