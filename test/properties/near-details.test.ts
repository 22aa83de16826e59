import { expect, test } from 'vitest'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { readInTurns } from '../budgets.ts'
import { created, price, swap } from '../oracle/fixtures.ts'
import { engineOf } from '../store/restoring.ts'

const TOKENS = 5_000
const PAGE = { page: 1, limit: 50 }

test('the first detail after a start goes through the tokens of all creators in pieces', () => {
  const engine = engineOf('event')
  const reads = new EngineQueries(engine, () => {})
  for (let i = 0; i < TOKENS; i += 1)
    engine.events([created({ slot: 1_000 + i, mint: `mint ${i}`, signature: `${i}` })])
  const { answer, turns } = readInTurns((budget) => reads.detail('mint 7', budget))
  expect(turns).toBeGreaterThan(TOKENS / 1_024)
  expect(answer).toContain('"created":5000')
})

test('who holds 2^32 raw units, whose lower half is 0, is a holder', () => {
  const engine = engineOf('event')
  const reads = new EngineQueries(engine, () => {})
  engine.events([price(150), swap({ baseRaw: 2n ** 32n })])
  expect(reads.holders('mint', PAGE)).toContain('"total":1')
  engine.events([swap({ slot: 111, direction: 'sell', baseRaw: 2n ** 32n })])
  expect(reads.holders('mint', PAGE)).toContain('"total":0')
})

test('a page of swaps that ends with the oldest says that none is behind it', () => {
  const engine = engineOf('event')
  const reads = new EngineQueries(engine, () => {})
  engine.events([price(150), swap(), swap({ slot: 111 }), swap({ slot: 112 })])
  const next = (limit: number): unknown =>
    JSON.parse(reads.swapsFrom('mint', null, { after: null, limit }) ?? '').next_cursor
  expect([next(2), next(3), next(4)]).toEqual([expect.any(String), null, null])
})
