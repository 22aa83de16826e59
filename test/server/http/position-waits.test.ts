import { expect, onTestFinished, test } from 'vitest'
import { created, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { EngineServer } from '../engine-server.ts'
import { type FakeService, startFake } from '../fake-service.ts'
import { type RawConnection, rawConnect, waitUntil } from '../raw-http.ts'

const PATH = '/api/v2/search/tokens/detailed?query=a'
const TABLES = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"limit":1}',
}
const PER_ADDRESS = 200

interface Replica extends FakeService {
  seq: number
  epoch: string
  /** Events up to this position are folded. */
  fold(seq: number): void
  waiting(): number
}

/** A server whose position the test sets. */
async function replica(changes: Parameters<typeof startFake>[0] = {}): Promise<Replica> {
  const at = { seq: 10, epoch: 'e1' }
  const position = { epoch: () => at.epoch, seq: () => at.seq }
  const fake = await startFake({ position, ...changes })
  onTestFinished(() => fake.server.stop())
  return Object.assign(at, {
    ...fake,
    fold(seq: number) {
      at.seq = seq
      fake.server.folded()
    },
    waiting: () => Number(fake.server.readiness().fields.min_seq_waiting),
  })
}

function ask(url: string, minSeq: string, path = PATH, init: RequestInit = {}): Promise<Response> {
  return fetch(url + path, { ...init, headers: { ...init.headers, 'x-mintfeed-min-seq': minSeq } })
}

const refusalOf = async (answer: Response) => [answer.status, Object(await answer.json()).code]
const seqOf = ({ headers }: Response) => headers.get('x-mintfeed-seq')

/** Asks for the position 11 from an address behind the proxy. */
function send({ socket }: RawConnection, address: string): void {
  const head = ['Host: x', `X-Forwarded-For: ${address}`, 'X-Mintfeed-Min-Seq: 11']
  socket.write(`GET ${PATH} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
}

test('a request for a position that is reached is answered as any other, and waits for nothing', async () => {
  const at = await replica()
  const plain = await fetch(at.server.url + PATH)
  for (const minSeq of ['0', '10', 'e1:0', 'e1:10']) {
    const answer = await ask(at.server.url, minSeq)
    expect([answer.status, await answer.text(), seqOf(answer)]).toEqual([200, at.body(), '10'])
    expect(answer.headers.get('etag')).toBe(plain.headers.get('etag'))
  }
  expect(at.server.readiness().fields).toMatchObject({ min_seq_waits_total: 0 })
})

test('requests wait for their positions and go on in the turn behind the batch that reaches them', async () => {
  const at = await replica()
  const done: string[] = []
  const tables = ask(at.server.url, '11', '/api/v2/meme', TABLES)
  await waitUntil(() => at.waiting() === 1)
  const asked: Promise<unknown>[] = []
  for (const minSeq of ['12', 'e1:11', '14']) {
    const noted = (answer: Response) => void done.push(`${minSeq} at ${seqOf(answer)}`)
    asked.push(ask(at.server.url, minSeq).then(noted))
    await waitUntil(() => at.waiting() === asked.length + 1)
  }
  expect(at.calls).toEqual([])
  at.fold(11)
  expect((await tables).status).toBe(200)
  await waitUntil(() => done.length === 1)
  at.fold(13)
  await waitUntil(() => done.length === 2)
  expect(at.waiting()).toBe(1)
  at.fold(14)
  await Promise.all(asked)
  expect(done).toEqual(['e1:11 at 11', '12 at 13', '14 at 14'])
  expect(at.calls).toHaveLength(4)
  expect(at.server.readiness().fields).toMatchObject({
    min_seq_waiting: 0,
    min_seq_waits_total: 4,
    min_seq_late_total: 0,
  })
})

test('what waits holds nobody else', async () => {
  const at = await replica()
  const waits = ask(at.server.url, '11')
  await waitUntil(() => at.waiting() === 1)
  expect((await fetch(at.server.url + PATH)).status).toBe(200)
  expect((await ask(at.server.url, '10')).status).toBe(200)
  at.fold(11)
  expect((await waits).status).toBe(200)
})

test('a position that does not come is a 503 that tells both positions', async () => {
  const at = await replica()
  const answers = await Promise.all([
    ask(at.server.url, '99'),
    ask(at.server.url, '99', '/udf/time'),
  ])
  const message = 'The position 99 was asked for, and after 2000 ms the service is at 10.'
  for (const answer of answers) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect([seqOf(answer), answer.headers.get('x-mintfeed-epoch')]).toEqual(['10', 'e1'])
  }
  expect(await answers[0]?.json()).toEqual({
    statusCode: 503,
    error: 'Service Unavailable',
    message,
    code: 'position_not_reached',
    details: [{ path: 'X-Mintfeed-Min-Seq', message }],
  })
  expect(await answers[1]?.json()).toEqual({ s: 'error', errmsg: message })
  expect(at.server.readiness().fields).toMatchObject({ min_seq_waiting: 0, min_seq_late_total: 2 })
})

test('no request waits longer than ANSWER_TIMEOUT', async () => {
  const at = await replica({ limits: { routeDeadlineMs: 30 } })
  expect(await refusalOf(await ask(at.server.url, '11'))).toEqual([503, 'position_not_reached'])
})

test.each([
  ...['-1', '+1', '1.5', '1e3', '01', '0x1', 'x', 'e1:', ':5', 'e1:-1', '5, 6', 'null'],
  ...['9007199254740992', '99999999999999999999', 'e1:9007199254740992'],
])('the position %s is a 400', async (minSeq) => {
  const at = await replica()
  expect(await refusalOf(await ask(at.server.url, minSeq))).toEqual([400, 'invalid_parameter'])
  expect((await ask(at.server.url, minSeq, '/udf/time')).status).toBe(400)
})

test('a position of another epoch is a 409 at once, whether it is reached or not', async () => {
  const at = await replica()
  for (const minSeq of ['e0:1', 'e0:99', 'e1:e1:1']) {
    const answer = await ask(at.server.url, minSeq)
    expect(answer.headers.get('retry-after')).toBeNull()
    expect(await refusalOf(answer)).toEqual([409, 'other_epoch'])
  }
  expect(at.calls).toEqual([])
})

test('an epoch with colons is compared whole', async () => {
  const at = await replica()
  at.epoch = 'a:7'
  expect((await ask(at.server.url, 'a:7:10')).status).toBe(200)
})

test('when another epoch begins, those that wait for one that is gone are refused and the others go by the new one', async () => {
  const at = await replica()
  const old = ask(at.server.url, 'e1:20')
  const plain = ask(at.server.url, '20')
  const far = ask(at.server.url, '30')
  await waitUntil(() => at.waiting() === 3)
  Object.assign(at, { epoch: 'e2', seq: 25 })
  at.server.renew()
  expect(await refusalOf(await old)).toEqual([409, 'other_epoch'])
  expect(seqOf(await plain)).toBe('25')
  await waitUntil(() => at.waiting() === 1)
  at.fold(30)
  expect((await far).status).toBe(200)
})

test('a client that leaves gives its place back at once', async () => {
  const at = await replica({ trustProxy: ['127.0.0.1'] })
  const raw = await rawConnect(at.server.port)
  send(raw, '10.0.0.1')
  await waitUntil(() => at.waiting() === 1)
  raw.socket.destroy()
  await waitUntil(() => at.waiting() === 0)
  expect(at.waiting()).toBe(0)
  at.fold(11)
  await new Promise((resolve) => setImmediate(resolve))
  expect(at.calls).toEqual([])
})

test('one more than an address may have waiting is a 503 at once; another address waits', async () => {
  const at = await replica({ trustProxy: ['127.0.0.1'] })
  // Before the first request: what waits does so for 2 s only.
  const open = Array.from({ length: PER_ADDRESS + 3 }, () => rawConnect(at.server.port))
  const [one, other, after, first, ...rest] = await Promise.all(open)
  for (const raw of [first, ...rest]) send(raw, '10.0.0.1')
  await waitUntil(() => at.waiting() === PER_ADDRESS)
  send(one, '10.0.0.1')
  send(other, '10.0.0.2')
  await waitUntil(() => one.received.includes('}') && at.waiting() === PER_ADDRESS + 1)
  expect(one.received.toString()).toContain(' 503 ')
  expect(one.received.toString()).toContain('Retry-After: 5')
  expect(one.received.toString()).toContain(
    `"code":"overloaded","details":[{"path":"X-Mintfeed-Min-Seq","message":"Your address has ${PER_ADDRESS} requests that wait for a position`,
  )
  first.socket.destroy()
  await waitUntil(() => at.waiting() === PER_ADDRESS)
  send(after, '10.0.0.1')
  await waitUntil(() => at.waiting() === PER_ADDRESS + 1)
  at.fold(11)
  for (const raw of [other, after, ...rest]) {
    await waitUntil(() => raw.received.includes('}'))
    expect(raw.received.toString()).toContain('HTTP/1.1 200 OK')
    raw.socket.destroy()
  }
  one.socket.destroy()
})

test('a stop answers those that wait, and keeps nobody waiting', async () => {
  const at = await replica()
  const kept = await rawConnect(at.server.port)
  const waits = ask(at.server.url, '11')
  await waitUntil(() => at.waiting() === 1)
  const stopped = at.server.stop()
  const answer = await waits
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(await refusalOf(answer)).toEqual([503, 'stopping'])
  await stopped
  expect(at.waiting()).toBe(0)
  kept.socket.destroy()
})

test('paths outside the API and preflights look at no position', async () => {
  const at = await replica()
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect((await ask(at.server.url, '99', path)).status).toBe(200)
  expect((await ask(at.server.url, 'x', PATH, { method: 'OPTIONS' })).status).toBe(204)
  expect((await ask(at.server.url, '99', '/api/v2/nope')).status).toBe(404)
})

test('a service that starts says so, whatever position is asked for', async () => {
  const state = { isStarting: () => true, notReady: () => null, figures: () => ({}) }
  const at = await replica({ state })
  expect(await refusalOf(await ask(at.server.url, '99'))).toEqual([503, 'starting'])
})

const buy = (number: number) =>
  swap({
    ...{ slot: 10 + number, txIndex: 0, timestamp: START_SECOND + number },
    ...{ signature: `s${number}`, mint: 'A' },
  })
const SPAN = `from=${START_SECOND - 60}&to=${START_SECOND + 600}&resolution=1S`
const READS = [
  ...['/api/v2/search/tokens/detailed?query=A', '/api/v2/tokens/A', '/udf/quotes?symbols=A'],
  ...['/api/v2/search/tokens/A/swaps', '/api/v2/search/traders/tokens/A'],
  ...[`/api/v2/meme/chart/ohlcv?mint=A&${SPAN}`, `/udf/history?symbol=A&${SPAN}`],
]

/** Two engines before the same events, of which the second has not got the last ones. */
async function replicas(): Promise<readonly [EngineServer, EngineServer]> {
  const both = [await EngineServer.start(), await EngineServer.start()] as const
  for (const service of both) {
    onTestFinished(() => service.server.stop())
    service.feed([
      { type: 'sol_price', timestamp: START_SECOND, usd: 100 },
      created({ slot: 1, mint: 'A', signature: 'a' }),
      buy(1),
    ])
  }
  return both
}

test.each(READS)(
  'a reader of %s goes to a replica that is behind and never goes back',
  async (path) => {
    const [ahead, behind] = await replicas()
    // The caches of answers and charts have the older answer.
    const older = await behind.text(path)
    ahead.feed([buy(2), buy(3)])
    const first = await fetch(ahead.server.url + path)
    const newest = await first.text()
    const minSeq = `${first.headers.get('x-mintfeed-epoch')}:${seqOf(first)}`
    const second = ask(behind.server.url, minSeq, path)
    const waiting = () => behind.server.readiness().fields.min_seq_waiting
    await waitUntil(() => waiting() === 1)
    behind.feed([buy(2)])
    behind.server.folded()
    expect(waiting()).toBe(1)
    behind.feed([buy(3)])
    behind.server.folded()
    const answer = await second
    expect(await answer.text()).toBe(newest)
    expect(newest).not.toBe(older)
    expect(await (await ask(behind.server.url, minSeq, path)).text()).toBe(newest)
  },
)

test('a chart that is cached goes to those whose position it has, and to no others', async () => {
  const [service] = await replicas()
  const path = READS[5] ?? ''
  const before = await fetch(service.server.url + path)
  const older = await before.text()
  service.feed([buy(2)])
  const seq = Number(seqOf(before))
  expect(await (await ask(service.server.url, `${seq}`, path)).text()).toBe(older)
  const newer = await (await ask(service.server.url, `${seq + 1}`, path)).text()
  expect(newer).not.toBe(older)
  expect(await service.text(path)).toBe(newer)
})
