import { expect, test, vi } from 'vitest'
import { within } from '../../../src/base/budget.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { DORMANT_TRADERS_MAX } from '../../../src/engine/state/layout.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import { BARS_MAX } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { budgetOf, readInTurns } from '../../budgets.ts'
import { balance, created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

const TRADES = 5_500

function begun() {
  const tapeChunkRecords = TAPE_BLOCK_RECORDS
  const engine = new Engine({ clock: 'event', identities: 1 << 15, tapeChunkRecords })
  engine.events([price(100), created({ slot: 1, creator: 'dev' })])
  return { engine, queries: new EngineQueries(engine, () => {}) }
}

/** Every fourth one sells all that its wallet has. */
function trade(engine: Engine, i: number): void {
  engine.accept(
    swap({
      ...{ slot: 1_000 + i, txIndex: 1, signature: `trade ${i}` },
      ...{ timestamp: START_SECOND + i, signer: `wallet ${i % 97}` },
      ...(i % 4 === 3 && { direction: 'sell', baseRaw: 1_000_000_000_000n }),
    }),
  )
}

test("holders and the creator's share are those of the last trade of each bar", () => {
  const { engine, queries } = begun()
  const at = (slot: number, second: number, over: Parameters<typeof swap>[0]) =>
    swap({ slot, timestamp: START_SECOND + second, ...over })
  engine.events([
    at(300, 5, { signer: 'dev', baseRaw: 100_000_000_000_000n }),
    at(301, 10, { signer: 'ann' }),
    at(302, 70, { signer: 'bob' }),
    at(303, 80, { signer: 'ann', direction: 'sell' }),
    at(304, 200, { signer: 'dev', direction: 'sell', baseRaw: 75_000_000_000_000n }),
    // A transfer is no trade: it moves no point.
    balance({ slot: 305, wallet: 'cat' }),
  ])
  expect(JSON.parse(queries.holderHistory('mint', '1') ?? '')).toMatchObject({
    t: [0, 60, 180].map((second) => START_SECOND + second),
    ...{ holders: [2, 2, 2], creator_pct: [10, 10, 2.5] },
  })
  expect(JSON.parse(queries.holderHistory('mint', '1D') ?? '')).toMatchObject({ holders: [2] })
  expect(queries.holderHistory('nothing', '1')).toBeNull()
})

test('a mint of many trades is folded in turns, from the disk too, and anew when it is traded', () => {
  const { engine, queries } = begun()
  for (let i = 0; i < TRADES; i++) trade(engine, i)
  const whole = queries.holderHistory('mint', '1S')
  expect(JSON.parse(whole ?? '').t).toHaveLength(5_000)
  const inTurns = (between: () => void = () => {}) =>
    readInTurns((budget) => queries.holderHistory('mint', '1S', budget), between)
  const first = inTurns()
  expect(first.answer).toBe(whole)
  expect(first.turns).toBeGreaterThan(2)
  new MemoryArchive().takeFrom(engine)
  expect(engine.state.tape.firstInMemory).toBeGreaterThan(0)
  const fromDisk = new EngineQueries(engine, () => {})
  const read = readInTurns((budget) => fromDisk.holderHistory('mint', '1S', budget))
  expect(read.answer).toBe(whole)
  expect(read.turns).toBeGreaterThan(TRADES / 2)
  let i = TRADES
  let traded = 0
  const { answer } = inTurns(() => {
    // Each turn copies one trade: it would never catch up with one trade a turn.
    if (traded > 12) return
    // A late one too: it comes before trades that were folded.
    trade(engine, i++)
    if (traded++ === 1)
      engine.accept(
        swap({
          slot: 1_000 + i - 20,
          txIndex: 0,
          signer: 'late',
          timestamp: START_SECOND + i - 20,
        }),
      )
  })
  expect(traded).toBeGreaterThan(2)
  expect(answer).toBe(new EngineQueries(engine, () => {}).holderHistory('mint', '1S'))
})

test('a mint that is traded in every turn is folded in turns all the same, in two resolutions at a time', () => {
  const { engine, queries } = begun()
  for (let i = 0; i < TRADES; i++) trade(engine, i)
  readInTurns((budget) => queries.holderHistory('mint', '1S', budget))
  let i = TRADES
  const read = () =>
    readInTurns(
      (budget) => queries.holderHistory('mint', '1S', budget),
      () => {
        within(budgetOf(2), (budget) => queries.holderHistory('mint', '1D', budget))
        trade(engine, i++)
      },
      // A trade that no late event reaches any more is copied, then a piece is folded.
      () => budgetOf(2),
    )
  const { answer, turns } = read()
  expect(turns).toBeGreaterThan(6)
  expect(turns).toBeLessThan(20)
  expect(answer).toBe(new EngineQueries(engine, () => {}).holderHistory('mint', '1S'))
})

test('a trade that comes late among those that were folded counts in its place', () => {
  const { engine, queries } = begun()
  // Some of those that a late one can go before are in the second piece, some in the third.
  const trades = 2 * 2_048 + 10
  for (let i = 0; i < trades; i++) trade(engine, i)
  const inTurns = (between: (turn: number) => void) =>
    readInTurns((budget) => queries.holderHistory('mint', '1S', budget), between)
  inTurns(() => {})
  const late = { slot: 1_000 + trades - 25, txIndex: 0, signature: 'late' }
  const { answer, turns } = inTurns((turn) => {
    if (turn === 2)
      engine.accept(swap({ ...late, signer: 'late', timestamp: START_SECOND + trades - 25 }))
  })
  expect(answer).toBe(new EngineQueries(engine, () => {}).holderHistory('mint', '1S'))
  expect(turns).toBeGreaterThan(3)
})

test('the classes of very many traders are not read in one go, and count as those of few', () => {
  const { engine, queries } = begun()
  const buy = (slot: number, signer: string, baseRaw: bigint) =>
    engine.accept(
      swap({
        ...{ slot, signer, baseRaw, signature: signer },
        timestamp: START_SECOND + slot,
      }),
    )
  buy(2, 'ann', 50_000_000_000_000n)
  buy(300, 'dev', 100_000_000_000_000n)
  buy(301, 'curve', 70_000_000_000_000n)
  const history = (resolution: '1S' | '1D' = '1D') =>
    readInTurns((budget) => queries.holderHistory('mint', resolution, budget)).answer ?? ''
  const shares = { creator_pct: [10], snipers_pct: [5] }
  expect(JSON.parse(history())).toMatchObject({ holders: [2], ...shares })
  const many = 2 * BARS_MAX + 100
  expect(many).toBeGreaterThan(DORMANT_TRADERS_MAX)
  for (let i = 0; i < many; i++) buy(400 + i, `w${i}`, 1n)
  const listed = vi.spyOn(engine.positions, 'ofToken')
  expect(JSON.parse(history())).toMatchObject({ holders: [2 + many], ...shares })
  expect(listed).not.toHaveBeenCalled()
  // A bar for each trade, of which the newest are told.
  const newest = Array.from({ length: BARS_MAX }, (_, i) => many - BARS_MAX + i)
  expect(JSON.parse(history('1S'))).toMatchObject({
    t: newest.map((i) => START_SECOND + 400 + i),
    holders: newest.map((i) => 3 + i),
  })
})
