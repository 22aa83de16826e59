import { createServer } from 'node:http'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { until } from '../feeds/until.ts'
import { listening } from '../process/free-port.ts'
import { turnsClock } from '../turns-clock.ts'
import { isSubscription, ScriptedService, subscribedFrame, tradeFrame } from './scripted-service.ts'

/** What a machine does whose clock was wrong, or that wakes in another time. */
const STEP_MS = 3_600_000

const realNowMs = Date.now
let stepMs = 0

beforeEach(() => {
  stepMs = 0
  vi.spyOn(Date, 'now').mockImplementation(() => realNowMs() + stepMs)
})

afterEach(() => vi.restoreAllMocks())

test('a connection that is dead is given up though the clock was set back meanwhile', async () => {
  const service = await ScriptedService.start((socket, message, connection) => {
    if (!isSubscription(message)) return
    socket.send(subscribedFrame(0))
    socket.send(tradeFrame(connection))
  })
  onTestFinished(() => service.stop())
  const client = new Mintfeed(service.url, {
    liveUrl: service.url.replace('http', 'ws'),
    silenceMs: 200,
    backoff: { firstMs: 1, longestMs: 4 },
  })
  onTestFinished(() => client.close())
  const reading = client.live.trades('A', { from: new Map([['A', { seq: 0, epoch: 'e1' }]]) })
  await reading.next()
  stepMs = -STEP_MS
  await until(() => service.connections > 1)
  expect(service.connections).toBeGreaterThan(1)
})

test.each([
  ['forward', STEP_MS],
  ['back', -STEP_MS],
])('a clock that is set %s breaks off no connection that lives', async (_, by) => {
  // Of a machine that stands still the client hears nothing meanwhile: that is silence, too.
  turnsClock()
  const service = await ScriptedService.start((socket, message) => {
    if (isSubscription(message)) socket.send(subscribedFrame(0))
    else socket.send('{"type":"pong"}')
  })
  onTestFinished(() => service.stop())
  const client = new Mintfeed(service.url, {
    liveUrl: service.url.replace('http', 'ws'),
    silenceMs: 600,
  })
  onTestFinished(() => client.close())
  client.live.trades('A', { snapshot: false })
  await until(() => client.live.status.roundTripMs !== null)
  stepMs = by
  const heard = service.heard.length
  await until(() => service.heard.length > heard + 1)
  expect(client.live.status).toMatchObject({ open: 1, disconnects: 0 })
  expect(client.live.status.roundTripMs).toBeGreaterThanOrEqual(0)
  expect(client.live.status.roundTripMs).toBeLessThan(STEP_MS)
})

test('a request waits for its rate limit as long as the service said, though the clock is set back', async () => {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    response.setHeader('x-ratelimit-remaining', '0')
    response.setHeader('x-ratelimit-reset', '1')
    response.end('{"s":1}')
  })
  const client = new Mintfeed(`http://127.0.0.1:${await listening(server)}`)
  onTestFinished(() => void server.close())
  onTestFinished(() => client.close())
  expect(await client.read.ready()).toMatchObject({ ok: true })
  stepMs = -STEP_MS
  expect(await client.read.ready()).toMatchObject({ ok: true })
  expect(asked).toBe(2)
})
