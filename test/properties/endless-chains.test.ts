import { expect, test } from 'vitest'
import { EndlessChain } from '../../src/base/errors.ts'
import { ROW_MASK, ROW_SHIFT } from '../../src/engine/memory/rows.ts'
import { Bar, PositionRowLane } from '../../src/engine/state/layout.ts'
import { SwapLane } from '../../src/events/swap-record.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { wholeChart } from '../model/random-queries.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { engineOf } from '../store/restoring.ts'

const DAY_SECONDS = 86_400
/** From so many swaps on a mint has stored bars. */
const SWAPS = 2_100
const WALLETS = 20

/** An engine with one busy mint. */
function busyEngine() {
  const engine = engineOf('event', 1 << 13)
  engine.events([price(150), created({ slot: 1, signature: 'creation' })])
  for (let i = 0; i < SWAPS; i++) {
    const at = { slot: 10 + i, timestamp: START_SECOND + i, signature: `${i}` }
    engine.events([swap({ ...at, signer: `wallet ${i % WALLETS}` })])
  }
  return { engine, answers: new EngineQueries(engine, () => {}) }
}

const TRADERS = { page: 1, limit: 200, orderBy: 'pnl', direction: 'desc' } as const

test('a chain of swaps that leads round in circles is a fault with a name, and no read without end', () => {
  const { engine, answers } = busyEngine()
  const { tape } = engine.state
  const index = SWAPS - 50
  tape.u32Of(index)[tape.at(index) + SwapLane.previousInMint] = SWAPS - 10
  const read = () => answers.swaps('mint', null, { page: 1, limit: 100 })
  expect(read).toThrow(EndlessChain)
  expect(read).toThrow('the chain of the swaps of a mint or position leads round in circles')
})

test('a window whose second leads round in circles ends with a fault', () => {
  const { engine } = busyEngine()
  const { tape } = engine.state
  tape.u32Of(500)[tape.at(500) + SwapLane.nextInSecond] = 501
  const later = swap({
    ...{ slot: 9_000, timestamp: START_SECOND + DAY_SECONDS + SWAPS, signature: 'later' },
  })
  expect(() => engine.events([later])).toThrow('the chain of the swaps of a second')
})

test('a chain of positions has no more rows than there are', () => {
  const { engine, answers } = busyEngine()
  const { positions } = engine.state
  const row = 3
  positions.u32[row >>> ROW_SHIFT][
    (row & ROW_MASK) * PositionRowLane.lanes + PositionRowLane.nextInMintPlus1
  ] = row + 1
  expect(() => engine.positions.ofToken(0)).toThrow(EndlessChain)
  expect(() => answers.tokenTraders('mint', TRADERS)).toThrow(EndlessChain)
})

test.each([
  ['1S', 0],
  ['1', 1],
  ['60', 2],
] as const)(
  'a bar of %s whose chain leads round in circles ends a chart with a fault',
  (resolution, base) => {
    const { engine, answers } = busyEngine()
    const rows = engine.state.barWidths[base]
    expect(rows?.count).toBeGreaterThan(0)
    for (let row = 0; row < (rows?.count ?? 0); row++) rows?.set(row, Bar.previousPlus1, row + 1)
    const query = wholeChart('mint', START_SECOND + SWAPS, resolution)
    expect(() => answers.chart(query)).toThrow(EndlessChain)
  },
)
