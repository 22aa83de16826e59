import { get, type IncomingMessage } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { OutOfTime } from '../../src/base/budget.ts'
import { ADDRESS_BYTES_MAX } from '../../src/engine/state/address-book.ts'
import { LINK_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../../src/events/text.ts'
import { MAX_REPLAYED } from '../../src/server/live/hub/catch-ups.ts'
import { addressOf } from '../address-of.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'
import { errorOf } from './error-json.ts'
import { PAST_THE_KERNEL_BYTES } from './kernel-buffers.ts'
import { LiveClient } from './live-client.ts'

/** Limits of the server, private to their files. */
const EVENT_STREAM_COMMENT_MS = 8_000
const MAX_EVENT_STREAMS_PER_ADDRESS = 200

/** As many launches as a replay may have. */
const REPLAYED = MAX_REPLAYED.new_launched_pool

/** Waits without a timer; gives up silently, the assertion then tells. */
async function turnsUntil(condition: () => boolean, timeoutMs = 20_000): Promise<void> {
  const endMs = performance.now() + timeoutMs
  while (!condition() && performance.now() < endMs) await new Promise(setImmediate)
}

let service: EngineServer
afterEach(() => {
  vi.useRealTimers()
  return service.server.stop()
})

/** A browser's EventSource, as far as it matters: messages with their ids. */
class EventReader {
  readonly response: Response
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    this.response = response
    this.#reader = response.body?.getReader()
  }

  static async open(query: string, headers: Record<string, string> = {}): Promise<EventReader> {
    return new EventReader(await fetch(`${service.server.url}/api/v2/stream?${query}`, { headers }))
  }

  /** The next message; comments are passed over. */
  async next(): Promise<{ id: string | null; frame: unknown }> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split('\n')
        this.#text = this.#text.slice(end + 2)
        const data = lines.find((line) => line.startsWith('data: '))
        const id = lines.find((line) => line.startsWith('id: ')) ?? null
        if (data !== undefined)
          return { id: id?.slice(4) ?? null, frame: JSON.parse(data.slice(6)) }
        continue
      }
      const { value, done } = (await this.#reader?.read()) ?? { done: true }
      if (done) throw new Error('the stream has ended')
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }

  close(): Promise<void> | undefined {
    return this.#reader?.cancel()
  }
}

const trade = (i: number) =>
  swap({ mint: 'A', slot: 10 + i, txIndex: 0, signature: `s${i}`, timestamp: START_SECOND + i })

const LONG_NAME = '€'.repeat(NAME_CHARACTERS_MAX)
const LONG_ADDRESS = 'x'.repeat(ADDRESS_BYTES_MAX)

/** Launches as long as they can be, from one on: `REPLAYED` of them are `PAST_THE_KERNEL_BYTES`. */
const longLaunches = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    created({
      slot: first + index,
      mint: `mint ${first + index}`,
      name: LONG_NAME,
      symbol: LONG_NAME,
      uri: '€'.repeat(LINK_CHARACTERS_MAX),
      creator: LONG_ADDRESS,
      bondingCurve: LONG_ADDRESS,
    }),
  )

test('a stream goes on though nothing ever comes from its client, and brings no pings', async () => {
  service = await EngineServer.start('e1', undefined, { liveTimes: { pingMs: 10, silenceMs: 40 } })
  service.feed([created({ slot: 1, mint: 'A' })])
  const reader = await EventReader.open('channel=update_mint_info&mint=A')
  expect((await reader.next()).frame).toMatchObject({ type: 'subscribed', seq: 0 })
  // A connection would have been pinged and closed by now.
  const pinged = await LiveClient.open(`${service.server.wsUrl}?id=me`, { autoPong: false })
  expect((await pinged.closed).code).toBe(4008)
  service.feed([trade(0)])
  expect((await reader.next()).frame).toMatchObject({ channel: 'update_mint_info', seq: 1 })
  await reader.close()
})

test('a stream on which nothing happens brings a comment every 15 s, which keeps it open on the way', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  service = await EngineServer.start()
  const response = await fetch(`${service.server.url}/api/v2/stream?channel=mint_migration`)
  const reader = response.body?.getReader()
  const next = async () => new TextDecoder().decode((await reader?.read())?.value)
  expect(await next()).toContain('"subscribed"')
  for (let count = 0; count < 3; count += 1) {
    vi.advanceTimersByTime(EVENT_STREAM_COMMENT_MS)
    expect(await next()).toBe(':\n\n')
  }
  await reader?.cancel()
})

test('a stream that ends takes no trades from the connections that follow the same mint', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' })])
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  await client.ask({
    event: 'update_mint_info',
    data: { action: 'subscribe', id: 'me', mint: 'A', seq: true },
  })
  const reader = await EventReader.open('channel=update_mint_info&mint=A')
  await reader.next()
  const figures = async () => Object(await service.json('/readyz'))
  expect(await figures()).toMatchObject({ live_connections: 2, live_event_streams: 1 })
  await reader.close()
  const left = { live_connections: 1, live_event_streams: 0, live_departures: 0 }
  await expect.poll(figures).toMatchObject(left)
  service.feed([trade(0)])
  expect(await client.next()).toMatchObject({ channel: 'update_mint_info', seq: 1 })
  client.close()
})

test('trades come as events whose id is where a browser goes on', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0), trade(1)])
  const reader = await EventReader.open('channel=update_mint_info&mint=A')
  const { status, headers } = reader.response
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(headers.get('x-mintfeed-epoch')).toBe('e1')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect((await reader.next()).frame).toMatchObject({ type: 'subscribed', seq: 2 })
  service.feed([trade(2)])
  const live = await reader.next()
  expect(live).toMatchObject({ id: 'e1/3', frame: { seq: 3, data: { signature: 's2' } } })
  await reader.close()
  service.feed([trade(3)])
  const again = await EventReader.open('channel=update_mint_info&mint=A', {
    'last-event-id': live.id ?? '',
  })
  expect((await again.next()).frame).toMatchObject({ type: 'subscribed', seq: 3 })
  expect(await again.next()).toMatchObject({ id: 'e1/4', frame: { seq: 4 } })
  await again.close()
  const old = await EventReader.open('channel=update_mint_info&mint=A', { 'last-event-id': 'e0/3' })
  expect((await old.next()).frame).toMatchObject({ type: 'resync', reason: 'epoch_changed' })
  expect((await old.next()).frame).toMatchObject({ type: 'subscribed' })
  expect(await old.next()).toMatchObject({ id: 'e1/4', frame: { type: 'snapshot', seq: 4 } })
  await old.close()
})

test('candles whose trades lie on the disk are begun in pieces', async () => {
  service = await EngineServer.start()
  service.feed([trade(0)])
  let goes = 0
  const { answers } = service.wired
  const begin = answers.beginChart.bind(answers)
  vi.spyOn(answers, 'beginChart').mockImplementation((query, budget) => {
    if (++goes < 30) throw new OutOfTime()
    return begin(query, budget)
  })
  const gone = await EventReader.open('channel=candles&mint=A&resolution=5S')
  await gone.close()
  const candles = await EventReader.open('channel=candles&mint=A&resolution=1S')
  expect((await candles.next()).frame).toMatchObject({ type: 'subscribed' })
  expect((await candles.next()).frame).toMatchObject({ data: { t: [START_SECOND] } })
  expect(goes).toBeGreaterThanOrEqual(30)
  await candles.close()
})

test('tables and candles come as events too', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0)])
  const filter = encodeURIComponent(JSON.stringify({ type: 'new' }))
  const table = await EventReader.open(`channel=meme_tables&filter=${filter}`)
  expect((await table.next()).frame).toMatchObject({ type: 'subscribed', event: 'meme_tables' })
  expect(await table.next()).toMatchObject({ id: null, frame: { type: 'snapshot', step: 1 } })
  const candles = await EventReader.open('channel=candles&mint=A&resolution=1S&countback=3')
  await candles.next()
  expect((await candles.next()).frame).toMatchObject({ data: { t: [START_SECOND] } })
  service.feed([trade(1)])
  expect((await table.next()).frame).toMatchObject({ type: 'delta', step: 2 })
  expect((await candles.next()).frame).toMatchObject({ data: { t: [START_SECOND + 1] } })
  await table.close()
  await candles.close()
})

test('a connection that dies before its snapshot came asks for the snapshot again', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0), trade(1)])
  const query = 'channel=update_mint_info&mint=A&snapshot=1'
  const first = await EventReader.open(query)
  expect(await first.next()).toMatchObject({ id: null, frame: { type: 'subscribed', seq: 2 } })
  const snapshot = await first.next()
  expect(snapshot).toMatchObject({ id: 'e1/2', frame: { type: 'snapshot', seq: 2 } })
  await first.close()
  const again = await EventReader.open(query, { 'last-event-id': snapshot.id ?? '' })
  expect(await again.next()).toMatchObject({ frame: { type: 'subscribed', seq: 2 } })
  service.feed([trade(2)])
  expect(await again.next()).toMatchObject({ id: 'e1/3', frame: { data: { signature: 's2' } } })
  await again.close()
  const old = await EventReader.open(query, { 'last-event-id': 'e0/1' })
  expect(await old.next()).toMatchObject({ id: null, frame: { type: 'resync' } })
  expect(await old.next()).toMatchObject({ id: null, frame: { type: 'subscribed' } })
  expect(await old.next()).toMatchObject({ id: 'e1/3', frame: { type: 'snapshot' } })
  await old.close()
})

test('an acknowledgement that no snapshot follows is where a browser goes on', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0)])
  const reader = await EventReader.open('channel=update_mint_info&mint=A')
  expect(await reader.next()).toMatchObject({ id: 'e1/1', frame: { type: 'subscribed' } })
  await reader.close()
})

test.each([
  'x/y',
  'e1',
  '/1',
  'e1/',
  'e1/-1',
  'e1/1.5',
  'e1/9999999999999999',
  `${'e'.repeat(129)}/1`,
])('the Last-Event-ID %s is a position of another epoch: a resync and the snapshot', async (id) => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0)])
  for (const query of ['', '&snapshot=1', '&from_seq=1']) {
    const reader = await EventReader.open(`channel=update_mint_info&mint=A${query}`, {
      'last-event-id': id,
    })
    const resync = { type: 'resync', reason: 'epoch_changed', seq: 1, epoch: 'e1' }
    expect((await reader.next()).frame).toMatchObject(resync)
    expect((await reader.next()).frame).toMatchObject({ type: 'subscribed' })
    expect(await reader.next()).toMatchObject({ id: 'e1/1', frame: { type: 'snapshot' } })
    await reader.close()
  }
})

/** Nobody has heard of it. */
const STRANGER = addressOf('stranger')
const MINT_INFO = 'channel=update_mint_info'
const TABLES = 'channel=meme_tables'
const CANDLES = 'channel=candles'
const INVALID = 'invalid_parameter'
const MISSING = 'missing_parameter'

test.each([
  ['', MISSING, 'channel', 'is missing'],
  ['channel=', INVALID, 'channel', 'came as ""'],
  ['channel=update_pools_info', INVALID, 'channel', 'came as "update_pools_info"'],
  ['channel=update_pools_info&from_seq=1', INVALID, 'channel', 'came as "update_pools_info"'],
  ['channel=nope', INVALID, 'channel', 'came as "nope"'],
  ['channel=candles&channel=candles', INVALID, 'channel', 'came 2 times'],
  [MINT_INFO, MISSING, 'mint', 'is missing'],
  [`${MINT_INFO}&mint=`, INVALID, 'mint', 'came blank'],
  [`${MINT_INFO}&mint=${'A'.repeat(129)}`, INVALID, 'mint', 'came as "AAA'],
  [`${MINT_INFO}&mint=${STRANGER}&mint=B`, INVALID, 'mint', 'came 2 times'],
  [`${MINT_INFO}&mint=${STRANGER}&wallet=B`, INVALID, 'wallet', 'is not for the channel'],
  [`${MINT_INFO}&mint=${STRANGER}&from_seq=x`, INVALID, 'from_seq', 'came as "x"'],
  [`${MINT_INFO}&mint=${STRANGER}&from_seq=-1`, INVALID, 'from_seq', 'came as "-1"'],
  [`${MINT_INFO}&mint=${STRANGER}&from_seq=9999999999999999`, INVALID, 'from_seq', 'came as "9'],
  [`${MINT_INFO}&mint=${STRANGER}&epoch=`, INVALID, 'epoch', 'came as ""'],
  [`${MINT_INFO}&mint=${STRANGER}&epoch=${'e'.repeat(129)}`, INVALID, 'epoch', 'came as "eee'],
  [`${MINT_INFO}&mint=${STRANGER}&snapshot=yes`, INVALID, 'snapshot', 'came as "yes"'],
  ['channel=wallet_trades', MISSING, 'wallet', 'is missing'],
  ['channel=mint_migration&mint=A', INVALID, 'mint', 'is not for the channel'],
  ['channel=all_trades&resolution=1', INVALID, 'resolution', 'is not for the channel'],
  [TABLES, MISSING, 'filter', 'is missing'],
  [`${TABLES}&filter=`, INVALID, 'filter', 'came blank'],
  [`${TABLES}&filter={`, INVALID, 'filter', 'came as text that is not valid JSON'],
  [`${TABLES}&filter=[]`, INVALID, 'filter', 'came as an array'],
  [`${TABLES}&filter={"x":1}`, INVALID, 'filter', '.x is not known'],
  [`${TABLES}&filter={"body":1}`, INVALID, 'filter', '.body is not known'],
  [`${TABLES}&filter={"limit":0}`, INVALID, 'filter', '.limit came as 0'],
  [`${TABLES}&filter={}&snapshot=1`, INVALID, 'snapshot', 'is not for the channel'],
  [`${CANDLES}&resolution=1`, MISSING, 'mint', 'is missing'],
  [`${CANDLES}&mint=${STRANGER}`, MISSING, 'resolution', 'is missing'],
  [`${CANDLES}&mint=${STRANGER}&resolution=7`, INVALID, 'resolution', 'came as "7"'],
  [`${CANDLES}&mint=${STRANGER}&resolution=1&countback=0`, INVALID, 'countback', 'came as "0"'],
  [
    `${CANDLES}&mint=${STRANGER}&resolution=1&from_seq=1`,
    INVALID,
    'from_seq',
    'is not for the channel',
  ],
])('the query %s is a 400 %s that names %s', async (query, code, path, rest) => {
  service = await EngineServer.start()
  const response = await fetch(`${service.server.url}/api/v2/stream?${query}`)
  expect(response.status).toBe(400)
  const error = await errorOf(response)
  expect(error.code).toBe(code)
  expect(error.details).toEqual([{ path, message: error.message }])
  expect(error.message).toMatch(/^[^\n]+\.$/)
  expect(error.message.startsWith(`${path}${rest.startsWith('.') ? '' : ' '}${rest}`)).toBe(true)
  expect(error.message).not.toMatch(/\bdata\b|\bid\b|\baction\b/)
})

test('a query that is no UTF-8 is a 400', async () => {
  service = await EngineServer.start()
  const response = await fetch(`${service.server.url}/api/v2/stream?channel=candles&mint=%FF`)
  expect([response.status, (await errorOf(response)).code]).toEqual([400, 'invalid_encoding'])
})

test('snapshot may be switched off', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' })])
  const reader = await EventReader.open(`${MINT_INFO}&mint=A&snapshot=0`)
  expect((await reader.next()).frame).toMatchObject({ type: 'subscribed' })
  service.feed([trade(0)])
  expect((await reader.next()).frame).toMatchObject({ data: { signature: 's0' } })
  await reader.close()
})

test('HEAD of the stream is refused as GET is, and has the headers of a stream', async () => {
  service = await EngineServer.start()
  const head = (query: string, headers = {}) =>
    fetch(`${service.server.url}/api/v2/stream${query}`, { method: 'HEAD', headers })
  for (const query of ['', '?channel=nope', `?channel=candles&mint=${STRANGER}`, '?channel=%ff'])
    expect([query, (await head(query)).status]).toEqual([query, 400])
  const answer = await head('?channel=all_trades', { 'if-none-match': '*' })
  expect(answer.status).toBe(200)
  const told = ['content-type', 'cache-control', 'etag', 'content-length']
  expect(told.map((name) => answer.headers.get(name))).toEqual([
    'text/event-stream',
    'no-store',
    null,
    null,
  ])
})

test('HEAD and other methods of the stream are answered like those of any route', async () => {
  service = await EngineServer.start()
  const url = `${service.server.url}/api/v2/stream?channel=mint_migration`
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(405)
})

test('streams are counted under their own name, those that are refused too, and all answers say where the client stands', async () => {
  let starting: string | null = null
  service = await EngineServer.start('e1', undefined, {
    rateLimit: { limit: 3, windowMs: 60_000 },
    corsOrigin: 'https://desk.example',
    state: { isStarting: () => starting !== null, notReady: () => starting, figures: () => ({}) },
  })
  const asked = async (query: string) => {
    const response = await fetch(`${service.server.url}/api/v2/stream?${query}`)
    const { status, headers } = response
    const told = ['remaining', 'limit'].map((name) => headers.get(`x-ratelimit-${name}`))
    if (status === 200) await response.body?.cancel()
    expect(headers.get('access-control-allow-origin')).toBe('https://desk.example')
    return [status, ...told, headers.get('retry-after'), headers.get('x-mintfeed-epoch')]
  }
  expect(await asked('channel=mint_migration')).toEqual([200, '2', '3', null, 'e1'])
  expect(await asked('channel=nope')).toEqual([400, '1', '3', null, 'e1'])
  starting = 'The journal is being read.'
  // Held until the state is there, whose position nobody knows yet.
  expect(await asked('channel=mint_migration')).toEqual([200, '0', '3', null, null])
  expect(await asked('channel=mint_migration')).toEqual([429, '0', '3', '60', null])
  const metrics = await service.server.metrics()
  for (const [status, count] of [
    [200, 2],
    [400, 1],
    [429, 1],
  ])
    expect(metrics).toContain(`http_requests_total{route="stream",status="${status}"} ${count}\n`)
})

test('a stream that is not read is ended, others get everything', async () => {
  service = await EngineServer.start()
  const slow = await EventReader.open('channel=new_launched_pool')
  const quick = await EventReader.open('channel=new_launched_pool')
  await slow.next()
  await quick.next()
  let seen = 0
  while (seen < REPLAYED) {
    const told = seen + 100
    service.feed(longLaunches(told - 99, 100))
    while (seen < told) expect((await quick.next()).frame).toMatchObject({ seq: ++seen })
  }
  await expect(
    (async () => {
      for (let i = 0; i < REPLAYED; i += 1) await slow.next()
    })(),
  ).rejects.toThrow()
  // Its place is free although the service ended it, and not its client.
  const figures = () => service.server.readiness().fields
  await expect.poll(figures).toMatchObject({ live_connections: 1, live_slow_readers_total: 1 })
  await quick.close()
})

test('a long replay goes on as soon as its client has read on, and brings every launch once', async () => {
  service = await EngineServer.start()
  service.feed(longLaunches(1, REPLAYED))
  const since = vi.spyOn(service.wired.streams.sources.new_launched_pool, 'since')
  // Nothing is looked at again after a time: only that something was read goes on.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const path = '/api/v2/stream?channel=new_launched_pool&from_seq=0&epoch=e1'
  const response = await new Promise<IncomingMessage>((resolve) => {
    get(service.server.url + path, resolve)
  })
  const figures = () => service.server.readiness().fields
  // It is held when nothing is read for it any more.
  let reads = -1
  while (reads !== since.mock.calls.length) {
    reads = since.mock.calls.length
    await turnsUntil(() => since.mock.calls.length !== reads, 300)
  }
  expect(figures()).toMatchObject({ live_catch_ups: 1, live_slow_readers_total: 0 })
  const chunks: Buffer[] = []
  const last = `id: e1/${REPLAYED}\n`
  let isOver = false
  response.on('data', (came: Buffer) => {
    chunks.push(came)
    isOver ||= Buffer.concat(chunks.slice(-2)).includes(last)
  })
  await turnsUntil(() => isOver)
  const bytes = Buffer.concat(chunks)
  expect(bytes.length).toBeGreaterThan(PAST_THE_KERNEL_BYTES)
  const seqs = [...bytes.toString().matchAll(/^id: e1\/(\d+)$/gm)].map(([, seq]) => Number(seq))
  expect(seqs).toEqual(Array.from({ length: REPLAYED }, (_, index) => index + 1))
  expect(figures()).toMatchObject({ live_catch_ups: 0, live_slow_readers_total: 0 })
  response.destroy()
})

test('an address may have so many streams, others are not held back by it, and one that ends makes room', async () => {
  service = await EngineServer.start('e1', undefined, { trustProxy: ['127.0.0.1'] })
  const asked = (client: string) =>
    fetch(`${service.server.url}/api/v2/stream?channel=new_launched_pool`, {
      headers: { 'X-Forwarded-For': client },
    })
  const from = async (client: string) => new EventReader(await asked(client))
  const readers = await Promise.all(
    Array.from({ length: MAX_EVENT_STREAMS_PER_ADDRESS }, () => from('9.9.9.9')),
  )
  expect(readers.map(({ response }) => response.status)).not.toContain(429)
  const refused = await asked('9.9.9.9')
  expect([refused.status, (await errorOf(refused)).code]).toEqual([429, 'too_many_connections'])
  expect(refused.headers.get('retry-after')).toBe('5')
  expect((await from('9.9.9.8')).response.status).toBe(200)
  await readers[0].close()
  await expect.poll(async () => (await from('9.9.9.9')).response.status).toBe(200)
})
