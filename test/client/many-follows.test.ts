import { afterEach, beforeEach, expect, test } from 'vitest'
import { Mintfeed, type Problem } from '../../client/src/mintfeed.ts'
import { addressOf } from '../address-of.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from '../server/engine-server.ts'
import { waitUntil } from '../server/raw-http.ts'
import { gathered } from './gathered.ts'

/** As many as a connection may follow: their names fill most of a message. */
const NAMES = Array.from({ length: 1_000 }, (_, i) => addressOf(`${i}`))

let service: EngineServer
let client: Mintfeed
let problems: Problem[]
/** What the client sent, as text. */
let sent: string[]
beforeEach(async () => {
  service = await EngineServer.start()
  sent = []
  client = new Mintfeed(service.server.url, {
    openSocket: (url) => {
      const socket = new WebSocket(url)
      const send = socket.send.bind(socket)
      socket.send = (text) => {
        sent.push(String(text))
        send(text)
      }
      return socket
    },
  })
  problems = []
  client.live.onProblem((problem) => problems.push(problem))
})
afterEach(async () => {
  client.close()
  await service.server.stop()
})

const leaves = () => sent.filter((text) => text.includes('"unsubscribe"'))
const topics = () => service.server.readiness().fields.live_numbered_topics

test('a watch list that is left and followed again in one turn costs a few messages, and goes on', async () => {
  const { live } = client
  live.migrations({ snapshot: false })
  const left = [live.trades(NAMES, { snapshot: false }), live.walletTrades(NAMES)]
  await waitUntil(() => topics() === 2 * NAMES.length + 1)
  for (const stream of left) stream.close()
  const updates = gathered(live.trades(NAMES.slice(1), { snapshot: false }))
  await waitUntil(() => topics() === NAMES.length)
  expect(topics()).toBe(NAMES.length)
  await live.launches().next()
  service.feed(
    NAMES.map((mint, i) => swap({ mint, slot: 10 + i, txIndex: 0, timestamp: START_SECOND + i })),
  )
  await waitUntil(() => updates.length === NAMES.length - 1)
  expect(updates.map(({ key }) => key)).toEqual(NAMES.slice(1))
  expect(leaves()).toHaveLength(2)
  expect(problems).toEqual([])
  expect(live.status).toMatchObject({ connections: 1, disconnects: 0 })
})

test('keys that are too long together are left by several messages', async () => {
  const { live } = client
  live.migrations({ snapshot: false })
  const long = NAMES.slice(0, 300).map((name) => name.padEnd(128, '€'))
  // A feed told them.
  service.feed(long.map((mint, slot) => created({ mint, slot })))
  const stream = live.trades(long, { snapshot: false })
  await waitUntil(() => topics() === long.length + 1)
  stream.close()
  await waitUntil(() => topics() === 1)
  expect(topics()).toBe(1)
  expect(leaves()).toHaveLength(2)
  expect(problems).toEqual([])
})

test('a watch list with a key that is none is left whole, also before that key was refused', async () => {
  const { live } = client
  live.migrations({ snapshot: false })
  await waitUntil(() => topics() === 1)
  const stream = live.trades([...NAMES.slice(0, 5), 'x'.repeat(200)], { snapshot: false })
  for (let i = 0; i < 3; i += 1) await Promise.resolve()
  stream.close()
  // What is asked for later is answered later.
  await live.launches().next()
  await waitUntil(() => topics() === 2)
  expect(topics()).toBe(2)
})

test('a connection on which nothing is followed any more is closed without a word', async () => {
  const stream = client.live.trades(NAMES, { snapshot: false })
  await waitUntil(() => topics() === NAMES.length)
  stream.close()
  await waitUntil(() => topics() === 0)
  expect(leaves()).toEqual([])
  expect(client.live.status).toMatchObject({ connections: 0, disconnects: 0 })
})

test('a list with a key that is none, which is left and followed again without it at once, is heard', async () => {
  const { live } = client
  const mints = ['A', 'B'].map(addressOf)
  await live.migrations().next()
  const left = live.trades([...mints, ''])
  await Promise.resolve()
  left.close()
  const updates = gathered(live.trades(mints, { snapshot: false }))
  await waitUntil(() => topics() === 3)
  await live.launches().next()
  service.feed(mints.map((mint, i) => swap({ mint, slot: 10 + i, txIndex: 0 })))
  await waitUntil(() => updates.length === 2)
  expect(updates.map(({ key }) => key)).toEqual(mints)
  expect(live.status).toMatchObject({ connections: 1, disconnects: 0 })
})
