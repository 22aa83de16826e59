import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { ROWS_PER_PAGE } from '../../src/engine/memory/rows.ts'
import { TokenLane } from '../../src/engine/state/layout.ts'
import { Random } from '../oracle/random.ts'
import { fillFirstPages } from './page-ends.ts'
import { noTally, runHistory } from './run.ts'

const FIRST_SEED = Number(process.env.MODEL_SEED ?? 20_261_123)
const HISTORIES = 120

test(`rows on both sides of the end of a page answer as the oracle does (seed ${FIRST_SEED})`, () => {
  const tally = noTally()
  const engines: Engine[] = []
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1)
    runHistory(seed, tally, ({ engine }) => {
      fillFirstPages(engine, new Random(seed))
      engines.push(engine)
    })
  expect(tally.fullReads).toBeGreaterThan(0)
  expect(tally.wakings).toBeGreaterThan(HISTORIES / 10)
  expect(engines.filter(hasRestOnSecondPage).length).toBeGreaterThan(HISTORIES / 10)
})

function hasRestOnSecondPage({ state }: Engine): boolean {
  for (let token = ROWS_PER_PAGE; token < state.tokens.count; token += 1)
    if (state.tokens.get(token, TokenLane.dormantPlus1) !== 0) return true
  return false
}
