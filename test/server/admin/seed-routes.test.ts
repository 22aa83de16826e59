import { type IncomingHttpHeaders, request } from 'node:http'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { startAdmin } from '../../../src/server/admin/admin-server.ts'
import type { SeedPort } from '../../../src/server/admin/seed-routes.ts'
import { rawConnect, waitUntil } from '../raw-http.ts'

const BODY = 'the bytes of a file'
const TAG = 'a-tag'
const NAME = '/seed/some-file'
const CLOSED_MS = 20_000

/** A port with one file; counts what is open of it. */
function givingPort() {
  const port = {
    open: 0,
    names: [] as string[],
    bytes: Buffer.from(BODY),
  }
  const seed: SeedPort = {
    list: () => ({ snapshots: [] }),
    open: async (name) => {
      port.names.push(name)
      if (`/seed/${name}` !== NAME) return null
      port.open += 1
      return {
        bytes: port.bytes.length,
        tag: TAG,
        read: (from, to) =>
          Readable.from([port.bytes.subarray(from, to + 1)]).once('close', () => {
            port.open -= 1
          }),
        close: async () => {
          port.open -= 1
        },
      }
    },
  }
  return { port, seed }
}

async function start(seed: (() => SeedPort | null) | null) {
  const logged: string[] = []
  const log = (_: unknown, message: string) => void logged.push(message)
  const admin = await startAdmin({
    ...{ host: '127.0.0.1', port: 0, token: null, log: { info: log, warn: log, error: log } },
    source: {
      metrics: async () => '',
      readiness: () => ({ statusCode: 200, fields: {} }),
      stalls: () => [],
      snapshot: null,
      seed,
      reloadTls: null,
    },
  })
  onTestFinished(() => admin.stop())
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status?: number; body: string; headers: IncomingHttpHeaders }>(
      (resolve, reject) => {
        const options = { host: '127.0.0.1', port: admin.port, method, path, headers }
        const sent = request(options, (response) => {
          let body = ''
          response.on('data', (part: Buffer) => {
            body += part.toString()
          })
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
          )
        })
        sent.on('error', reject).end()
      },
    )
  return { ask, admin, logged }
}

test('a file comes whole, with what it is known by', async () => {
  const { port, seed } = givingPort()
  const { ask } = await start(() => seed)
  const { status, body, headers } = await ask(NAME)
  expect([status, body]).toEqual([200, BODY])
  expect(headers).toMatchObject({
    ...{ etag: `"${TAG}"`, 'accept-ranges': 'bytes', 'content-length': String(BODY.length) },
    'cache-control': 'no-store, no-transform',
  })
  expect(port.open).toBe(0)
})

test.each([
  { range: 'bytes=4-', status: 206, from: 4, to: 18 },
  { range: 'bytes=0-', status: 206, from: 0, to: 18 },
  { range: 'bytes=4-8', status: 206, from: 4, to: 8 },
  { range: 'bytes=18-99', status: 206, from: 18, to: 18 },
  { range: 'bytes=18-999999999999999', status: 206, from: 18, to: 18 },
])('of the range $range come the bytes $from to $to', async ({ range, status, from, to }) => {
  const { port, seed } = givingPort()
  const { ask } = await start(() => seed)
  for (const headers of [{ range }, { range, 'if-range': `"${TAG}"` }]) {
    const answer = await ask(NAME, headers)
    expect([answer.status, answer.body]).toEqual([status, BODY.slice(from, to + 1)])
    expect(answer.headers['content-range']).toBe(`bytes ${from}-${to}/${BODY.length}`)
  }
  expect(port.open).toBe(0)
})

test('a range behind the end is answered 416, with the length that there is', async () => {
  const { port, seed } = givingPort()
  const { ask } = await start(() => seed)
  const { status, body, headers } = await ask(NAME, { range: `bytes=${BODY.length}-` })
  expect([status, body, headers['content-range']]).toEqual([416, '', `bytes */${BODY.length}`])
  expect(port.open).toBe(0)
})

test.each([
  'bytes=8-4',
  'bytes=-4',
  'bytes=0-1,4-5',
  'lines=1-2',
  'bytes=a-',
  'bytes=99999999999999999999-',
])('the range %s, which is none that it gives, is answered by the whole file', async (range) => {
  const { seed } = givingPort()
  const { ask } = await start(() => seed)
  const { status, body } = await ask(NAME, { range })
  expect([status, body]).toEqual([200, BODY])
})

test('the rest of another file is not given: all of the present one comes', async () => {
  const { seed } = givingPort()
  const { ask } = await start(() => seed)
  for (const other of ['"other"', `W/"${TAG}"`, TAG, 'Sat, 28 Nov 2026 00:00:00 GMT']) {
    const { status, body } = await ask(NAME, { range: 'bytes=4-', 'if-range': other })
    expect([status, body]).toEqual([200, BODY])
  }
})

test('HEAD tells of the whole file and reads none of it', async () => {
  const { port, seed } = givingPort()
  const { ask } = await start(() => seed)
  const { status, body, headers } = await ask(NAME, { range: 'bytes=4-' }, 'HEAD')
  expect([status, body, headers['content-length']]).toEqual([200, '', String(BODY.length)])
  expect(port.open).toBe(0)
})

test('without such a file, a data folder or a market the answer says which', async () => {
  const { port, seed } = givingPort()
  const { ask } = await start(() => seed)
  expect(await ask('/seed')).toMatchObject({ status: 200, body: '{"snapshots":[]}' })
  expect((await ask('/seed/other')).status).toBe(404)
  expect((await ask('/seed/')).status).toBe(404)
  expect(port.names).toEqual(['other', ''])
  expect((await ask('/seed', {}, 'POST')).status).toBe(405)
  const starting = await start(() => null)
  const nothing = await start(null)
  for (const path of ['/seed', NAME]) {
    expect(await starting.ask(path)).toMatchObject({ status: 503 })
    expect(await nothing.ask(path)).toMatchObject({
      status: 409,
      body: '{"message":"DATA_DIR is none."}',
    })
  }
})

test('who leaves in the middle is no fault, and nothing stays open', async () => {
  const { port, seed } = givingPort()
  port.bytes = Buffer.alloc(64 << 20, 'x')
  const { admin, logged } = await start(() => seed)
  const { socket } = await rawConnect(admin.port)
  socket.once('data', () => socket.destroy())
  socket.write(`GET ${NAME} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await waitUntil(() => port.names.length > 0 && port.open === 0, CLOSED_MS)
  expect([port.open, logged]).toEqual([0, []])
})
