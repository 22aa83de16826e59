import { expect, test, vi } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { created, swap } from '../../oracle/fixtures.ts'

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
