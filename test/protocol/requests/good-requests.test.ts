import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { TablesSchema } from '../../../src/protocol/requests/tables.ts'
import { type FakeService, startFake } from '../../server/fake-service.ts'

let fake: FakeService
beforeAll(async () => {
  fake = await startFake()
})
beforeEach(() => {
  fake.calls.length = 0
})
afterAll(() => fake.server.stop())

async function calledBy(path: string): Promise<unknown> {
  const response = await fetch(fake.server.url + path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  return fake.calls.at(-1)
}

const PNL = { orderBy: 'pnl', direction: 'desc' }
const EXTRAS = { continuous: false, fill: 'none', countback: 0, udf: false }

test.each([
  ['/api/v2/search/tokens/detailed?query=+Do%67e+x+&unknown=1', 'search', ['Doge x', false]],
  [`/api/v2/search/tokens/detailed?query=${'a'.repeat(128)}`, 'search', ['a'.repeat(128), false]],
  [
    `/api/v2/search/tokens/detailed?query=${encodeURIComponent('🪙'.repeat(128))}`,
    'search',
    ['🪙'.repeat(128), false],
  ],
  ['/api/v2/search/tokens/A%2FB/market-data', 'marketData', [['A/B'], false]],
  ['/api/v2/search/tokens/w/market-data?mints=b,%20a,,b,', 'marketData', [['b', 'a'], false]],
  ['/api/v2/search/tokens/w/market-data?mints=,,', 'marketData', [['w'], false]],
  ['/api/v2/search/tokens/%ff/market-data?mints=a', 'marketData', [['a'], false]],
  ['/api/v2/search/tokens/detailed?query=a&extra=1', 'search', ['a', true]],
  ['/api/v2/search/tokens/w/market-data?extra=0', 'marketData', [['w'], false]],
  ['/api/v2/search/tokens/w/market-data?extra=1', 'marketData', [['w'], true]],
  ['/api/v2/search/tokens/M/swaps', 'swaps', ['M', null, { page: 1, limit: 50 }]],
  [
    '/api/v2/search/tokens/M/swaps?extra=1',
    'swaps',
    ['M', null, { page: 1, limit: 50, extra: true }],
  ],
  ['/api/v2/search/tokens/M/swaps?extra=0', 'swaps', ['M', null, { page: 1, limit: 50 }]],
  [
    '/api/v2/search/traders/W/tokens?extra=1',
    'walletTokens',
    ['W', { page: 1, limit: 50, extra: true, ...PNL }],
  ],
  [
    '/api/v2/search/tokens/M%20+/swaps?wallet=W&page=9007199254740991&limit=200',
    'swaps',
    ['M +', 'W', { page: 9007199254740991, limit: 200 }],
  ],
  [
    '/api/v2/search/traders/tokens/M?order_direction=asc',
    'tokenTraders',
    ['M', { page: 1, limit: 50, orderBy: 'pnl', direction: 'asc' }],
  ],
  [
    '/api/v2/search/traders/W/tokens?limit=1&page=3',
    'walletTokens',
    ['W', { page: 3, limit: 1, ...PNL }],
  ],
  [
    '/api/v2/meme/chart/ohlcv?mint=M&from=-5&to=99999999999&resolution=1S',
    'chart',
    [{ mint: 'M', from: -5, to: 99999999999, resolution: '1S', ...EXTRAS }],
  ],
  [
    `/api/v2/meme/chart/ohlcv?mint=M&from=-1${'0'.repeat(400)}&to=-1700000000000&resolution=1M`,
    'chart',
    [{ mint: 'M', from: -1e11, to: -1e11, resolution: '1M', ...EXTRAS }],
  ],
  [
    '/api/v2/meme/chart/ohlcv?mint=M&from=5&to=5&resolution=1M&continuous=1&fill=previous&countback=5000&udf=true',
    'chart',
    [
      {
        mint: 'M',
        from: 5,
        to: 5,
        resolution: '1M',
        continuous: true,
        fill: 'previous',
        countback: 5000,
        udf: true,
      },
    ],
  ],
])('GET %s asks for %s', async (path, method, args) => {
  expect(await calledBy(path)).toEqual({ method, args })
})

async function tablesOf(body: string, contentType = 'application/json'): Promise<unknown> {
  const response = await fetch(`${fake.server.url}/api/v2/meme`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': contentType },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('etag')).toBeNull()
  return fake.calls.at(-1)?.args[0]
}

test.each([
  ['{}', { type: 'all', filters: {}, limit: 50 }],
  ['\n {"type":null,"limit":null,"newPools":null}', { type: 'all', filters: {}, limit: 50 }],
  ['{"extra":true}', { type: 'all', filters: {}, limit: 50, extra: true }],
  ['{"extra":false}', { type: 'all', filters: {}, limit: 50 }],
  ['{"extra":null}', { type: 'all', filters: {}, limit: 50 }],
  ['{"type":"new","limit":200}', { type: 'new', filters: {}, limit: 200 }],
  [
    '{"newPools":{"holders":{"min":1,"max":null},"dexPaid":null,"socials":{"discord":null}}}',
    { type: 'all', filters: { new: { holders: { min: 1 }, socials: {} } }, limit: 50 },
  ],
  [
    '{"graduated":{"caEndsWithPump":true,"caEndsWithSuffix":false},"completing":{"caEndsWithPump":false}}',
    {
      type: 'all',
      filters: { graduated: { caEndsWithSuffix: true }, completing: {} },
      limit: 50,
    },
  ],
  [
    '{"completing":{"ageMinutes":{"min":-1e-9,"max":60.5},"holders":{"min":3,"max":3}}}',
    {
      type: 'all',
      filters: {
        completing: { ageMinutes: { min: -1e-9, max: 60.5 }, holders: { min: 3, max: 3 } },
      },
      limit: 50,
    },
  ],
])('the body %s is understood', async (body, query) => {
  expect(await tablesOf(body)).toEqual(query)
})

test('null is absent, however many keys have it', async () => {
  const nulls = Array.from({ length: 1200 }, (_, key) => `"k${key}":null,`).join('')
  expect(await tablesOf(`{${nulls}"type":"new"}`)).toEqual({ type: 'new', filters: {}, limit: 50 })
})

test('no object of a body has more keys than are judged', () => {
  const { newPools } = TablesSchema.properties
  const { holders, socials } = newPools.properties
  for (const { properties } of [TablesSchema, newPools, holders, socials])
    expect(Object.keys(properties).length).toBeLessThan(64)
})

test('a charset parameter and any case of the media type are fine', async () => {
  await tablesOf('{}', 'Application/JSON;charset=UTF-8')
  expect(fake.calls).toHaveLength(1)
})

test('equal bodies give the same query object', async () => {
  const first = await tablesOf('{"type":"graduated"}')
  expect(await tablesOf('{"type":"graduated"}')).toBe(first)
})

test('the chart is kept 5 seconds per exact query by the injected clock', async () => {
  const path = '/api/v2/meme/chart/ohlcv?mint=C&from=1&to=2&resolution=1'
  const get = async () => (await fetch(fake.server.url + path)).text()
  fake.body = () => '{"n":1}'
  expect(await get()).toBe('{"n":1}')
  fake.body = () => '{"n":2}'
  fake.nowMs += 4999
  expect(await get()).toBe('{"n":1}')
  expect(await (await fetch(`${fake.server.url}${path}&udf=1`)).text()).toBe('{"n":2}')
  fake.nowMs += 1
  expect(await get()).toBe('{"n":2}')
  fake.body = () => '{"n":3}'
  fake.nowMs -= 60_000
  expect(await get()).toBe('{"n":3}')
})
