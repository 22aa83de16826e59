import { afterEach, beforeEach, expect, test } from 'vitest'
import { Mintfeed, type Problem } from '../../client/src/mintfeed.ts'
import { addressOf } from '../address-of.ts'
import { created } from '../oracle/fixtures.ts'
import { EngineServer } from '../server/engine-server.ts'
import { gathered } from './gathered.ts'

/** Bytes of a client's message at most (docs/live.md). */
const MESSAGE_BYTES_MAX = 64 * 1024
const REFUSED = { kind: 'refused', problem: { code: 'message_too_long' } }

let service: EngineServer
let client: Mintfeed
let problems: Problem[]
beforeEach(async () => {
  service = await EngineServer.start()
  client = new Mintfeed(service.server.url)
  problems = []
  client.live.onProblem((problem) => problems.push(problem))
})
afterEach(async () => {
  client.close()
  await service.server.stop()
})

const giants: readonly (readonly [string, (live: Mintfeed['live']) => AsyncIterator<unknown>])[] = [
  ['a mint', (live) => live.trades('x'.repeat(MESSAGE_BYTES_MAX))],
  ['a wallet of CJK', (live) => live.walletTrades('超'.repeat(MESSAGE_BYTES_MAX / 3))],
  ['candles', (live) => live.candles('x'.repeat(MESSAGE_BYTES_MAX), '1')],
  ['an epoch', (live) => live.launches({ from: { seq: 1, epoch: 'e'.repeat(MESSAGE_BYTES_MAX) } })],
]

test.each(giants)(
  'what no message has room for (%s) is refused, and the streams beside it go on',
  async (_, follow) => {
    const other = client.live.migrations()
    await other.next()
    const giant = follow(client.live)
    expect((await giant.next()).value).toMatchObject(REFUSED)
    expect((await giant.next()).done).toBe(true)
    const next = client.live.trades(addressOf('A'))
    expect((await next.next()).value).toMatchObject({ kind: 'snapshot' })
    expect(problems).toEqual([])
    expect(client.live.status).toMatchObject({ connections: 1, disconnects: 0 })
    for (const stream of [other, next]) stream.close()
    expect(client.live.status).toMatchObject({ connections: 0 })
  },
)

test('of mints that are asked for together each is judged by itself', async () => {
  const [fits, long, giant] = [100, MESSAGE_BYTES_MAX / 2, MESSAGE_BYTES_MAX]
  const mints = [fits, long, giant, fits + 1].map((length) => 'x'.repeat(length))
  // A feed told two of them.
  service.feed([created({ slot: 1, mint: mints[0] }), created({ slot: 2, mint: mints[3] })])
  const updates = gathered(client.live.trades(mints))
  await expect.poll(() => updates.length, { timeout: 5_000 }).toBe(mints.length)
  const told = new Map(updates.map((update) => [update.key, update]))
  expect(mints.map((mint) => told.get(mint))).toMatchObject([
    { kind: 'snapshot' },
    { kind: 'refused', problem: { code: 'invalid_mint' } },
    REFUSED,
    { kind: 'snapshot' },
  ])
  expect(client.live.status).toMatchObject({ connections: 1, disconnects: 0 })
})

test.each(['b'.repeat(127), 'b'.repeat(128), '🐸'.repeat(128)])(
  'a client whose id is as long as one may be (%s) has further connections too',
  async (id) => {
    client.close()
    client = new Mintfeed(service.server.url, { id })
    client.live.onProblem((problem) => problems.push(problem))
    const streams = Array.from({ length: 12 }, () => client.live.migrations())
    for (const stream of streams)
      expect((await stream.next()).value).toMatchObject({ kind: 'snapshot' })
    expect(client.live.status).toMatchObject({ connections: 12, open: 12 })
    expect(problems).toEqual([])
  },
)
