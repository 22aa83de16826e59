import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { readinessOf } from '../../src/server/routes/system-routes.ts'
import { addressOf } from '../address-of.ts'
import { balance, created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { listening } from '../process/free-port.ts'
import { EngineServer } from '../server/engine-server.ts'

const QUICK = { backoff: { firstMs: 1, longestMs: 4 } }

async function engine(changes: Parameters<typeof EngineServer.start>[2] = {}) {
  const service = await EngineServer.start('e1', undefined, changes)
  onTestFinished(() => service.server.stop())
  service.feed([created({ slot: 1, mint: 'A' }), swap({ mint: 'A', slot: 5, txIndex: 0 })])
  // A holder who never traded: some of its times are null.
  service.feed([balance({ mint: 'A', wallet: 'handed', slot: 6 })])
  const client = new Mintfeed(`${service.server.url}/`, QUICK)
  onTestFinished(() => client.close())
  return { service, client }
}

/** A service by hand; the requests it got. */
async function scripted(answer: RequestListener, options = {}) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  const client = new Mintfeed(`http://127.0.0.1:${await listening(server)}`, {
    ...QUICK,
    ...options,
  })
  onTestFinished(() => {
    client.close()
    server.closeAllConnections()
    server.close()
  })
  return { client, asked }
}

const RANGE = { from: START_SECOND - 60, to: START_SECOND + 60 }

test('every read is what the service answers at its path, with position and epoch', async () => {
  const { service, client } = await engine()
  const { read } = client
  const chart = { mint: 'A', resolution: '1', ...RANGE } as const
  const span = `from=${RANGE.from}&to=${RANGE.to}`
  const reads = [
    [read.search('name'), '/api/v2/search/tokens/detailed?query=name'],
    [
      read.marketData(['A', addressOf('B')]),
      `/api/v2/search/tokens/x/market-data?mints=A,${addressOf('B')}`,
    ],
    [
      read.swaps('A', { limit: 3, wallet: 'alice' }),
      '/api/v2/search/tokens/A/swaps?limit=3&wallet=alice',
    ],
    [read.swapsByCursor('A'), '/api/v2/search/tokens/A/swaps?cursor=start'],
    [
      read.tokenTraders('A', { orderBy: 'holding_amount', orderDirection: 'asc' }),
      '/api/v2/search/traders/tokens/A?order_by=holding_amount&order_direction=asc',
    ],
    [read.walletTokens('alice', { page: 2 }), '/api/v2/search/traders/alice/tokens?page=2'],
    [
      read.chart({ ...chart, continuous: true, fill: 'previous', countback: 3 }),
      `/api/v2/meme/chart/ohlcv?mint=A&resolution=1&${span}&continuous=1&fill=previous&countback=3`,
    ],
    [read.search('name', { extra: true }), '/api/v2/search/tokens/detailed?query=name&extra=1'],
    [
      read.marketData(['A'], { extra: false }),
      '/api/v2/search/tokens/x/market-data?mints=A&extra=0',
    ],
    [
      read.swapsByCursor('A', { extra: true }),
      '/api/v2/search/tokens/A/swaps?extra=1&cursor=start',
    ],
    [read.walletTokens('alice', { extra: true }), '/api/v2/search/traders/alice/tokens?extra=1'],
    [read.walletTags(), '/api/v2/wallets/tags'],
    [read.alerts(), '/api/v2/alerts'],
    [read.alerts({ after: 3, rule: 'r' }), '/api/v2/alerts?after=3&rule=r'],
    [read.token('A'), '/api/v2/tokens/A'],
    [read.holders('A'), '/api/v2/tokens/A/holders'],
    [read.firstBuyers('A', { limit: 1 }), '/api/v2/tokens/A/first-buyers?limit=1'],
    [read.prices(['A', addressOf('B')]), `/api/v2/prices?mints=A,${addressOf('B')}`],
    [read.priceAt('A', RANGE.to), `/api/v2/prices/A?at=${RANGE.to}`],
    [read.holderHistory('A', '1'), '/api/v2/tokens/A/holders/history?resolution=1'],
    [read.creator('creator', { limit: 2 }), '/api/v2/creators/creator?limit=2'],
    [read.wallet('alice'), '/api/v2/wallets/alice'],
    [
      read.walletsTop({ window: 'all', by: 'volume', limit: 3 }),
      '/api/v2/wallets/top?window=all&by=volume&limit=3',
    ],
    [read.udfConfig(), '/udf/config'],
    [read.udfSymbol('A'), '/udf/symbols?symbol=A'],
    [read.udfQuotes(['A', 'nobody']), '/udf/quotes?symbols=A%2Cnobody'],
    [read.udfSearch('sym', 5), '/udf/search?query=sym&limit=5'],
    [
      read.udfHistory({ symbol: 'A', resolution: 'D', ...RANGE }),
      `/udf/history?symbol=A&resolution=D&${span}`,
    ],
  ] as const
  for (const [answer, path] of reads)
    expect(await answer, path).toEqual({
      ok: true,
      data: await service.json(path),
      position: service.engine.seq,
      epoch: 'e1',
    })
  expect(await read.tables({ type: 'new' })).toMatchObject({ data: { new: [{ mint: 'A' }] } })
  expect(await read.udfTime()).toMatchObject({ ok: true, data: expect.stringMatching(/^\d+$/) })
  expect(await read.ready()).toMatchObject({ ok: true })
})

test('swaps by cursor begin at the start for a loop that has no cursor yet', async () => {
  const { client } = await engine()
  let cursor: string | undefined
  const first = await client.read.swapsByCursor('A', { cursor, limit: 1 })
  expect(first).toMatchObject({ ok: true, data: { total: 1, items: [{ mint: 'A' }] } })
})

test('a refusal is a problem with the code, sentence and place that the service gave', async () => {
  const { client } = await engine()
  expect(await client.read.search(' ')).toMatchObject({
    ok: false,
    problem: { status: 400, code: 'invalid_parameter', details: [{ path: 'query' }] },
  })
  expect(await client.read.token('half \ud800 pair/..')).toMatchObject({
    ok: false,
    problem: {
      status: 400,
      code: 'invalid_parameter',
      message: expect.stringContaining('mint came as "half \ufffd pair/.."'),
    },
  })
  expect(await client.read.token(addressOf('nobody'))).toMatchObject({
    ok: false,
    problem: { status: 404, code: 'not_found' },
  })
  expect(await client.read.udfSymbol('nobody')).toMatchObject({
    ok: false,
    problem: { status: 404, code: 'http', message: 'unknown_symbol' },
  })
})

test('more reads than the rate limit allows all come, by waiting', async () => {
  const { client } = await engine({ rateLimit: { limit: 3, windowMs: 1_000 } })
  for (const round of [1, 2]) {
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.read.token('A')))
    expect(
      answers.map(({ ok }) => ok),
      `round ${round}`,
    ).toEqual([true, true, true, true])
  }
})

test('a rate limit that is too far away is told at once, and spares the service', async () => {
  const refused: RequestListener = (_, response) => {
    response.writeHead(429, { 'retry-after': '3600' })
    response.end('{"statusCode":429,"code":"rate_limited","message":"m","details":[]}')
  }
  const { client, asked } = await scripted(refused)
  for (const _ of [1, 2, 3])
    expect(await client.read.udfConfig()).toMatchObject({
      problem: { code: 'rate_limited', status: 429 },
    })
  expect(asked.length).toBe(1)
})

test.each(['0', '-1', 'Wed, 21 Oct 2026 07:28:00 GMT'])(
  'a 429 that says to come back after "%s" is asked again once a second, not without a pause',
  async (after) => {
    const refuse: RequestListener = (_, response) => {
      response.writeHead(429, { 'retry-after': after })
      response.end('{"statusCode":429,"code":"rate_limited","message":"m","details":[]}')
    }
    const { client, asked } = await scripted(refuse, { rateWaitMs: 1_500 })
    expect(await client.read.token('A')).toMatchObject({ problem: { status: 429 } })
    expect(asked).toHaveLength(2)
  },
)

test.each([
  ['no JSON', 200, '<html>', 'invalid_answer', 1],
  ['another shape', 200, '[{"mint":1}]', 'invalid_answer', 1],
  ['a page of a proxy', 502, '<html>', 'http', 3],
  ['a service that starts', 503, '{"code":"starting","message":"m","details":[]}', 'starting', 3],
])('an answer that is %s is a problem', async (_, status, body, code, attempts) => {
  const { client, asked } = await scripted((__, response) => response.writeHead(status).end(body))
  const answer = await client.read.search('name')
  expect(answer).toMatchObject({ ok: false, problem: { code, status } })
  expect(asked.length).toBe(attempts)
})

test('a service that cannot be reached is told with the reason that the platform keeps below', async () => {
  const reason = new Error('connect ECONNREFUSED 127.0.0.1:9')
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: reason }))
  const nobody = new Mintfeed('http://127.0.0.1:9', { ...QUICK, fetch })
  const message = 'The service cannot be reached: fetch failed (connect ECONNREFUSED 127.0.0.1:9).'
  expect(await nobody.read.token('A')).toMatchObject({ problem: { code: 'network', message } })
})

test('without waits for the rate limit, what failed on the way is tried three times all the same', async () => {
  const { client, asked } = await scripted((_, response) => response.writeHead(502).end(), {
    rateWaitMs: 0,
  })
  expect(await client.read.token('A')).toMatchObject({ ok: false, problem: { status: 502 } })
  expect(asked.length).toBe(3)
})

test('a service that is not ready is told with its reason', async () => {
  const { fields } = readinessOf('No feed is connected.', { swaps: 1 })
  const { client } = await scripted((_, response) =>
    response.writeHead(503).end(JSON.stringify(fields)),
  )
  expect(await client.read.ready()).toMatchObject({
    ok: false,
    problem: { code: 'not_ready', status: 503, message: 'No feed is connected.' },
  })
})

test('no service, a service that never answers, and a closed client are problems', async () => {
  const nobody = new Mintfeed('http://127.0.0.1:1', QUICK)
  expect(await nobody.read.token('A')).toMatchObject({ problem: { code: 'network', status: 0 } })
  const { client } = await scripted(() => {}, { requestTimeoutMs: 30 })
  expect(await client.read.token('A')).toMatchObject({ problem: { code: 'timeout' } })
  const patient = await scripted(() => {})
  const waiting = patient.client.read.token('A')
  patient.client.close()
  expect(await waiting).toMatchObject({ problem: { code: 'closed' } })
  expect(await patient.client.read.token('A')).toMatchObject({ problem: { code: 'closed' } })
  expect(await new Mintfeed('no url').read.token('A')).toMatchObject({
    problem: { code: 'network' },
  })
})
