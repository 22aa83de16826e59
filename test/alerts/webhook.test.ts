import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AlertOrders } from '../../src/alerts/alert-orders.ts'
import { readAlertsFile } from '../../src/alerts/alert-rules.ts'
import { AlertService } from '../../src/alerts/alert-service.ts'
import { signatureOf, WEBHOOK_LIMITS, WebhookSender } from '../../src/alerts/webhook.ts'
import { type Network, parseNetwork } from '../../src/base/public-address.ts'
import { newFolder } from '../new-folder.ts'
import { engineOf } from '../store/restoring.ts'
import { hmacHex, type Mood, Receiver } from './receiver.ts'

const SECRET = 'a secret that is long enough'
const NEVER = new AbortController().signal
const BODY = JSON.stringify({ id: 'e:1:r', rule: 'r', seq: 1, epoch: 'e', event: 'test', data: {} })
const LIMIT_MS = 400

function networksOf(texts: readonly string[]): readonly Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text)
    if (network === null) throw new Error(`${text} is no network`)
    return network
  })
}

function senderTo(networks: readonly string[], addresses: readonly string[] = []) {
  const sender = new WebhookSender({
    networks: networksOf(networks),
    resolve: async () => addresses,
    nowSeconds: () => Math.floor(Date.now() / 1000),
    totalMs: LIMIT_MS,
  })
  onTestFinished(() => sender.close())
  return sender
}

async function receiverIn(mood: Mood): Promise<Receiver> {
  const receiver = new Receiver(SECRET)
  receiver.mood = mood
  await receiver.start()
  onTestFinished(() => receiver.stop())
  return receiver
}

test('a signature is the HMAC of the time, a point and the body, as RFC 2104 has it', () => {
  // Test case 2 of RFC 4231.
  expect(hmacHex('Jefe', 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
  expect(signatureOf(SECRET, 1_764_000_000, BODY)).toBe(
    `t=1764000000,v1=${hmacHex(SECRET, `1764000000.${BODY}`)}`,
  )
})

test('a delivery arrives signed, over one connection for several', async () => {
  const receiver = await receiverIn('takes')
  const sender = senderTo(['127.0.0.1'])
  for (let i = 0; i < 3; i++)
    expect(await sender.send({ url: receiver.url, secret: SECRET }, BODY, NEVER)).toEqual({
      ok: true,
      status: 204,
    })
  expect(receiver.taken.map(({ id }) => id)).toEqual(['e:1:r', 'e:1:r', 'e:1:r'])
  expect(receiver.badSignatures).toBe(0)
  // The next one may begin in the turn in which the first connection is not free yet.
  expect(receiver.connections).toBeLessThanOrEqual(2)
})

test.each([
  ['answers 500', 'it answered (500)'],
  ['redirects', 'a redirect, which is not followed (307)'],
  ['stalls', `no answer in ${LIMIT_MS} ms`],
  ['cuts', 'ECONNRESET'],
] as const)('a receiver that %s has not taken the delivery', async (mood, reason) => {
  const receiver = await receiverIn(mood)
  const attempt = await senderTo(['127.0.0.1']).send(
    { url: receiver.url, secret: SECRET },
    BODY,
    NEVER,
  )
  expect(attempt).toEqual({ ok: false, reason })
  expect(receiver.came.length).toBe(1)
})

test('a body that never ends holds up no delivery, and its connection is cut', async () => {
  const sockets = new Set<Socket>()
  let most = 0
  const server = createServer((_request, response) => {
    response.writeHead(200)
    response.write('begun')
  })
  server.on('connection', (socket) => {
    most = Math.max(most, sockets.add(socket).size)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close(() => {}).closeAllConnections())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const sender = senderTo(['127.0.0.1'])
  for (let i = 0; i < 3 * WEBHOOK_LIMITS.bodies; i++)
    expect(
      await sender.send({ url: `http://127.0.0.1:${port}/`, secret: SECRET }, BODY, NEVER),
    ).toMatchObject({ ok: true })
  expect(most).toBeLessThan(2 * WEBHOOK_LIMITS.bodies)
  await expect.poll(() => sockets.size, { timeout: 10_000 }).toBe(0)
})

const NOT_PUBLIC = [
  ...['127.0.0.1', '10.1.2.3', '192.168.0.7', '169.254.169.254', '[::1]', '[fe80::1]', '0.0.0.0'],
  ...['[::ffff:127.0.0.1]', '100.64.0.1', '2130706433', '0x7f.1'],
]

test.each(NOT_PUBLIC)('nothing is sent to %s, which no setting names', async (host) => {
  const receiver = await receiverIn('takes')
  for (const url of [`https://${host}:${receiver.port}/`, `http://${host}:${receiver.port}/`]) {
    const attempt = await senderTo(['10.200.0.0/16']).send({ url, secret: SECRET }, BODY, NEVER)
    expect(attempt).toMatchObject({ ok: false, reason: expect.stringContaining('is not public') })
  }
  expect(receiver.connections).toBe(0)
})

test('a name with one address that is not allowed is not asked, nor is localhost', async () => {
  const receiver = await receiverIn('takes')
  const send = (host: string, addresses: readonly string[], networks: readonly string[] = []) =>
    senderTo(networks, addresses).send(
      { url: `http://${host}:${receiver.port}/`, secret: SECRET },
      BODY,
      NEVER,
    )
  const refused = { ok: false, reason: expect.stringContaining('is not public') }
  expect(await send('hook.example', ['127.0.0.1'])).toMatchObject(refused)
  expect(await send('hook.example', ['127.0.0.1', '10.0.0.1'], ['127.0.0.0/8'])).toMatchObject(
    refused,
  )
  expect(await send('localhost', [])).toMatchObject(refused)
  expect(await send('hook.example', [])).toEqual({ ok: false, reason: 'its host has no address' })
  expect(receiver.connections).toBe(0)
  expect(await send('hook.example', ['127.0.0.1'], ['127.0.0.0/8'])).toMatchObject({ ok: true })
  expect(await send('localhost', [], ['127.0.0.1'])).toMatchObject({ ok: true })
})

test('plain http goes to networks of the setting alone', async () => {
  const send = (url: string, addresses: readonly string[]) =>
    senderTo([], addresses).send({ url, secret: SECRET }, BODY, NEVER)
  const refused = { ok: false, reason: expect.stringContaining('use https') }
  expect(await send('http://8.8.8.8/', [])).toMatchObject(refused)
  expect(await send('http://hook.example/', ['8.8.8.8'])).toMatchObject(refused)
})

test.each([
  ['http://127.0.0.1:1/x', [], '127.0.0.1 is not public'],
  ['https://10.0.0.1/x', ['127.0.0.1'], '10.0.0.1 is not public'],
  ['https://[::1]/', [], '::1 is not public'],
  ['https://localhost/', [], '127.0.0.1 is not public'],
  ['http://8.8.8.8/', ['10.0.0.0/8'], 'does not name 8.8.8.8: use https'],
  ['http://hook.example/', [], 'does not name hook.example: use https'],
  ['http://127.0.0.1:1/x', ['127.0.0.0/8'], null],
  ['https://8.8.8.8/', [], null],
  ['http://hook.example/', ['10.0.0.0/8'], null],
  ['https://hook.example/', [], null],
] as const)(
  'a rule for %s where %j is allowed is refused as that says: %s',
  async (url, networks, reason) => {
    const path = join(newFolder(), 'alerts.json')
    const log = () => {}
    const service = new AlertService({
      ...{ path: null, file: null, retryMs: 1_000, engine: engineOf('event') },
      ...{ networks: networksOf(networks), journalSeq: () => 0, publish: log, nowMs: Date.now },
      log: { info: log, warn: log, error: log },
    })
    onTestFinished(() => service.close())
    service.recovered('e')
    const orders = new AlertOrders(service, () => true)
    const rule = { id: 'r', when: { kind: 'migration' }, to: { webhook: { url, secret: SECRET } } }
    writeFileSync(path, JSON.stringify({ rules: [rule] }))
    const read = () => readAlertsFile(path, networksOf(networks))
    if (reason === null) {
      expect(await orders.create(rule)).toMatchObject({ id: 'r' })
      return expect(read()).toMatchObject([{ id: 'r' }])
    }
    const refused = {
      refused: 'invalid',
      message: expect.stringMatching(/^to\.webhook\.url cannot be used: .*ALERTS_NETWORKS.*\.$/),
    }
    expect(await orders.create(rule)).toEqual(refused)
    expect(await orders.create(rule)).toHaveProperty('message', expect.stringContaining(reason))
    expect(read).toThrow(reason)
    await orders.create({ ...rule, to: { live: true } })
    expect(await orders.replace('r', rule)).toEqual(refused)
  },
)
