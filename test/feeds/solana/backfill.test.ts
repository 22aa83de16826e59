import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { isRecord } from '../../../src/base/json-access.ts'
import { BUY_EVENT } from '../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { RpcClient } from '../../../src/feeds/solana/rpc-client.ts'
import { RpcQuestions } from '../../../src/feeds/solana/rpc-questions.ts'
import { SolanaSource } from '../../../src/feeds/solana/solana-source.ts'
import {
  SlotsUnavailable,
  type SlotTransaction,
  SlotUnreadable,
} from '../../../src/feeds/supervisor/source.ts'
import { FAILED } from '../peers/chain-blocks.ts'
import { amm, poolAccount, poolOf } from '../peers/program-forms.ts'
import { blockEntry } from '../peers/rpc-forms.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { type Question, rpcServer } from './rpc-server.ts'

const NEVER = new AbortController().signal

async function backfilling(from: number, to: number, signal = NEVER) {
  const { url, questions } = await rpcServer()
  const counters = newFeedCounters()
  const source = new SolanaSource({
    rpcUrl: url,
    wsUrl: url.replace('http', 'ws'),
    blocks: 'gaps',
    counters,
    timers: new VirtualTimers(),
  })
  const told: string[] = []
  const transactions: string[] = []
  const places: Pick<SlotTransaction, 'slot' | 'txIndex' | 'isExact'>[] = []
  const receiver = {
    transaction: ({ signature, slot, txIndex, isExact }: SlotTransaction) => {
      transactions.push(signature)
      places.push({ slot, txIndex, isExact })
    },
    slotComplete: (slot: number, parentSlot: number | null) => told.push(`${parentSlot}>${slot}`),
  }
  const outcomeOf = (first: number, last: number) =>
    source.backfill(first, last, receiver, signal).then(
      () => 'told',
      (error: Error) => {
        if (error instanceof SlotUnreadable) return `${error.message}; only ${error.slot}`
        if (error instanceof SlotsUnavailable) return `${error.message}; to ${error.to}`
        return error.message
      },
    )
  const ended = outcomeOf(from, to)
  /** Answers the next question. */
  let next = 0
  const fail = async (slot: number) => {
    const isAsked = ({ method, params }: { method: string; params: readonly unknown[] }) =>
      method === 'getBlock' && params[0] === slot
    await until(() => questions.some(isAsked))
    questions.find(isAsked)?.fail(-32_603, 'internal error')
  }
  const answer = async (method: string, result: unknown) => {
    await until(() => questions.length > next)
    expect(questions[next].method).toBe(method)
    questions[next++].answer(result)
  }
  /** Answers the question for a block when it comes. */
  const answerBlock = async (slot: number, result: unknown) => {
    const isAsked = ({ method, params }: { method: string; params: readonly unknown[] }) =>
      method === 'getBlock' && params[0] === slot
    await until(() => questions.some(isAsked))
    questions.find(isAsked)?.answer(result)
  }
  return {
    ended,
    told,
    transactions,
    places,
    counters,
    answer,
    answerBlock,
    fail,
    questions,
    outcomeOf,
  }
}

test('blocks are asked for whole, and nothing that may be taken back', async () => {
  const { ended, answer, questions } = await backfilling(10, 12)
  await answer('getBlocks', [10])
  await answer('getSlot', 12)
  await answer('getBlock', { parentSlot: 9, transactions: [] })
  await ended
  const commitment = 'confirmed'
  const whole = { encoding: 'json', transactionDetails: 'full', rewards: false }
  expect(questions.map(({ params }) => params)).toEqual([
    [9, 12, { commitment }],
    [{ commitment }],
    [10, { commitment, ...whole, maxSupportedTransactionVersion: 1 }],
  ])
})

test('a node that is behind the end of a gap does not pass for one that knows all of it', async () => {
  const { ended, told, answer } = await backfilling(10, 12)
  await answer('getBlocks', [10])
  await answer('getSlot', 11)
  expect(await ended).toBe('the RPC server has not reached slot 12 yet')
  expect(told).toEqual([])
})

test('slots without a block at the end of a gap are no reason to ask again', async () => {
  const { ended, told, answer } = await backfilling(10, 12)
  await answer('getBlocks', [10])
  await answer('getSlot', 12)
  await answer('getBlock', { parentSlot: 9, transactions: [] })
  expect(await ended).toBe('told')
  expect(told).toEqual(['9>10'])
})

test('blocks that the server has no more are said to be so, to the last one', async () => {
  const { ended, told, answer } = await backfilling(10, 14)
  await answer('getBlocks', [13, 14])
  await answer('getFirstAvailableBlock', 13)
  expect(await ended).toBe('the RPC server has blocks from slot 13 on; to 12')
  expect(told).toEqual([])
})

test('slots without a block at the start of a gap are no reason to give them up', async () => {
  const { ended, told, answer } = await backfilling(10, 11)
  await answer('getBlocks', [11])
  await answer('getFirstAvailableBlock', 5)
  await answer('getBlock', { parentSlot: 9, transactions: [] })
  expect(await ended).toBe('told')
  expect(told).toEqual(['9>11'])
})

test('blocks are asked for a few at a time, and told in their order', async () => {
  const { ended, told, answer, answerBlock } = await backfilling(10, 14)
  await answer('getBlocks', [10, 11, 12, 13, 14])
  for (const slot of [12, 11, 10, 14, 13])
    await answerBlock(slot, { parentSlot: slot - 1, transactions: [] })
  expect(await ended).toBe('told')
  expect(told).toEqual(['9>10', '10>11', '11>12', '12>13', '13>14'])
})

test('what came of the blocks behind one that cannot be had is not told', async () => {
  const { ended, told, answer, answerBlock } = await backfilling(10, 12)
  await answer('getBlocks', [10, 11, 12])
  for (const slot of [12, 10]) await answerBlock(slot, { parentSlot: slot - 1, transactions: [] })
  await answerBlock(11, null)
  expect(await ended).toBe('the RPC server has no block 11 yet; only 11')
  expect(told).toEqual(['9>10'])
})

test('a block that cannot be had is told apart from a server that has none', async () => {
  const block = (slot: number) => ({ parentSlot: slot - 1, transactions: [] })
  const behindIt = await backfilling(10, 11)
  await behindIt.answer('getBlocks', [10, 11])
  await behindIt.fail(10)
  await behindIt.answerBlock(11, block(11))
  expect(await behindIt.ended).toBe('internal error; only 10')
  // The last one: the block behind the gap is asked for.
  const last = await backfilling(10, 10)
  await last.answer('getBlocks', [10])
  await last.fail(10)
  await last.answerBlock(11, block(11))
  expect(await last.ended).toBe('internal error; only 10')
  const nothing = await backfilling(10, 10)
  await nothing.answer('getBlocks', [10])
  await nothing.fail(10)
  await nothing.fail(11)
  expect(await nothing.ended).toBe('internal error')
})

test('a block whose server leaves out what is null is read all the same, and what cannot be read is counted', async () => {
  const { ended, told, transactions, counters, answer } = await backfilling(10, 10)
  await answer('getBlocks', [10])
  const { blocks } = syntheticChain(1, 20)
  const given = blocks.flatMap((block) => block.transactions).filter((one) => !one.hasFailed)
  const [good, without, other] = given.map(blockEntry).map((entry) => structuredClone(entry))
  if (!isRecord(good) || !isRecord(good.meta)) throw new Error('no meta')
  Reflect.deleteProperty(good.meta, 'err')
  Reflect.deleteProperty(without, 'meta')
  Reflect.set(other, 'transaction', { signatures: ['of another version'], message: {} })
  await answer('getBlock', { parentSlot: 9, transactions: [good, without, other, {}] })
  expect(await ended).toBe('told')
  expect(told).toEqual(['9>10'])
  expect(transactions).toEqual([given[0].signature])
  expect(counters.badLines).toBe(3)
})

/** A trade as a node has it that keeps neither logs nor inner instructions. */
function entryWithoutEvents(): unknown {
  const trade = syntheticChain(1, 20)
    .blocks.flatMap((block) => block.transactions)
    .find(({ hasFailed }) => !hasFailed)
  const entry = structuredClone(blockEntry(trade ?? FAILED))
  if (!isRecord(entry) || !isRecord(entry.meta)) throw new Error('no meta')
  Object.assign(entry.meta, { logMessages: null, innerInstructions: null })
  return entry
}

test('a block without logs and inner instructions, of a node that keeps none, is not told to be whole', async () => {
  const { ended, told, transactions, answer, answerBlock } = await backfilling(10, 10)
  await answer('getBlocks', [10])
  const entry = entryWithoutEvents()
  await answer('getBlock', { parentSlot: 9, transactions: [entry] })
  await answerBlock(11, { parentSlot: 10, transactions: [entry] })
  expect(await ended).toBe('the RPC server keeps neither logs nor inner instructions of block 10')
  expect([told, transactions]).toEqual([[], []])
})

test('what a node that keeps none refuses is given up though it tells empty blocks before it each time', async () => {
  const { ended, fail, outcomeOf, questions, answer } = await backfilling(10, 10)
  await answer('getBlocks', [10])
  for (const slot of [10, 11]) await fail(slot)
  await ended
  const entry = entryWithoutEvents()
  const resultOf = ({ method, params: [slot] }: Question) => {
    if (method === 'getBlocks') return [20, 21]
    return { parentSlot: Number(slot) - 1, transactions: slot === 20 ? [] : [entry] }
  }
  let answered = questions.length
  const outcomes: string[] = []
  while (outcomes.length < 10) {
    const turn = outcomeOf(20, 21).then((outcome) => outcomes.push(outcome))
    for (const end = answered + 4; answered < end; answered += 1) {
      await until(() => questions.length > answered)
      questions[answered].answer(resultOf(questions[answered]))
    }
    await turn
  }
  const why = 'the RPC server keeps neither logs nor inner instructions of block 21'
  expect(outcomes).toEqual([...Array(9).fill(why), `the RPC server gives no blocks: ${why}; to 21`])
})

test('a block of transactions that are too new is given up, not asked for without end', async () => {
  const { ended, told, answer, answerBlock, questions } = await backfilling(10, 11)
  await answer('getBlocks', [10, 11])
  await answerBlock(10, { parentSlot: 9, transactions: [] })
  const isAsked = ({ params }: { params: readonly unknown[] }) => params[0] === 11
  await until(() => questions.some(isAsked))
  questions.find(isAsked)?.fail(-32_015, 'Transaction version (2) is not supported')
  expect(await ended).toBe('block 11 holds transactions of a version that is not read; to 11')
  expect(told).toEqual(['9>10'])
})

/** Asks for a transaction that the node does not know, in one question. */
async function answeredNull(asked: RpcQuestions, questions: readonly Question[]): Promise<void> {
  const before = questions.length
  const told = asked.transaction('signature', NEVER)
  await until(() => questions.length > before)
  questions[before].answer(null)
  expect(await told).toBe(null)
}

test('a node that refuses a question for another reason is not taken for one that knows old versions only', async () => {
  const { url, questions } = await rpcServer()
  const asked = new RpcQuestions(new RpcClient(url, new VirtualTimers()))
  const first = asked.transaction('signature', NEVER).catch(({ message }) => message)
  for (const index of [0, 1]) {
    await until(() => questions.length > index)
    questions[index].fail(-32_602, 'Invalid param: not confirmed')
  }
  expect(await first).toBe('Invalid param: not confirmed')
  await answeredNull(asked, questions)
  expect(questions.map(({ params }) => params[1])).toMatchObject([
    { maxSupportedTransactionVersion: 1 },
    { maxSupportedTransactionVersion: 0 },
    { maxSupportedTransactionVersion: 1 },
  ])
})

test('a node that knows old versions only is asked for these from then on', async () => {
  const { url, questions } = await rpcServer()
  const asked = new RpcQuestions(new RpcClient(url, new VirtualTimers()))
  const first = asked.transaction('signature', NEVER)
  await until(() => questions.length > 0)
  questions[0].fail(-32_602, 'Invalid params: maxSupportedTransactionVersion')
  await until(() => questions.length > 1)
  questions[1].answer(null)
  expect(await first).toBe(null)
  await answeredNull(asked, questions)
  expect(questions.map(({ params }) => params[1])).toMatchObject([
    { maxSupportedTransactionVersion: 1 },
    { maxSupportedTransactionVersion: 0 },
    { maxSupportedTransactionVersion: 0 },
  ])
})

test('a server of which one machine knows old versions only tells blocks of newer ones all the same', async () => {
  const { url, questions } = await rpcServer()
  const asked = new RpcQuestions(new RpcClient(url, new VirtualTimers()))
  const nextFails = async (index: number, code: number) => {
    await until(() => questions.length > index)
    questions[index].fail(code, 'no')
  }
  const old = asked.transaction('signature', NEVER)
  await nextFails(0, -32_602)
  await until(() => questions.length > 1)
  questions[1].answer(null)
  await old
  const block = asked.block(10, NEVER)
  await nextFails(2, -32_015)
  await until(() => questions.length > 3)
  questions[3].answer({ parentSlot: 9, transactions: [] })
  expect(await block).toMatchObject({ parentSlot: 9 })
  await answeredNull(asked, questions)
  const versions = [1, 0, 0, 1, 1]
  expect(questions.map(({ params }) => params[1])).toMatchObject(
    versions.map((maxSupportedTransactionVersion) => ({ maxSupportedTransactionVersion })),
  )
})

test('a block that a node of old versions cannot tell is given up there', async () => {
  const { url, questions } = await rpcServer()
  const asked = new RpcQuestions(new RpcClient(url, new VirtualTimers()))
  const old = asked.transaction('signature', NEVER)
  const block = old.then(() => asked.block(10, NEVER)).catch(({ message }) => message)
  for (const [index, code] of [-32_602, 0, -32_015, -32_602].entries()) {
    await until(() => questions.length > index)
    if (code === 0) questions[index].answer(null)
    else questions[index].fail(code, 'no')
  }
  expect(await block).toBe('block 10 holds transactions of a version that is not read')
})

const MINT = encodeBase58(Buffer.alloc(32, 7))
const SIGNATURE = encodeBase58(Buffer.alloc(64, 7))

/** A block whose second transaction buys from a pool that nothing in it names. */
function blockOfUnknownPool(): object {
  const bought = amm(BUY_EVENT, { timestamp: 1_790_000_000n, pool: poolOf(MINT) })
  const buy = { signature: SIGNATURE, index: 1, feeRaw: 5_000, emitted: [bought], balances: [] }
  const entries = [FAILED, { ...buy, hasFailed: false }].map(blockEntry)
  return { parentSlot: 9, transactions: entries }
}

test('a pool that its block does not name is asked for before its swaps are told', async () => {
  const { ended, told, transactions, places, counters, answer } = await backfilling(10, 10)
  await answer('getBlocks', [10])
  await answer('getBlock', blockOfUnknownPool())
  const data = poolAccount(MINT).toString('base64')
  await answer('getMultipleAccounts', { value: [{ data: [data, 'base64'] }] })
  expect(await ended).toBe('told')
  expect(transactions).toEqual([SIGNATURE])
  expect(places).toEqual([{ slot: 10, txIndex: 1, isExact: true }])
  expect(told).toEqual(['9>10'])
  expect(counters.unknownPools).toBe(0)
})

test.each([
  ['an older one', 9],
  ['a newer one', 11],
])(
  'a block that is not the one asked for, but %s, is not told under its slot',
  async (_, parentSlot) => {
    const { ended, told, transactions, answer, answerBlock } = await backfilling(10, 11)
    await answer('getBlocks', [10, 11])
    await answerBlock(10, { parentSlot: 9, transactions: [] })
    await answerBlock(11, { ...blockOfUnknownPool(), parentSlot })
    expect(await ended).toBe('the RPC server gives another block for slot 11; only 11')
    expect([told, transactions]).toEqual([['9>10'], []])
  },
)

test('the first block of a back-fill is not the one before it under its slot', async () => {
  const { ended, told, answer, questions } = await backfilling(10, 10)
  await answer('getBlocks', [9, 10])
  await answer('getBlock', { parentSlot: 8, transactions: [] })
  expect(await ended).toBe('the RPC server gives another block for slot 10; only 10')
  expect(told).toEqual([])
  expect(questions[0].params.slice(0, 2)).toEqual([9, 10])
})

test('a block in whose middle a back-fill is ended is not told to be whole', async () => {
  const stopping = new AbortController()
  const { ended, told, transactions, questions, answer } = await backfilling(
    10,
    10,
    stopping.signal,
  )
  await answer('getBlocks', [10])
  await answer('getBlock', blockOfUnknownPool())
  await until(() => questions.length === 3)
  expect(questions[2].method).toBe('getMultipleAccounts')
  stopping.abort()
  await ended
  expect([told, transactions]).toEqual([[], []])
})
