import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { WebSocket as ServerSocket } from 'ws'
import { Mintfeed, type Problem, type TradeUpdate } from '../../client/src/mintfeed.ts'
import { waitUntil } from '../server/raw-http.ts'
import { gathered } from './gathered.ts'
import {
  askedFrom,
  isSubscription,
  ScriptedService,
  subscribedFrame,
  tradeFrame,
} from './scripted-service.ts'

const FROM_START = { from: new Map([['A', { seq: 0, epoch: 'e1' }]]) }

let service: ScriptedService
let client: Mintfeed
const unhandled: unknown[] = []
process.on('unhandledRejection', (thrown) => unhandled.push(thrown))

afterEach(async () => {
  client.close()
  await service.stop()
  expect(unhandled).toEqual([])
})

/** Follows mint A from its beginning; the updates and problems that came. */
function follow(silenceMs = 5_000): { updates: TradeUpdate[]; problems: Problem[] } {
  const backoff = { firstMs: 1, longestMs: 4 }
  client = new Mintfeed(service.url, {
    backoff,
    silenceMs,
    liveUrl: service.url.replace('http', 'ws'),
  })
  const problems: Problem[] = []
  client.live.onProblem((problem) => problems.push(problem))
  return { updates: gathered(client.live.trades('A', FROM_START)), problems }
}

/** Goes on where it is asked to, up to seq 3. */
function serveWell(socket: ServerSocket, message: unknown): void {
  const from = askedFrom(message)
  if (from === null) return
  socket.send(subscribedFrame(from))
  for (let seq = from + 1; seq <= 3; seq++) socket.send(tradeFrame(seq))
}

const seqsOf = (updates: readonly TradeUpdate[]) =>
  updates.map((update) => (update.kind === 'event' ? update.seq : update.kind))

test.each([
  ['no JSON', '{"channel":'],
  ['no object', '[1,2]'],
  ['a bare null', 'null'],
  ['bytes', Buffer.from([0, 255, 1])],
  ['no seq', '{"channel":"update_mint_info","epoch":"e1","data":{"mint":"A"}}'],
  ['a seq of text', tradeFrame(1).replace('"seq":1', '"seq":"1"')],
  ['a seq past 2^53', tradeFrame(1).replace('"seq":1', '"seq":9007199254740993')],
  ['a resync of nothing', '{"type":"resync","event":"update_mint_info"}'],
  ['20 MB', `{"type":"${'x'.repeat(20_000_000)}"}`],
])('a frame that cannot be read (%s) costs the connection, and no event', async (_, frame) => {
  service = await ScriptedService.start((socket, message, connection) => {
    if (connection > 1) serveWell(socket, message)
    else if (isSubscription(message)) {
      socket.send(subscribedFrame(0))
      socket.send(tradeFrame(1))
      socket.send(frame)
    }
  })
  const { updates, problems } = follow()
  await waitUntil(() => updates.length >= 3)
  expect(seqsOf(updates)).toEqual([1, 2, 3])
  expect(problems.map(({ code }) => code)).toEqual([
    expect.stringMatching(/^(invalid_frame|frame_too_large)$/),
  ])
  expect(client.live.status).toMatchObject({ unreadable: 1, disconnects: 1, open: 1 })
})

test.each([
  '{}',
  '{"type":"news"}',
  '{"type":7}',
  '{"channel":"others","data":1}',
  '{"channel":"update_mint_info","type":"summary"}',
  '{"type":"subscribed"}',
  '{"type":"subscribed","event":"candles"}',
  '{"type":"unsubscribed","event":"update_mint_info"}',
  tradeFrame(9).replace('"mint":"A"', '"mint":"B"'),
])('%s is passed over: a newer service may say more', async (frame) => {
  service = await ScriptedService.start((socket, message) => {
    if (isSubscription(message)) socket.send(frame)
    serveWell(socket, message)
  })
  const { updates, problems } = follow()
  await waitUntil(() => updates.length >= 3)
  expect(seqsOf(updates)).toEqual([1, 2, 3])
  expect(problems).toEqual([])
})

test('an event of wrong types is told as lost, and the others come', async () => {
  service = await ScriptedService.start((socket, message) => {
    if (!isSubscription(message)) return
    socket.send(subscribedFrame(0))
    socket.send(tradeFrame(1))
    socket.send(tradeFrame(2).replace('"volume_usd":1', '"volume_usd":"1"'))
    socket.send(tradeFrame(3))
  })
  const { updates } = follow()
  await waitUntil(() => updates.length >= 3)
  expect(seqsOf(updates)).toEqual([1, 'lost', 3])
  expect(updates[1]).toMatchObject({ reason: 'invalid_event', fromSeq: 1, toSeq: 2 })
})

test('what is missing is asked for again, what comes twice is dropped', async () => {
  let asked = 0
  service = await ScriptedService.start((socket, message) => {
    const from = askedFrom(message)
    if (from === null) return
    asked += 1
    socket.send(subscribedFrame(from))
    const seqs = asked === 1 ? [1, 1, 3] : [2, 3, 3, 2, 4]
    for (const seq of seqs) socket.send(tradeFrame(seq))
  })
  const { updates } = follow()
  await waitUntil(() => updates.length >= 4)
  expect(seqsOf(updates)).toEqual([1, 2, 3, 4])
  expect(client.live.status).toMatchObject({ gaps: 1, repeats: 3, disconnects: 0 })
})

test('a service that is not there, and one that closes, are told with each attempt', async () => {
  service = await ScriptedService.start((socket, message, connection) => {
    if (connection > 2) serveWell(socket, message)
    else if (isSubscription(message))
      socket.close(4010, connection === 1 ? 'too many messages' : undefined)
  })
  const { updates, problems } = follow()
  await waitUntil(() => updates.length >= 3)
  expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'network: The connection was closed with 4010 (too many messages).',
    'network: The connection was closed with 4010.',
  ])
  await service.stop()
  await waitUntil(() => problems.length >= 5)
  expect(problems[4]).toMatchObject({
    code: 'network',
    message: 'The live feed cannot be reached.',
  })
})

test('an error that answers no request costs the connection: a stream ended, and it does not say which', async () => {
  service = await ScriptedService.start((socket, message, connection) => {
    if (connection > 1) serveWell(socket, message)
    else if (isSubscription(message)) {
      socket.send(subscribedFrame(0))
      socket.send(tradeFrame(1))
      socket.send('{"type":"error","code":"history_unreadable","message":"m"}')
    }
  })
  const { updates, problems } = follow()
  await waitUntil(() => updates.length >= 3)
  expect(seqsOf(updates)).toEqual([1, 2, 3])
  expect(problems.map(({ code }) => code)).toEqual(['history_unreadable'])
})

test('an address of the live feed keeps the query it came with, as a proxy may want a key', async () => {
  service = await ScriptedService.start(serveWell)
  const asked: string[] = []
  client = new Mintfeed(service.url, {
    id: 'a b',
    liveUrl: `${service.url.replace('http', 'ws')}/ws?key=k`,
    openSocket: (url) => {
      asked.push(new URL(url).search)
      return new WebSocket(url)
    },
  })
  const updates: TradeUpdate[] = []
  for await (const update of client.live.trades('A', FROM_START))
    if (updates.push(update) > 2) break
  expect(asked).toEqual(['?key=k&id=a%20b'])
})

test('a service that never has the missing message is asked with waits, not in a circle', async () => {
  service = await ScriptedService.start((socket, message) => {
    const from = askedFrom(message)
    if (from === null) return
    socket.send(subscribedFrame(from))
    socket.send(tradeFrame(from + 2))
  })
  const { updates, problems } = follow()
  await waitUntil(() => problems.length >= 5)
  expect(updates).toEqual([])
  expect(service.heard.filter(isSubscription).length).toBeLessThanOrEqual(service.connections)
  expect(problems[0]).toMatchObject({ code: 'invalid_frame' })
})

test('a trade that comes under another epoch and number is known by its signature', async () => {
  service = await ScriptedService.start((socket, message, connection) => {
    if (!isSubscription(message)) return
    if (connection === 1) {
      socket.send(subscribedFrame(0))
      socket.send(tradeFrame(1))
      socket.send(tradeFrame(2))
      socket.close()
      return
    }
    const about = '"event":"update_mint_info","mint":"A","seq":1,"epoch":"e2"'
    socket.send(`{"type":"resync",${about},"reason":"epoch_changed","message":"m"}`)
    socket.send(subscribedFrame(1, 'e2'))
    socket.send(
      '{"channel":"update_mint_info","type":"snapshot","mint":"A","seq":1,"epoch":"e2","position":9,"data":null}',
    )
    socket.send(tradeFrame(2, { epoch: 'e2', signature: 's2' }))
    socket.send(tradeFrame(3, { epoch: 'e2', signature: 's9' }))
  })
  const { updates } = follow()
  await waitUntil(() => updates.length >= 5)
  expect(seqsOf(updates)).toEqual([1, 2, 'lost', 'snapshot', 3])
  expect(updates[2]).toMatchObject({ reason: 'epoch_changed', fromSeq: 2, toSeq: 1 })
  expect(updates[4]).toMatchObject({ epoch: 'e2', data: { signature: 's9' } })
})

test('a stream that breaks off while it catches up goes on with the snapshot', async () => {
  service = await ScriptedService.start((socket, message) => {
    if (!isSubscription(message)) return
    socket.send(subscribedFrame(0))
    socket.send(tradeFrame(1))
    const about = '"mint":"A","seq":20,"epoch":"e1"'
    const resync = `{"type":"resync","event":"update_mint_info",${about},"reason":"backlog"}`
    const snapshot = `{"channel":"update_mint_info","type":"snapshot",${about},"position":9,"data":null}`
    for (const frame of [resync, snapshot, tradeFrame(21)]) socket.send(frame)
  })
  const { updates } = follow()
  await waitUntil(() => updates.length >= 4)
  expect(seqsOf(updates)).toEqual([1, 'lost', 'snapshot', 21])
  expect(updates[1]).toMatchObject({ reason: 'backlog', fromSeq: 1, toSeq: 20 })
  expect(client.live.status).toMatchObject({ losses: 1, disconnects: 0 })
})

test('what is still on its way of a subscription that was left silences not the one behind it', async () => {
  service = await ScriptedService.start((socket, message) => {
    // The service hears of the leave and of the next subscription after it has broken off the first one.
    if (!isSubscription(message)) return
    const from = askedFrom(message) ?? 0
    if (from > 0) {
      const about = '"event":"update_mint_info","mint":"A"'
      socket.send(
        `{"type":"resync",${about},"from_seq":8,"seq":20,"epoch":"e1","reason":"backlog"}`,
      )
      socket.send(`{"type":"unsubscribed",${about}}`)
    }
    socket.send(subscribedFrame(from))
    for (let seq = from + 1; seq <= from + 4; seq++) socket.send(tradeFrame(seq))
  })
  const liveUrl = service.url.replace('http', 'ws')
  client = new Mintfeed(service.url, { liveUrl, bufferMax: 2 })
  const stream = client.live.trades('A', FROM_START)
  await waitUntil(() => client.live.status.holds === 1)
  const updates = gathered(stream)
  await waitUntil(() => updates.length >= 6)
  expect(seqsOf(updates).slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6])
  expect(client.live.status).toMatchObject({ losses: 0, disconnects: 0 })
})

test('a stream whose reader had no room for the snapshot goes on where it stopped, when the service can', async () => {
  service = await ScriptedService.start((socket, message) => {
    if (!isSubscription(message)) return
    const from = askedFrom(message) ?? 0
    socket.send(subscribedFrame(from))
    socket.send(tradeFrame(from + 1))
    if (from === 0) {
      const about = '"mint":"A","seq":20,"epoch":"e1"'
      socket.send(`{"type":"resync","event":"update_mint_info",${about},"reason":"backlog"}`)
      socket.send(
        `{"channel":"update_mint_info","type":"snapshot",${about},"position":9,"data":null}`,
      )
    }
  })
  client = new Mintfeed(service.url, { liveUrl: service.url.replace('http', 'ws'), bufferMax: 2 })
  const stream = client.live.trades('A', FROM_START)
  await waitUntil(() => client.live.status.holds === 1)
  const updates = gathered(stream)
  await waitUntil(() => updates.length >= 2)
  expect(seqsOf(updates)).toEqual([1, 2])
})

test('a stream that breaks off while one of the same name in another channel is left is told so', async () => {
  const of = (message: unknown) => JSON.stringify(message)
  service = await ScriptedService.start((socket, message) => {
    const isWallet = of(message).includes('wallet_trades')
    if (isSubscription(message)) {
      const wallet = { event: 'wallet_trades', wallet: 'A', seq: 0, epoch: 'e1' }
      socket.send(isWallet ? of({ type: 'subscribed', ...wallet }) : subscribedFrame(0))
      if (!isWallet) socket.send(tradeFrame(1))
    } else if (isWallet) {
      const about = { mint: 'A', seq: 20, epoch: 'e1' }
      const event = 'update_mint_info'
      socket.send(of({ type: 'resync', event, ...about, reason: 'backlog' }))
      socket.send(of({ type: 'unsubscribed', event: 'wallet_trades', wallet: 'A' }))
      const snapshot = { channel: event, type: 'snapshot', ...about, position: 9, data: null }
      for (const frame of [of(snapshot), tradeFrame(21)]) socket.send(frame)
    }
  })
  const { updates } = follow()
  await waitUntil(() => updates.length === 1)
  const wallet = client.live.walletTrades('A', { snapshot: false })
  await waitUntil(() => service.heard.some((message) => of(message).includes('wallet_trades')))
  wallet.close()
  await waitUntil(() => updates.length >= 4)
  expect(seqsOf(updates)).toEqual([1, 'lost', 'snapshot', 21])
})

test('a table that was asked for while another was left is asked for again when the connection broke', async () => {
  const sockets: ServerSocket[] = []
  const asked: unknown[] = []
  service = await ScriptedService.start((socket, message, connection) => {
    if (!isSubscription(message)) return
    asked.push([connection, Object(message).data.filter])
    sockets.push(socket)
    const about = { event: 'meme_tables', table: '0123456789abcdef' }
    if (asked.length === 1) socket.send(JSON.stringify({ type: 'subscribed', ...about }))
  })
  client = new Mintfeed(service.url, {
    liveUrl: service.url.replace('http', 'ws'),
    backoff: { firstMs: 1, longestMs: 4 },
  })
  const left = client.live.tables({ type: 'new' })
  await waitUntil(() => asked.length === 1)
  client.live.tables({ type: 'graduated' })
  await waitUntil(() => asked.length === 2)
  left.close()
  sockets[1].terminate()
  await waitUntil(() => asked.length >= 3)
  expect(asked).toEqual([
    [1, { type: 'new' }],
    [1, { type: 'graduated' }],
    [2, { type: 'graduated' }],
  ])
})

test('the word that another stream has ended refuses nothing that is asked for meanwhile', async () => {
  const about = '"event":"candles","mint":"B","resolution":"1m"'
  const error = '{"type":"error","code":"history_unreadable","message":"m"'
  service = await ScriptedService.start((socket, message, connection) => {
    if (!isSubscription(message)) return
    if (connection === 1) socket.send(`${error},${about}}`)
    serveWell(socket, message)
  })
  const { updates, problems } = follow()
  await waitUntil(() => updates.length >= 3)
  expect(seqsOf(updates)).toEqual([1, 2, 3])
  expect(problems).toMatchObject([{ code: 'history_unreadable' }])
  expect(service.connections).toBe(2)
})

test.each(['busy', 'starting'])('a service that is %s is asked again', async (code) => {
  let asked = 0
  service = await ScriptedService.start((socket, message) => {
    if (!isSubscription(message)) return
    asked += 1
    if (asked === 1) socket.send(`{"type":"error","code":"${code}","message":"m"}`)
    else serveWell(socket, message)
  })
  const { updates } = follow()
  await waitUntil(() => updates.length >= 3)
  expect(seqsOf(updates)).toEqual([1, 2, 3])
  expect(client.live.status.disconnects).toBe(0)
})

test('a subscription that is closed while the service is busy is not asked for again', async () => {
  service = await ScriptedService.start((socket, message) => {
    if (!isSubscription(message)) return
    if (service.heard.filter(isSubscription).length <= 2)
      socket.send('{"type":"error","code":"busy","message":"m"}')
    else serveWell(socket, message)
  })
  client = new Mintfeed(service.url, { liveUrl: service.url.replace('http', 'ws') })
  let refusals = 0
  client.live.onProblem(() => {
    refusals += 1
  })
  const left = client.live.trades('B')
  const stays = client.live.trades('A', FROM_START)
  await waitUntil(() => refusals === 2)
  left.close()
  await stays.next()
  expect(service.heard.filter(isSubscription)).toMatchObject([
    { data: { mint: 'B' } },
    { data: { mint: 'A' } },
    { data: { mint: 'A' } },
  ])
})

test('pings are answered, and a silent connection is given up', async () => {
  service = await ScriptedService.start((socket, message, connection) => {
    if (connection > 1) serveWell(socket, message)
    else if (isSubscription(message))
      for (const frame of [subscribedFrame(0), '{"type":"ping"}']) socket.send(frame)
  })
  const { updates, problems } = follow(150)
  await waitUntil(() => updates.length >= 3)
  expect(service.heard).toContainEqual({ type: 'pong' })
  expect(problems[0]).toMatchObject({ code: 'timeout' })
  expect(seqsOf(updates)).toEqual([1, 2, 3])
})

test('frames damaged in any way neither throw nor make a gap, a repeat or a wrong order', async () => {
  const whole = [subscribedFrame(0), ...[1, 2, 3].map((seq) => tradeFrame(seq))]
  const damage = fc.record({
    frame: fc.nat(whole.length - 1),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    text: fc.oneof(fc.string(), fc.constantFrom('null', '{}', '[]', '-1', '"', '1e999', 'true')),
    cut: fc.nat(20),
  })
  await fc.assert(
    fc.asyncProperty(damage, async ({ frame, at, text, cut }) => {
      service = await ScriptedService.start((socket, message, connection) => {
        if (connection > 1) serveWell(socket, message)
        else if (isSubscription(message))
          for (const [i, sent] of whole.entries()) {
            const place = Math.floor(at * sent.length)
            socket.send(i === frame ? sent.slice(0, place) + text + sent.slice(place + cut) : sent)
          }
      })
      const { updates } = follow(300)
      await waitUntil(() => updates.at(-1)?.kind === 'event' && seqsOf(updates).at(-1) === 3)
      client.close()
      await service.stop()
      const seqs = updates.flatMap((update) => (update.kind === 'event' ? [update.seq] : []))
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
      expect(new Set(seqs).size).toBe(seqs.length)
      const lost = updates.filter((update) => update.kind === 'lost').length
      expect(seqs.length + lost).toBe(3)
    }),
    { numRuns: 25 },
  )
})
