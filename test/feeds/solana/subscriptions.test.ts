import { expect, onTestFinished, test } from 'vitest'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { SolanaSource } from '../../../src/feeds/solana/solana-source.ts'
import type { Receiver } from '../../../src/feeds/supervisor/source.ts'
import { MockSocketServer } from '../mock-socket-server.ts'
import { FAILED } from '../peers/chain-blocks.ts'
import { blockAnswer, logsFrame } from '../peers/rpc-forms.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { rpcServer } from './rpc-server.ts'

const [PUMP, AMM, SLOTS] = [1, 2, 3]

/** A connection whose three subscriptions the test answers. */
async function connecting() {
  const server = await MockSocketServer.listen()
  const stopping = new AbortController()
  onTestFinished(async () => {
    stopping.abort()
    await server.close()
  })
  const told: string[] = []
  const receiver: Receiver = {
    ...{ alive: () => {}, slotSeen: () => {}, events: () => {} },
    connected: () => told.push('connected'),
    transaction: ({ signature }) => told.push(signature),
    slotComplete: (slot, parentSlot) => told.push(`${parentSlot}>${slot}`),
  }
  const source = new SolanaSource({
    rpcUrl: server.url.replace('ws', 'http'),
    wsUrl: server.url,
    blocks: 'gaps',
    counters: newFeedCounters(),
    timers: new VirtualTimers(),
  })
  const ended = source
    .connect(receiver, null, stopping.signal)
    .catch(({ message }: Error) => message)
  await server.until(() => server.received.length === 3)
  const accept = (...ids: readonly number[]) => {
    for (const id of ids) server.say({ jsonrpc: '2.0', id, result: 100 + id })
  }
  const refuse = (id: number, error: object) => server.say({ jsonrpc: '2.0', id, error })
  return { server, told, ended, accept, refuse }
}

test('a server that refuses the logs of a program ends the connection, with its reason', async () => {
  const one = await connecting()
  one.accept(PUMP, SLOTS)
  one.refuse(AMM, { code: -32_601, message: 'Method not found' })
  expect(await one.ended).toBe('the server refuses logsSubscribe: Method not found')
  expect(one.told).toEqual([])
  const other = await connecting()
  other.refuse(PUMP, { code: -32_601 })
  expect(await other.ended).toBe('the server refuses logsSubscribe: without a reason')
})

test('a server that refuses to tell slots tells its events and whole slots all the same', async () => {
  const { server, told, accept, refuse } = await connecting()
  accept(PUMP, AMM)
  refuse(SLOTS, { code: -32_601, message: 'Method not found' })
  const [trade] = syntheticChain(1, 20)
    .blocks.flatMap(({ transactions }) => transactions)
    .filter(({ hasFailed }) => !hasFailed)
  const failed = (slot: number) => server.say(logsFrame(slot, FAILED, 100 + PUMP))
  failed(10)
  server.say(logsFrame(11, trade, 100 + PUMP))
  failed(12)
  failed(13)
  await server.heard()
  expect(told).toEqual(['connected', trade.signature, 'null>11', 'null>12'])
})

/** A source behind slot 5, of which nothing is known after that, and its connections. */
async function held() {
  const [server, rpc] = await Promise.all([MockSocketServer.listen(), rpcServer()])
  const stopping = new AbortController()
  onTestFinished(async () => {
    stopping.abort()
    await server.close()
  })
  const timers = new VirtualTimers()
  const source = new SolanaSource({
    rpcUrl: rpc.url,
    wsUrl: server.url,
    blocks: 'gaps',
    counters: newFeedCounters(),
    timers,
  })
  const told: string[] = []
  const receiver: Receiver = {
    ...{ alive: () => {}, slotSeen: () => {}, events: () => {}, connected: () => {} },
    transaction: ({ slot, isExact }) => told.push(`${isExact ? 'exact' : 'logs'} of ${slot}`),
    slotComplete: (slot) => told.push(`whole ${slot}`),
  }
  const connect = () =>
    source.connect(receiver, 5, stopping.signal).catch(({ message }: Error) => message)
  return { server, rpc, timers, told, connect }
}

test('slots that wait behind a gap are told again when the logs of one program were missing', async () => {
  const { server, rpc, timers, told, connect } = await held()
  const [block] = syntheticChain(1, 20).blocks
  const ended = connect()
  await server.until(() => server.received.length === 3)
  for (const id of [PUMP, AMM, SLOTS]) server.say({ jsonrpc: '2.0', id, result: 100 + id })
  const failed = (slot: number, id: number) => server.say(logsFrame(slot, FAILED, 100 + id))
  for (const slot of [10, 11]) for (const id of [PUMP, AMM]) failed(slot, id)
  await server.heard()
  await timers.pass(6_000)
  failed(13, PUMP)
  expect(await ended).toBe('the subscription of pump_amm has gone silent')
  void connect()
  await expect.poll(() => rpc.questions.length).toBe(1)
  const [blocks] = rpc.questions
  expect(blocks.method).toBe('getBlocks')
  expect(blocks.params.slice(0, 2)).toEqual([11, 12])
  blocks.answer([11, 12])
  await expect.poll(() => rpc.questions.length).toBe(3)
  for (const { params, answer } of rpc.questions.slice(1))
    answer(blockAnswer({ ...block, slot: Number(params[0]), parentSlot: Number(params[0]) - 1 }))
  await expect.poll(() => told).toContain('whole 12')
  expect(told).toContain('exact of 11')
})
