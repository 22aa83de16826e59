import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { errorOf } from './error-json.ts'
import { type FakeService, startFake } from './fake-service.ts'
import { exchange } from './raw-http.ts'

let fake: FakeService
beforeAll(async () => {
  fake = await startFake()
})
afterAll(() => fake.server.stop())

const SEARCH = '/api/v2/search/tokens/detailed'
const SWAPS = '/api/v2/search/tokens/M/swaps'
const MARKET = '/api/v2/search/tokens/word/market-data'
const TRADERS = '/api/v2/search/traders/tokens/M'
const WALLET = '/api/v2/search/traders/W/tokens'
const CHART = '/api/v2/meme/chart/ohlcv'
const GOOD_CHART = `${CHART}?mint=M&from=1&to=2&resolution=1`
const mints = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`).join(',')

/** [path and query, name of the parameter that the details must point at]. */
const BAD_GETS: readonly (readonly [string, string])[] = [
  [SEARCH, 'query'],
  [`${SEARCH}?query=`, 'query'],
  [`${SEARCH}?query=%20%09+`, 'query'],
  [`${SEARCH}?query=${'a'.repeat(129)}`, 'query'],
  [`${SEARCH}?query=${encodeURIComponent('🪙'.repeat(129))}`, 'query'],
  [`${SEARCH}?query=a&query=b`, 'query'],
  [`${SEARCH}?query=a&extra=2`, 'extra'],
  [`${SEARCH}?query=a&extra=`, 'extra'],
  [`${SEARCH}?query=a&extra=true`, 'extra'],
  [`${SEARCH}?query=a&extra=1&extra=1`, 'extra'],
  [`${MARKET}?extra=yes`, 'extra'],
  [`${SWAPS}?extra=-1`, 'extra'],
  [`${SWAPS}?cursor=start&extra=x`, 'extra'],
  [`${TRADERS}?extra=01`, 'extra'],
  [`${WALLET}?extra=%201`, 'extra'],
  ['/api/v2/tokens/M/holders?extra=2', 'extra'],
  ['/api/v2/tokens/M/first-buyers?extra=2', 'extra'],
  [`${SEARCH}?query=%ff`, 'query'],
  [`${SEARCH}?query=%zz`, 'query'],
  [`${SEARCH}?query=%`, 'query'],
  [`${SEARCH}?query=%ed%a0%80`, 'query'],
  [`${SEARCH}?query=a&other=%c3`, 'other'],
  [`${SEARCH}?query=a&%ff=1`, 'query string'],
  ['/api/v2/search/tokens/%ff/swaps', 'mint'],
  ['/api/v2/search/tokens/%20/swaps', 'mint'],
  ['/api/v2/search/tokens//swaps', 'mint'],
  ['/api/v2/search/traders/%ff/tokens', 'wallet'],
  ['/api/v2/search/traders/tokens/%c3%28', 'mint'],
  ['/api/v2/search/tokens/%20/market-data?mints=,%20,', 'mint'],
  [`${MARKET}?mints=${mints(101)}`, 'mints'],
  [`${MARKET}?mints=a&mints=b`, 'mints'],
  [`${SWAPS}?page=0`, 'page'],
  [`${SWAPS}?page=-1`, 'page'],
  [`${SWAPS}?page=1.0`, 'page'],
  [`${SWAPS}?page=1e1`, 'page'],
  [`${SWAPS}?page=%201`, 'page'],
  [`${SWAPS}?page=1%20`, 'page'],
  [`${SWAPS}?page=+1`, 'page'],
  [`${SWAPS}?page=%2B1`, 'page'],
  [`${SWAPS}?page=`, 'page'],
  [`${SWAPS}?page`, 'page'],
  [`${SWAPS}?page=1&page=1`, 'page'],
  [`${SWAPS}?page=0x1`, 'page'],
  [`${SWAPS}?page=01`, 'page'],
  [`${SWAPS}?page=NaN`, 'page'],
  [`${SWAPS}?page=Infinity`, 'page'],
  [`${SWAPS}?page=9007199254740993`, 'page'],
  [`${SWAPS}?page=%D9%A1`, 'page'],
  [`${SWAPS}?limit=0`, 'limit'],
  [`${SWAPS}?limit=201`, 'limit'],
  [`${SWAPS}?limit=-0`, 'limit'],
  [`${SWAPS}?limit=50,50`, 'limit'],
  [`${SWAPS}?limit=&limit=1`, 'limit'],
  [`${SWAPS}?wallet=`, 'wallet'],
  [`${SWAPS}?wallet=a&wallet=b`, 'wallet'],
  [`${TRADERS}?order_by=PNL`, 'order_by'],
  [`${TRADERS}?order_by=`, 'order_by'],
  [`${TRADERS}?order_by=__proto__`, 'order_by'],
  [`${TRADERS}?order_direction=up`, 'order_direction'],
  [`${TRADERS}?order_direction=DESC`, 'order_direction'],
  [`${TRADERS}?limit=1e2`, 'limit'],
  [`${WALLET}?order_by=constructor`, 'order_by'],
  [`${WALLET}?page=two`, 'page'],
  [`${WALLET}?order_direction=asc&order_direction=asc`, 'order_direction'],
  [CHART, 'mint'],
  [`${CHART}?mint=&from=1&to=2&resolution=1`, 'mint'],
  [`${CHART}?mint=M&to=2&resolution=1`, 'from'],
  [`${CHART}?mint=M&from=1&resolution=1`, 'to'],
  [`${CHART}?mint=M&from=1&to=2`, 'resolution'],
  [`${CHART}?mint=M&from=1&to=2&resolution=2`, 'resolution'],
  [`${CHART}?mint=M&from=1&to=2&resolution=1d`, 'resolution'],
  [`${CHART}?mint=M&from=3&to=2&resolution=1`, 'from'],
  [`${CHART}?mint=M&from=1.5&to=2&resolution=1`, 'from'],
  [`${CHART}?mint=M&from=&to=2&resolution=1`, 'from'],
  [`${CHART}?mint=M&from=--1&to=2&resolution=1`, 'from'],
  [`${CHART}?mint=M&from=1&to=1700000000000&resolution=1`, 'to'],
  [`${CHART}?mint=M&from=100000000000&to=100000000001&resolution=1`, 'from'],
  [`${CHART}?mint=M&from=1&to=2024-01-01&resolution=1`, 'to'],
  [`${GOOD_CHART}&countback=-1`, 'countback'],
  [`${GOOD_CHART}&countback=5001`, 'countback'],
  [`${GOOD_CHART}&fill=next`, 'fill'],
  [`${GOOD_CHART}&continuous=yes`, 'continuous'],
  [`${GOOD_CHART}&udf=2`, 'udf'],
]

const NAMED_GETS = BAD_GETS.map(([path, name]) => [path.slice(0, 90), name, path] as const)

test.each(NAMED_GETS)('GET %s is a 400 that names %s', async (_, name, path) => {
  const before = fake.calls.length
  const response = await fetch(fake.server.url + path)
  const body = await errorOf(response)
  expect(response.status).toBe(400)
  expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request' })
  expect(body.details[0].path).toBe(name)
  expect(body.message).toContain(name)
  expect(body.message).toMatch(/^[^\n]+\.$/)
  expect(fake.calls.length).toBe(before)
})

test('times in milliseconds are named as such', async () => {
  const response = await fetch(
    `${fake.server.url}${CHART}?mint=M&from=1&to=1700000000000&resolution=1`,
  )
  expect((await errorOf(response)).message).toContain('milliseconds')
})

test('raw bytes in the url that are not UTF-8 are a 400', async () => {
  const request = Buffer.concat([
    Buffer.from(`GET ${SEARCH}?query=a`),
    Buffer.from([0xff]),
    Buffer.from(' HTTP/1.1\r\nHost: x\r\n\r\n'),
  ])
  const text = await exchange(fake.server.port, request, (got) => got.includes('}'))
  expect(text).toContain('400 Bad Request')
  expect(text).toContain('invalid_encoding')
})

const DEEP = `${'['.repeat(8000)}${']'.repeat(8000)}`
const DEEP_OBJECT = `{"newPools":{"holders":${'{"min":'.repeat(2000)}1${'}'.repeat(2000)}}}`

/** More keys than are judged: indexes, texts, and in a group behind all the keys that are allowed. */
const WIDE = `{${Array.from({ length: 1200 }, (_, key) => `"${key * 65_536}":1`).join(',')}}`
const wide = (begin: string) =>
  `{${begin}${Array.from({ length: 1200 }, (_, key) => `"k${key}":1`).join(',')}}`

/** [body, status, code, path of the detail]. */
const BAD_BODIES: readonly (readonly [string | Buffer, string, string])[] = [
  ['', 'empty_body', 'body'],
  [' \n', 'empty_body', 'body'],
  ['{', 'invalid_json', 'body'],
  ["{'type':'new'}", 'invalid_json', 'body'],
  ['{"type":"new"}x', 'invalid_json', 'body'],
  ['NaN', 'invalid_json', 'body'],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'invalid_encoding', 'body'],
  ['null', 'invalid_body', 'body'],
  ['[]', 'invalid_body', 'body'],
  ['1', 'invalid_body', 'body'],
  ['"new"', 'invalid_body', 'body'],
  [DEEP, 'invalid_body', 'body'],
  [DEEP_OBJECT, 'invalid_body', 'newPools.holders.min'],
  [`{"x":${DEEP.slice(4000, 12000)}}`, 'invalid_body', 'x'],
  [WIDE, 'invalid_body', '0'],
  [wide(''), 'invalid_body', 'k0'],
  [`{"newPools":${wide('"dexPaid":true,"holders":{"min":1},')}}`, 'invalid_body', 'newPools.k0'],
  ['{"type":"old"}', 'invalid_body', 'type'],
  ['{"type":["new"]}', 'invalid_body', 'type'],
  ['{"type":""}', 'invalid_body', 'type'],
  ['{"extra":1}', 'invalid_body', 'extra'],
  ['{"extra":"1"}', 'invalid_body', 'extra'],
  ['{"newPools":{"extra":true}}', 'invalid_body', 'newPools.extra'],
  ['{"limit":0}', 'invalid_body', 'limit'],
  ['{"limit":201}', 'invalid_body', 'limit'],
  ['{"limit":1.5}', 'invalid_body', 'limit'],
  ['{"limit":"50"}', 'invalid_body', 'limit'],
  ['{"limit":1e300}', 'invalid_body', 'limit'],
  ['{"new":{}}', 'invalid_body', 'new'],
  ['{"__proto__":{}}', 'invalid_body', '__proto__'],
  ['{"constructor":1}', 'invalid_body', 'constructor'],
  ['{"newPools":[]}', 'invalid_body', 'newPools'],
  ['{"newPools":true}', 'invalid_body', 'newPools'],
  ['{"type":"new","graduated":{"foo":1}}', 'invalid_body', 'graduated.foo'],
  ['{"type":"new","completing":{"holders":"5"}}', 'invalid_body', 'completing.holders'],
  ['{"newPools":{"__proto__":{"min":1}}}', 'invalid_body', 'newPools.__proto__'],
  ['{"newPools":{"holders":5}}', 'invalid_body', 'newPools.holders'],
  ['{"newPools":{"holders":[1,2]}}', 'invalid_body', 'newPools.holders'],
  ['{"newPools":{"holders":{"min":"1"}}}', 'invalid_body', 'newPools.holders.min'],
  ['{"newPools":{"holders":{"min":1e999}}}', 'invalid_body', 'newPools.holders.min'],
  ['{"newPools":{"holders":{"max":true}}}', 'invalid_body', 'newPools.holders.max'],
  ['{"newPools":{"holders":{"mim":1}}}', 'invalid_body', 'newPools.holders.mim'],
  ['{"newPools":{"holders":{"min":2,"max":1}}}', 'invalid_body', 'newPools.holders'],
  ['{"type":"new","graduated":{"mCapUsd":{"min":2,"max":1}}}', 'invalid_body', 'graduated.mCapUsd'],
  ['{"newPools":{"dexPaid":"true"}}', 'invalid_body', 'newPools.dexPaid'],
  ['{"newPools":{"dexPaid":1}}', 'invalid_body', 'newPools.dexPaid'],
  ['{"newPools":{"caEndsWithPump":"x"}}', 'invalid_body', 'newPools.caEndsWithPump'],
  ['{"newPools":{"socials":true}}', 'invalid_body', 'newPools.socials'],
  ['{"newPools":{"socials":{"twitter":1}}}', 'invalid_body', 'newPools.socials.twitter'],
  ['{"newPools":{"socials":{"x":true}}}', 'invalid_body', 'newPools.socials.x'],
]

const NAMED_BODIES = BAD_BODIES.map(
  ([body, code, path]) => [body.toString().trim().slice(0, 60), code, path, body] as const,
)

test.each(NAMED_BODIES)('the body %s is a 400 %s at %s', async (_, code, path, body) => {
  const before = fake.calls.length
  const response = await fetch(`${fake.server.url}/api/v2/meme`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  })
  const error = await errorOf(response)
  expect(response.status).toBe(400)
  expect(error.code).toBe(code)
  expect(error.details[0].path).toBe(path)
  expect(error.message.length).toBeLessThan(700)
  expect(fake.calls.length).toBe(before)
})

test.each([
  ['{"newPools":{"socials":{"twitter":1}}}', 'true or false is allowed'],
  ['{"newPools":{"socials":true}}', 'an object of true or false is allowed'],
  ['{"newPools":{"dexPaid":1}}', 'true or false is allowed'],
  ['{"newPools":{"mCapUsd":{"min":"1"}}}', 'a finite number is allowed'],
  ['{"newPools":{"mCapUsd":1}}', 'an object of min and max is allowed'],
  ['{"newPools":{"heldBy":{}}}', 'newPools.heldBy came without a tag, an object with a tag and'],
  ['{"newPools":{"heldBy":{"min":2}}}', 'newPools.heldBy came without a tag, an object with a'],
  ['{"newPools":{"heldBy":5}}', 'newPools.heldBy came as 5, an object with a tag and'],
  [
    '{"min":1}',
    'min is not known, allowed are type, limit, extra, order_by, newPools, completing, graduated.',
  ],
  ['{"newPools":{"min":1}}', 'newPools.min is not known, allowed are xReuses, ageMinutes,'],
  ['{"newPools":{"mCapUsd":{"type":1}}}', '.type is not known, allowed are min, max.'],
  [
    '{"newPools":{"socials":{"x":true}}}',
    '.x is not known, allowed are twitter, telegram, website, discord, atLeastOne.',
  ],
  ['{"newPools":{"a b":1}}', 'newPools."a b" is not known'],
  [`{"${'k'.repeat(41)}":1}`, `"${'k'.repeat(40)}…" is not known`],
  [`{"${'k'.repeat(40)}":1}`, `${'k'.repeat(40)} is not known`],
])('the refusal of %s says that %s', async (body, allowed) => {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${fake.server.url}/api/v2/meme`, { method: 'POST', body, headers })
  expect((await errorOf(response)).message).toContain(allowed)
})

/** [body, what the message says of where it breaks]. */
const BROKEN_BODIES: readonly (readonly [string, string])[] = [
  ['{"type":"new",}', ': it breaks at position 14'],
  ["{'type':'new'}", ': it breaks at position 1'],
  ['{"type":"new"}x', ': it breaks at position 14'],
  [`{"x":"${'a'.repeat(9_000)}\n"}`, ': it breaks at position 9006'],
  ['{"type":', ': it ends too early'],
  ['{"type":new}', ': "e" is not expected where it stands'],
  ['{"type":\n}', ': "}" is not expected where it stands'],
  ['[\ud800]', ': "\ufffd" is not expected where it stands'],
  ['NaN', ''],
]

/** A limit of their own for stacks: one that a request before had left behind would be no other afterwards. */
const FRAMES = 7
const NAMED_BROKEN = BROKEN_BODIES.map(([body, where]) => [body.slice(0, 20), where, body] as const)

test.each(NAMED_BROKEN)('the body %j is not valid JSON%s', async (_, where, body) => {
  const { stackTraceLimit } = Error
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit
  })
  Error.stackTraceLimit = FRAMES
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${fake.server.url}/api/v2/meme`, { method: 'POST', body, headers })
  const { message, details } = await errorOf(response)
  expect(message).toBe(`body came as text that is not valid JSON${where}.`)
  expect(details).toEqual([{ path: 'body', message }])
  expect(Error.stackTraceLimit).toBe(FRAMES)
})

test.each([
  ['GET', '/nowhere', 404],
  ['GET', '/api/v2/meme/', 404],
  ['POST', '/api/v2/search', 404],
  ['GET', '/api/v2/meme', 405],
  ['HEAD', '/api/v2/meme', 405],
  ['PUT', '/api/v2/meme', 405],
  ['POST', SEARCH, 405],
  ['DELETE', '/healthz', 405],
  ['GET', '/ws', 426],
])('%s %s is a %i in the shape of every error', async (method, path, status) => {
  const response = await fetch(fake.server.url + path, { method })
  expect(response.status).toBe(status)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  if (status === 405) expect(response.headers.get('allow')).toMatch(/(GET, HEAD|POST), OPTIONS/)
  if (method === 'HEAD') return
  await errorOf(response)
})
