import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { type ClientOptions, Mintfeed } from '../../client/src/mintfeed.ts'
import { listening } from '../process/free-port.ts'
import { LateSocket } from './late-socket.ts'

/** A replica that answers reads by what a test says of it. */
class ReadReplica {
  url = ''
  epoch = 'e1'
  position = 10
  /** What it answers instead of a market without tokens. */
  status = 200
  /** Does it know of `X-Mintfeed-Min-Seq`? */
  isStrict = false
  /** Of each read: its `X-Mintfeed-Min-Seq`. */
  readonly asked: (string | null)[] = []
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  async start(): Promise<void> {
    this.url = `http://127.0.0.1:${await listening(this.#server)}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer({ headers }: IncomingMessage, response: ServerResponse): void {
    const header = headers['x-mintfeed-min-seq']
    const needed = typeof header === 'string' ? header : null
    this.asked.push(needed)
    const isBehind = this.isStrict && Number(needed) > this.position
    response.setHeader('x-mintfeed-epoch', this.epoch)
    response.setHeader('x-mintfeed-seq', String(this.position))
    response.writeHead(isBehind ? 503 : this.status)
    response.end(this.status === 200 && !isBehind ? '[]' : '{}')
  }
}

let replicas: ReadReplica[] = []
let client: Mintfeed
afterEach(async () => {
  client.close()
  for (const replica of replicas) await replica.stop()
  replicas = []
})

/** A wait would outlast the test. */
const NO_WAIT = { firstMs: 60_000, longestMs: 60_000 }

async function readers(count: number, options: ClientOptions = {}): Promise<ReadReplica[]> {
  replicas = Array.from({ length: count }, () => new ReadReplica())
  for (const replica of replicas) await replica.start()
  client = new Mintfeed(
    replicas.map(({ url }) => url),
    { backoff: NO_WAIT, ...options },
  )
  return replicas
}

const read = () => client.read.search('A')

test('a read goes to the next url where no connection comes about, and further reads begin there', async () => {
  const [first, second] = await readers(2)
  await first.stop()
  const moves: string[] = []
  client.live.onMove(({ to, reason }) => moves.push(`${to} ${reason.code}`))
  expect(await read()).toMatchObject({ ok: true, position: 10 })
  expect(client.replica).toBe(second.url)
  await read()
  expect(moves).toEqual([`${second.url} network`])
  expect(first.asked).toEqual([])
  expect(second.asked).toHaveLength(2)
})

test('a read that another url answers takes no stream there as long as its own connection is open', async () => {
  const socket = new LateSocket()
  const lookEveryMs = Number.POSITIVE_INFINITY
  const [first, second] = await readers(2, { openSocket: () => socket, lookEveryMs })
  void client.live.launches()
  socket.open()
  first.status = 503
  expect(await read()).toMatchObject({ ok: true })
  expect(second.asked).toHaveLength(1)
  expect(client.replica).toBe(first.url)
  expect(socket.isClosed).toBe(false)
})

test.each([500, 502, 503, 504])(
  'a read that is answered %i goes to the next url',
  async (status) => {
    const [first] = await readers(2)
    first.status = status
    expect(await read()).toMatchObject({ ok: true })
  },
)

test.each([400, 404, 410])('a read that is answered %i is not asked elsewhere', async (status) => {
  const [first, second] = await readers(2)
  first.status = status
  expect(await read()).toMatchObject({ ok: false, problem: { status } })
  expect(client.replica).toBe(first.url)
  expect(second.asked).toEqual([])
})

test('a 429 is waited for where it was told: another replica is no way around it', async () => {
  const [first, second] = await readers(2, { rateWaitMs: 0 })
  first.status = 429
  expect(await read()).toMatchObject({ ok: false, problem: { status: 429 } })
  expect(second.asked).toEqual([])
})

test('each of many urls is asked once before there is a wait', async () => {
  const many = await readers(5)
  for (const replica of many.slice(0, 4)) replica.status = 503
  expect(await read()).toMatchObject({ ok: true })
  expect(many.map(({ asked }) => asked.length)).toEqual([1, 1, 1, 1, 1])
})

test('when all urls fail the last problem is the answer', async () => {
  const [first, second] = await readers(2, { backoff: { firstMs: 1, longestMs: 1 } })
  for (const replica of replicas) replica.status = 503
  expect(await read()).toMatchObject({ ok: false, problem: { code: 'http', status: 503 } })
  expect([first.asked.length, second.asked.length]).toEqual([2, 2])
  expect(client.replica).toBe(first.url)
})

test('what a read has to be as new as is told only to a replica that has not said that it is so far', async () => {
  const [first, second] = await readers(2)
  first.position = 20
  await read()
  await read()
  expect(first.asked).toEqual([null, null])
  await first.stop()
  second.position = 25
  await read()
  await read()
  expect(second.asked).toEqual(['20', null])
})

test('a replica that is behind is asked for no older state: the next one is', async () => {
  const [first, second, third] = await readers(3)
  first.position = 20
  second.isStrict = true
  await read()
  first.status = 503
  third.position = 30
  expect(await read()).toMatchObject({ ok: true, position: 30 })
  expect(second.asked).toEqual(['20'])
})

test('an older state is not given out, though the replica knows of no header', async () => {
  const [first, second] = await readers(2, { backoff: { firstMs: 1, longestMs: 1 } })
  first.position = 20
  await read()
  await first.stop()
  expect(await read()).toMatchObject({ ok: false })
  second.position = 20
  expect(await read()).toMatchObject({ ok: true, position: 20 })
})

test('an epoch that ended binds no read of the next one', async () => {
  const [first, second] = await readers(2, { backoff: { firstMs: 1, longestMs: 1 } })
  first.position = 20
  await read()
  await first.stop()
  second.epoch = 'e2'
  second.isStrict = true
  expect(await read()).toMatchObject({ ok: true, position: 10, epoch: 'e2' })
  expect(second.asked).toEqual(['20', null])
})

test('reads that need not be monotonic send no header and take what comes', async () => {
  const [first, second] = await readers(2, { monotonicReads: false })
  first.position = 20
  await read()
  await first.stop()
  expect(await read()).toMatchObject({ ok: true, position: 10 })
  expect(second.asked).toEqual([null])
})

test('a client of one url sends no header, whatever was read', async () => {
  const [only] = await readers(1)
  for (const position of [20, 10]) {
    only.position = position
    expect(await read()).toMatchObject({ ok: true, position })
  }
  expect(only.asked).toEqual([null, null])
})
