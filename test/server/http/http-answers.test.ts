import { request as httpRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeService, startFake } from '../fake-service.ts'
import { exchange, rawConnect, waitUntil } from '../raw-http.ts'

const SEARCH = '/api/v2/search/tokens/detailed?query=a'
const LONG = JSON.stringify({ text: 'mint '.repeat(2000) })

let fake: FakeService
beforeAll(async () => {
  fake = await startFake({ documents: [{ path: '/docs', contentType: 'text/html', body: '<p>' }] })
})
afterAll(() => fake.server.stop())

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** node:http neither decompresses nor adds headers of its own. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = new URL(fake.server.url + path)
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const status = response.statusCode ?? 0
        resolve({ status, headers: response.headers, body: Buffer.concat(chunks) })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

test.each([
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0,*', 'gzip'],
  ['identity', undefined],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['identity, gzip', 'gzip'],
  ['identity;q=0.5, x-gzip', 'gzip'],
  ['deflate', undefined],
  ['GZIP', 'gzip'],
  ['gzip;q=nonsense', undefined],
  ['', undefined],
])('Accept-Encoding %s is answered in %s', async (accepted, coding) => {
  fake.body = () => LONG
  const { headers, body } = await ask('GET', SEARCH, { 'Accept-Encoding': accepted })
  expect(headers['content-encoding']).toBe(coding)
  expect(headers.vary).toBe('Accept-Encoding')
  expect(headers['content-length']).toBe(String(body.length))
  const plain = coding === 'br' ? brotliDecompressSync(body) : coding ? gunzipSync(body) : body
  expect(plain.toString()).toBe(LONG)
})

test('a body below 1 KiB stays plain, and POST answers are compressed', async () => {
  fake.body = () => '{"a":1}'
  const small = await ask('GET', SEARCH, { 'Accept-Encoding': 'br' })
  expect(small.headers['content-encoding']).toBeUndefined()
  expect(small.headers.vary).toBe('Accept-Encoding')
  fake.body = () => LONG
  const json = { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' }
  const post = await ask('POST', '/api/v2/meme', json, '{}')
  expect(gunzipSync(post.body).toString()).toBe(LONG)
  expect(post.headers.etag).toBeUndefined()
})

test('If-None-Match is answered 304 for the tag in any form of the list', async () => {
  fake.body = () => LONG
  const first = await ask('GET', SEARCH)
  const etag = String(first.headers.etag)
  const strong = etag.replace('W/', '')
  for (const value of [etag, strong, '*', `"x", ${etag}`, `W/"y",${strong}`]) {
    const answer = await ask('GET', SEARCH, { 'If-None-Match': value, 'Accept-Encoding': 'br' })
    expect(answer.status, value).toBe(304)
    expect(answer.headers.etag).toBe(etag)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.body).toHaveLength(0)
  }
  for (const value of ['"x"', strong.replaceAll('"', ''), '', '""']) {
    expect((await ask('GET', SEARCH, { 'If-None-Match': value })).status, value).toBe(200)
  }
  fake.body = () => `${LONG} `
  expect((await ask('GET', SEARCH, { 'If-None-Match': etag })).status).toBe(200)
})

test('the POST never answers 304 and errors carry no tag', async () => {
  const json = { 'Content-Type': 'application/json', 'If-None-Match': '*' }
  expect((await ask('POST', '/api/v2/meme', json, '{}')).status).toBe(200)
  const bad = await ask('GET', '/api/v2/search/tokens/detailed', { 'If-None-Match': '*' })
  expect(bad.status).toBe(400)
  expect(bad.headers.etag).toBeUndefined()
})

test.each([
  [SEARCH, {}],
  [SEARCH, { 'Accept-Encoding': 'gzip' }],
  ['/api/v2/search/tokens/detailed', {}],
  ['/nowhere', {}],
  ['/healthz', {}],
  ['/metrics', {}],
  ['/docs', {}],
])('HEAD %s has the headers of GET and no body', async (path, headers) => {
  fake.body = () => LONG
  await ask('HEAD', path, headers)
  const head = await ask('HEAD', path, headers)
  const get = await ask('GET', path, headers)
  const { date: _, ...rest } = get.headers
  expect(head.body).toHaveLength(0)
  expect(head.status).toBe(get.status)
  if (path === '/metrics') return
  expect(head.headers).toMatchObject(rest)
})

test('HEAD with If-None-Match is a 304 and the connection goes on', async () => {
  fake.body = () => LONG
  const head = `HEAD ${SEARCH} HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n`
  const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  const text = await exchange(fake.server.port, head + get, (got) => got.endsWith('"ok"}'))
  expect(text).toMatch(/^HTTP\/1.1 304 Not Modified/)
  expect(text).toMatch(/"status":"ok"}$/)
})

test('a preflight is answered 204 with methods and headers', async () => {
  for (const [path, methods] of [
    ['/api/v2/meme', 'POST, OPTIONS'],
    ['/api/v2/meme/chart/ohlcv', 'GET, HEAD, OPTIONS'],
    ['/api/v2/search/tokens/M/swaps', 'GET, HEAD, OPTIONS'],
  ]) {
    const answer = await ask('OPTIONS', path, {
      Origin: 'https://x.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,x-socket-id',
    })
    expect(answer.status).toBe(204)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-allow-methods']).toBe(methods)
    const allowed = String(answer.headers['access-control-allow-headers'])
    expect(allowed.split(', ').sort()).toEqual([
      'authorization',
      'baggage',
      'cache-control',
      'content-type',
      'if-none-match',
      'last-event-id',
      'pragma',
      'sentry-trace',
      'traceparent',
      'tracestate',
      'x-api-key',
      'x-mintfeed-min-seq',
      'x-request-id',
      'x-requested-with',
      'x-socket-id',
    ])
    expect(answer.body).toHaveLength(0)
  }
  expect((await ask('OPTIONS', '/nowhere')).status).toBe(404)
})

test('rate-limit, tag and stream-position headers are exposed to browsers', async () => {
  const { headers } = await ask('GET', SEARCH)
  const exposed = String(headers['access-control-expose-headers'])
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
    expect(exposed).toContain(name)
  }
  for (const name of ['Retry-After', 'ETag', 'X-Mintfeed-Seq', 'X-Mintfeed-Epoch']) {
    expect(exposed).toContain(name)
  }
})

test('a configured origin takes the place of the star', async () => {
  const other = await startFake({ corsOrigin: 'https://desk.example' })
  const { headers } = await fetch(`${other.server.url}/healthz`)
  expect(headers.get('access-control-allow-origin')).toBe('https://desk.example')
  await other.server.stop()
})

test('every answer forbids guessing its type, frames of other pages and referrers', async () => {
  for (const path of [SEARCH, '/healthz', '/ws', '/nowhere', '/api/v2/search/tokens/detailed']) {
    const { headers } = await ask('GET', path)
    const names = ['x-content-type-options', 'x-frame-options', 'referrer-policy']
    expect([path, ...names.map((name) => headers[name])]).toEqual([
      path,
      ...['nosniff', 'SAMEORIGIN', 'no-referrer'],
    ])
  }
})

test('a plain GET of the feed is a 426 that says what to upgrade to', async () => {
  for (const path of ['/ws', '/ws/'])
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask(method, path)
      expect([path, method, status, headers.upgrade]).toEqual([path, method, 426, 'websocket'])
    }
})

test('a throwing route is a logged 500 without a stack, and the service goes on', async () => {
  fake.body = () => {
    throw new Error('secret detail')
  }
  for (const [method, path] of [
    ['GET', SEARCH],
    ['POST', '/api/v2/meme'],
  ]) {
    const json = { 'Content-Type': 'application/json' }
    const answer = await ask(method, path, json, method === 'POST' ? '{}' : '')
    expect(answer.status).toBe(500)
    expect(answer.body.toString()).not.toContain('secret')
    expect(JSON.parse(answer.body.toString()).code).toBe('internal_error')
  }
  expect(fake.logged).toContain('A route threw')
  fake.body = () => '[]'
  expect((await ask('GET', SEARCH)).status).toBe(200)
})

test('health is always 200, readiness tells why not, metrics have both kinds of figures', async () => {
  fake.notReady = 'The journal is full.'
  expect((await ask('GET', '/healthz')).body.toString()).toBe('{"status":"ok"}')
  const notReady = await ask('GET', '/readyz')
  expect(notReady.status).toBe(503)
  const answer = JSON.parse(notReady.body.toString())
  expect(answer).toMatchObject({ status: 'not ready', reason: 'The journal is full.', tokens: 7 })
  expect((await ask('GET', SEARCH)).status).toBe(200)
  fake.notReady = null
  const ready = await ask('GET', '/readyz')
  expect(ready.status).toBe(200)
  expect(JSON.parse(ready.body.toString())).toMatchObject({ status: 'ready', reason: null })
  const metrics = await ask('GET', '/metrics')
  expect(metrics.headers['content-type']).toContain('text/plain')
  const text = metrics.body.toString()
  expect(text).toContain('mintfeed_http_requests_total{route="healthz",status="200"}')
  expect(text).toContain('mintfeed_tokens 7')
  expect(text).toContain('mintfeed_live_connections 0')
})

test('while the service starts the API answers 503 with Retry-After', async () => {
  fake.starting = true
  fake.notReady = 'The journal is being read.'
  const answer = await ask('GET', SEARCH)
  expect(answer.status).toBe(503)
  expect(answer.headers['retry-after']).toBe('2')
  expect(JSON.parse(answer.body.toString()).message).toBe('The journal is being read.')
  expect((await ask('GET', '/healthz')).status).toBe(200)
  fake.starting = false
  fake.notReady = null
})

test('documents are served beside the API', async () => {
  const answer = await ask('GET', '/docs')
  expect(answer.headers['content-type']).toBe('text/html')
  expect(answer.body.toString()).toBe('<p>')
})

// What SECURITY.md says of the parser: a newer one may answer, and then it is to be said otherwise.
test.each([
  ['behind an empty line', '\r\n', 'X: a'],
  ['with a folded header', '', 'X: a\r\n b'],
  ['with a blank before a colon', '', 'X : a'],
])('a request %s is left unanswered', async (_, before, header) => {
  const odd = await rawConnect(fake.server.port)
  const right = await rawConnect(fake.server.port)
  odd.socket.write(`${before}GET ${SEARCH} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)
  right.socket.write(`GET ${SEARCH} HTTP/1.1\r\nHost: x\r\nX: a\r\n\r\n`)
  await waitUntil(() => right.received.length > 0)
  expect(right.received.toString()).toMatch(/^HTTP\/1.1 200/)
  expect(odd.received.toString()).toBe('')
  for (const { socket } of [odd, right]) socket.destroy()
})
