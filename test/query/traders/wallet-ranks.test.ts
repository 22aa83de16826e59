import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { balance, created, price, swap } from '../../oracle/fixtures.ts'

test('who handed on the rest is ranked so, though the row of the position is another one by now', () => {
  const engine = new Engine({
    ...{ clock: 'event', identities: 1 << 14, tapeChunkRecords: TAPE_BLOCK_RECORDS },
  })
  engine.accept(price(100))
  let slot = 1
  const born = (mint: string) =>
    engine.accept(created({ slot: slot++, mint, signature: `create ${mint}` }))
  const trade = (mint: string, signer: string, over: Parameters<typeof swap>[0] = {}) =>
    engine.accept(swap({ slot: slot++, mint, signer, signature: `trade ${slot}`, ...over }))
  for (const mint of ['one', 'two']) born(mint)
  slot = 100
  trade('one', 'ann', { baseRaw: 100n })
  trade('one', 'ann', { baseRaw: 50n, direction: 'sell' })
  for (let i = 0; i < 40; i++) trade('two', 'bob')
  const queries = new EngineQueries(engine, () => {})
  const ranking = (of: EngineQueries) => of.walletsTop({ window: 'all', by: 'trades', limit: 5 })
  const before = ranking(queries)
  engine.accept(balance({ slot: slot++, mint: 'one', wallet: 'ann', balanceRaw: 0n }))
  // Slots pass without a trade, until no late event can reach it.
  for (let i = 0; i < 40; i++) born(`later ${i}`)
  engine.coldStore.evict([engine.state.book.findToken('one')])
  expect(engine.state.positions.free).toBe(1)
  trade('two', 'cat')
  expect(engine.state.positions.free).toBe(0)
  expect(ranking(queries)).not.toBe(before)
  expect(ranking(queries)).toBe(ranking(new EngineQueries(engine, () => {})))
})
