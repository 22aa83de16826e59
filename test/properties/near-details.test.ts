import { expect, test, vi } from 'vitest'
import { EngineTokenReads } from '../../src/query/engine-token-reads.ts'
import { created, price, swap } from '../oracle/fixtures.ts'
import { engineOf } from '../store/restoring.ts'

const TOKENS = 5_000
const PAGE = { page: 1, limit: 50 }

test('the first detail after a start goes through the tokens of all creators in pieces', () => {
  const engine = engineOf('event')
  const reads = new EngineTokenReads(engine, () => {})
  for (let i = 0; i < TOKENS; i += 1)
    engine.events([created({ slot: 1_000 + i, mint: `mint ${i}`, signature: `${i}` })])
  let goes = 1
  while (!reads.hasFoundDetail('mint 7', () => false)) goes += 1
  expect(goes).toBeGreaterThan(TOKENS / 1_024)
  expect(reads.detail('mint 7')).toContain('"created":5000')
})

test('a page of holders, or of first buyers, goes towards the very columns that it is read from', () => {
  const engine = engineOf('event')
  const reads = new EngineTokenReads(engine, () => {})
  engine.events([price(150), swap()])
  const near = vi.spyOn(engine.traders, 'areNear')
  const read = vi.spyOn(engine.traders, 'of')
  for (const look of [
    () => reads.hasFoundHolders('mint', () => true) && reads.holders('mint', PAGE),
    () => reads.hasFoundFirstBuyers('mint', () => true) && reads.firstBuyers('mint', PAGE),
  ]) {
    expect(look()).toContain('alice')
    expect(near.mock.lastCall?.[1]).toBeDefined()
    expect(near.mock.lastCall?.[1]).toBe(read.mock.lastCall?.[1])
  }
  expect(near).toHaveBeenCalledTimes(2)
})

test('who holds 2^32 raw units, whose lower half is 0, is a holder', () => {
  const engine = engineOf('event')
  const reads = new EngineTokenReads(engine, () => {})
  engine.events([price(150), swap({ baseRaw: 2n ** 32n })])
  expect(reads.holders('mint', PAGE)).toContain('"total":1')
  engine.events([swap({ slot: 111, direction: 'sell', baseRaw: 2n ** 32n })])
  expect(reads.holders('mint', PAGE)).toContain('"total":0')
})

test('a page of swaps that ends with the oldest says that none is behind it', () => {
  const engine = engineOf('event')
  const reads = new EngineTokenReads(engine, () => {})
  engine.events([price(150), swap(), swap({ slot: 111 }), swap({ slot: 112 })])
  const next = (limit: number): unknown =>
    JSON.parse(reads.swapsFrom('mint', null, { after: null, limit }) ?? '').next_cursor
  expect([next(2), next(3), next(4)]).toEqual([expect.any(String), null, null])
})
