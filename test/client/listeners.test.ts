import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type ClientOptions, Mintfeed } from '../../client/src/mintfeed.ts'
import { created } from '../oracle/fixtures.ts'
import { EngineServer } from '../server/engine-server.ts'
import { waitUntil } from '../server/raw-http.ts'
import { isSubscription, ScriptedService, subscribedFrame, tradeFrame } from './scripted-service.ts'

/** Longer than any answer takes on a machine that stands still. */
const LONGEST_MS = 20_000
const BACKOFF = { firstMs: 20, longestMs: 20 }

function clientOf(url: string, options: ClientOptions = {}): Mintfeed {
  const client = new Mintfeed(url, options)
  onTestFinished(() => client.close())
  return client
}

test('what is followed from the moment a connection was lost comes on the next one, of which there is one', async () => {
  const asked: unknown[] = []
  const service = await ScriptedService.start((socket, message, connection) => {
    if (!isSubscription(message)) return
    const { event } = Object(message)
    asked.push([connection, event])
    if (connection === 1) socket.terminate()
    else socket.send(JSON.stringify({ type: 'subscribed', event, seq: 0, epoch: 'e1' }))
  })
  onTestFinished(() => service.stop())
  const liveUrl = service.url.replace('http', 'ws')
  const client = clientOf(service.url, { liveUrl, backoff: BACKOFF })
  const stop = client.live.onChange(({ disconnects }) => {
    if (disconnects === 0) return
    stop()
    client.live.migrations({ snapshot: false })
  })
  client.live.launches({ snapshot: false })
  await waitUntil(() => asked.length === 3)
  await pause(3 * BACKOFF.longestMs)
  expect(service.connections).toBe(2)
  expect(asked).toEqual([
    [1, 'new_launched_pool'],
    [2, 'new_launched_pool'],
    [2, 'mint_migration'],
  ])
})

test('what is followed because no socket can be opened waits for the next attempt', () => {
  let attempts = 0
  const openSocket = () => {
    attempts += 1
    throw new Error('none')
  }
  const client = clientOf('http://127.0.0.1:1', { openSocket, backoff: { firstMs: 60_000 } })
  client.live.onProblem(() => client.live.trades(`Mint${attempts}`))
  client.live.launches()
  expect(attempts).toBe(1)
})

test('who follows more whenever a connection goes is refused once the client is closed, and ends it all the same', async () => {
  const client = clientOf('http://127.0.0.1:1')
  const followed = [client.live.launches()]
  client.live.onChange(() => {
    // Without an end it would hang the test.
    if (followed.length < 100) followed.push(client.live.launches())
  })
  client.close()
  expect(followed.length).toBe(2)
  expect(await followed[0].next()).toEqual({ done: true, value: undefined })
  expect(await followed[1].next()).toMatchObject({ value: { problem: { code: 'closed' } } })
})

test('trades of a table that are closed because a connection went follow none of the tokens that enter it then', async () => {
  const engine = await EngineServer.start()
  onTestFinished(() => engine.server.stop())
  engine.feed([created({ mint: 'A', slot: 1, signature: 'a' })])
  const { live } = clientOf(engine.server.url)
  const trades = live.trades('A')
  await trades.next()
  const ofTable = live.tableTrades({ type: 'new', limit: 1 })
  // A is followed already, and so once more on a connection of its own.
  await waitUntil(() => live.status.open === 2)
  live.onChange(() => ofTable.close())
  engine.feed([created({ mint: 'B', slot: 2, signature: 'b' })])
  await waitUntil(() => live.status.connections === 1)
  trades.close()
  expect(live.status.connections).toBe(0)
})

test('a stream that is followed anew on its connection when it is told that it has ended is heard', async () => {
  let asked = 0
  const service = await ScriptedService.start((socket, message) => {
    if (!isSubscription(message) || Object(message).event !== 'update_mint_info') return
    asked += 1
    socket.send(subscribedFrame(0))
    const ended = { event: 'update_mint_info', mint: 'A', code: 'history_unreadable', message: 'm' }
    socket.send(asked === 1 ? JSON.stringify({ type: 'error', ...ended }) : tradeFrame(1))
  })
  onTestFinished(() => service.stop())
  const { live } = clientOf(service.url, { liveUrl: service.url.replace('http', 'ws') })
  live.migrations({ snapshot: false })
  const follow = () => live.trades('A', { snapshot: false })
  let trades = follow()
  const left = trades
  live.onProblem(() => {
    trades.close()
    trades = follow()
  })
  expect(await left.next()).toEqual({ done: true, value: undefined })
  const heard = trades.next()
  await waitUntil(() => asked === 2)
  const none = pause(LONGEST_MS, null, { ref: false })
  expect(await Promise.race([heard, none])).toMatchObject({ value: { kind: 'event', seq: 1 } })
})

test('a listener that fails later costs no more than one that fails at once', async () => {
  const unhandled: unknown[] = []
  const note = (thrown: unknown) => unhandled.push(thrown)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const { live } = clientOf('http://127.0.0.1:1', { backoff: { firstMs: 60_000 } })
  const problems: string[] = []
  live.onProblem(({ message }) => problems.push(message))
  live.onProblem(async () => {
    throw new Error('the problem cannot be passed on')
  })
  live.onChange(async () => {
    throw new Error('the change cannot be passed on')
  })
  live.launches()
  await waitUntil(() => problems.length === 2)
  await pause(10)
  expect(problems).toEqual(['The live feed cannot be reached.', 'the change cannot be passed on'])
  expect(unhandled).toEqual([])
})

test('a listener that closes the client is told of that once, and not again from within', () => {
  const client = clientOf('http://127.0.0.1:1')
  client.live.launches()
  let told = 0
  client.live.onChange(({ open }) => {
    told += 1
    if (open === 0) client.close()
  })
  const problems: string[] = []
  client.live.onProblem(({ message }) => problems.push(message))
  client.close()
  expect([told, problems]).toEqual([1, []])
})
