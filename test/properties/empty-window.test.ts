import { expect, test } from 'vitest'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { engineOf } from '../store/restoring.ts'

const DAY_SECONDS = 86_400

test('a window that has emptied reads 0, also where its sums were too large to be exact', () => {
  const engine = engineOf('event', 1 << 10)
  const answers = new EngineQueries(engine, () => {})
  const amounts = [2n ** 63n, 2n ** 53n + 1n, 7n, 10n ** 18n + 3n]
  engine.events([
    price(187.123457),
    ...amounts.map((quoteRaw, i) =>
      swap({
        ...{ mint: 'mint', slot: 1_000 + i, txIndex: 1, signature: `sale ${i}`, quoteRaw },
        ...{ timestamp: START_SECOND + i, direction: i % 2 === 0 ? 'sell' : 'buy' },
      }),
    ),
  ])
  const [read] = JSON.parse(answers.marketData(['mint'])) as { vol_24h: number }[]
  expect(read.vol_24h).toBeGreaterThan(1e9)
  const timestamp = START_SECOND + DAY_SECONDS + amounts.length
  engine.events([swap({ mint: 'other', slot: 2_000, txIndex: 1, signature: 'later', timestamp })])
  expect(JSON.parse(answers.marketData(['mint']))).toMatchObject([
    { tx_24h: 0, vol_24h: 0, vol_24_buy: 0, vol_24_sell: 0 },
  ])
})
