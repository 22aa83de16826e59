import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'
import { LiveClient } from './live-client.ts'
import { rawConnect, waitUntil } from './raw-http.ts'
import { strictReader } from './strict-reader.ts'

/** Limits of the server, private to their files. */
const EVENT_STREAM_COMMENT_MS = 8_000
const MAX_EVENT_STREAMS_PER_ADDRESS = 200

let service: EngineServer
let starting: string | null = null
afterEach(() => {
  vi.useRealTimers()
  starting = null
  return service.server.stop()
})

const start = (changes = {}) =>
  EngineServer.start('e1', undefined, {
    state: { isStarting: () => starting !== null, notReady: () => starting, figures: () => ({}) },
    ...changes,
  })

const trade = (i: number) =>
  swap({ mint: 'A', slot: 10 + i, txIndex: 0, signature: `s${i}`, timestamp: START_SECOND + i })

const RECOVERING = 'The state before the last stop is being recovered.'
const TRADES = '/api/v2/stream?channel=update_mint_info&mint=A'
const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const ids = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)

test('a stream that comes while the state is recovered is held open, and goes on where its client stood', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  service = await start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0), trade(1)])
  starting = RECOVERING
  const raw = await rawConnect(service.server.port)
  onTestFinished(() => void raw.socket.destroy())
  const told = () => raw.received.toString()
  raw.socket.write(GET(TRADES).replace('Host', 'Last-Event-ID: e1/1\r\nHost'))
  await waitUntil(() => told().includes(':\n\n'))
  expect(told()).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(told()).toContain('Content-Type: text/event-stream')
  // Neither is known before the state is there.
  expect(told()).not.toMatch(/^X-Mintfeed-/im)
  const comments = () => told().split(':\n\n').length
  for (let count = 0; count < 3; count += 1) {
    const before = comments()
    vi.advanceTimersByTime(EVENT_STREAM_COMMENT_MS)
    await waitUntil(() => comments() > before)
    expect(comments()).toBe(before + 1)
  }
  expect(told()).not.toContain('data: ')
  starting = null
  vi.advanceTimersByTime(EVENT_STREAM_COMMENT_MS - 1)
  await waitUntil(() => ids(told()).length === 1)
  expect(told()).toContain('"type":"subscribed"')
  service.feed([trade(2)])
  await waitUntil(() => ids(told()).length === 2)
  expect(ids(told())).toEqual(['e1/2', 'e1/3'])
})

test('a stream that cannot be is refused while the state is recovered as ever, and HEAD says that it is', async () => {
  service = await start({ rateLimit: { limit: 3, windowMs: 60_000 } })
  starting = RECOVERING
  const asked = async (path: string, method = 'GET') => {
    const response = await fetch(service.server.url + path, { method })
    if (response.status === 200) await response.body?.cancel()
    return response.status
  }
  expect(await asked('/api/v2/stream?channel=nope')).toBe(400)
  expect(await asked(TRADES, 'HEAD')).toBe(503)
  expect(await asked(TRADES)).toBe(200)
  expect(await asked(TRADES)).toBe(429)
})

test('streams that are held count among those of their address, and make room when they end', async () => {
  service = await start({ trustProxy: ['127.0.0.1'] })
  service.feed([created({ slot: 1, mint: 'A' })])
  starting = RECOVERING
  const asked = (client: string) =>
    fetch(service.server.url + TRADES, { headers: { 'X-Forwarded-For': client } })
  const held = await Promise.all(
    Array.from({ length: MAX_EVENT_STREAMS_PER_ADDRESS }, () => asked('9.9.9.9')),
  )
  expect(new Set(held.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await asked('9.9.9.9')).status).toBe(429)
  const figures = () => service.server.readiness().fields
  const all = { live_event_streams: MAX_EVENT_STREAMS_PER_ADDRESS }
  expect(figures()).toMatchObject(all)
  for (const { body } of held.slice(1)) await body?.cancel()
  await expect.poll(figures).toMatchObject({ live_event_streams: 1 })
  starting = null
  const [{ body }] = held
  let text = ''
  for await (const bytes of body ?? []) {
    text += new TextDecoder().decode(bytes)
    if (text.includes('data: ')) break
  }
  expect(text).toContain('"type":"subscribed"')
})

test('what can be no address ends the stream once it is known that no feed told it', async () => {
  service = await start()
  starting = RECOVERING
  const response = await fetch(service.server.url + TRADES.replace('mint=A', 'mint=%3Cmint%3E'))
  expect(response.status).toBe(200)
  const text = response.text()
  starting = null
  expect(await text).not.toContain('subscribed')
})

test('a name that only a feed could know is to be asked for again on a socket while the state is recovered', async () => {
  service = await start()
  service.feed([created({ slot: 1, mint: 'A' })])
  const live = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const ask = (mint: string) =>
    live.ask({ event: 'update_mint_info', data: { action: 'subscribe', id: 'me', mint } })
  starting = RECOVERING
  expect(await ask('A')).toMatchObject({ type: 'error', code: 'starting' })
  expect(await ask('1'.repeat(32))).toMatchObject({ type: 'subscribed' })
  starting = null
  expect(await ask('A')).toMatchObject({ type: 'subscribed' })
  expect(await ask('<mint>')).toMatchObject({ type: 'error', code: 'invalid_mint' })
})

test('a service that stops while it recovers ends the streams that it holds', async () => {
  service = await start()
  starting = RECOVERING
  const response = await fetch(service.server.url + TRADES)
  await service.server.stop()
  expect(await response.text()).toBe(':\n\n')
})

test('a stream that is asked for on an open connection while the service stops begins and ends: its client comes back', async () => {
  service = await start()
  service.feed([created({ slot: 1, mint: 'A' })])
  // A service that had live connections waits for their close frames.
  const live = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const raw = await rawConnect(service.server.port)
  onTestFinished(() => void raw.socket.destroy())
  raw.socket.write(GET('/healthz'))
  await waitUntil(() => raw.received.includes('"ok"}'))
  const stopped = service.server.stop()
  raw.socket.write(GET(TRADES))
  await waitUntil(() => raw.isEnded)
  const answer = raw.received.toString().split('"ok"}')[1]
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(answer).toContain('Content-Type: text/event-stream')
  expect(answer).toMatch(/\r\n\r\n:\n\n$/)
  await stopped
  expect((await live.closed).code).toBe(1012)
})

test('an EventSource as the standard has it outlives a recovery', async () => {
  service = await start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0)])
  starting = RECOVERING
  const reader = strictReader(service.server.url + TRADES)
  onTestFinished(() => reader.stop())
  expect(await reader.next()).toBe('open')
  starting = null
  expect(await reader.next()).toBe('message e1/1')
  service.feed([trade(1)])
  expect(await reader.next()).toBe('message e1/2')
})
