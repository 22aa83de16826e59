import { expect, onTestFinished, test } from 'vitest'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { secretsOf, withoutSecrets } from '../../src/feeds/secrets.ts'
import { SolanaSource } from '../../src/feeds/solana/solana-source.ts'
import { reasonOf } from '../../src/feeds/supervisor/source.ts'
import { Supervisor } from '../../src/feeds/supervisor/supervisor.ts'
import { YellowstoneSource } from '../../src/feeds/yellowstone/yellowstone-source.ts'
import { CollectingSink } from './collecting-sink.ts'
import { MockSocketServer } from './mock-socket-server.ts'
import { rpcServer } from './solana/rpc-server.ts'
import { VirtualTimers } from './supervisor/virtual-timers.ts'

const KEY = '0a1b2c3d-4e5f-6a7b-8c9d'
const SOCKET_KEY = 'f0e1d2c3-b4a5-9687-7869'

/** A feed behind slot 5 whose servers have a key each in their addresses, and what it reports. */
async function started() {
  const sockets = await MockSocketServer.listen()
  onTestFinished(() => sockets.close())
  const rpc = await rpcServer()
  const timers = new VirtualTimers()
  const source = new SolanaSource({
    rpcUrl: `${rpc.url}/?api-key=${KEY}`,
    wsUrl: `${sockets.url}/v2/${SOCKET_KEY}`,
    ...{ blocks: 'gaps', counters: newFeedCounters(), timers },
  })
  const told: string[] = []
  const report = (_who: string, reason: string) => told.push(reason)
  const supervisor = new Supervisor({
    ...{ sources: [source], cursor: 5, report, timers },
    backfillSlotsMax: 100,
  })
  const ended = supervisor.start(new CollectingSink())
  onTestFinished(async () => {
    supervisor.stop()
    await ended
  })
  await sockets.until(() => sockets.received.length === 3)
  return { sockets, rpc, timers, told }
}

test('a server that repeats the key in its address does not tell it to the log', async () => {
  const { sockets, told } = await started()
  sockets.say({ id: 1, error: { code: 401, message: `no access to /v2/${SOCKET_KEY}` } })
  await expect.poll(() => told).toEqual(['the server refuses logsSubscribe: no access to /v2/…'])
})

/** Has the feed ask the RPC server for the slots behind slot 5: the answer is its first question. */
async function asked({ sockets, rpc, timers }: Awaited<ReturnType<typeof started>>) {
  for (const id of [1, 2, 3]) sockets.say({ jsonrpc: '2.0', id, result: 100 + id })
  const notified = (slot: number) => ({ result: { slot, parent: slot - 1, root: 1 } })
  sockets.say({ method: 'slotNotification', params: notified(20) })
  const value = { signature: 's', err: { is: 'failed' }, logs: [] }
  for (const slot of [8, 9, 10])
    for (const subscription of [101, 102]) {
      const result = { context: { slot }, value }
      sockets.say({ method: 'logsNotification', params: { result, subscription } })
    }
  await sockets.heard()
  await timers.pass(500)
  await expect.poll(() => rpc.questions.length).toBe(1)
  return rpc.questions[0]
}

test('an RPC server that repeats the key in its address does not tell it to the log', async () => {
  const feed = await started()
  const question = await asked(feed)
  question.fail(401, `key ${KEY} is blocked`)
  await expect.poll(() => feed.told.length).toBe(1)
  expect(feed.told[0]).toMatch(/could not be told again: solana: key … is blocked$/)
})

test('where the words of an RPC server about a block are cut no part of the key is left', async () => {
  const feed = await started()
  const question = await asked(feed)
  const [before, to] = question.params
  const from = Number(before) + 1
  question.answer([from, to])
  const about = (slot: unknown) =>
    feed.rpc.questions.find(({ params }, i) => i > 0 && params[0] === slot)
  await expect.poll(() => about(to)).toBeDefined()
  about(from)?.fail(-32_603, `${'.'.repeat(190)}${KEY}`)
  about(to)?.answer({ parentSlot: from, transactions: [] })
  await expect.poll(() => feed.told.length).toBe(1)
  expect(feed.told[0]).toContain('.'.repeat(100))
  expect(feed.told[0]).not.toContain(KEY.slice(0, 4))
})

test('the token of a Yellowstone server is left out before its words are cut', () => {
  const counters = newFeedCounters()
  const peer = { url: `https://geyser.example/${KEY}`, token: 'short' }
  const { secrets } = new YellowstoneSource({ peer, counters })
  expect(reasonOf(new Error(`x-token short, path /${KEY}`), secrets)).toBe('x-token …, path /…')
  const cut = reasonOf(`${'.'.repeat(190)}${KEY}`, secrets)
  expect(cut).toBe(`${'.'.repeat(190)}…`)
})

test('keys and logins are left out as they were written and as they are meant', () => {
  const address =
    'wss://reader:p%40ss-reader%2B1@host/v2/0123456789%2Fabcdef?token=abc%2Fdef%2Bghi&n=1'
  const secrets = secretsOf(address)
  const shown = (text: string) => withoutSecrets(text, secrets)
  expect(shown('token=abc%2Fdef%2Bghi, abc/def+ghi')).toBe('token=…, …')
  expect(shown('p%40ss-reader%2B1 or p@ss-reader+1 of reader')).toBe('… or … of …')
  expect(shown('/v2/0123456789%2Fabcdef, 0123456789/abcdef')).toBe('/v2/…, …')
  expect(shown('n=1')).toBe('n=1')
})

test('an address with a percent sign that means nothing is left out as it was written', () => {
  expect(secretsOf('https://host/?key=100%off')).toEqual(['100%off'])
  expect(secretsOf('https://host/')).toEqual([])
})
