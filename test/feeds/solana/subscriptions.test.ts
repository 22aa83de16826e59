import { expect, onTestFinished, test } from 'vitest'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { SolanaSource } from '../../../src/feeds/solana/solana-source.ts'
import type { Receiver } from '../../../src/feeds/supervisor/source.ts'
import { MockSocketServer } from '../mock-socket-server.ts'
import { FAILED } from '../peers/chain-blocks.ts'
import { logsFrame } from '../peers/rpc-forms.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'

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
