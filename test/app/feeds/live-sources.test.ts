import { expect, onTestFinished, test } from 'vitest'
import { supervisedFeed } from '../../../src/app/feeds/live-sources.ts'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { readConfig } from '../../../src/config/config.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { ARRIVAL_STEP } from '../../../src/feeds/chain/arrival-index.ts'
import { TRADE_EVENT } from '../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { CollectingSink } from '../../feeds/collecting-sink.ts'
import { MockSocketServer } from '../../feeds/mock-socket-server.ts'
import { type BlockTransaction, FAILED } from '../../feeds/peers/chain-blocks.ts'
import { pump } from '../../feeds/peers/program-forms.ts'
import { blockAnswer, logsFrame } from '../../feeds/peers/rpc-forms.ts'
import { rpcServer } from '../../feeds/solana/rpc-server.ts'
import { until } from '../../feeds/until.ts'
import { swap } from '../../oracle/fixtures.ts'

const MINT = encodeBase58(Buffer.alloc(32, 7))
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

test('the rest of a slot of which a killed process wrote the first part stands behind it', async () => {
  const [sockets, rpc] = [await MockSocketServer.listen(), await rpcServer()]
  onTestFinished(() => sockets.close())
  const nowSeconds = Math.floor(Date.now() / 1_000)
  const engine = new Engine({ clock: 'event' })
  const written = 7 * ARRIVAL_STEP
  engine.events([
    swap({ slot: 1_000, txIndex: written, timestamp: nowSeconds, signature: 'written' }),
  ])
  const settings = { ...SETTINGS, SOLANA_RPC_URL: rpc.url, SOLANA_WS_URL: sockets.url }
  const config = readConfig([], { ...settings, LATE_SLOTS: '0' })
  const feed = supervisedFeed(config, newFeedCounters(), engine, () => {})
  const sink = new CollectingSink()
  const ended = feed.start(sink)
  onTestFinished(async () => {
    feed.stop()
    await ended
  })
  await sockets.until(() => sockets.received.length === 3)
  for (const id of [1, 2, 3]) sockets.say({ jsonrpc: '2.0', id, result: 100 + id })
  for (const slot of [1_001, 1_002, 1_003]) {
    const result = { slot, parent: slot - 1, root: slot - 32 }
    sockets.say({ method: 'slotNotification', params: { result, subscription: 103 } })
    for (const subscription of [101, 102]) sockets.say(logsFrame(slot, FAILED, subscription))
  }
  const rest: BlockTransaction = {
    ...{ signature: encodeBase58(Buffer.alloc(64, 9)), index: 40, hasFailed: false, feeRaw: 5_000 },
    emitted: [pump(TRADE_EVENT, { mint: MINT, timestamp: BigInt(nowSeconds) })],
    balances: [],
  }
  const block = { slot: 1_000, parentSlot: 999, timestamp: nowSeconds, transactions: [rest] }
  const answers: Readonly<Record<string, unknown>> = {
    getBlocks: [1_000, 1_001],
    getSlot: 1_003,
    getFirstAvailableBlock: 0,
  }
  let answered = 0
  await until(() => {
    for (const { method, params, answer } of rpc.questions.slice(answered)) {
      const [slot] = params
      const empty = { ...block, slot: 1_001, parentSlot: 1_000, transactions: [] }
      answer(answers[method] ?? blockAnswer(slot === 1_000 ? block : empty))
      answered++
    }
    return sink.all.length > 0
  })
  expect(sink.all).toMatchObject([{ type: 'swap', slot: 1_000, txIndex: written + 1 + 40 }])
})
