import { afterEach, beforeEach, expect, test } from 'vitest'
import { isRecord } from '../../../../src/base/json-access.ts'
import { START_SECOND } from '../../../oracle/fixtures.ts'
import { EngineServer } from '../../engine-server.ts'
import { LiveClient } from '../../live-client.ts'
import { born, trade } from '../../told-events.ts'

let service: EngineServer
beforeEach(async () => {
  service = await EngineServer.start('e1')
  service.feed(['A', 'B', 'C'].map((mint, txIndex) => born(mint, { txIndex })))
})
afterEach(() => service.server.stop())

const at = (mint: string, seconds: number, signer = 'ann') =>
  trade({ mint, timestamp: START_SECOND + seconds, signer })

async function mints(path: string): Promise<unknown[]> {
  const answer = await service.json(path)
  const items = isRecord(answer) && Array.isArray(answer.items) ? answer.items : []
  return items.map((item) => [item.rank, item.mint, item.value])
}

test('tokens trend while they are traded, most first, and leave by the clock alone', async () => {
  service.feed([at('A', 10), at('B', 11), at('B', 12, 'bob')])
  const path = '/api/v2/trending?window=1m&by=trades'
  expect(await mints(path)).toEqual([
    [1, 'B', 2],
    [2, 'A', 1],
  ])
  // The clock goes by events: 60 s behind the trade of A it is out.
  service.feed([at('C', 70)])
  expect(await mints(path)).toEqual([
    [1, 'B', 2],
    [2, 'C', 1],
  ])
  expect(await mints(`${path}&limit=1`)).toEqual([[1, 'B', 2]])
  expect(await mints('/api/v2/trending?window=5m&by=traders')).toEqual([
    [1, 'B', 2],
    [2, 'C', 1],
    [3, 'A', 1],
  ])
})

test.each([
  ['window=2m', 'window came as "2m", allowed are 1m, 5m, 1h, 6h, 24h.'],
  ['by=luck', 'by came as "luck", allowed are volume, trades, traders, price_change, new_holders.'],
  ['limit=0', 'limit came as "0", an integer from 1 to 200 is allowed.'],
])('a list of trending tokens by %s is refused with a sentence', async (query, message) => {
  const response = await fetch(`${service.server.url}/api/v2/trending?${query}`)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'invalid_parameter', message })
})

test('who follows a list of trending tokens has what the answer has, after each delta', async () => {
  service.feed([at('A', 10)])
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const data = { action: 'subscribe', id: 'me', window: '1m', by: 'trades', limit: 2 }
  const subscribed = await client.ask({ event: 'trending', data })
  expect(subscribed).toMatchObject({ type: 'subscribed', event: 'trending', step: 1 })
  expect(await client.next()).toMatchObject({
    type: 'snapshot',
    data: { window: '1m', by: 'trades', items: [{ rank: 1, mint: 'A', value: 1 }] },
  })
  service.feed([at('B', 11), at('B', 12)])
  const path = '/api/v2/trending?window=1m&by=trades&limit=2'
  const now = await service.json(path)
  const items = isRecord(now) && Array.isArray(now.items) ? now.items : []
  expect(await client.next()).toMatchObject({
    ...{ channel: 'trending', type: 'delta', step: 2 },
    data: { items: { leave: [], put: [{ at: 0, row: items[0] }], change: [items[1]] } },
  })
  const table = isRecord(subscribed) ? subscribed.table : ''
  const leave = { event: 'trending', data: { action: 'unsubscribe', id: 'me', table } }
  expect(await client.ask(leave)).toEqual({ type: 'unsubscribed', event: 'trending', table })
  client.close()
})

test.each([
  [{ window: '2m' }, 'data.window came as "2m", allowed are 1m, 5m, 1h, 6h, 24h.'],
  [{ limit: '5' }, 'data.limit came as "5".'],
  [{ table: '0123456789abcdef' }, 'data.table comes with unsubscribe alone.'],
])(
  'a subscription to trending tokens with %j is refused with a sentence',
  async (wrong, message) => {
    const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
    const data = { action: 'subscribe', id: 'me', ...wrong }
    const refused = await client.ask({ event: 'trending', data })
    expect(refused).toEqual({ type: 'error', code: 'invalid_filter', message })
    client.close()
  },
)
