import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { checkTlsFiles } from '../../../src/server/sockets/tls-files.ts'
import { HAS_OPENSSL, makeCertificate } from '../certificates.ts'
import { type FakeService, startFake } from '../fake-service.ts'
import { LiveClient } from '../live-client.ts'
import { waitUntil } from '../raw-http.ts'

/** Limits of the server, private to their files. */
const MAX_CERTIFICATES = 64

const tlsTest = test.skipIf(!HAS_OPENSSL)

const one = makeCertificate('one')
const two = makeCertificate('two')

let fake: FakeService
afterEach(() => fake?.server.stop())

const secure = (agent: Agent) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const options = { agent, rejectUnauthorized: false }
    get(`${fake.server.url}/healthz`, options, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
    }).on('error', reject)
  })

/** The name on the certificate that a new connection is shown; no server name is sent. */
const shown = () =>
  new Promise<string>((resolve, reject) => {
    const options = { port: fake.server.port, host: '127.0.0.1', rejectUnauthorized: false }
    const socket: TLSSocket = connect(options, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    }).on('error', reject)
  })

const open = () => LiveClient.open(`${fake.server.wsUrl}?id=me`, { rejectUnauthorized: false })

const follow = (mint: string) => ({
  event: 'update_mint_info',
  data: { action: 'subscribe', id: 'me', mint },
})

tlsTest('HTTP and live feed speak TLS', async () => {
  fake = await startFake({ tls: one })
  expect(fake.server.url).toMatch(/^https:/)
  expect((await secure(new Agent())).body).toBe('{"status":"ok"}')
  const client = await open()
  await client.ask(follow('A'))
  fake.live.trade('A', { n: 1 })
  expect(await client.next()).toMatchObject({ data: { n: 1 } })
  client.close()
})

tlsTest(
  'a new certificate is shown to new connections and drops none of the old ones',
  async () => {
    fake = await startFake({ tls: one })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await secure(agent)
    const old = await open()
    await old.ask(follow('A'))
    expect(await shown()).toBe('one')
    fake.server.changeTls(two)
    expect(await shown()).toBe('two')
    const young = await open()
    await young.ask(follow('A'))
    fake.live.trade('A', { n: 1 })
    expect(await old.next()).toMatchObject({ data: { n: 1 } })
    expect(await young.next()).toMatchObject({ data: { n: 1 } })
    // The connection that was kept alive goes on under its old certificate.
    expect((await secure(agent)).status).toBe(200)
    expect(await old.ask({ type: 'ping' })).toEqual({ type: 'pong' })
    old.close()
    young.close()
    agent.destroy()
  },
)

tlsTest('certificates change under load and not one request fails', async () => {
  fake = await startFake({ tls: one })
  let isOver = false
  let answered = 0
  const load = async () => {
    while (!isOver) {
      expect((await secure(new Agent())).status).toBe(200)
      answered++
    }
  }
  const loads = [load(), load(), load(), load()]
  for (let change = 0; change < 20; change++) {
    const before = answered
    fake.server.changeTls(change % 2 === 0 ? two : one)
    await waitUntil(() => answered > before + 5)
  }
  isOver = true
  await Promise.all(loads)
  expect(answered).toBeGreaterThan(100)
})

tlsTest(
  'connections of certificates long gone stay; one certificate too many is refused',
  async () => {
    fake = await startFake({ tls: one })
    const oldest = await open()
    await oldest.ask(follow('A'))
    for (let change = 1; change < MAX_CERTIFICATES; change++) {
      fake.server.changeTls(change % 2 === 0 ? one : two)
      fake.server.changeTls(change % 2 === 0 ? one : two)
    }
    // The same files again are no further certificate.
    fake.server.changeTls(two)
    expect(() => fake.server.changeTls(one)).toThrow(/^The service has read .+ restart it .+\.$/)
    expect(await shown()).toBe('two')
    fake.live.trade('A', { n: 1 })
    expect(await oldest.next()).toMatchObject({ data: { n: 1 } })
    oldest.close()
  },
)

tlsTest('the connections of all certificates count together until they close', async () => {
  fake = await startFake({ tls: one, limits: { sockets: 3 } })
  const figures = () => fake.server.readiness().fields
  const [old, other] = [await open(), await open()]
  fake.server.changeTls(two)
  const young = await open()
  expect(figures()).toMatchObject({ sockets: 3, live_connections: 3, sockets_refused_total: 0 })
  await expect(open()).rejects.toThrow()
  await expect.poll(figures).toMatchObject({ sockets: 3, sockets_refused_total: 1 })
  for (const [left, client] of [other, young, old].entries()) {
    client.close()
    await client.closed
    await expect.poll(figures).toMatchObject({ sockets: 2 - left, live_connections: 2 - left })
  }
  expect((await secure(new Agent())).status).toBe(200)
})

tlsTest('stop closes the connections of every certificate with 1012', async () => {
  fake = await startFake({ tls: one })
  const old = await open()
  fake.server.changeTls(two)
  const young = await open()
  await fake.server.stop()
  expect((await old.closed).code).toBe(1012)
  expect((await young.closed).code).toBe(1012)
})

tlsTest(
  'files that are no certificate with its key are refused with a sentence without contents',
  () => {
    const mixed = makeCertificate('mixed')
    expect(checkTlsFiles(mixed)).toBeGreaterThan(Date.now() / 1000)
    copyFileSync(two.keyFile, mixed.keyFile)
    expect(() => checkTlsFiles(mixed)).toThrow(/^TLS_CERT .+ own key\.$/)
    copyFileSync(makeCertificate('rsa', undefined, ['rsa:2048']).keyFile, mixed.keyFile)
    expect(() => checkTlsFiles(mixed)).toThrow(/^TLS_CERT .+ own key\.$/)
    writeFileSync(mixed.certFile, 'nonsense')
    expect(() => checkTlsFiles(mixed)).toThrow(/^TLS_CERT .+ own key\.$/)
    expect(() => checkTlsFiles({ ...mixed, keyFile: '/nowhere/key.pem' })).toThrow(
      /^TLS_KEY \/nowhere\/key\.pem cannot be read: ENOENT\.$/,
    )
  },
)

tlsTest.each(['pkcs8 -topk8 -v2 aes128', 'ec -aes128'])(
  'a key with a passphrase is refused with a sentence that says so (%s)',
  (how) => {
    const { certFile, keyFile, folder } = makeCertificate('locked')
    const locked = join(folder, 'locked.pem')
    const asked = [...how.split(' '), '-in', keyFile, '-out', locked, '-passout', 'pass:secret']
    execFileSync('openssl', asked, { stdio: 'ignore' })
    expect(() => checkTlsFiles({ certFile, keyFile: locked })).toThrow(
      `TLS_KEY ${locked} has a passphrase, which nobody is asked for: give the key without one.`,
    )
  },
)

const UNSERVED: readonly (readonly [key: string, how: readonly string[]])[] = [
  ['secp256k1', ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1']],
  ['Ed448', ['ed448']],
  ['RSA-PSS', ['rsa-pss']],
]

tlsTest(
  'a certificate that cannot be served is refused with what can, also at a change',
  async () => {
    fake = await startFake({ tls: one })
    const marked = makeCertificate('marked')
    writeFileSync(marked.certFile, `\ufeff${readFileSync(marked.certFile, 'utf8')}`)
    const unserved = UNSERVED.map(([key, how]) => makeCertificate(key, undefined, how))
    for (const files of [marked, ...unserved]) {
      // Node itself takes it.
      checkTlsFiles(files)
      const sentence = `TLS_CERT ${files.certFile} and TLS_KEY ${files.keyFile} cannot be served`
      expect(() => fake.server.changeTls(files)).toThrow(sentence)
      await expect(startFake({ tls: files })).rejects.toThrow(sentence)
    }
    expect(await shown()).toBe('one')
    for (const key of [
      ['ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1'],
      ['ed25519'],
      ['rsa:2048'],
    ]) {
      fake.server.changeTls(makeCertificate(key[0], undefined, key))
      expect(await shown()).toBe(key[0])
    }
  },
)
