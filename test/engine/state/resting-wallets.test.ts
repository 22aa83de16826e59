import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Budget } from '../../../src/base/budget.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { PositionLane } from '../../../src/engine/state/layout.ts'
import { PositionLists } from '../../../src/engine/state/position-lists.ts'
import { TRADER_ORDERS } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { readInTurns } from '../../budgets.ts'
import { byLength } from '../../lengths.ts'
import { Random } from '../../oracle/random.ts'
import { DORMANT_OPTIONS, dormantMarket, restSome } from '../../properties/dormant-market.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

const EVENTS = 900
const REST_SHARE = 0.5
const READ_EVERY = 60
/** So few copies are kept that most wallets have more. */
const FEW_COPIES = 6

test('a wallet is read in pieces, then without the disk, and as if nothing of it rested', () => {
  let goes = 0
  let reads = 0
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed)
      const events = dormantMarket(random, EVENTS)
      const [keeps, rests] = [new Engine(DORMANT_OPTIONS), new Engine(DORMANT_OPTIONS)]
      const [expected, answers] = [keeps, rests].map((one) => new EngineQueries(one, () => {}))
      const few = new PositionLists(rests.state, 1, FEW_COPIES)
      const archive = new MemoryArchive(PositionLane.lanes)
      for (const [at, event] of events.entries()) {
        keeps.accept(event)
        rests.accept(event)
        if (random.chance(0.3)) restSome(rests, random, REST_SHARE)
        const { tape } = rests.state.dormant
        if (random.chance(0.5)) archive.take(tape, tape.count)
        if (at % READ_EVERY !== 0) continue
        for (let row = 0; row < rests.state.wallets.count; row++) {
          const wallet = rests.state.book.walletText(row)
          const one = { orderBy: 'pnl', direction: 'desc', page: 1, limit: 1 } as const
          const { turns } = readInTurns(
            (budget) => answers.walletTokens(wallet, one, budget),
            // What comes between two turns is of the answer as well.
            () => random.chance(0.02) && restSome(rests, random, REST_SHARE),
          )
          goes += turns - 1
          const before = archive.reads
          const found = rests.positions.ofWallet(row, Budget.unlimited)
          expect(archive.reads, `seed ${seed}`).toBe(before)
          expect([...few.ofWallet(row, Budget.unlimited)], `seed ${seed}`).toEqual([...found])
          const orderBy = TRADER_ORDERS[random.integer(0, TRADER_ORDERS.length - 1)]
          const query = { orderBy, direction: 'desc', page: 1, limit: 200 } as const
          expect(answers.walletTokens(wallet, query), `seed ${seed}, ${wallet}`).toBe(
            expected.walletTokens(wallet, query),
          )
        }
      }
      reads += archive.reads
    }),
    { numRuns: byLength(1, 6) },
  )
  expect(goes).toBeGreaterThan(byLength(150, 1_000))
  expect(reads).toBeGreaterThan(byLength(150, 1_000))
})
