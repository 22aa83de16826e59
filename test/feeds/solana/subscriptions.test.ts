import { expect, onTestFinished, test } from 'vitest'
import { AMM_PROGRAM, PUMP_PROGRAM } from '../../../src/feeds/chain/layouts/programs.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { SolanaSource } from '../../../src/feeds/solana/solana-source.ts'
import type { Receiver } from '../../../src/feeds/supervisor/source.ts'
import { MockSocketServer } from '../mock-socket-server.ts'
import { FAILED } from '../peers/chain-blocks.ts'
import { logsFrame } from '../peers/rpc-forms.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { SILENT_RECEIVER } from '../silent-receiver.ts'
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
    ...SILENT_RECEIVER,
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

test('the logs of both programs are asked for, without what may be taken back, and the slots', async () => {
  const { server } = await connecting()
  const logs = (program: string) => [{ mentions: [program] }, { commitment: 'confirmed' }]
  expect(server.received.map((text) => JSON.parse(text))).toEqual([
    { jsonrpc: '2.0', id: PUMP, method: 'logsSubscribe', params: logs(PUMP_PROGRAM) },
    { jsonrpc: '2.0', id: AMM, method: 'logsSubscribe', params: logs(AMM_PROGRAM) },
    { jsonrpc: '2.0', id: SLOTS, method: 'slotSubscribe', params: [] },
  ])
})

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

/** What stands for the id of a subscription where nothing else is asked for. */
const numbered = (id: number) => String(100 + id)

/** A connection behind slot 5 with all its subscriptions, and what it tells and doubts. */
async function resumed(idOf = numbered) {
  const server = await MockSocketServer.listen()
  const stopping = new AbortController()
  onTestFinished(async () => {
    stopping.abort()
    await server.close()
  })
  const timers = new VirtualTimers()
  const source = new SolanaSource({
    rpcUrl: server.url.replace('ws', 'http'),
    wsUrl: server.url,
    blocks: 'gaps',
    counters: newFeedCounters(),
    timers,
  })
  const whole: number[] = []
  const suspects: [number, number][] = []
  const life: string[] = []
  const receiver: Receiver = {
    ...{ slotSeen: () => {}, events: () => {}, connected: () => {}, admits: () => true },
    alive: () => life.push('alive'),
    transaction: () => {},
    slotComplete: (slot) => whole.push(slot),
    slotsIncomplete: (from, to) => suspects.push([from, to]),
  }
  const ended = source.connect(receiver, 5, stopping.signal).catch(({ message }: Error) => message)
  await server.until(() => server.received.length === 3)
  for (const id of [PUMP, AMM, SLOTS])
    server.say(`{"jsonrpc":"2.0","result":${idOf(id)},"id":${id}}`)
  const reached = (slot: number) =>
    server.say({
      jsonrpc: '2.0',
      method: 'slotNotification',
      params: { result: { slot, parent: slot - 1, root: 1 }, subscription: 100 + SLOTS },
    })
  const failed = (slot: number, ...ids: readonly number[]) => {
    for (const id of ids) server.say(logsFrame(slot, FAILED, 100 + id))
  }
  /** Lets what was sent come, and as much time pass. */
  const pass = async (ms: number) => {
    await server.heard()
    await timers.pass(ms)
  }
  return { server, timers, whole, life, suspects, ended, reached, failed, pass }
}

test('a slot whose frames were followed by nothing but the loss may lack some, though it was told whole', async () => {
  const { server, whole, suspects, ended, reached, failed, pass } = await resumed()
  reached(12)
  for (const slot of [9, 10, 11]) failed(slot, PUMP, AMM)
  await pass(100)
  expect(whole).toEqual([11])
  server.cut()
  await ended
  await expect.poll(() => suspects).toEqual([[11, 11]])
})

test('slots without frames of one program may lack some when the connection is lost, however soon', async () => {
  const { server, whole, suspects, ended, reached, failed, pass } = await resumed()
  reached(20)
  for (const slot of [9, 10, 11]) failed(slot, PUMP, AMM)
  for (const slot of [12, 13, 14, 15]) failed(slot, PUMP)
  await pass(10)
  expect(whole).toEqual([11, 12, 13, 14])
  server.cut()
  await ended
  await expect.poll(() => suspects).toEqual([[11, 14]])
})

test('slots behind which frames of both programs came lack none when the connection is lost', async () => {
  const { server, whole, suspects, ended, reached, failed, pass } = await resumed()
  reached(20)
  for (const slot of [9, 10, 11, 12]) failed(slot, PUMP, AMM)
  // What the chain has not reached is a mistake.
  failed(500, AMM)
  await pass(10)
  expect(whole).toEqual([11])
  server.cut()
  await ended
  await pass(10)
  expect(suspects).toEqual([])
})

test('slots without the logs of one program may lack some when that has gone silent', async () => {
  const { whole, suspects, ended, reached, failed, pass } = await resumed()
  reached(12)
  for (const slot of [9, 10, 11]) failed(slot, PUMP, AMM)
  await pass(6_000)
  failed(13, PUMP)
  expect(await ended).toBe('the subscription of pump_amm has gone silent')
  expect(whole).toEqual([11])
  await expect.poll(() => suspects).toEqual([[11, 11]])
})

test('frames of which nothing comes are no sign of life, and do not hide that the logs have stopped', async () => {
  const { server, life, reached, failed, pass } = await resumed()
  failed(10, PUMP)
  await pass(0)
  const before = life.length
  expect(before).toBeGreaterThan(0)
  server.say({ jsonrpc: '2.0', method: 'heartbeat' })
  server.say('{"jsonrpc":"2.0","method":"logsNo')
  reached(11)
  await pass(0)
  expect(life).toHaveLength(before)
})

test('a late frame does not make a slot whole in whose middle one subscription has begun', async () => {
  const { whole, reached, failed, pass } = await resumed()
  reached(20)
  failed(10, PUMP)
  failed(12, PUMP)
  failed(12, AMM)
  failed(11, PUMP)
  for (const slot of [12, 13, 14]) failed(slot, PUMP, AMM)
  await pass(0)
  expect(whole).toEqual([13])
})

test.each([
  ['the subscription first', (slot: number, value: object) => ({ context: { slot }, value })],
  ['the slot last', (slot: number, value: object) => ({ value, context: { slot } })],
])('frames of failed transactions that have %s are read as the others', async (_, resultOf) => {
  const { server, whole, suspects, ended, reached, pass } = await resumed()
  reached(20)
  const failed = (slot: number, ...ids: readonly number[]) => {
    for (const id of ids) {
      const { params } = JSON.parse(logsFrame(slot, FAILED, 100 + id))
      const result = resultOf(slot, params.result.value)
      const given = { subscription: 100 + id, result }
      server.say({ jsonrpc: '2.0', method: 'logsNotification', params: given })
    }
  }
  for (const slot of [9, 10, 11]) failed(slot, PUMP)
  for (const slot of [12, 13, 14]) failed(slot, PUMP, AMM)
  failed(15, PUMP)
  await pass(10)
  // The other program's began in 12.
  expect(whole).toEqual([14])
  server.cut()
  await ended
  await expect.poll(() => suspects).toEqual([[14, 14]])
})

/** Nodes count from 0, others take ids by chance from all of a u64, and some write them as texts. */
test.each([
  ['as large as a u64', (id: number) => String(2n ** 63n + BigInt(id))],
  ['a text', (id: number) => `"sub-${id}"`],
  ['behind a blank', (id: number) => ` ${id}`],
])('a subscription whose id is %s is missed when it has died', async (_, idOf) => {
  const { server, suspects, ended, reached, pass } = await resumed(idOf)
  reached(12)
  const failed = (slot: number, ...ids: readonly number[]) => {
    for (const id of ids)
      server.say(
        logsFrame(slot, FAILED, 0).replace('"subscription":0', `"subscription":${idOf(id)}`),
      )
  }
  const [trade] = syntheticChain(1, 20)
    .blocks.flatMap(({ transactions }) => transactions)
    .filter(({ hasFailed }) => !hasFailed)
  for (const slot of [9, 10, 11]) failed(slot, PUMP, AMM)
  await pass(6_000)
  server.say(logsFrame(12, trade, 0).replace('"subscription":0', `"subscription":${idOf(PUMP)}`))
  expect(await ended).toBe('the subscription of pump_amm has gone silent')
  await expect.poll(() => suspects).toEqual([[11, 11]])
})
