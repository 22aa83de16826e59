import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf } from '../../address-of.ts'
import { balance, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { EngineServer } from '../engine-server.ts'
import { errorOf } from '../error-json.ts'

const DAY = 86_400
/** Of the trades: the day of the last one is today. */
const TODAY = START_SECOND + 40 * DAY

let service: EngineServer
let places = 0

const at = (seconds: number, over: Parameters<typeof swap>[0]) => {
  places += 1
  return swap({ slot: 1_000 + places, timestamp: seconds, signer: 'alice', ...over })
}
const sell = (seconds: number, mint: string, baseRaw: bigint, quoteRaw: bigint) =>
  at(seconds, { mint, direction: 'sell', baseRaw, quoteRaw })

beforeAll(async () => {
  service = await EngineServer.start()
  service.feed([
    price(100),
    // 40 days ago: won 100 dollars in a minute.
    at(START_SECOND, { mint: 'old' }),
    sell(START_SECOND + 60, 'old', 100_000_000n, 2_000_000_000n),
    // Bought for 100 six days ago, half of it sold for 30 then, and half for 10 today.
    at(TODAY - 6 * DAY, { mint: 'loser' }),
    sell(TODAY - 6 * DAY + 10, 'loser', 50_000_000n, 300_000_000n),
    sell(TODAY + 5, 'loser', 50_000_000n, 100_000_000n),
    // A win of yesterday that was bought again: it is open.
    at(TODAY - DAY, { mint: 'again' }),
    sell(TODAY - DAY + 30, 'again', 100_000_000n, 1_500_000_000n),
    at(TODAY - DAY + 40, { mint: 'again' }),
    // Sold in two transfers and a sale: the balance event leaves nothing.
    at(TODAY + 6, { mint: 'given' }),
    sell(TODAY + 7, 'given', 50_000_000n, 500_000_000n),
    balance({ mint: 'given', slot: 1_010, txIndex: 1_000, wallet: 'alice', balanceRaw: 0n }),
  ])
})
afterAll(() => service.server.stop())

test('windows are UTC days with today, and sums of the days', async () => {
  const body = Object(await service.json('/api/v2/wallets/alice'))
  expect([body.wallet, body.label]).toEqual(['alice', null])
  expect(body.windows).toEqual({
    '1d': {
      // 10 for the half of "loser" that cost 50, and 50 for the half of "given" that cost 50.
      ...{ realized_pnl_usd: -40, volume_usd: 160, trades: 3, tokens: 2 },
      ...{ wins: 0, losses: 1, win_rate_pct: 0 },
      // Of "loser" six days and five seconds, of "given", which it gave away, one second.
      median_hold_seconds: (6 * DAY + 5 + 1) / 2,
    },
    '7d': {
      ...{ realized_pnl_usd: -10, volume_usd: 160 + 350 + 130, trades: 8, tokens: 3 },
      ...{ wins: 0, losses: 1, win_rate_pct: 0, median_hold_seconds: (6 * DAY + 5 + 1) / 2 },
    },
    '30d': {
      ...{ realized_pnl_usd: -10, volume_usd: 640, trades: 8, tokens: 3 },
      ...{ wins: 0, losses: 1, win_rate_pct: 0, median_hold_seconds: (6 * DAY + 5 + 1) / 2 },
    },
    all: {
      ...{ realized_pnl_usd: 90, volume_usd: 940, trades: 10, tokens: 4 },
      ...{ wins: 1, losses: 1, win_rate_pct: 50, median_hold_seconds: 60 },
    },
  })
  const days: { day: string; realized_pnl_usd: number; trades: number }[] = body.days
  expect(days).toHaveLength(30)
  expect(days.at(-1)).toEqual({
    ...{ day: new Date(TODAY * 1000).toISOString().slice(0, 10) },
    ...{ realized_pnl_usd: -40, volume_usd: 160, trades: 3 },
  })
  expect(days.slice(-7).map(({ realized_pnl_usd }) => realized_pnl_usd)).toEqual([
    ...[-20, 0, 0, 0, 0, 50, -40],
  ])
  expect(body.best).toMatchObject({ mint: 'old', pnl_usd: 100, is_open: false })
  expect(body.worst).toMatchObject({ mint: 'loser', pnl_usd: -60, unrealized_pnl_usd: 0 })
  const { items } = Object(await service.json('/api/v2/search/traders/alice/tokens'))
  const unrealized = items.map((item: { unrealized_pnl_usd: number }) => item.unrealized_pnl_usd)
  expect(body.unrealized_pnl_usd).toBeCloseTo(
    unrealized.reduce((sum: number, value: number) => sum + value, 0),
    5,
  )
})

test('nobody knows a wallet that never traded: all is 0', async () => {
  const body = Object(await service.json(`/api/v2/wallets/${addressOf('nobody')}`))
  expect(body).toMatchObject({ best: null, worst: null, unrealized_pnl_usd: 0 })
  expect(body.windows.all).toEqual({
    ...{ realized_pnl_usd: 0, volume_usd: 0, trades: 0, tokens: 0, wins: 0, losses: 0 },
    ...{ win_rate_pct: 0, median_hold_seconds: 0 },
  })
})

test('wallets are ranked by a figure of a window, equal ones by address', async () => {
  service.feed(
    ['bob', 'carol', 'dave'].flatMap((signer) => [
      at(TODAY + 100, { signer, mint: 'ranked' }),
      at(TODAY + 101, {
        ...{ signer, mint: 'ranked', direction: 'sell' },
        quoteRaw: 1_100_000_000n,
      }),
    ]),
  )
  const top = await service.json('/api/v2/wallets/top?window=1d&limit=3')
  expect(top).toEqual({
    ...{ window: '1d', by: 'realized_pnl' },
    items: ['bob', 'carol', 'dave'].map((wallet, place) => ({
      ...{ rank: place + 1, value: 10, wallet, label: null, realized_pnl_usd: 10 },
      ...{ volume_usd: 210, trades: 2, wins: 1, losses: 0, win_rate_pct: 100 },
    })),
  })
  // Shares of wins count from five tokens on.
  expect(await service.json('/api/v2/wallets/top?window=1d&by=win_rate')).toMatchObject({
    items: [],
  })
  service.feed(
    [1, 2, 3, 4].flatMap((token) => [
      at(TODAY + 200, { signer: 'carol', mint: `more ${token}` }),
      at(TODAY + 201, {
        ...{ signer: 'carol', mint: `more ${token}`, direction: 'sell' },
        quoteRaw: token === 4 ? 1n : 2_000_000_000n,
      }),
    ]),
  )
  expect(await service.json('/api/v2/wallets/top?window=1d&by=win_rate')).toMatchObject({
    items: [{ wallet: 'carol', value: 80, wins: 4, losses: 1 }],
  })
  expect(await service.json('/api/v2/wallets/top?by=trades&window=all&limit=1')).toMatchObject({
    items: [{ rank: 1, wallet: 'alice', value: 10 }],
  })
})

test('what cannot be asked is refused in a sentence', async () => {
  for (const [path, message] of [
    [
      '/api/v2/wallets/x',
      'wallet came as "x", an address is expected: 32 to 44 characters of base58.',
    ],
    ['/api/v2/wallets/top?window=2d', 'window came as "2d", allowed are 1d, 7d, 30d, all.'],
    [
      '/api/v2/wallets/top?by=pnl',
      'by came as "pnl", allowed are realized_pnl, volume, trades, win_rate.',
    ],
    ['/api/v2/wallets/top?limit=201', 'limit came as "201", an integer from 1 to 200 is allowed.'],
  ]) {
    const answer = await fetch(service.server.url + path)
    expect([answer.status, (await errorOf(answer)).message]).toEqual([400, message])
  }
})
