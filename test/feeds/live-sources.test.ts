import { expect, test } from 'vitest'
import { readConfig } from '../../src/base/config.ts'
import { Engine } from '../../src/engine/engine.ts'
import { supervisedFeed } from '../../src/feed-setup/live-sources.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'

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
  expect(figuresOf(engine)).toMatchObject({ feed_slot: 484 })
  // Where late swaps are refused, only the newest one may get more.
  expect(figuresOf(engine, '5')).toMatchObject({ feed_slot: 495 })
  expect(figuresOf(engine, '0')).toMatchObject({ feed_slot: 499 })
})
