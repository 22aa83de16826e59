import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { EvictionPolicy } from '../../../src/engine/fold/cold-store.ts'
import { PositionRowLane, TokenLane } from '../../../src/engine/state/layout.ts'
import { swap } from '../../oracle/fixtures.ts'

const TRADERS = 30
const MINTS = 200
/** What a position that only bought takes, so that a limit in positions can be told in bytes. */
const POSITION_BYTES = PositionRowLane.lanes * 4 + 24

test('nobody is chosen below the limit, and it is told once that it was passed', () => {
  const engine = new Engine({ clock: 'event' })
  let told = 0
  const choice = choiceOf(engine, 10 * TRADERS, () => told++)
  for (let mint = 0; mint < 10; mint += 1) {
    trade(engine, mint)
    expect(choice.choose(TRADERS)).toEqual([])
  }
  for (let mint = 10; mint < 40; mint += 1) {
    trade(engine, mint)
    engine.coldStore.evict(choice.choose(TRADERS))
  }
  expect(told).toBe(1)
})

test('memory stays at the limit, and those that stay are the ones traded last', () => {
  const engine = new Engine({ clock: 'event' })
  const limit = 40 * TRADERS
  const choice = choiceOf(engine, limit)
  for (let mint = 0; mint < MINTS; mint += 1) {
    trade(engine, mint)
    // The first mint is traded all the time.
    engine.accept(swap({ slot: slotOf(mint), txIndex: 99, mint: 'mint 0', signer: 'busy' }))
    engine.coldStore.evict(choice.choose(TRADERS))
    const { positions } = engine.state
    expect(positions.count - positions.free).toBeLessThanOrEqual(limit + 2 * TRADERS)
  }
  const awake = (mint: number) => {
    const token = engine.state.book.findToken(`mint ${mint}`)
    return engine.state.tokens.get(token, TokenLane.dormantPlus1) === 0
  }
  expect(awake(0)).toBe(true)
  const newest = Array.from({ length: 15 }, (_, i) => MINTS - 1 - i)
  expect(newest.filter((mint) => !awake(mint))).toEqual([])
  expect(engine.state.dormant.tokens).toBeGreaterThan(MINTS - 45)
  expect(engine.state.dormant.wakings).toBe(0)
})

test('where nobody may rest, the tokens are not looked at again with every batch', () => {
  const engine = new Engine({ clock: 'event' })
  const choice = choiceOf(engine, 0)
  // All in one slot: late events reach every swap.
  for (let mint = 0; mint < MINTS; mint += 1)
    engine.accept(swap({ slot: 1_000, txIndex: mint, mint: `mint ${mint}`, signer: 'one' }))
  let looks = 0
  const { coldStore } = engine
  const { reach } = coldStore
  coldStore.reach = () => {
    looks += 1
    return reach.call(coldStore)
  }
  for (let batch = 0; batch < 500; batch += 1) expect(choice.choose(1)).toEqual([])
  expect(looks).toBeLessThan(20)
})

function choiceOf(engine: Engine, positions: number, onFirst?: () => void): EvictionPolicy {
  return new EvictionPolicy(engine.state, engine.coldStore, positions * POSITION_BYTES, onFirst)
}

const slotOf = (mint: number): number => 1_000 + mint * 20

function trade(engine: Engine, mint: number): void {
  for (let trader = 0; trader < TRADERS; trader += 1) {
    const place = { slot: slotOf(mint), txIndex: trader }
    engine.accept(swap({ ...place, mint: `mint ${mint}`, signer: `wallet ${trader}` }))
  }
}
