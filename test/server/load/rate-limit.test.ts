import { request } from 'node:http'
import ipaddr from 'ipaddr.js'
import { afterEach, expect, test } from 'vitest'
import { RateLimiter } from '../../../src/server/load/rate-limiter.ts'
import type { ServerOptions } from '../../../src/server/server.ts'
import { ClientAddresses } from '../../../src/server/sockets/client-address.ts'
import { type FakeService, startFake } from '../fake-service.ts'
import { rawConnect, waitUntil } from '../raw-http.ts'

/** Limits of the server, private to their files. */
const MAX_FORWARDED_HOPS = 32

const RULE = { limit: 3, windowMs: 60_000 }
const SEARCH = '/api/v2/search/tokens/detailed?query=a'

let fake: FakeService
const start = async (changes: Partial<ServerOptions> = {}) => {
  fake = await startFake({ rateLimit: RULE, ...changes })
}
afterEach(() => fake?.server.stop())

async function ask(method: string, path: string, forwardedFor?: string): Promise<Response> {
  const headers: Record<string, string> = forwardedFor ? { 'X-Forwarded-For': forwardedFor } : {}
  return fetch(fake.server.url + path, { method, headers })
}

test('every limited answer says where the client stands, and 429 when to come back', async () => {
  await start()
  const remaining: (string | null)[] = []
  for (let index = 0; index < 3; index++) {
    const response = await ask('GET', SEARCH)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-ratelimit-limit')).toBe('3')
    expect(response.headers.get('x-ratelimit-reset')).toBe('60')
    remaining.push(response.headers.get('x-ratelimit-remaining'))
  }
  expect(remaining).toEqual(['2', '1', '0'])
  fake.nowMs += 59_001
  const refused = await ask('GET', SEARCH)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
  expect(await refused.json()).toMatchObject({
    statusCode: 429,
    error: 'Too Many Requests',
    code: 'rate_limited',
  })
  fake.nowMs += 999
  const renewed = await ask('GET', SEARCH)
  expect(renewed.status).toBe(200)
  expect(renewed.headers.get('x-ratelimit-remaining')).toBe('2')
})

test('a defect says where the client stands too', async () => {
  await start()
  fake.body = () => {
    throw new Error('a planted defect')
  }
  const failed = await ask('GET', SEARCH)
  expect(failed.status).toBe(500)
  const headers = ['limit', 'remaining', 'reset'].map((name) =>
    failed.headers.get(`x-ratelimit-${name}`),
  )
  expect(headers).toEqual(['3', '2', '60'])
  expect(failed.headers.get('x-request-id')).not.toBeNull()
})

test('endpoints are counted apart, whatever their parameters are', async () => {
  await start()
  for (let index = 0; index < 3; index++) await ask('GET', `/api/v2/search/tokens/M${index}/swaps`)
  expect((await ask('GET', '/api/v2/search/tokens/other/swaps')).status).toBe(429)
  expect((await ask('GET', '/api/v2/search/traders/tokens/M')).status).toBe(200)
})

test('HEAD, 304 and errors share the bucket of GET, OPTIONS does not', async () => {
  await start()
  expect((await ask('OPTIONS', SEARCH)).headers.get('x-ratelimit-limit')).toBeNull()
  expect((await ask('HEAD', SEARCH)).headers.get('x-ratelimit-remaining')).toBe('2')
  const bad = await ask('GET', '/api/v2/search/tokens/detailed')
  expect(bad.status).toBe(400)
  expect(bad.headers.get('x-ratelimit-remaining')).toBe('1')
  const same = await fetch(fake.server.url + SEARCH, { headers: { 'If-None-Match': '*' } })
  expect(same.status).toBe(304)
  expect(same.headers.get('x-ratelimit-remaining')).toBe('0')
  expect((await ask('HEAD', SEARCH)).status).toBe(429)
  expect((await ask('OPTIONS', SEARCH)).status).toBe(204)
})

test('a method that an endpoint does not have counts, says where the client stands, and is limited', async () => {
  await start()
  for (const [path, other, own] of [
    [SEARCH, 'POST', 'GET'],
    ['/api/v2/meme', 'GET', 'POST'],
    ['/udf/config', 'DELETE', 'GET'],
    ['/api/v2/stream', 'PUT', 'HEAD'],
  ] as const) {
    const refused = await ask(other, path)
    expect(refused.status).toBe(405)
    expect(refused.headers.get('allow')).toContain(own === 'HEAD' ? 'GET' : own)
    expect(refused.headers.get('x-ratelimit-limit')).toBe('3')
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('2')
    expect(refused.headers.get('x-ratelimit-reset')).toBe('60')
    await ask(other, path)
    expect((await ask(own, path)).headers.get('x-ratelimit-remaining')).toBe('0')
    const limited = await ask(other, path)
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('60')
  }
  expect((await ask('DELETE', '/healthz')).headers.get('x-ratelimit-limit')).toBeNull()
})

test('a refused POST still keeps its connection usable', async () => {
  await start()
  const body = '{}'
  const headers = { 'Content-Type': 'application/json' }
  const statuses: number[] = []
  for (let index = 0; index < 5; index++) {
    const response = await fetch(`${fake.server.url}/api/v2/meme`, {
      method: 'POST',
      body,
      headers,
    })
    await response.text()
    statuses.push(response.status)
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429])
})

test('what lies outside the API is not limited', async () => {
  await start()
  for (let index = 0; index < 6; index++) {
    const response = await ask('GET', '/healthz')
    expect(response.status).toBe(200)
    expect(response.headers.get('x-ratelimit-limit')).toBeNull()
  }
})

test('X-Forwarded-For is not believed unless the peer is trusted', async () => {
  await start()
  for (let index = 0; index < 3; index++) await ask('GET', SEARCH, `9.9.9.${index}`)
  expect((await ask('GET', SEARCH, '9.9.9.9')).status).toBe(429)
})

test('behind a trusted proxy the rightmost untrusted address is counted', async () => {
  await start({ trustProxy: ['127.0.0.0/8', '10.1.0.0/16'] })
  for (let index = 0; index < 3; index++) {
    expect((await ask('GET', SEARCH, `6.6.6.${index}, 9.9.9.9, 10.1.2.3`)).status).toBe(200)
  }
  expect((await ask('GET', SEARCH, '9.9.9.9')).status).toBe(429)
  expect((await ask('GET', SEARCH, '9.9.9.8')).status).toBe(200)
})

test('repeated X-Forwarded-For headers are one list', async () => {
  await start({ trustProxy: ['127.0.0.1'] })
  const remaining = await new Promise((resolve) => {
    const headers = { 'X-Forwarded-For': ['1.1.1.1', '2.2.2.2'] }
    const sent = request(fake.server.url + SEARCH, { headers }, (response) => {
      response.resume()
      resolve(response.headers['x-ratelimit-remaining'])
    })
    sent.end()
  })
  expect(remaining).toBe('2')
  expect((await ask('GET', SEARCH, '2.2.2.2')).headers.get('x-ratelimit-remaining')).toBe('1')
  expect((await ask('GET', SEARCH, '1.1.1.1')).headers.get('x-ratelimit-remaining')).toBe('2')
})

test('a proxy that resets its connection among its requests ends nothing but that connection', async () => {
  await start({ trustProxy: ['127.0.0.1'] })
  const raw = await rawConnect(fake.server.port)
  let asked = 0
  // Once it has reset, the kernel knows no address for the requests that were sent behind the first.
  fake.body = () => {
    if (asked++ === 0) raw.socket.resetAndDestroy()
    return '{}'
  }
  const behindProxy = `GET ${SEARCH} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n`
  raw.socket.write(behindProxy.repeat(3))
  await waitUntil(() => asked > 0 && raw.isEnded)
  expect((await ask('GET', SEARCH, '1.2.3.4')).status).toBe(200)
})

const peer = (text: string): ArrayBuffer => {
  return Uint8Array.from(ipaddr.process(text).toByteArray()).buffer
}

test.each([
  ['10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['10.0.0.1', '1.2.3.4:5678', '1.2.3.4'],
  ['10.0.0.1', '[2001:db8::1]:443', '20010db800000000'],
  ['10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
  ['10.0.0.1', '::ffff:102:304', '1.2.3.4'],
  ['10.0.0.1', 'unknown', '10.0.0.1'],
  ['10.0.0.1', '1.2.3.4, nonsense', '10.0.0.1'],
  ['10.0.0.1', '1.2.3.4, nonsense, 10.0.0.2', '10.0.0.2'],
  ['10.0.0.1', '10.0.0.7, 10.0.0.2', '10.0.0.7'],
  ['10.0.0.1', '', '10.0.0.1'],
  ['11.0.0.1', '1.2.3.4', '11.0.0.1'],
  ['fd00::5', '1.2.3.4', '1.2.3.4'],
  ['fd01::5', '1.2.3.4', 'fd01000000000000'],
])('peer %s forwarding for %s counts as %s', (remote, forwardedFor, key) => {
  const addresses = new ClientAddresses(['10.0.0.0/8', 'fd00::/16'])
  expect(addresses.keyOf(peer(remote), forwardedFor)).toBe(key)
})

test.each([
  ['172.16.0.0/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['10.128.0.0/9', ['10.128.0.0', '10.255.255.255'], ['10.127.255.255', '11.128.0.0']],
  ['192.168.7.254/31', ['192.168.7.254', '192.168.7.255'], ['192.168.7.253', '192.168.8.0']],
  ['192.168.7.9/32', ['192.168.7.9'], ['192.168.7.8', '192.168.7.10']],
  ['192.168.7.9', ['192.168.7.9', '::ffff:192.168.7.9'], ['192.168.7.8', '9.7.168.192']],
  ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], ['::1']],
  ['fd00::/10', ['fd00::', 'fd3f::1'], ['fd40::', 'fc00::', '253.0.0.0']],
  ['2001:db8::/33', ['2001:db8:7fff::1'], ['2001:db8:8000::1', '2001:db9::1']],
])('the proxies of %s are those of its addresses and no others', (subnet, inside, outside) => {
  const addresses = new ClientAddresses([subnet])
  const isTrusted = (text: string) => addresses.isTrusted(peer(text))
  expect(inside.filter((address) => !isTrusted(address))).toEqual([])
  expect(outside.filter((address) => isTrusted(address))).toEqual([])
})

test('of a long chain of proxies the last ones are read, so many and no more', () => {
  const addresses = new ClientAddresses(['10.0.0.0/8'])
  const chain = (hops: number) =>
    ['9.9.9.9', ...Array.from({ length: hops }, (_, hop) => `10.1.0.${hop}`)].join(', ')
  const last = MAX_FORWARDED_HOPS - 1
  expect(addresses.keyOf(peer('10.0.0.1'), chain(last))).toBe('9.9.9.9')
  expect(addresses.keyOf(peer('10.0.0.1'), chain(last + 1))).toBe('10.1.0.0')
})

test('an IPv6 client is its /64 and a mapped address is IPv4', () => {
  const addresses = new ClientAddresses(['10.0.0.1'])
  const key = (text: string) => addresses.keyOf(peer('10.0.0.1'), text)
  expect(key('2001:db8:1:2:3:4:5:6')).toBe(key('2001:db8:1:2::1'))
  expect(key('2001:db8:1:3::1')).not.toBe(key('2001:db8:1:2::1'))
  expect(key('fe80::1%eth0')).toBe('fe80000000000000')
  expect(key('::')).toBe('0000000000000000')
  expect(addresses.keyOf(peer('2001:db8:1:2:3:4:5:6'), '')).toBe(key('2001:db8:1:2::1'))
  expect(key('1.2.3')).toBe('10.0.0.1')
})

test.each(['x', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '::/129', '10.0.0.0/8/8', ''])(
  'TRUST_PROXY with "%s" stops the start with a sentence',
  async (entry) => {
    await expect(startFake({ trustProxy: [entry] })).rejects.toThrow(/^TRUST_PROXY came with.+\.$/)
  },
)

test('when the map is full new clients share windows, and no window is forgotten', () => {
  const limiter = new RateLimiter({ limit: 1, windowMs: 1000 }, 2)
  expect(limiter.take('a', 0).allowed).toBe(true)
  expect(limiter.take('b', 1).allowed).toBe(true)
  expect(limiter.take('a', 2).allowed).toBe(false)
  expect(limiter.take('c', 3).allowed).toBe(true)
  expect(limiter.take('c', 4).allowed).toBe(false)
  expect(limiter.take('b', 4).allowed).toBe(false)
  expect(limiter.take('a', 5).allowed).toBe(false)
  expect(limiter.take('a', 1000).allowed).toBe(true)
})

test('a clock that is set back holds no client longer than a window', () => {
  const limiter = new RateLimiter({ limit: 1, windowMs: 1000 })
  expect(limiter.take('a', 1_000_000).allowed).toBe(true)
  expect(limiter.take('a', 0).allowed).toBe(true)
  expect(limiter.take('a', 1).allowed).toBe(false)
  expect(limiter.take('a', 1000).allowed).toBe(true)
})
