import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EngineAnswers } from '../../src/wire/engine-answers.ts'
import { type Check, firstDifference } from '../model/difference.ts'
import { Pair } from '../model/pair.ts'
import { randomTables } from '../model/random-queries.ts'
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
    // In the first, a late trade puts back what a wallet's judgement did to another token.
    { examples: [[1_843_317_207]], numRuns: Number(process.env.RUNS ?? 25) },
  )
})

/** The oracle for the order and the rows; an engine's first answer for what filters let pass. */
function* checksOf({ engine, answers, oracle }: Pair, random: Random): Generator<Check> {
  yield { name: 'all tables', actual: answers.tables(ALL), expected: oracle.tables(ALL) }
  const fresh = new EngineAnswers(engine, () => {})
  for (const query of [randomTables(random), randomTables(random)])
    yield {
      name: `tables ${JSON.stringify(query)}`,
      actual: answers.tables(query),
      expected: JSON.parse(fresh.tables(query)),
    }
}
