import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { type FakeService, startFake } from './fake-service.ts'
import { LiveClient } from './live-client.ts'
import { exchange, waitUntil } from './raw-http.ts'

let fake: FakeService
beforeAll(async () => {
  fake = await startFake()
})
afterAll(() => fake.server.stop())

const open = (id = 'me', query?: string) =>
  LiveClient.open(`${fake.server.wsUrl}?${query ?? `id=${encodeURIComponent(id)}`}`)

const follow = (mint: unknown, action = 'subscribe', id: unknown = 'me') => ({
  event: 'update_mint_info',
  data: { action, id, mint },
})
const followAll = (mints: unknown, action = 'subscribe') => ({
  event: 'update_mint_info',
  data: { action, id: 'me', mints },
})
const migrations = (action = 'subscribe') => ({
  event: 'mint_migration',
  data: { action, id: 'me' },
})

test('a trade of a followed mint arrives, others do not', async () => {
  const client = await open()
  expect(await client.ask(follow('A'))).toEqual({
    type: 'subscribed',
    event: 'update_mint_info',
    mint: 'A',
  })
  expect(fake.live.wanted('A')).toBe(true)
  expect(fake.live.wanted('B')).toBe(false)
  fake.live.trade('B', { n: 0 })
  fake.live.trade('A', { n: 1 })
  expect(await client.next()).toEqual({ channel: 'update_mint_info', pool: 'p', data: { n: 1 } })
  expect(await client.ask(follow('A', 'unsubscribe'))).toEqual({
    type: 'unsubscribed',
    event: 'update_mint_info',
    mint: 'A',
  })
  expect(fake.live.wanted('A')).toBe(false)
  client.close()
})

/** A row of a table: its mint is never the first key. */
const row = (mint: string) => ({ image: '', mint })

test('the trades of the last table answer arrive for the connections its x-socket-id names', async () => {
  const client = await open('tables')
  const other = await open('other')
  const poolsInfo = (id: string) => ({
    event: 'update_pools_info',
    data: { action: 'subscribe', id },
  })
  const ack = { type: 'subscribed', event: 'update_pools_info' }
  expect(await client.ask(poolsInfo('tables'))).toEqual(ack)
  expect(await other.ask(poolsInfo('other'))).toEqual(ack)
  const answer = async (tables: object) => {
    fake.body = () => JSON.stringify(tables)
    const headers = { 'content-type': 'application/json', 'x-socket-id': 'tables' }
    await fetch(`${fake.server.url}/api/v2/meme`, { method: 'POST', headers, body: '{}' })
  }
  await answer({ new: [row('T1')], graduated: [row('T2')] })
  expect(['T1', 'T2', 'T3'].map((mint) => fake.live.wanted(mint))).toEqual([true, true, false])
  fake.live.trade('T2', { n: 7 })
  expect(await client.next()).toEqual({ channel: 'update_pools_info', pool: 'p', data: { n: 7 } })
  await answer({ new: [row('T3')] })
  expect(['T1', 'T2', 'T3'].map((mint) => fake.live.wanted(mint))).toEqual([false, false, true])
  expect(await other.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  client.close()
  other.close()
})

test('a token that leaves the table of one x-socket-id stays in those of the others', async () => {
  const client = await open('stays')
  const other = await open('goes')
  await client.ask({ event: 'update_pools_info', data: { action: 'subscribe', id: 'stays' } })
  await other.ask({ event: 'update_pools_info', data: { action: 'subscribe', id: 'goes' } })
  const answer = async (id: string, mints: readonly string[]) => {
    fake.body = () => JSON.stringify({ new: mints.map(row) })
    const headers = { 'content-type': 'application/json', 'x-socket-id': id }
    await fetch(`${fake.server.url}/api/v2/meme`, { method: 'POST', headers, body: '{}' })
  }
  await answer('stays', ['S1', 'S2'])
  await answer('goes', ['S1', 'S2'])
  await answer('goes', ['S2'])
  fake.live.trade('S1', { n: 1 })
  expect(await client.next()).toEqual({ channel: 'update_pools_info', pool: 'p', data: { n: 1 } })
  await answer('stays', [])
  expect(['S1', 'S2'].map((mint) => fake.live.wanted(mint))).toEqual([false, true])
  client.close()
  other.close()
})

test.each(['/', '/ws', '/ws/'])(
  'migrations arrive for those who asked, on the path %s',
  async (path) => {
    const client = await LiveClient.open(`${fake.server.url.replace('http', 'ws')}${path}?id=me`)
    expect(await client.ask(migrations())).toEqual({ type: 'subscribed', event: 'mint_migration' })
    expect(await client.ask(migrations())).toEqual({ type: 'subscribed', event: 'mint_migration' })
    fake.live.migrate({ mint: 'A' })
    expect(await client.next()).toEqual({ channel: 'mint_migration', data: { mint: 'A' } })
    await client.ask(migrations('unsubscribe'))
    fake.live.migrate({ mint: 'B' })
    expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
    client.close()
  },
)

test('subscribing twice is one subscription and is acknowledged twice', async () => {
  const client = await open()
  await client.ask(followAll(['A', 'A', 'B']))
  expect(await client.ask(followAll(['A', 'A', 'B']))).toEqual({
    type: 'subscribed',
    event: 'update_mint_info',
    mints: ['A', 'B'],
  })
  fake.live.trade('A', { n: 1 })
  fake.live.trade('B', { n: 2 })
  expect(await client.next()).toMatchObject({ data: { n: 1 } })
  expect(await client.next()).toMatchObject({ data: { n: 2 } })
  await client.ask(follow('A', 'unsubscribe'))
  expect(await client.ask(follow('A', 'unsubscribe'))).toMatchObject({ type: 'unsubscribed' })
  client.close()
  await waitUntil(() => !fake.live.wanted('B'))
  expect(fake.live.wanted('B')).toBe(false)
})

test('mints named like object members are mints like others', async () => {
  const client = await open()
  for (const mint of ['__proto__', 'constructor', 'toString', '#', '+/m', '🪙']) {
    expect(fake.live.wanted(mint)).toBe(false)
    expect(await client.ask(follow(mint))).toMatchObject({ type: 'subscribed', mint })
    fake.live.trade(mint, { mint })
    expect(await client.next()).toMatchObject({ data: { mint } })
  }
  client.close()
})

test('a thousand mints are the limit of a connection and the message past it is refused whole', async () => {
  const client = await open()
  const mints = Array.from({ length: 1000 }, (_, index) => `mint${index}`)
  expect(await client.ask(followAll(mints.slice(0, 999)))).toMatchObject({ type: 'subscribed' })
  expect(await client.ask(followAll(['x', 'y']))).toMatchObject({ code: 'too_many_mints' })
  expect(fake.live.wanted('x')).toBe(false)
  expect(await client.ask(followAll(mints))).toMatchObject({ type: 'subscribed' })
  expect(await client.ask(follow('y'))).toMatchObject({ type: 'error', code: 'too_many_mints' })
  await client.ask(follow('mint0', 'unsubscribe'))
  expect(await client.ask(follow('y'))).toMatchObject({ type: 'subscribed' })
  client.close()
})

test.each([
  ['{', 'invalid_json'],
  ['', 'invalid_json'],
  ['['.repeat(30_000), 'invalid_json'],
  ['['.repeat(30_000) + ']'.repeat(30_000), 'invalid_message'],
  ['null', 'invalid_message'],
  ['"ping"', 'invalid_message'],
  ['{}', 'unknown_event'],
  ['{"type":"hello"}', 'unknown_event'],
  [{ event: 'constructor', data: { action: 'subscribe', id: 'me' } }, 'unknown_event'],
  [{ event: ['mint_migration'], data: { action: 'subscribe', id: 'me' } }, 'unknown_event'],
  [{ event: 'mint_migration' }, 'invalid_message'],
  [{ event: 'mint_migration', data: null }, 'invalid_message'],
  [{ event: 'mint_migration', data: [] }, 'invalid_message'],
  [{ event: 'mint_migration', data: { id: 'me' } }, 'unknown_action'],
  [{ event: 'mint_migration', data: { action: 'SUBSCRIBE', id: 'me' } }, 'unknown_action'],
  [{ event: 'mint_migration', data: { action: 'subscribe' } }, 'id_mismatch'],
  [follow('A', 'subscribe', 'you'), 'id_mismatch'],
  [follow('A', 'subscribe', 7), 'id_mismatch'],
  [follow(undefined), 'missing_mint'],
  [follow(undefined, 'unsubscribe'), 'missing_mint'],
  [follow(null, 'unsubscribe'), 'missing_mint'],
  [follow(7), 'invalid_mint'],
  [follow(''), 'invalid_mint'],
  [follow(' '), 'invalid_mint'],
  [follow('x'.repeat(129)), 'invalid_mint'],
  [follow('\ud800'), 'invalid_mint'],
  [followAll([]), 'invalid_mint'],
  [followAll('A'), 'invalid_mint'],
  [followAll(['A', 7]), 'invalid_mint'],
  [followAll(['A', null]), 'invalid_mint'],
  [followAll({ 0: 'A', length: 1 }), 'invalid_mint'],
  [
    { event: 'update_mint_info', data: { action: 'subscribe', id: 'me', mint: 'A', mints: ['A'] } },
    'invalid_mint',
  ],
])('bad message %# is an error frame and the connection stays', async (message, code) => {
  const client = await open()
  const answer = await client.ask(message)
  expect(answer).toMatchObject({ type: 'error', code })
  expect(Object.keys(answer as object)).toEqual(['type', 'code', 'message'])
  expect(await client.ask(follow('stays'))).toMatchObject({ type: 'subscribed' })
  client.close()
})

test('a binary frame is an error frame and the connection stays', async () => {
  const client = await open()
  client.socket.send(Buffer.from('{"type":"pong"}'))
  expect(await client.next()).toMatchObject({ type: 'error', code: 'binary_frame' })
  expect(await client.ask(follow('A'))).toMatchObject({ type: 'subscribed' })
  client.close()
})

test('a message of 64 KiB is read, one byte more closes with 1009', async () => {
  const client = await open()
  expect(await client.ask(`"${'x'.repeat(65_534)}"`)).toMatchObject({ code: 'invalid_message' })
  for (const bytes of [65_537, 1_000_000, 2_000_000]) {
    const big = await open()
    big.socket.send('x'.repeat(bytes))
    expect((await big.closed).code).toBe(1009)
  }
  const fragmented = await open()
  fragmented.socket.send('x'.repeat(60_000), { fin: false })
  fragmented.socket.send('x'.repeat(60_000), { fin: true })
  expect((await fragmented.closed).code).toBe(1009)
  expect(await client.ask(follow('A'))).toMatchObject({ type: 'subscribed' })
  client.close()
})

test.each([
  ['', 'missing_parameter'],
  ['id=', 'invalid_parameter'],
  ['id=a&id=b', 'invalid_parameter'],
  ['id=%ff', 'invalid_encoding'],
  [`id=${'a'.repeat(129)}`, 'invalid_parameter'],
  [`id=${encodeURIComponent('🪙'.repeat(129))}`, 'invalid_parameter'],
])('the handshake with "%s" is an HTTP 400 in the usual shape', async (query, code) => {
  const key = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13'
  const request = `GET /ws?${query} HTTP/1.1\r\nHost: x\r\n${key}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
  const text = await exchange(fake.server.port, request, (got) => got.includes('}]}'))
  expect(text).toMatch(/^HTTP\/1.1 400 Bad Request/)
  const body = JSON.parse(text.slice(text.indexOf('{')))
  expect(Object.keys(body)).toEqual(['statusCode', 'error', 'message', 'code', 'details'])
  expect(body.code).toBe(code)
})

test('an id is compared after decoding and may have 128 characters', async () => {
  for (const id of ['a b+c/ü', '🪙'.repeat(128), ' ']) {
    const client = await open(id)
    expect(await client.ask(follow('A', 'subscribe', id))).toMatchObject({ type: 'subscribed' })
    client.close()
  }
})

test('CORS_ORIGIN holds for the live feed: no page but that one and the own one may follow', async () => {
  const { server } = await startFake({ corsOrigin: 'https://desk.example' })
  onTestFinished(() => server.stop())
  const own = `127.0.0.1:${server.port}`
  const answered = (path: string, headers: Record<string, string>) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(`ws://${own}${path}?id=me`, { headers })
      socket.on('error', () => {})
      socket.on('unexpected-response', (_, response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString()
        })
        response.on('end', () => resolve(`${response.statusCode} ${body}`))
      })
      socket.on('open', () => {
        resolve('open')
        socket.close()
      })
    })
  for (const path of ['/ws', '/']) {
    for (const headers of [
      {},
      { origin: 'https://desk.example' },
      { origin: `http://${own}` },
      // A proxy ends the TLS, or tells the port that the scheme has by itself.
      { origin: 'https://feed.example', host: 'feed.example' },
      { origin: 'https://feed.example', host: 'feed.example:443' },
      { origin: 'https://feed.example:8443', host: 'Feed.example:8443' },
    ])
      expect(await answered(path, headers), JSON.stringify(headers)).toBe('open')
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'http://desk.example' },
      { origin: 'https://desk.example.evil.example' },
      { origin: `http://127.0.0.1:${server.port + 1}` },
      { origin: 'https://feed.example:8443', host: 'feed.example' },
      { origin: 'null' },
      { origin: 'file://' },
      { origin: `chrome-extension://${own}` },
    ])
      expect(await answered(path, headers), JSON.stringify(headers)).toBe(
        '403 {"statusCode":403,"error":"Forbidden","message":"CORS_ORIGIN names another origin than ' +
          'that of the page that asks.","code":"foreign_page","details":[]}',
      )
  }
})

test('an unknown path does not upgrade', async () => {
  const socket = new WebSocket(`${fake.server.wsUrl}x?id=me`)
  const status = await new Promise((resolve) => {
    socket.on('error', () => {})
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode))
  })
  expect(status).toBe(404)
})

test('a launch arrives for those who asked and is made for nobody else', async () => {
  const client = await open()
  const launches = (action: string) => ({ event: 'new_launched_pool', data: { action, id: 'me' } })
  expect(fake.live.wantsLaunches()).toBe(false)
  const acknowledged = { type: 'subscribed', event: 'new_launched_pool' }
  expect(await client.ask(launches('subscribe'))).toEqual(acknowledged)
  fake.live.launch({ mint: 'A' })
  const launched = { channel: 'new_launched_pool', pool: 'p', data: { mint: 'A' } }
  expect(await client.next()).toEqual(launched)
  await client.ask(launches('unsubscribe'))
  expect(fake.live.wantsLaunches()).toBe(false)
  client.close()
})

test('while the state is being recovered nothing is numbered, and plain channels are as ever', async () => {
  const client = await open()
  const numbered = { action: 'subscribe', id: 'me', mint: 'A', from_seq: 3, epoch: 'e0' }
  const asked = [
    { event: 'update_mint_info', data: numbered },
    { event: 'update_pools_info', data: { action: 'subscribe', id: 'me', seq: true } },
    { event: 'meme_tables', data: { action: 'subscribe', id: 'me', filter: {} } },
  ]
  for (const message of asked)
    expect(await client.ask(message)).toMatchObject({ type: 'error', code: 'starting' })
  expect(await client.ask(follow('A'))).toMatchObject({ type: 'subscribed' })
  client.close()
})
