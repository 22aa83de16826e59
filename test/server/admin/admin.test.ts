import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import {
  type AdminSource,
  type RunningAdmin,
  startAdmin,
} from '../../../src/server/admin/admin-server.ts'
import { readinessOf } from '../../../src/server/routes/system-routes.ts'
import { BEFORE_IDLE_MS, rawConnect, waitUntil } from '../raw-http.ts'

let admin: RunningAdmin
const snapshots: string[] = []
const logged: string[] = []
afterEach(() => admin?.stop())

const SOURCE: AdminSource = {
  metrics: async () => 'mintfeed_tokens 7\n',
  readiness: () => readinessOf(null, { tokens: 7 }),
  stalls: () => [{ lateMs: 60 }],
  snapshot: async () => {
    snapshots.push('made')
    return 'made'
  },
  seed: null,
  reloadTls: null,
}

async function start(token: string | null = null, changes: Partial<AdminSource> = {}) {
  const log = (_: unknown, message: string) => void logged.push(message)
  admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    token,
    log: { info: log, warn: log, error: log },
    source: { ...SOURCE, ...changes },
  })
}

interface Answer {
  readonly status: number | undefined
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

/** By node:http, since fetch does not let the Host header be chosen. */
const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: admin.port, method, path, headers }
    const sent = request(options, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, body, headers: response.headers }),
      )
    })
    sent.on('error', reject).end()
  })

test('it shows metrics, health and readiness', async () => {
  await start()
  expect(await ask('GET', '/metrics')).toMatchObject({ status: 200, body: 'mintfeed_tokens 7\n' })
  expect((await ask('GET', '/healthz')).status).toBe(200)
  expect((await ask('GET', '/stalls')).body).toBe('[{"lateMs":60}]')
  expect(await ask('GET', '/readyz')).toMatchObject({
    status: 200,
    body: '{"tokens":7,"status":"ready","reason":null,"notice":null}',
  })
  await admin.stop()
  await start(null, { readiness: () => readinessOf('The disk is full.', {}) })
  const readiness = await ask('GET', '/readyz')
  expect(readiness.status).toBe(503)
  expect(readiness.body).toContain('The disk is full.')
})

test('a snapshot is made when it is asked for, and only by POST', async () => {
  await start()
  snapshots.length = 0
  const refused = await ask('GET', '/snapshot')
  expect([refused.status, refused.headers.allow]).toEqual([405, 'POST'])
  expect(snapshots).toEqual([])
  expect((await ask('POST', '/snapshot')).body).toContain('made')
  expect(snapshots).toEqual(['made'])
  await admin.stop()
  await start(null, { snapshot: null })
  expect((await ask('POST', '/snapshot')).status).toBe(409)
})

test('certificates are read again when it is asked for, and the answer says what is wrong with them', async () => {
  await start()
  expect((await ask('POST', '/tls/reload')).status).toBe(409)
  await admin.stop()
  let files = 'read'
  const reloadTls = () => {
    if (files === 'missing') throw new Error('TLS_CERT a.pem cannot be read: ENOENT.')
    return 'New connections get it.'
  }
  await start(null, { reloadTls })
  expect((await ask('GET', '/tls/reload')).status).toBe(405)
  expect(await ask('POST', '/tls/reload')).toMatchObject({
    status: 200,
    body: '{"message":"New connections get it."}',
  })
  files = 'missing'
  expect(await ask('POST', '/tls/reload')).toMatchObject({
    status: 409,
    body: '{"message":"TLS_CERT a.pem cannot be read: ENOENT."}',
  })
})

test('profiles are what browsers open', async () => {
  await start()
  const cpu = await ask('GET', '/profiles/cpu?seconds=1')
  expect(Object.keys(JSON.parse(cpu.body))).toContain('samples')
  const heap = await ask('GET', '/profiles/heap?seconds=1')
  expect(Object.keys(JSON.parse(heap.body))).toContain('head')
  expect((await ask('GET', '/profiles/cpu?seconds=0')).status).toBe(400)
  expect((await ask('GET', '/profiles/cpu?seconds=61')).status).toBe(400)
})

test('without a token a web page gets nothing out of it', async () => {
  await start()
  snapshots.length = 0
  expect((await ask('POST', '/snapshot', { Origin: 'http://evil.example' })).status).toBe(403)
  expect((await ask('GET', '/metrics', { Host: 'evil.example' })).status).toBe(403)
  expect((await ask('GET', '/metrics', { 'Sec-Fetch-Mode': 'no-cors' })).status).toBe(403)
  // A frame, a window that a page opens, a link: no Origin comes with them.
  for (const site of ['cross-site', 'same-site']) {
    const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'navigate' }
    expect((await ask('GET', '/profiles/heap-snapshot', headers)).status).toBe(403)
  }
  const typed = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }
  expect((await ask('GET', '/metrics', typed)).status).toBe(200)
  expect((await ask('GET', '/metrics', { Host: `localhost:${admin.port}` })).status).toBe(200)
  expect(snapshots).toEqual([])
})

test('without a token this machine is called by its own names alone, in full', async () => {
  await start()
  const statusOf = async (Host: string) => (await ask('GET', '/metrics', { Host })).status
  for (const name of ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '[::1]'])
    for (const host of [name, `${name}:9000`])
      expect([host, await statusOf(host)]).toEqual([host, 200])
  const others = [
    'localhost.evil.example',
    'evil-localhost',
    '127.0.0.1.evil.example',
    'a127.0.0.1',
  ]
  for (const host of [...others, '[::1].evil.example', 'localhost:9000.evil.example'])
    expect([host, await statusOf(host)]).toEqual([host, 403])
  const { socket } = await rawConnect(admin.port)
  const answered = new Promise((resolve) => socket.once('data', (text) => resolve(String(text))))
  socket.write('GET /metrics HTTP/1.0\r\n\r\n')
  expect(await answered).toMatch(/^HTTP\/1\.1 403 /)
})

test.skipIf(process.platform !== 'linux')(
  'it listens on the address that it was given and on no other',
  async () => {
    await start()
    const other = connect(admin.port, '127.0.0.2')
    const why = await new Promise((resolve) => {
      other
        .once('connect', () => resolve('connected'))
        .once('error', ({ message }) => resolve(message))
    })
    other.destroy()
    expect(why).toContain('ECONNREFUSED')
  },
)

test('with a token every request has to carry it', async () => {
  await start('a-token-of-some-length')
  const refused = await ask('GET', '/metrics')
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  expect(refused.headers['x-content-type-options']).toBe('nosniff')
  expect((await ask('GET', '/metrics', { Authorization: 'Bearer wrong' })).status).toBe(401)
  const headers = { Authorization: 'Bearer a-token-of-some-length', Host: 'ops.example' }
  expect((await ask('GET', '/metrics', headers)).status).toBe(200)
})

test('the scheme of the token may be in any case, the token may not', async () => {
  await start('a-token-of-some-length')
  const withScheme = (Authorization: string) => ask('GET', '/metrics', { Authorization })
  expect((await withScheme('bearer a-token-of-some-length')).status).toBe(200)
  expect((await withScheme('BEARER a-token-of-some-length')).status).toBe(200)
  expect((await withScheme('Bearer A-token-of-some-length')).status).toBe(401)
  expect((await withScheme('a-token-of-some-length')).status).toBe(401)
  expect((await withScheme('Bearer ')).status).toBe(401)
})

test('what fails is logged and answered without its reason', async () => {
  await start(null, { metrics: () => Promise.reject(new Error('secret')) })
  const answer = await ask('GET', '/metrics')
  expect(answer.status).toBe(500)
  expect(answer.body).not.toContain('secret')
  expect(logged).toContain('an admin request failed')
})

test.each(['/nothing', '//', '//[', 'http://a:b/'])(
  'an unknown path as %s is answered by the list of paths',
  async (path) => {
    await start()
    const answer = await ask('GET', path)
    expect(answer.status).toBe(404)
    expect(answer.body).toContain('POST /snapshot')
  },
)

test('it collects garbage on request', async () => {
  await start()
  // Nothing else holds it: the collection lets it go.
  const gone = new WeakRef({ bytes: new Uint8Array(1000) })
  expect((await ask('POST', '/collect')).status).toBe(200)
  expect(gone.deref()).toBeUndefined()
  expect((await ask('GET', '/collect')).status).toBe(405)
})

test('it takes 64 connections at once and no more, and one that leaves makes room', async () => {
  await start()
  const opened = await Promise.all(Array.from({ length: 64 }, () => rawConnect(admin.port)))
  const refused = await rawConnect(admin.port)
  await waitUntil(() => refused.isEnded, BEFORE_IDLE_MS)
  expect(refused.isEnded).toBe(true)
  expect(opened.filter(({ isEnded }) => isEnded)).toEqual([])
  opened[0].socket.destroy()
  await expect.poll(() => ask('GET', '/healthz').catch(() => null)).toMatchObject({ status: 200 })
  for (const { socket } of opened) socket.destroy()
})

test('64 connections that ask for nothing hold the port for seconds and not for half a minute', async () => {
  await start('a token of sixteen characters or more')
  const silent = await Promise.all(Array.from({ length: 64 }, () => rawConnect(admin.port)))
  // The time for headers, and half a look of Node by itself.
  await waitUntil(() => silent.every(({ isEnded }) => isEnded), 15_000)
  expect(silent.filter(({ isEnded }) => !isEnded).length).toBe(0)
  expect((await ask('GET', '/healthz')).status).toBe(401)
})

test('a look with HEAD whether the process answers is answered', async () => {
  await start()
  expect(await ask('HEAD', '/healthz')).toMatchObject({ status: 200, body: '' })
  expect((await ask('HEAD', '/snapshot')).status).toBe(405)
})

test('a client that leaves in the middle of a heap snapshot ends nothing but that', async () => {
  await start()
  logged.length = 0
  const { socket } = await rawConnect(admin.port)
  socket.once('data', () => socket.destroy())
  socket.write('GET /profiles/heap-snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await expect.poll(() => logged).toEqual(['an admin request failed'])
  expect((await ask('GET', '/healthz')).status).toBe(200)
})

test('a stop waits neither for a profile that takes a minute nor for a silent client', async () => {
  await start()
  const silent = await rawConnect(admin.port)
  const profile = ask('GET', '/profiles/heap?seconds=60').catch(() => 'cut off')
  await ask('GET', '/healthz')
  await admin.stop()
  expect(await profile).toBe('cut off')
  await waitUntil(() => silent.isEnded, BEFORE_IDLE_MS)
  expect(silent.isEnded).toBe(true)
})

test('a port in use is an error of one sentence', async () => {
  await start()
  const { port } = admin
  const log = () => {}
  const again = startAdmin({
    ...{ host: '127.0.0.1', port, token: null, source: SOURCE },
    log: { info: log, warn: log, error: log },
  })
  await expect(again).rejects.toThrow(
    `Cannot listen on ADMIN_PORT 127.0.0.1:${port}: the port is in use: stop what uses it, or give another ADMIN_PORT.`,
  )
})
