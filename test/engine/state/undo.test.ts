import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { STORED_FROM_SWAPS } from '../../../src/engine/history/candles.ts'
import { Rows } from '../../../src/engine/memory/rows.ts'
import { UndoLog } from '../../../src/engine/state/undo-log.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { RESOLUTIONS } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { byLength } from '../../lengths.ts'
import { everyRead, firstUnlike } from '../../model/every-read.ts'
import { fillPage } from '../../model/page-ends.ts'
import { wholeChart } from '../../model/random-queries.ts'
import { swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { swapLate, trades } from '../../properties/late-trades.ts'

const LANES = 6
/** The newest bars of a mint, which late trades still make and add to. */
const BARS_OF_LATE_TRADES = 45

test('rolling back gives every row the lanes it had at the mark', () => {
  const write = fc.record({ row: fc.nat(30), lane: fc.nat(LANES - 1), value: fc.nat(0xffffffff) })
  fc.assert(
    fc.property(fc.array(write, { size: 'max', maxLength: 400 }), fc.nat(), (writes, cut) => {
      const rows = new Rows(LANES)
      for (let i = 0; i <= 30; i += 1) rows.add()
      const undo = new UndoLog()
      const id = undo.register(rows)
      const marked = cut % (writes.length + 1)
      let mark = undo.mark
      let image = rows.u32[0]?.slice(0, 31 * LANES)
      writes.forEach(({ row, lane, value }, i) => {
        if (i === marked) {
          mark = undo.mark
          image = rows.u32[0]?.slice(0, 31 * LANES)
        }
        undo.save(id, row)
        const page = rows.u32[0]
        if (page) page[row * LANES + lane] = value
      })
      if (marked === writes.length) return
      undo.rollBackTo(mark)
      expect(rows.u32[0]?.slice(0, 31 * LANES)).toEqual(image)
    }),
    { numRuns: byLength(60, 300) },
  )
})

test('a log that grows keeps its images where they lie, across all pages, and a loaded one goes on with them', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed)
      // With the two lanes of their names images stand across the ends of pages.
      const rows = new Rows(5)
      for (let i = 0; i <= 30; i += 1) rows.add()
      const lanes = rows.u32[0]?.subarray(0, 31 * 5) ?? new Uint32Array(0)
      const undo = new UndoLog()
      const id = undo.register(rows)
      const marks: { mark: number; lanes: Uint32Array }[] = []
      let buffers = new Set<ArrayBufferLike>()
      const keepsPages = () => {
        const views = undo.part.views()
        // The page in which newest and oldest images lie is copied, and no other.
        expect(views.slice(1, -1).filter(({ buffer }) => !buffers.has(buffer)).length).toBeLessThan(
          3,
        )
        buffers = new Set(views.map(({ buffer }) => buffer))
      }
      for (let i = 0; i < 220_000; i += 1) {
        if (i % 9_000 === 0) {
          marks.push({ mark: undo.mark, lanes: lanes.slice() })
          keepsPages()
        }
        const row = random.integer(0, 30)
        undo.save(id, row)
        lanes[row * 5 + random.integer(0, 4)] = random.integer(0, 0xffffffff)
        const place = marks.length - 1
        if (i % 5_000 === 0 && i < 100_000)
          undo.forgetBefore(marks[random.integer(0, place)]?.mark ?? 0)
      }
      const loaded = new UndoLog()
      loaded.register(rows)
      const from = undo.part.views().map((view) => view.slice())
      const to = loaded.part.open(undo.part.facts())
      expect(to.map(({ length }) => length)).toEqual(from.map(({ length }) => length))
      for (const [i, view] of to.entries()) view.set(from[i] ?? [])
      const newest = lanes.slice()
      for (const log of [undo, loaded]) {
        lanes.set(newest)
        for (const { mark, lanes: image } of marks.toReversed()) {
          if (mark < log.tail) break
          log.rollBackTo(mark)
          expect(lanes, `seed ${seed}`).toEqual(image)
        }
      }
    }),
    { numRuns: byLength(1, 5) },
  )
})

test('an event folded late, and all after it folded again, ends as if it had come in time', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 2, max: 150 }), (seed, count) => {
      const events = trades(seed, count)
      expectSame(swapLate(events, new Random(seed)), events)
    }),
    { numRuns: byLength(10, 80) },
  )
})

test('bars stored while late trades come are those of trades in time', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const events = trades(seed, STORED_FROM_SWAPS + 60)
      expectSame(swapLate(events, new Random(seed)), events)
    }),
    { numRuns: byLength(1, 5) },
  )
})

test('bars that late trades come to at the end of a page are those of trades in time', () => {
  const random = new Random(1)
  const events = trades(1, STORED_FROM_SWAPS + 60).map((event) => clockBack(event, random))
  const late = swapLate(events, random)
  const inTime = folded(events)
  const expected = chartsOf(inTime)
  for (let behind = 1; behind <= BARS_OF_LATE_TRADES; behind += 1) {
    const onFirstPage = inTime.state.bars.count - behind
    const engine = folded(late, ({ state }) => fillPage(state.bars, onFirstPage))
    expect(chartsOf(engine), `${onFirstPage} bars on the first page`).toEqual(expected)
  }
})

/** Some trades have a time before that of the slot before theirs. */
function clockBack(event: FeedEvent, random: Random): FeedEvent {
  if (event.type !== 'swap' || random.chance(0.7)) return event
  return { ...event, timestamp: event.timestamp - random.integer(1, 8) }
}

function chartsOf(engine: Engine): readonly string[] {
  const answers = new EngineQueries(engine, () => {})
  return RESOLUTIONS.map((width) => answers.chart(wholeChart('mint', engine.state.now, width)))
}

function expectSame(late: readonly FeedEvent[], inTime: readonly FeedEvent[]): void {
  const actual = everyRead(folded(late), inTime)
  expect(firstUnlike(actual, everyRead(folded(inTime), inTime))).toBeNull()
}

/** `prepare` is given the engine before the first event. */
function folded(events: readonly FeedEvent[], prepare?: (engine: Engine) => void): Engine {
  const engine = new Engine({ clock: 'event', identities: 1 << 13 })
  prepare?.(engine)
  for (const event of events) engine.accept(event)
  expect(engine.counts.lateRefused).toBe(0)
  return engine
}

test('once more slots may be late, what is later than is still remembered is refused', () => {
  const at = (slot: number) => swap({ slot, txIndex: 0, signature: `in slot ${slot}` })
  const inTime = Array.from({ length: 60 }, (_, i) => at(1_000 + i * 2))
  // Before and behind the last swap that went by the old number, and with all after it remembered.
  const late = [1_051, 1_083, 1_085, 1_091]
  const engine = new Engine({ clock: 'event', identities: 1 << 10, lateSlots: 32 })
  engine.events(inTime)
  engine.settle({ clock: 'event', lateSlots: 100 })
  engine.events(late.map(at))
  expect(engine.counts.lateRefused).toBe(2)
  const ordered = [...inTime, at(1_085), at(1_091)].sort((a, b) => slotOf(a) - slotOf(b))
  const expected = new Engine({ clock: 'event', identities: 1 << 10 })
  expected.events(ordered)
  expect(firstUnlike(everyRead(engine, ordered), everyRead(expected, ordered))).toBeNull()
})

const slotOf = (event: FeedEvent): number => ('slot' in event ? (event.slot ?? 0) : 0)
