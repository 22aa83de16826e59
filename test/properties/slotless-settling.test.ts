import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/engine/event.ts'
import { totalBytes } from '../../src/engine/memory/views.ts'
import { EngineService } from '../../src/wire/engine-service.ts'
import { LiveCandles } from '../../src/wire/live-candles.ts'
import { CandleCopy } from '../model/live-copies.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { slotlessHistory } from '../oracle/histories.ts'

const HISTORIES = 8
const EVENTS = 60
/** What is kept for late events and a snapshot holds. */
const KEPT_FOR_LATE = new Set(['undo', 'order ring'])

const untimed = (place: number, over: object = {}): FeedEvent =>
  swap({ slot: null, txIndex: null, timestamp: START_SECOND + place, ...over })

test('while no slot is known nothing can come late: every swap is settled, and nothing is kept to take it back', () => {
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const engine = new Engine({ clock: 'event', identities: 1 << 12 })
    for (const event of slotlessHistory(seed, EVENTS)) {
      engine.accept(event)
      expect(engine.settledSwaps, `seed ${seed}`).toBe(engine.state.tape.count)
      const kept = engine.parts.filter(({ name }) => KEPT_FOR_LATE.has(name))
      expect(kept.map((part) => totalBytes(part.views()))).toEqual([0, 0])
    }
    expect(engine.state.tape.count).toBeGreaterThan(0)
  }
})

test('tokens of a feed that knows no slots are put to rest as others are', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  engine.accept(created({ slot: null, txIndex: null }))
  engine.accept(untimed(1))
  engine.accept(untimed(2, { mint: 'other', pool: 'other curve' }))
  engine.dormancy.rest([engine.state.book.findToken('mint')])
  expect(engine.state.dormant.tokens).toBe(1)
})

test('candles of a feed that knows no slots become final', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { answers, streams } = new EngineService(
    engine,
    () => {},
    () => 'e1',
  )
  engine.accept(untimed(1))
  const candles = new LiveCandles('mint', '1', answers, streams)
  const copy = new CandleCopy()
  copy.take(candles.snapshot(100))
  expect([...copy.final]).toEqual([])
  engine.accept(untimed(61))
  copy.take(candles.advance() ?? '')
  expect([...copy.bars.keys()]).toEqual([START_SECOND, START_SECOND + 60])
  expect([...copy.final]).toEqual([START_SECOND])
})

test('events that tell the first slot may come late among themselves, behind all that told none', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  engine.accept(untimed(1))
  engine.accept(untimed(2))
  engine.accept(swap({ slot: 110, txIndex: 1, signature: 'second' }))
  expect(engine.settledSwaps).toBe(2)
  engine.accept(swap({ slot: 110, txIndex: 0, signature: 'first' }))
  expect(engine.counts.lateFolded).toBe(1)
  expect(engine.settledSwaps).toBe(2)
})
