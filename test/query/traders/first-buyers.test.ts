import { expect, test } from 'vitest'
import { Budget } from '../../../src/base/budget.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { DORMANT_TRADERS_MAX } from '../../../src/engine/state/layout.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import type { Swap } from '../../../src/events/event.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { readInTurns } from '../../budgets.ts'
import { created, price, swap } from '../../oracle/fixtures.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

const MINT = 'mint'

function begun(): { engine: Engine; buyers: (budget?: Budget) => string[] } {
  const tapeChunkRecords = TAPE_BLOCK_RECORDS
  const engine = new Engine({ clock: 'event', identities: 1 << 14, tapeChunkRecords })
  engine.accept(price(100))
  const queries = new EngineQueries(engine, () => {})
  const buyers = (budget = Budget.unlimited) => {
    const { items } = JSON.parse(queries.firstBuyers(MINT, { page: 1, limit: 200 }, budget))
    return items.map(({ wallet }: { wallet: string }) => wallet)
  }
  return { engine, buyers }
}

/** All of one second. */
const trade = (slot: number, txIndex: number, signer: string, over: Partial<Swap> = {}) =>
  swap({ slot, txIndex, signer, ...over })

test('buyers of one second stand by the places of their first buys, in whatever order these arrived', () => {
  const { engine, buyers } = begun()
  engine.accept(trade(100, 5, 'fifth'))
  engine.accept(trade(100, 2, 'second'))
  engine.accept(trade(100, 4, 'fourth'))
  engine.accept(trade(100, 1, 'first'))
  expect(buyers()).toEqual(['first', 'second', 'fourth', 'fifth'])
  // Its first trade was a sale, and later ones change no place.
  engine.accept(trade(100, 0, 'third', { direction: 'sell' }))
  engine.accept(trade(100, 3, 'third'))
  engine.accept(trade(101, 0, 'second'))
  engine.accept(trade(101, 1, 'first', { direction: 'sell' }))
  expect(buyers()).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
  // What comes before all moves all of them.
  engine.accept(trade(99, 0, 'zeroth'))
  engine.accept(trade(99, 1, 'second'))
  expect(buyers()).toEqual(['zeroth', 'second', 'first', 'third', 'fourth', 'fifth'])
})

test('what only passed through on a route was not bought', () => {
  const { engine, buyers } = begun()
  engine.accept(created({ mint: 'other', signature: 'other', slot: 1, quoteMint: MINT }))
  const route = { signature: 'route', slot: 100, txIndex: 0, signer: 'router' }
  engine.accept(swap({ ...route, ordinal: 0, route: 1 }))
  engine.accept(swap({ ...route, ordinal: 1, route: 2, mint: 'other' }))
  engine.accept(trade(100, 1, 'alice'))
  engine.accept(trade(100, 2, 'router'))
  expect(buyers()).toEqual(['alice', 'router'])
})

test('first buys that only the disk has are read in turns, once', () => {
  const { engine, buyers } = begun()
  for (const signer of ['b', 'a']) engine.accept(trade(100, engine.state.tape.count, signer))
  for (let slot = 200; slot < 200 + 3 * TAPE_BLOCK_RECORDS; slot++)
    engine.accept(trade(slot, 0, slot % 2 === 0 ? 'a' : 'b'))
  const archive = new MemoryArchive()
  archive.takeFrom(engine)
  expect(engine.state.tape.firstInMemory).toBeGreaterThan(TAPE_BLOCK_RECORDS)
  const { answer, turns } = readInTurns(buyers)
  expect(answer).toEqual(['b', 'a'])
  expect(turns).toBeGreaterThan(2 * TAPE_BLOCK_RECORDS)
  const { reads } = archive
  engine.accept(trade(99_999, 0, 'a'))
  // The trades that this one settled are read, in memory.
  expect(readInTurns(buyers).turns).toBeLessThan(50)
  expect(archive.reads).toBe(reads)
})

test('of a mint with more traders than lists are made of, they stand by their places too', () => {
  const { engine, buyers } = begun()
  for (let i = 0; i <= DORMANT_TRADERS_MAX + 300; i++) {
    // Each slot arrives with its last transaction first.
    const txIndex = 63 - (i & 63)
    engine.accept(trade(1_000 + (i >>> 6), txIndex, `wallet ${(i & ~63) + txIndex}`))
  }
  const { answer } = readInTurns(buyers)
  expect(answer).toEqual(Array.from({ length: 200 }, (_, i) => `wallet ${i}`))
})
