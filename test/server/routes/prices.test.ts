import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf } from '../../address-of.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { EngineServer } from '../engine-server.ts'
import { errorOf } from '../error-json.ts'

let service: EngineServer
beforeAll(async () => {
  service = await EngineServer.start()
  service.feed([
    price(100),
    created({ slot: 1, mint: 'A', signature: 'a' }),
    created({ slot: 2, mint: 'B', signature: 'b' }),
    ...[60, 120, 120, 300].map((second, i) =>
      swap({
        ...{ mint: 'A', slot: 10 + i, signature: `s${i}`, timestamp: START_SECOND + second },
        virtualQuoteRaw: BigInt((i + 1) * 10 ** 10),
      }),
    ),
    price(200),
  ])
})
afterAll(() => service.server.stop())

const at = (second: number) => service.json(`/api/v2/prices/A?at=${START_SECOND + second}`)

async function refused(path: string) {
  const answer = await fetch(service.server.url + path)
  return [answer.status, (await errorOf(answer)).message]
}

test('prices of now follow the SOL price; the price at a second is that of the last trade up to it', async () => {
  const [priceOfA, ...others] = Object(
    await service.json(`/api/v2/prices?mints=A,${addressOf('nobody')},A,B`),
  )
  expect(priceOfA).toEqual({
    ...{ mint: 'A', price_sol: 4e-8, price_usd: expect.closeTo(8e-6, 15) },
    ...{ market_cap_usd: expect.closeTo(8_000, 6), timestamp: '2023-11-14 00:05:00', seq: 4 },
  })
  expect(others).toEqual([expect.objectContaining({ mint: 'B', timestamp: null, seq: 0 })])
  expect(await at(300)).toEqual({
    ...{ mint: 'A', price_sol: 4e-8, price_usd: expect.closeTo(4e-6, 15) },
    ...{ market_cap_usd: expect.closeTo(4_000, 6), timestamp: '2023-11-14 00:05:00' },
    ...{ seq: 4, signature: 's3' },
  })
  expect(await at(299)).toMatchObject({ seq: 3, signature: 's2' })
  expect(await at(120)).toMatchObject({ seq: 3, signature: 's2' })
  expect(await at(119)).toMatchObject({ seq: 1, signature: 's0', price_sol: 1e-8 })
  expect(await at(10 ** 9)).toMatchObject({ seq: 4 })
})

test('a trade that comes late, but has its place before others, is found at its second', async () => {
  const late = { slot: 11, txIndex: 0, signature: 'late', timestamp: START_SECOND + 110 }
  service.feed([swap({ mint: 'A', ...late, virtualQuoteRaw: 7n * 10n ** 10n })])
  expect(await at(119)).toMatchObject({ seq: 2, signature: 'late', price_sol: 7e-8 })
  expect(await at(120)).toMatchObject({ seq: 4, signature: 's2' })
})

test('what cannot be asked is refused in a sentence', async () => {
  const nobody = addressOf('nobody')
  expect(await refused(`/api/v2/prices/A?at=${START_SECOND}`)).toEqual([
    404,
    `No trade of the mint "A" is known from ${START_SECOND} or before.`,
  ])
  expect(await refused(`/api/v2/prices/${nobody}?at=5`)).toEqual([
    404,
    `No trade of the mint "${nobody.slice(0, 40)}…" is known from 5 or before.`,
  ])
  for (const [path, message] of [
    ['/api/v2/prices', 'mints is missing, it is required.'],
    ['/api/v2/prices?mints=%20', 'mints came blank, a text is expected.'],
    ['/api/v2/prices?mints=,,', 'mints came without an address, one is expected.'],
    ['/api/v2/prices/A', 'at is missing, unix seconds are required.'],
    ['/api/v2/prices/A?at=1.5', 'at came as "1.5", whole unix seconds are allowed.'],
    ['/api/v2/prices/A?at=1&at=2', 'at came 2 times, it is allowed once.'],
  ])
    expect(await refused(String(path))).toEqual([400, message])
})
