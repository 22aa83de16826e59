import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Parsed } from '../../../src/protocol/requests/parsers.ts'
import { RequestBody } from '../../../src/server/http/request.ts'
import { errorOf } from '../error-json.ts'
import { type FakeService, startFake } from '../fake-service.ts'
import { BEFORE_IDLE_MS, exchange, rawConnect, waitUntil } from '../raw-http.ts'

/** Limits of the server, private to their files. */
const MAX_BODY_BYTES = 16 * 1024

let fake: FakeService
/** It waits for a body so shortly that on a machine that stands still none may come in time. */
let hasty: FakeService
beforeAll(async () => {
  fake = await startFake()
  hasty = await startFake({ limits: { bodyDeadlineMs: 300 } })
})
afterAll(() => Promise.all([fake.server.stop(), hasty.server.stop()]))

/** Times that pipelined requests are sent at most. */
const ATTEMPTS = 20
const URL_PATH = '/api/v2/meme'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const HEAD = `POST ${URL_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
const padded = (bytes: number) => `{}${' '.repeat(bytes - 2)}`

function post(body: string, headers: Record<string, string> = JSON_TYPE): Promise<Response> {
  return fetch(fake.server.url + URL_PATH, { method: 'POST', body, headers })
}

test('16 KiB are taken, one byte more is a 413 in the shape of every error', async () => {
  expect((await post(padded(16 * 1024))).status).toBe(200)
  for (const bytes of [16 * 1024 + 1, 200_000, 5_000_000]) {
    const response = await post(padded(bytes))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ statusCode: 413, code: 'body_too_large' })
  }
})

test('a chunked body is held to the same limit', async () => {
  const chunk = `1000\r\n${' '.repeat(4096)}\r\n`
  const tooMuch = `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`
  const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  const text = await exchange(fake.server.port, tooMuch + next, (got) => got.includes('"ok"'))
  expect(text).toContain('413 Payload Too Large')
  expect(text).toContain('"status":"ok"')
  const fine = `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`
  const good = await exchange(fake.server.port, fine, (got) => got.includes('made'))
  expect(good).toContain('200 OK')
})

test.each([
  [{}, 415],
  [{ 'Content-Type': 'text/plain' }, 415],
  [{ 'Content-Type': 'application/jsonp' }, 415],
  [{ 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
  [{ 'Content-Type': 'text/plain, application/json' }, 415],
  [{ ...JSON_TYPE, 'Content-Encoding': 'gzip' }, 415],
  [{ 'Content-Type': 'application/json; charset=utf-8' }, 200],
  [{ 'Content-Type': 'application/json ;x=y' }, 200],
])('the headers %o are answered %i', async (headers, status) => {
  expect((await post('{}', headers as Record<string, string>)).status).toBe(status)
})

const EXPECTED = 'application/json is expected.'

test.each([
  ['text/plain', `"text/plain", ${EXPECTED}`],
  ['text/csv; charset=utf-8', `"text/csv; charset=utf-8", ${EXPECTED}`],
  ['a/"b', `"a/\\"b", ${EXPECTED}`],
])('the 415 of Content-Type %s says what came and what is expected', async (type, rest) => {
  const error = await errorOf(await post('{}', { 'Content-Type': type }))
  const message = `Content-Type came as ${rest}`
  expect(error).toMatchObject({ statusCode: 415, message, details: [{ path: 'Content-Type' }] })
})

test('the 415 of a Content-Encoding says what came', async () => {
  const error = await errorOf(await post('{}', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }))
  const message = 'Content-Encoding came as "gzip", a plain body is expected.'
  expect(error).toMatchObject({ statusCode: 415, message, details: [{ path: 'Content-Encoding' }] })
})

test('a 415 repeats no more than the beginning of a long header', async () => {
  const error = await errorOf(await post('{}', { 'Content-Type': `a/${'b'.repeat(9_000)}` }))
  expect(error.message).toBe(`Content-Type came as "a/${'b'.repeat(38)}…", ${EXPECTED}`)
})

test('the 415 of a body without Content-Type says so', async () => {
  const head = HEAD.replace('Content-Type: application/json\r\n', '')
  const bytes = `${head}Content-Length: 2\r\n\r\n{}`
  const text = await exchange(fake.server.port, bytes, (got) => got.includes('}]}'))
  expect(text).toContain('415 Unsupported Media Type')
  expect(text).toContain(`Content-Type is missing, ${EXPECTED}`)
})

test('a body that arrives in pieces is put together', async () => {
  const raw = await rawConnect(fake.server.port)
  raw.socket.write(`${HEAD}Content-Length: 14\r\n\r\n{"ty`)
  await new Promise((resolve) => setTimeout(resolve, 30))
  raw.socket.write('pe":"new"')
  await new Promise((resolve) => setTimeout(resolve, 30))
  raw.socket.write('}')
  await waitUntil(() => raw.received.includes('made'))
  expect(fake.calls.at(-1)?.args[0]).toMatchObject({ type: 'new' })
  raw.socket.destroy()
})

test('whatever pieces a body comes in, it is those bytes, and past the limit a 413 once', () => {
  // By their lengths: no byte is like its neighbours, and what fails is found small at once.
  const piece = fc
    .integer({ min: 1, max: 6000 })
    .map((length) => Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 251))
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 12, size: 'max' }),
      // After how many pieces it is known what an early body is for; null: at once.
      fc.option(fc.nat(12)),
      (pieces, knownAfter) => {
        const bodies: Parsed<Buffer>[] = []
        const done = (body: Parsed<Buffer>) =>
          bodies.push(body.ok ? { ok: true, value: Buffer.from(body.value) } : body)
        let hear: (chunk: ArrayBuffer, isLast: boolean) => void = () => {}
        const source = { onData: (heard: typeof hear) => (hear = heard) }
        const body = new RequestBody(source)
        if (knownAfter === null) body.read(done)
        for (const [index, bytes] of pieces.entries()) {
          if (index === knownAfter) body.read(done)
          const lent = new Uint8Array(bytes)
          hear(lent.buffer, index === pieces.length - 1)
          lent.fill(0)
        }
        if (knownAfter !== null && knownAfter >= pieces.length) body.read(done)
        const whole = Buffer.concat(pieces)
        expect(bodies.length).toBe(1)
        if (whole.length > MAX_BODY_BYTES)
          expect(bodies[0]).toMatchObject({ ok: false, error: { statusCode: 413 } })
        else expect(bodies[0]).toEqual({ ok: true, value: whole })
      },
    ),
  )
})

test('a body that does not arrive is answered 408 and the socket closed', async () => {
  const raw = await rawConnect(hasty.server.port)
  raw.socket.write(`${HEAD}Content-Length: 14\r\n\r\n{"ty`)
  await waitUntil(() => raw.isEnded, BEFORE_IDLE_MS)
  expect(raw.isEnded).toBe(true)
  expect(raw.received.toString()).toContain('408 Request Timeout')
  expect(raw.received.toString()).toContain('"code":"body_timeout"')
})

test('a trickling body is cut at the deadline, however lively it is', async () => {
  const raw = await rawConnect(hasty.server.port)
  raw.socket.write(`${HEAD}Content-Length: 1000\r\n\r\n`)
  const trickle = setInterval(() => raw.socket.write(' '), 20)
  await waitUntil(() => raw.isEnded, BEFORE_IDLE_MS)
  clearInterval(trickle)
  expect(raw.received.toString()).toContain('408 Request Timeout')
})

test('clients that vanish during the body leave nothing behind', async () => {
  for (let round = 0; round < 20; round++) {
    const raw = await rawConnect(hasty.server.port)
    raw.socket.write(`${HEAD}Content-Length: 14\r\n\r\n{"ty`)
    await new Promise((resolve) => setTimeout(resolve, 2))
    raw.socket.resetAndDestroy()
  }
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect((await fetch(`${hasty.server.url}/healthz`)).status).toBe(200)
  expect((await post('{}')).status).toBe(200)
})

test('half a request and an idle socket hold up no other client', async () => {
  const half = await rawConnect(fake.server.port)
  half.socket.write('GET /heal')
  const idle = await rawConnect(fake.server.port)
  expect((await fetch(`${fake.server.url}/healthz`)).status).toBe(200)
  half.socket.write('thz HTTP/1.1\r\nHost: x\r\n\r\n')
  await waitUntil(() => half.received.includes('"ok"'))
  expect(half.received.toString()).toContain('200 OK')
  half.socket.destroy()
  idle.socket.destroy()
})

test('pipelined requests are answered in order', async () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const requests = [
    get('/healthz'),
    `${HEAD}Content-Length: 2\r\n\r\n{}`,
    get('/nowhere'),
    'HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    get('/metrics'),
    get('/api/v2/search/tokens/detailed?query=last'),
  ].join('')
  let statuses: (string | undefined)[] = []
  // On a busy machine they may take longer than a turn has: who pipelines is then cut off, and asks again.
  for (let attempt = 0; attempt < ATTEMPTS && statuses.length === 0; attempt++) {
    const text = await exchange(fake.server.port, requests, (got) => got.split('made').length > 2)
    statuses = [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)
  }
  expect(statuses).toEqual(['200', '200', '404', '200', '200', '200'])
})
