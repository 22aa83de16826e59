import { expect, test, vi } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { TokenReader } from '../../../src/engine/read/token-reader.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { readInTurns } from '../../budgets.ts'
import { created, migrated, START_SECOND, swap } from '../../oracle/fixtures.ts'

test('of a wallet that created none of the tokens on a page no position is read, however many it has', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 14 })
  for (let i = 0; i < 50; i++) {
    engine.accept(created({ slot: i + 1, mint: `mint ${i}`, creator: 'dev', signature: `c${i}` }))
    for (const signer of ['bot', 'dev'])
      engine.accept(swap({ slot: 100 + i, signer, mint: `mint ${i}`, signature: `${signer}${i}` }))
  }
  const queries = new EngineQueries(engine, () => {})
  const pageOf = (wallet: string, page: number) =>
    JSON.parse(queries.creator(wallet, { page, limit: 2 }))
  const read = vi.spyOn(engine.positions, 'ofWallet')
  expect(pageOf('bot', 1)).toMatchObject({ total: 0, items: [] })
  expect(pageOf('dev', 26)).toMatchObject({ total: 50, items: [] })
  expect(read).not.toHaveBeenCalled()
  const { items } = pageOf('dev', 25)
  expect(items).toMatchObject([{ mint: 'mint 1' }, { mint: 'mint 0' }])
  for (const { creator_bought_pct } of items) expect(creator_bought_pct).toBeGreaterThan(0)
})

test('the tokens of a creator are read in turns, once, and again as they change', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 14 })
  const queries = new EngineQueries(engine, () => {})
  queries.attach()
  const create = (i: number) =>
    engine.accept(created({ slot: i + 1, mint: `mint ${i}`, creator: 'dev', signature: `c${i}` }))
  for (let i = 0; i < 1_500; i++) create(i)
  const page = { page: 1, limit: 2 }
  const read = vi.spyOn(TokenReader.prototype, 'createdAt', 'get')
  const pieces: number[] = []
  const { answer } = readInTurns(
    (budget) => {
      read.mockClear()
      return queries.creator('dev', page, budget)
    },
    (turn) => {
      pieces.push(read.mock.calls.length)
      if (turn === 5) engine.accept(migrated({ slot: 2_000, mint: 'mint 3' }))
      if (turn === 6) create(1_500)
    },
  )
  expect(Math.max(...pieces)).toBeLessThan(300)
  expect(pieces.length).toBeGreaterThan(5)
  read.mockClear()
  queries.creator('dev', page)
  expect(read.mock.calls.length).toBeLessThan(10)
  read.mockRestore()
  expect(answer).toBe(new EngineQueries(engine, () => {}).creator('dev', page))
  const { total, graduated, items } = JSON.parse(answer)
  expect([total, graduated, items[0].mint, items[1].mint]).toEqual([
    ...[1_501, 1],
    ...['mint 1500', 'mint 1499'],
  ])
})

test('a creation that arrives behind later ones is in its place of the next page, as are those behind it', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 14 })
  const queries = new EngineQueries(engine, () => {})
  queries.attach()
  const create = (slot: number) => {
    const mint = `mint ${slot}`
    engine.accept(created({ slot, mint, creator: 'dev', signature: `c${slot}` }))
    engine.accept(swap({ slot, mint, timestamp: START_SECOND + slot }))
  }
  for (let slot = 2; slot <= 200; slot += 2) create(slot)
  const page = { page: 1, limit: 200 }
  queries.creator('dev', page)
  create(191)
  engine.accept(migrated({ slot: 201, mint: 'mint 50' }))
  const answer = queries.creator('dev', page)
  expect(answer).toBe(new EngineQueries(engine, () => {}).creator('dev', page))
  const { items, graduated } = JSON.parse(answer)
  expect(graduated).toBe(1)
  expect(items.slice(3, 7).map(({ mint }: { mint: string }) => mint)).toEqual([
    ...['mint 194', 'mint 192', 'mint 191', 'mint 190'],
  ])
})
