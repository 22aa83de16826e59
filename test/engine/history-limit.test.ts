import { expect, test } from 'vitest'
import { Service } from '../../src/app/service.ts'
import { Engine } from '../../src/engine/engine.ts'
import { EvictionPolicy } from '../../src/engine/fold/cold-store.ts'
import { ROWS_MAX } from '../../src/engine/memory/rows.ts'
import { PositionLane } from '../../src/engine/state/layout.ts'
import { TAPE_BLOCK_RECORDS } from '../../src/engine/state/tape.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { START_SECOND, swap } from '../oracle/fixtures.ts'

const SETTINGS = { clock: 'wall', lateSlots: 32, tapeChunkRecords: TAPE_BLOCK_RECORDS } as const
/** Swaps that fit behind the chunks that are full. */
const LEFT = ROWS_MAX % TAPE_BLOCK_RECORDS
const NOTHING = { u32: new Uint32Array(0), f64: new Float64Array(0) }
const DAY = 86_400

test('a history that is full takes no more swaps, says so once, and is read on', () => {
  let seconds = START_SECOND
  const reasons: string[] = []
  const engine = almostFull()
  const told = (reason: string) => reasons.push(reason)
  const service = new Service(SETTINGS, told, () => seconds * 1000, engine)
  const answers = new EngineQueries(engine, () => service.tick())
  service.events(trades(0, LEFT - 1))
  expect(service.historyLimit.reason).toBeNull()
  const refused = trades(LEFT - 1, 2)
  service.events(refused)
  service.events(refused)
  expect(reasons).toHaveLength(1)
  expect(reasons[0]).toContain(`${ROWS_MAX} swaps`)
  expect(service.historyLimit.reason).toBe(reasons[0])
  expect(engine.state.tape.count).toBe(ROWS_MAX - 1)
  expect(JSON.parse(answers.swaps('mint', null, { page: 1, limit: 200 })).total).toBe(LEFT - 1)
  const volume = (): number => JSON.parse(answers.marketData(['mint']))[0].vol_24h
  expect(volume()).toBeGreaterThan(0)
  seconds += DAY
  expect(volume()).toBe(0)
})

test('the last swap that a history has room for is found, and the one before it', () => {
  const engine = almostFull()
  const service = new Service(SETTINGS, undefined, () => START_SECOND * 1000, engine)
  for (const event of trades(0, LEFT + 1)) service.events([event])
  expect(engine.state.tape.count).toBe(ROWS_MAX)
  const answers = new EngineQueries(engine, () => service.tick())
  const { total, items } = JSON.parse(answers.swaps('mint', null, { page: 1, limit: 2 }))
  expect(total).toBe(LEFT)
  expect(items.map(({ slot }: { slot: number }) => slot)).toEqual([LEFT, LEFT - 1].map(slotOf))
})

test('nobody is put to rest where the tape of resting positions is full', () => {
  const engine = new Engine({ ...SETTINGS, clock: 'event' })
  for (let i = 0; i < 3; i += 1)
    engine.accept(swap({ slot: 1_000 + i * 100, mint: `mint ${i}`, signature: `swap ${i}` }))
  const { tape } = engine.state.dormant
  tape.archive = { block: () => NOTHING }
  const full = Math.floor(ROWS_MAX / TAPE_BLOCK_RECORDS) * TAPE_BLOCK_RECORDS
  tape.reset(full, full)
  expect(chosenOf(engine)).toEqual(['mint 0'])
  for (let i = 0; i < LEFT; i += 1) tape.add()
  expect(chosenOf(engine)).toEqual([])
})

/** Mints that are chosen for their rest within some rounds. */
function chosenOf(engine: Engine): string[] {
  const choice = new EvictionPolicy(engine.state, engine.coldStore, PositionLane.lanes)
  const chosen = new Set([1, 2, 3, 4].flatMap(() => choice.choose(1)))
  return [...chosen].map((token) => engine.state.book.mintOf(token))
}

/** An engine whose tape has room for the rest of a chunk and no more. */
function almostFull(): Engine {
  const engine = new Engine(SETTINGS)
  const { tape } = engine.state
  tape.archive = { block: () => NOTHING }
  tape.reset(ROWS_MAX - LEFT, ROWS_MAX - LEFT)
  return engine
}

function slotOf(at: number): number {
  return 1_000 + at
}

function trades(from: number, count: number): FeedEvent[] {
  return Array.from({ length: count }, (_, i) =>
    swap({
      slot: slotOf(from + i + 1),
      signature: `swap ${from + i}`,
      timestamp: START_SECOND,
      solPriceUsd: 150,
    }),
  )
}
