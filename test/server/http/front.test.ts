import { App, type us_listen_socket, us_socket_local_port } from 'uWebSockets.js'
import { expect, test } from 'vitest'
import { accept, type Parsed } from '../../../src/protocol/requests/parsers.ts'
import { DamageLines, Deadlines, type ExchangeContext } from '../../../src/server/http/exchange.ts'
import { httpFront, type Route, Router } from '../../../src/server/http/front.ts'
import { jsonReply, type Reply } from '../../../src/server/http/reply.ts'
import { ResponseCache } from '../../../src/server/http/response-cache.ts'
import { ResponseWriter } from '../../../src/server/http/response-writer.ts'
import { LoopScheduler } from '../../../src/server/load/loop-scheduler.ts'
import { RateLimiter } from '../../../src/server/load/rate-limiter.ts'
import { HttpCounters } from '../../../src/server/metrics/metrics.ts'
import { ClientAddresses } from '../../../src/server/sockets/client-address.ts'
import { rawConnect, waitUntil } from '../raw-http.ts'

type Answer = Parsed<Reply> | Promise<Parsed<Reply>>

/** Longer than a machine stands still. */
const LONG_MS = 60_000

interface Changes {
  readonly method?: Route['method']
  readonly writer?: Pick<ResponseWriter, 'write'>
  readonly limiters?: ReadonlyMap<string, RateLimiter>
  readonly routeDeadlineMs?: number
  readonly addresses?: ClientAddresses
  readonly turns?: LoopScheduler
}

/** Puts no request off, however long a busy machine took for the one before. */
class Unhurried extends LoopScheduler {
  override isOverBudget(): boolean {
    return false
  }
}

/** Counts how often an address is looked at. */
class CountedAddresses extends ClientAddresses {
  looks = 0

  override keyOf(remote: ArrayBuffer, forwardedFor: string): string {
    this.looks++
    return super.keyOf(remote, forwardedFor)
  }
}

/** A front before one route that answers when it likes. */
async function startFront(answer: () => Answer, changes: Changes = {}) {
  const logged: string[] = []
  const log = (_: unknown, message: string) => void logged.push(message)
  const lines = { info: log, warn: log, error: log }
  const context: ExchangeContext = {
    writer: Object.assign(new ResponseWriter('*', () => null), changes.writer),
    http: new HttpCounters(),
    log: lines,
    onStep: () => {},
    damage: new DamageLines(lines),
    positionHeaders: () => [],
    open: new Deadlines(),
  }
  const { method = 'GET', limiters = new Map(), routeDeadlineMs = LONG_MS } = changes
  const route: Route = { name: 'slow', method, path: '/slow', isApi: false, answer }
  const app = App()
  const front = httpFront({
    router: new Router([route]),
    addresses: changes.addresses ?? new ClientAddresses([]),
    limiters,
    clock: () => 0,
    state: { isStarting: () => false, notReady: () => null, figures: () => ({}) },
    isKnownAddress: () => true,
    cache: new ResponseCache(() => 0, 1 << 20),
    waits: { from: (_, read) => read(0) },
    // Not as long as a route's: who waits equally long for both waits in one place.
    bodyDeadlineMs: 2 * LONG_MS,
    routeDeadlineMs,
    context,
    turns: changes.turns ?? new LoopScheduler(),
  })
  app.any('/*', front)
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    app.listen('127.0.0.1', 0, resolve)
  })
  const port = socket === false ? 0 : us_socket_local_port(socket)
  return { app, port, context, logged, url: `http://127.0.0.1:${port}/slow` }
}

test('a route that does not answer in time is a 503, and its late answer is dropped', async () => {
  let finish: (reply: Parsed<Reply>) => void = () => {}
  const front = await startFront(() => new Promise((resolve) => (finish = resolve)), {
    routeDeadlineMs: 50,
  })
  const response = await fetch(front.url)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ code: 'deadline_exceeded' })
  expect(response.headers.get('retry-after')).toBe('1')
  finish(accept(jsonReply('{}')))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(front.context.open.size).toBe(0)
  front.app.close()
})

test('a client that leaves before a slow answer ends the exchange', async () => {
  let finish: (reply: Parsed<Reply>) => void = () => {}
  const front = await startFront(() => new Promise((resolve) => (finish = resolve)))
  const raw = await rawConnect(front.port)
  raw.socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await waitUntil(() => front.context.open.size === 1)
  raw.socket.resetAndDestroy()
  await waitUntil(() => front.context.open.size === 0)
  finish(accept(jsonReply('{}')))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(front.context.open.size).toBe(0)
  front.app.close()
})

test('a route that rejects is a logged 500', async () => {
  const front = await startFront(() => Promise.reject(new Error('defect')))
  const response = await fetch(front.url)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('defect')
  expect(front.logged).toEqual(['A route threw'])
  front.app.close()
})

test('a late answer in time is the answer', async () => {
  const front = await startFront(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return accept(jsonReply('{"late":true}'))
  })
  expect(await (await fetch(front.url)).json()).toEqual({ late: true })
  front.app.close()
})

test('an answer that cannot be written closes its connection, and is logged', async () => {
  const write = () => {
    throw new Error('too long')
  }
  const front = await startFront(async () => accept(jsonReply('{}')), { writer: { write } })
  const signal = AbortSignal.timeout(5_000)
  await expect(fetch(front.url, { signal })).rejects.toThrow('fetch failed')
  expect(front.logged).toEqual(['A route threw'])
  front.app.close()
})

test('an exchange that waited for its body and then for its answer waits for nothing more', async () => {
  const front = await startFront(async () => accept(jsonReply('{}')), { method: 'POST' })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(front.url, { method: 'POST', headers, body: '{}' })
  expect(await response.json()).toEqual({})
  expect(front.context.open.size).toBe(0)
  front.app.close()
})

test('a 500 has the headers of the rate limit beside the id of its line', async () => {
  const limiters = new Map([['slow', new RateLimiter({ limit: 9, windowMs: 1_000 })]])
  const front = await startFront(() => Promise.reject(new Error('defect')), { limiters })
  const { status, headers } = await fetch(front.url)
  expect([status, headers.get('x-ratelimit-remaining')]).toEqual([500, '8'])
  expect(headers.get('x-request-id')).toMatch(/^[-0-9a-f]{36}$/)
  front.app.close()
})

test('the address of a request is looked at once where it is counted, and never where nothing counts it', async () => {
  const addresses = new CountedAddresses([])
  const limiters = new Map([['slow', new RateLimiter({ limit: 9, windowMs: 1_000 })]])
  const answer = async () => accept(jsonReply('{}'))
  const counting = await startFront(answer, { addresses, limiters })
  expect((await fetch(counting.url)).headers.get('x-ratelimit-remaining')).toBe('8')
  expect(addresses.looks).toBe(1)
  counting.app.close()
  const front = await startFront(answer, { addresses })
  expect((await fetch(front.url)).status).toBe(200)
  expect(addresses.looks).toBe(1)
  front.app.close()
})

test.each([
  ['closed where it is counted by its address', true, ['reset']],
  ['answered to nobody where nothing counts it', false, ['reset', 'asked', 'asked']],
])('what came behind a reset of its own connection is %s', async (_, isCounted, expected) => {
  const limiter = new RateLimiter({ limit: 9, windowMs: LONG_MS })
  const limiters = new Map(isCounted ? [['slow', limiter]] : [])
  const done: string[] = []
  const front = await startFront(
    () => {
      done.push(done.length === 0 ? 'reset' : 'asked')
      if (done.length === 1) raw.socket.resetAndDestroy()
      return accept(jsonReply('{}'))
    },
    { limiters, turns: new Unhurried() },
  )
  const raw = await rawConnect(front.port)
  raw.socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3))
  await waitUntil(() => done.length > 0 && raw.isEnded)
  expect((await fetch(front.url)).status).toBe(200)
  expect(done).toEqual([...expected, 'asked'])
  expect(front.logged).toEqual([])
  front.app.close()
})
