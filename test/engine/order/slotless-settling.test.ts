import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { totalBytes } from '../../../src/engine/memory/views.ts'
import { SLOTLESS_EVENTS_MAX } from '../../../src/engine/order/reorder-window.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { EngineService } from '../../../src/query/engine-service.ts'
import { LiveCandles } from '../../../src/server/live/hub/followed-candles.ts'
import { candleSnapshot } from '../../model/candle-snapshot.ts'
import { CandleCopy } from '../../model/live-copies.ts'
import { created, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { slotlessHistory } from '../../oracle/histories.ts'
import { differenceOf, restored } from '../../store/restoring.ts'

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
  engine.coldStore.evict([engine.state.book.findToken('mint')])
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
  copy.take(candleSnapshot(candles, 100, { answers, streams }))
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

/** An engine that a feed of the chain has left at slot 110, and what a feed without slots told since. */
function leftAt110(count: number): { engine: Engine; history: FeedEvent[] } {
  const engine = new Engine({ clock: 'event', identities: 1 << 14 })
  const history: FeedEvent[] = [
    created(),
    ...[0, 1, 2].map((n) => swap({ slot: 108 + n, txIndex: 1, signature: `chain ${n}` })),
    ...Array.from({ length: count }, (_, n) => untimed(n, { ordinal: n })),
  ]
  engine.events(history)
  return { engine, history }
}

/** One that the chain tells late. */
const late = (n: number) => swap({ slot: 105, txIndex: 1, signature: `late ${n}` })

test('a feed without slots that goes on alone behind one that had some has its swaps settled', () => {
  const { engine } = leftAt110(SLOTLESS_EVENTS_MAX - 1)
  expect(engine.settledSwaps).toBe(0)
  engine.accept(untimed(SLOTLESS_EVENTS_MAX))
  for (let n = 1; n < 2_000; n++) {
    engine.accept(untimed(SLOTLESS_EVENTS_MAX + n))
    expect(engine.state.tape.count - engine.settledSwaps).toBe(SLOTLESS_EVENTS_MAX)
  }
})

test('behind a reserve that stood in for a while the chain may tell swaps late, behind a long one not', () => {
  const { engine, history } = leftAt110(SLOTLESS_EVENTS_MAX - 1)
  const late1 = late(1)
  engine.accept(late1)
  expect(engine.counts).toMatchObject({ lateFolded: 1, lateRefused: 0 })
  const [first, ...others] = history
  const inOrder = new Engine({ clock: 'event', identities: 1 << 14 })
  inOrder.events([first, late1, ...others])
  expect(engine.state.tape.count).toBe(inOrder.state.tape.count)
  engine.accept(untimed(SLOTLESS_EVENTS_MAX))
  engine.accept(untimed(SLOTLESS_EVENTS_MAX + 1))
  engine.accept(late(2))
  expect(engine.counts).toMatchObject({ lateFolded: 1, lateRefused: 1 })
  // One that tells a newer slot ends it: events of the slots before that may be late again.
  engine.accept(swap({ slot: 120, txIndex: 5, signature: 'newer' }))
  engine.accept(swap({ slot: 119, txIndex: 5, signature: 'older' }))
  expect(engine.counts).toMatchObject({ lateFolded: 2, lateRefused: 1 })
})

test('what is kept behind a slot for late events is the same after a restart, wherever that is', () => {
  for (const count of [1, SLOTLESS_EVENTS_MAX - 1, SLOTLESS_EVENTS_MAX, SLOTLESS_EVENTS_MAX + 9]) {
    const { engine, history } = leftAt110(count)
    const again = restored(engine, new Engine({ clock: 'event', identities: 1 << 14 }))
    const more = [untimed(count), untimed(count + 1), late(3), untimed(count + 2), late(4)]
    for (const one of [engine, again]) one.events(more)
    expect(differenceOf(again, engine, history.slice(0, 20)), `${count} events`).toBe(null)
  }
})
