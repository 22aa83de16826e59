import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf } from '../../address-of.ts'
import { NO_TIME, readInTurns } from '../../budgets.ts'
import { created, migrated, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { EngineServer } from '../engine-server.ts'
import { errorOf } from '../error-json.ts'

let service: EngineServer
let slot = 1_000

const trade = (mint: string, seconds: number, over: Parameters<typeof swap>[0] = {}) =>
  swap({ slot: slot++, mint, timestamp: START_SECOND + seconds, ...over })
const born = (mint: string, seconds: number) =>
  created({
    ...{ slot: slot++, mint, signature: `create ${mint}`, creator: 'dev' },
    timestamp: START_SECOND + seconds,
  })

beforeAll(async () => {
  service = await EngineServer.start()
  service.feed([
    price(100),
    born('rug', 0),
    // A tenth of a billion tokens, of which three quarters are sold again.
    trade('rug', 1, { signer: 'dev', baseRaw: 100_000_000_000_000n }),
    trade('rug', 30, { signer: 'dev', direction: 'sell', baseRaw: 50_000_000_000_000n }),
    trade('rug', 60, { signer: 'dev', direction: 'sell', baseRaw: 25_000_000_000_000n }),
    born('star', 100),
    trade('star', 500),
    migrated({ slot: slot++, mint: 'star', timestamp: START_SECOND + 400 }),
    born('dead', 1_000),
  ])
})
afterAll(() => service.server.stop())

test('a creator has its tokens, what became of them, and what it sold of them and when', async () => {
  const body = Object(await service.json('/api/v2/creators/dev?limit=2'))
  expect(body).toMatchObject({
    ...{ wallet: 'dev', label: null, graduated: 1, total: 3, page: 1, limit: 2 },
    ...{ graduated_pct: 100 / 3, median_life_seconds: 60 },
  })
  expect(body.items).toMatchObject([
    {
      ...{ mint: 'dead', outcome: 'new', life_seconds: 0, creator_sold_pct: 0 },
      ...{ creator_first_sell: null, creator_sold_all: false },
    },
    {
      ...{ mint: 'star', outcome: 'graduated', life_seconds: 400 },
      migration_timestamp: '2023-11-14 00:06:40',
    },
  ])
  expect(await service.json('/api/v2/creators/dev?limit=2&page=2')).toMatchObject({
    items: [
      {
        ...{ mint: 'rug', outcome: 'new', life_seconds: 60, migration_timestamp: null },
        ...{ creator_bought_pct: 10, creator_sold_pct: 7.5, creator_holding_pct: 2.5 },
        ...{ creator_sold_all: false, creator_first_sell: '2023-11-14 00:00:30' },
        creator_last_sell: '2023-11-14 00:01:00',
      },
    ],
  })
})

test('a trade, and a creation that arrives now, are in the next answer', async () => {
  service.feed([trade('star', 590), trade('dead', 1_090), born('fresh', 2_000)])
  expect(await service.json('/api/v2/creators/dev')).toMatchObject({
    ...{ total: 4, graduated_pct: 25, median_life_seconds: 75 },
    items: [{ mint: 'fresh' }, { mint: 'dead', life_seconds: 90 }, { life_seconds: 490 }, {}],
  })
})

test('a wallet that created nothing has no tokens, and bad input is refused', async () => {
  expect(await service.json('/api/v2/creators/alice')).toEqual({
    ...{ wallet: 'alice', label: null, graduated: 0, graduated_pct: 0, median_life_seconds: 0 },
    ...{ total: 0, page: 1, limit: 50, items: [] },
  })
  for (const [path, message] of [
    ['/api/v2/creators/dev?page=0', /^page came as "0", an integer from 1/],
    ['/api/v2/creators/x', /^wallet came as "x", an address is expected/],
  ] as const) {
    const answer = await fetch(service.server.url + path)
    expect(answer.status).toBe(400)
    expect((await errorOf(answer)).message).toMatch(message)
  }
})

test('the tokens of a creator of thousands are read in turns', () => {
  for (let i = 0; i < 3_000; i++) service.feed([born(`many ${i}`, 3_000)])
  const { answers } = service.wired
  const page = { page: 1, limit: 1 }
  const whole = answers.creator('dev', page)
  expect(
    readInTurns(
      (budget) => answers.creator('dev', page, budget),
      undefined,
      () => NO_TIME,
    ).answer,
  ).toBe(whole)
})

test('holders over time ask for a resolution and a known mint', async () => {
  expect(await service.json('/api/v2/tokens/rug/holders/history?resolution=1')).toMatchObject({
    ...{ t: [START_SECOND, START_SECOND + 60], holders: [1, 1], creator_pct: [5, 2.5] },
  })
  for (const [path, status, message] of [
    ['rug/holders/history', 400, /^resolution is missing, one of 1S/],
    ['rug/holders/history?resolution=2', 400, /^resolution came as "2", allowed are 1S/],
    [`${addressOf('nobody')}/holders/history?resolution=1`, 404, /^The mint .* is not known/],
  ] as const) {
    const answer = await fetch(`${service.server.url}/api/v2/tokens/${path}`)
    expect(answer.status).toBe(status)
    expect((await errorOf(answer)).message).toMatch(message)
  }
})
