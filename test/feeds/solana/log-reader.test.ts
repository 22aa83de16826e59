import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { BUY_EVENT } from '../../../src/feeds/chain/amm-pool-layouts.ts'
import { ChainNormaliser } from '../../../src/feeds/chain/normalise.ts'
import { transactionOfLogsFrame } from '../../../src/feeds/chain/rpc-json.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { FrameCheck } from '../../../src/feeds/solana/frame-check.ts'
import { LogReader, newLogCounters } from '../../../src/feeds/solana/log-reader.ts'
import { PoolResolver } from '../../../src/feeds/solana/pool-resolver.ts'
import { RpcClient } from '../../../src/feeds/solana/rpc-client.ts'
import { RpcQuestions } from '../../../src/feeds/solana/rpc-questions.ts'
import type { Receiver } from '../../../src/feeds/supervisor/source.ts'
import { amm, poolAccount, poolOf } from '../peers/program-forms.ts'
import { logsFrame } from '../peers/rpc-forms.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { rpcServer } from './rpc-server.ts'

const PARKED_MAX = 5_000
const MINT = encodeBase58(Buffer.alloc(32, 7))

/** A reader that has seen slot 10, of a chain at slot 14, and what it says. */
async function reading() {
  const { url, questions } = await rpcServer()
  const timers = new VirtualTimers()
  const counters = newFeedCounters()
  const own = newLogCounters()
  const normaliser = new ChainNormaliser(counters)
  const asking = new RpcQuestions(new RpcClient(url, timers))
  const told: number[] = []
  const whole: number[] = []
  const receiver: Receiver = {
    ...{ connected: () => {}, alive: () => {}, slotSeen: () => {}, events: () => {} },
    transaction: ({ slot }) => told.push(slot),
    slotComplete: () => {},
  }
  const reader = new LogReader(
    {
      ...{ normaliser, counters, own, timers, questions: asking, settleMs: 10 },
      ...{ pools: new PoolResolver(asking, normaliser.pools, timers), isByBlocks: false },
      check: new FrameCheck(),
    },
    receiver,
    (slot) => whole.push(slot),
    new AbortController().signal,
  )
  reader.subscribed()
  reader.reached(14, 13)
  reader.touch(10)
  /** A buy from a pool that the feed has not seen, the `n`th of its kind. */
  const read = (slot: number, n: number) => {
    const signature = encodeBase58(Buffer.alloc(64, 1).fill(`${n}`, 1))
    const bought = amm(BUY_EVENT, { timestamp: 1_790_000_000n, pool: poolOf(MINT) })
    const given = { signature, index: 0, hasFailed: false, feeRaw: 0, balances: [] }
    const frame = JSON.parse(logsFrame(slot, { ...given, emitted: [bought] }, 1))
    const transaction = transactionOfLogsFrame(frame)
    if (transaction !== null) reader.read(slot, transaction, 1)
  }
  return { reader, read, told, whole, counters, own, questions }
}

test('a slot with a swap of an unknown pool waits for the look-up', async () => {
  const { reader, read, told, whole, questions } = await reading()
  read(11, 0)
  reader.touch(12)
  reader.touch(13)
  await until(() => questions.length === 1)
  expect([told, whole]).toEqual([[], []])
  questions[0].answer({ value: [{ data: [poolAccount(MINT).toString('base64'), 'base64'] }] })
  await until(() => whole.length > 0)
  expect([told, whole]).toEqual([[11], [11, 12]])
})

test('a slot with a swap that cannot wait for its look-up is not whole, so that its block is read', async () => {
  const { reader, read, told, whole, counters, own, questions } = await reading()
  for (let n = 0; n < PARKED_MAX; n++) read(11, n)
  read(12, PARKED_MAX)
  reader.touch(13)
  reader.touch(14)
  expect(own.parked).toBe(PARKED_MAX)
  expect(counters.unknownPools).toBe(1)
  await until(() => questions.length === 1)
  questions[0].answer({ value: [{ data: [poolAccount(MINT).toString('base64'), 'base64'] }] })
  await until(() => whole.length > 0)
  expect(told).toHaveLength(PARKED_MAX)
  expect(whole).toEqual([11, 13])
})

test('a transaction without anything that is folded is none', async () => {
  const { reader, told, whole } = await reading()
  const given = { signature: encodeBase58(Buffer.alloc(64, 7)), index: 0, hasFailed: false }
  const nothing = { ...given, feeRaw: 0, balances: [], emitted: [] }
  const transaction = transactionOfLogsFrame(JSON.parse(logsFrame(11, nothing, 1)))
  if (transaction === null) throw new Error('the frame cannot be read')
  reader.read(11, transaction, 1)
  reader.touch(12)
  expect([told, whole]).toEqual([[], [11]])
})
