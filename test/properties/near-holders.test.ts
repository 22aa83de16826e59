import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { NO_TIME, readInTurns } from '../budgets.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { engineOf } from '../store/restoring.ts'

const MINTS = Array.from({ length: 8 }, (_, i) => `mint ${i}`)
/** More than ten, who need a look at all; of the last mint fewer. */
const HOLDERS = 12

/** Some mints with many holders, and one with few. */
function marketOf(): Engine {
  const engine = engineOf('event', 1 << 10)
  engine.accept(price(150))
  for (const [place, mint] of MINTS.entries()) {
    engine.accept(created({ mint, signature: mint }))
    const holders = place + 1 < MINTS.length ? HOLDERS : 2
    for (let i = 0; i < holders; i += 1) {
      const at = { slot: 2_000 + place, timestamp: START_SECOND + 10, signature: `${mint} ${i}` }
      const baseRaw = BigInt(1_000_000 * (i + 1))
      engine.accept(swap({ ...at, mint, signer: `wallet ${i}`, baseRaw }))
    }
  }
  return engine
}

test('the holders of many mints are looked through mint by mint, turn by turn, and once', () => {
  const engine = marketOf()
  const answers = new EngineQueries(engine, () => {})
  const expected = answers.marketData(MINTS)
  engine.top.drop()
  const inTurns = (mints: readonly string[]) =>
    readInTurns((budget) => answers.marketData(mints, false, budget))
  // The last one with so many is followed by one with few, of which nothing has to be found.
  expect(inTurns([...MINTS, 'nobody'])).toEqual({ answer: expected, turns: MINTS.length })
  expect(inTurns(MINTS)).toEqual({ answer: expected, turns: 1 })
  // A late event makes a list nothing again.
  engine.top.invalidate(0)
  expect(inTurns(MINTS)).toEqual({ answer: expected, turns: 2 })
})

test('the holders of the tokens that a search finds are looked through token by token, turn by turn, and once', () => {
  const engine = marketOf()
  const expected = new EngineQueries(engine, () => {}).search('mint')
  const answers = new EngineQueries(engine, () => {})
  readInTurns((budget) => answers.search('nobody', false, budget))
  engine.top.drop()
  const { scans } = engine.top
  const { answer, turns } = readInTurns(
    (budget) => answers.search('mint', false, budget),
    (turn) => expect(engine.top.scans - scans).toBe(turn),
  )
  expect(turns).toBe(MINTS.length)
  expect(answer).toBe(expected)
  expect(engine.top.scans - scans).toBe(MINTS.length - 1)
  // What is remembered of a search is not told when something has changed since.
  const signature = 'another'
  engine.accept(created({ mint: 'mint 8', signature, slot: 3_000, timestamp: START_SECOND + 20 }))
  expect(answers.search('mint')).toBe(new EngineQueries(engine, () => {}).search('mint'))
  expect(answers.search('mint')).not.toBe(expected)
})

test('the holders of the tokens of a table are looked through token by token, turn by turn, and once', () => {
  const engine = marketOf()
  const query: TablesQuery = { type: 'all', filters: {}, limit: 200 }
  const expected = new EngineQueries(engine, () => {}).tables(query)
  engine.top.drop()
  const answers = new EngineQueries(engine, () => {})
  let scans = 0
  const { answer, turns } = readInTurns(
    (budget) => answers.tableAnswer(query, budget),
    () => {
      expect(engine.top.scans - scans).toBeGreaterThan(0)
      scans = engine.top.scans
    },
  )
  // One for each with many, and one for the last, which has few.
  expect(turns).toBe(MINTS.length)
  expect(answer.bytes.toString()).toBe(expected)
  const again = new EngineQueries(engine, () => {})
  expect(again.tableAnswer(query, NO_TIME).bytes.toString()).toBe(expected)
})
