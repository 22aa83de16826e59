import { expect, test } from 'vitest'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { SolanaSource } from '../../../src/feeds/solana/solana-source.ts'
import { SlotsUnavailable } from '../../../src/feeds/supervisor/source.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { rpcServer } from './rpc-server.ts'

const NEVER = new AbortController().signal

async function backfilling(from: number, to: number) {
  const { url, questions } = await rpcServer()
  const source = new SolanaSource({
    rpcUrl: url,
    wsUrl: url.replace('http', 'ws'),
    blocks: 'gaps',
    counters: newFeedCounters(),
    timers: new VirtualTimers(),
  })
  const told: string[] = []
  const receiver = {
    transaction: () => {},
    slotComplete: (slot: number, parentSlot: number | null) => told.push(`${parentSlot}>${slot}`),
  }
  const ended = source.backfill(from, to, receiver, NEVER).then(
    () => 'told',
    (error: Error) =>
      error instanceof SlotsUnavailable ? `${error.message}; to ${error.to}` : error.message,
  )
  /** Answers the next question. */
  let next = 0
  const answer = async (method: string, result: unknown) => {
    await until(() => questions.length > next)
    expect(questions[next].method).toBe(method)
    questions[next++].answer(result)
  }
  return { ended, told, answer }
}

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
