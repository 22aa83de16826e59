import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Swap } from '../../src/events/event.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { byLength } from '../lengths.ts'
import { type Check, firstDifference } from '../model/difference.ts'
import { Pair } from '../model/pair.ts'
import { randomTables } from '../model/random-queries.ts'
import { created, price, swap } from '../oracle/fixtures.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'

const ALL = { type: 'all', filters: {}, limit: 50 } as const

test('tables that were read after every event before are those of a first read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), (seed) => {
      const random = new Random(seed)
      const pair = new Pair('wall')
      for (const event of history(seed, 50)) {
        // Now and then so far ahead that swaps leave the window without an event.
        const ahead = random.chance(0.05) ? random.integer(0, 90_000) : random.integer(-40, 3)
        pair.setNow(Math.max(pair.oracle.now, event.timestamp + ahead))
        pair.apply(event)
        expect(firstDifference(checksOf(pair, random))).toBeNull()
      }
    }),
    { numRuns: Number(process.env.RUNS ?? byLength(4, 25)) },
  )
})

test('a late trade that takes a judgement back changes the rows of what its trader holds elsewhere', () => {
  const pair = new Pair('event')
  const trade = (mint: string, slot: number, over: Partial<Swap> = {}) =>
    pair.apply(swap({ mint, pool: `curve of ${mint}`, signer: 'judged', slot, ...over }))
  pair.apply(price(150))
  pair.apply(created({ mint: 'held', signature: 'held', bondingCurve: 'curve of held' }))
  pair.apply(created({ mint: 'traded', signature: 'traded', bondingCurve: 'curve of traded' }))
  trade('held', 110)
  for (let slot = 111; slot < 114; slot += 1) trade('traded', slot)
  // Six trades of two mints, one with a profit: from here on a pro trader, also in `held`.
  trade('traded', 114, { direction: 'sell', quoteRaw: 5_000_000_000n })
  trade('traded', 118, { direction: 'sell', quoteRaw: 5_000_000_000n })
  expect(proShare(pair, 'held')).toBeGreaterThan(0)
  trade('traded', 116, { pro: false })
  expect(proShare(pair, 'held')).toBe(0)
  expect(firstDifference(checksOf(pair, new Random(1)))).toBeNull()
})

function proShare({ answers }: Pair, mint: string): unknown {
  const rows: { mint: string; pro_traders_holding: number }[] = JSON.parse(answers.tables(ALL)).new
  return rows.find((row) => row.mint === mint)?.pro_traders_holding
}

/** The oracle for the order and the rows; an engine's first answer for what filters let pass. */
function* checksOf({ engine, answers, oracle }: Pair, random: Random): Generator<Check> {
  yield { name: 'all tables', actual: answers.tables(ALL), expected: oracle.tables(ALL) }
  const fresh = new EngineQueries(engine, () => {})
  for (const query of [randomTables(random), randomTables(random)])
    yield {
      name: `tables ${JSON.stringify(query)}`,
      actual: answers.tables(query),
      expected: JSON.parse(fresh.tables(query)),
    }
}
