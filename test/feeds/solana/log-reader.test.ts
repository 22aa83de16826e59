import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { ARRIVAL_STEP } from '../../../src/feeds/chain/arrival-index.ts'
import { BUY_EVENT } from '../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import {
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  TRADE_EVENT,
} from '../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { ChainNormaliser } from '../../../src/feeds/chain/normalise.ts'
import { transactionOfLogsFrame } from '../../../src/feeds/chain/transactions/rpc-json.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { FrameCheck } from '../../../src/feeds/solana/frame-check.ts'
import { LogReader, newLogCounters } from '../../../src/feeds/solana/log-reader.ts'
import { PoolResolver } from '../../../src/feeds/solana/pool-resolver.ts'
import { RpcClient } from '../../../src/feeds/solana/rpc-client.ts'
import { RpcQuestions } from '../../../src/feeds/solana/rpc-questions.ts'
import type { Receiver } from '../../../src/feeds/supervisor/source.ts'
import type { BlockTransaction } from '../peers/chain-blocks.ts'
import { amm, poolAccount, poolOf, pump } from '../peers/program-forms.ts'
import { logsFrame, transactionAnswer } from '../peers/rpc-forms.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { rpcServer } from './rpc-server.ts'

const PARKED_MAX = 5_000
const MINT = encodeBase58(Buffer.alloc(32, 7))
const OTHER_MINT = encodeBase58(Buffer.alloc(32, 8))

/** A reader that has seen slot 10, or what is told to be one, of a chain at slot 14, and what it says. */
async function reading(firstSlot = 10) {
  const { url, questions } = await rpcServer()
  const timers = new VirtualTimers()
  const counters = newFeedCounters()
  const own = newLogCounters()
  const normaliser = new ChainNormaliser(counters)
  const asking = new RpcQuestions(new RpcClient(url, timers))
  const told: number[] = []
  const places: string[] = []
  const whole: number[] = []
  const suspects: number[] = []
  const connection = new AbortController()
  const receiver: Receiver = {
    ...{
      connected: () => {},
      alive: () => {},
      slotSeen: () => {},
      admits: () => true,
      events: () => {},
      slotsIncomplete: (from) => suspects.push(from),
    },
    transaction: ({ slot, txIndex, isExact, events }) => {
      told.push(slot)
      places.push(
        `${slot}/${(txIndex ?? 0) / ARRIVAL_STEP} ${isExact ? 'exact' : 'guessed'}: ${events.length}`,
      )
    },
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
    connection.signal,
  )
  reader.subscribed()
  reader.reached(14, 13)
  reader.touch(firstSlot)
  /** So many frames of buys from a pool that the feed has not seen. */
  const read = (slot: number, count = 1, mint = MINT) => {
    const signature = encodeBase58(Buffer.alloc(64, slot))
    const bought = amm(BUY_EVENT, { timestamp: 1_790_000_000n, pool: poolOf(mint) })
    const given = { signature, index: 0, hasFailed: false, feeRaw: 0, balances: [] }
    const frame = JSON.parse(logsFrame(slot, { ...given, emitted: [bought] }, 1))
    const transaction = transactionOfLogsFrame(frame)
    if (transaction === null) throw new Error('the frame cannot be read')
    for (let n = 0; n < count; n++) reader.read(slot, transaction, '1')
  }
  const end = () => {
    reader.stop()
    connection.abort()
  }
  return { reader, read, end, suspects, told, places, whole, counters, own, questions, timers }
}

test('a slot with a swap of an unknown pool waits for the look-up', async () => {
  const { reader, read, told, whole, questions } = await reading()
  read(11)
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
  read(11, PARKED_MAX)
  read(12)
  reader.touch(13)
  reader.touch(14)
  expect(own.parked).toBe(PARKED_MAX)
  expect(counters.unknownPools).toBe(1)
  await until(() => questions.length === 1)
  questions[0].answer({ value: [{ data: [poolAccount(MINT).toString('base64'), 'base64'] }] })
  await until(() => whole.length > 0)
  expect(told).toHaveLength(PARKED_MAX)
  expect(whole).toEqual([11, 13])
  // Those that have waited make room.
  read(14, 1, OTHER_MINT)
  expect(own.parked).toBe(PARKED_MAX + 1)
})

test('a slot with a cut log that cannot wait to be fetched is not whole, so that its block is read', async () => {
  const { reader, read, whole, questions } = await reading()
  read(11, PARKED_MAX)
  const transaction = transactionOfLogsFrame(JSON.parse(logsFrame(12, CUT, 1, 5)))
  if (transaction === null) throw new Error('the frame cannot be read')
  reader.read(12, transaction, '1')
  reader.touch(13)
  reader.touch(14)
  await until(() => questions.length === 1)
  questions[0].answer({ value: [{ data: [poolAccount(MINT).toString('base64'), 'base64'] }] })
  await until(() => whole.length > 0)
  expect(whole).toEqual([11, 13])
})

test('a pool that is made in the transaction of its first swap is known without a question', async () => {
  const { reader, places, whole, questions, counters } = await reading()
  const [timestamp, pool] = [1_790_000_000n, poolOf(MINT)]
  const migrated = pump(COMPLETE_PUMP_AMM_MIGRATION_EVENT, { mint: MINT, timestamp, pool })
  const emitted = [migrated, amm(BUY_EVENT, { timestamp, pool })]
  const given = { signature: encodeBase58(Buffer.alloc(64, 7)), index: 0, hasFailed: false }
  const frame = JSON.parse(logsFrame(11, { ...given, feeRaw: 0, balances: [], emitted }, 1))
  const transaction = transactionOfLogsFrame(frame)
  if (transaction === null) throw new Error('the frame cannot be read')
  reader.read(11, transaction, '1')
  reader.touch(12)
  expect(places).toEqual(['11/1 guessed: 2'])
  expect(whole).toEqual([11])
  expect(questions).toEqual([])
  expect(counters.unknownPools).toBe(0)
})

test('a frame of a slot that the chain has not reached says nothing about where whole slots begin', async () => {
  const { reader, whole } = await reading(5_000)
  for (const slot of [10, 11, 12, 13]) reader.touch(slot)
  expect(whole).toEqual([11, 12])
})

test('a transaction without anything that is folded is none', async () => {
  const { reader, told, whole } = await reading()
  const given = { signature: encodeBase58(Buffer.alloc(64, 7)), index: 0, hasFailed: false }
  const nothing = { ...given, feeRaw: 0, balances: [], emitted: [] }
  const transaction = transactionOfLogsFrame(JSON.parse(logsFrame(11, nothing, 1)))
  if (transaction === null) throw new Error('the frame cannot be read')
  reader.read(11, transaction, '1')
  reader.touch(12)
  expect([told, whole]).toEqual([[], [11]])
})

/** A buy on a curve and one more, behind which the validator cut the log, at place 40 of its block. */
const CUT: BlockTransaction = {
  ...{ signature: encodeBase58(Buffer.alloc(64, 9)), index: 40, hasFailed: false, feeRaw: 5_000 },
  emitted: [1n, 2n].map((token_amount) =>
    pump(TRADE_EVENT, { mint: MINT, timestamp: 1_790_000_000n, token_amount }),
  ),
  balances: [],
}

async function readingCut() {
  const run = await reading()
  const { reader, questions, timers } = run
  // The router's line, and the first buy with its frame.
  const transaction = transactionOfLogsFrame(JSON.parse(logsFrame(11, CUT, 1, 5)))
  if (transaction === null) throw new Error('the frame cannot be read')
  reader.read(11, transaction, '1')
  reader.touch(12)
  reader.touch(13)
  /** Answers the `n`th question, which comes so long after the one before. */
  const answer = async (n: number, afterMs: number, result: unknown) => {
    if (afterMs > 0) {
      await until(() => timers.waiting > 0)
      await timers.pass(afterMs - 1)
      expect(questions).toHaveLength(n)
      await timers.pass(1)
    }
    await until(() => questions.length === n + 1)
    expect(questions[n]).toMatchObject({ method: 'getTransaction', params: [CUT.signature, {}] })
    questions[n].answer(result)
  }
  return { ...run, answer }
}

test('a transaction whose log was cut is fetched, and told where it arrived', async () => {
  const { answer, places, whole, own } = await readingCut()
  await answer(0, 0, null)
  expect([places, whole]).toEqual([[], []])
  const block = { slot: 11, parentSlot: 10, timestamp: 1_790_000_000, transactions: [CUT] }
  await answer(1, 300, transactionAnswer(block, CUT))
  await until(() => whole.length > 0)
  expect(places).toEqual(['11/1 guessed: 2'])
  expect(whole).toEqual([11, 12, 13])
  expect(own).toMatchObject({ fetched: 1, notFetched: 0 })
})

test('a transaction whose log was cut and that nobody has is told as far as it came, and its slot is not whole', async () => {
  const { answer, places, whole, own } = await readingCut()
  for (const [n, afterMs] of [0, 300, 600, 900, 1_200].entries()) await answer(n, afterMs, null)
  await until(() => whole.length > 0)
  expect(places).toEqual(['11/1 guessed: 1'])
  expect(whole).toEqual([12, 13])
  expect(own).toMatchObject({ fetched: 0, notFetched: 1 })
})

test('a slot that was told whole is read from its block when a pool of a late frame cannot be had', async () => {
  const { reader, read, told, whole, suspects, questions, timers, counters } = await reading()
  for (const slot of [11, 12, 13]) reader.touch(slot)
  expect(whole).toEqual([11, 12])
  read(11)
  for (let n = 0; n < 5; n++) {
    await until(() => questions.length === n + 1)
    questions[n].answer({ value: [null] })
    await until(() => timers.waiting > 0 || suspects.length > 0)
    await timers.pass(1_500)
  }
  // What is told of it now would be taken for all of it.
  await until(() => suspects.length > 0)
  expect([suspects, told, counters.unknownPools]).toEqual([[11], [], 0])
})

test('a slot that was told whole is read from its block when a late frame is cut and cannot be fetched', async () => {
  const { reader, told, suspects, questions, timers } = await reading()
  for (const slot of [11, 12, 13]) reader.touch(slot)
  const transaction = transactionOfLogsFrame(JSON.parse(logsFrame(11, CUT, 1, 5)))
  if (transaction === null) throw new Error('the frame cannot be read')
  reader.read(11, transaction, '1')
  for (let n = 0; n < 5; n++) {
    await until(() => questions.length === n + 1)
    questions[n].answer(null)
    await until(() => timers.waiting > 0 || suspects.length > 0)
    await timers.pass(1_500)
  }
  await until(() => suspects.length > 0)
  expect([suspects, told]).toEqual([[11], []])
})

test('a slot that was told whole is read from its block when the connection ends while a late frame waits', async () => {
  const { reader, read, end, told, suspects, questions } = await reading()
  for (const slot of [11, 12, 13]) reader.touch(slot)
  const transaction = transactionOfLogsFrame(JSON.parse(logsFrame(11, CUT, 1, 5)))
  if (transaction === null) throw new Error('the frame cannot be read')
  reader.read(11, transaction, '1')
  read(12)
  // Of this one nobody said that it is whole: it is a gap.
  read(13)
  await until(() => questions.length === 2)
  end()
  await until(() => suspects.length === 2)
  expect([suspects.toSorted(), told]).toEqual([[11, 12], []])
})
