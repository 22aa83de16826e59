import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { Rows } from '../../src/engine/memory/rows.ts'
import { NOWHERE } from '../../src/engine/order/event-position.ts'
import { LIFECYCLE_TEXTS_MAX, ReorderWindow } from '../../src/engine/order/reorder-window.ts'
import { UndoLog } from '../../src/engine/state/undo-log.ts'
import { copyParts } from '../../src/store/recovery/recovery.ts'
import { anyEvent } from '../feeds/arbitrary-events.ts'
import { byLength } from '../lengths.ts'
import { created, swap } from '../oracle/fixtures.ts'
import { isPlaced } from '../oracle/order.ts'
import { Random } from '../oracle/random.ts'
import { trades } from '../properties/late-trades.ts'
import { differenceOf, foldStep, foldSteps, restored, stepsOf } from './restoring.ts'

/** Most lanes of an undo log. */
const NO_BARS = { bars: 0, minutes: 0, hours: 0 }
const UNDO_LANES_MAX = 1 << 26
const URI_CHARACTERS = 100_000
const LONG_URI = 'u'.repeat(URI_CHARACTERS)
const LANES = 30
const IMAGE = LANES + 2
/** The lanes an undo log begins with, twice over and a little: it wraps when half is forgotten. */
const SAVES = Math.ceil((1 << 19) / IMAGE) + 50

class Logged {
  readonly rows = new Rows(LANES)
  readonly undo = new UndoLog()
  readonly id = this.undo.register(this.rows)

  constructor() {
    for (let i = 0; i < 100; i += 1) this.rows.add()
  }

  /** Saves rows and writes to them; keeps at most `kept` images. */
  write(from: number, to: number, kept: number): void {
    for (let i = from; i < to; i += 1) {
      this.undo.save(this.id, i % 100)
      this.rows.u32[0]?.fill(i, (i % 100) * LANES, (i % 100) * LANES + LANES)
      this.undo.forgetBefore(this.undo.mark - kept * IMAGE)
    }
  }

  image(): Uint32Array | undefined {
    return this.rows.u32[0]?.slice()
  }
}

test.each([
  ['wraps', 5_000],
  ['grew', SAVES],
])('an undo log that %s rolls back to the same rows after loading', (_, kept) => {
  for (const count of [SAVES, SAVES - 60, 8_190, 8_192, 8_200]) {
    const saved = new Logged()
    saved.write(0, count, kept)
    const loaded = new Logged()
    loaded.write(0, 17, 5)
    copyParts([saved.undo.part], [loaded.undo.part])
    loaded.rows.u32[0]?.set(saved.image() ?? [])
    for (const log of [saved, loaded]) {
      log.write(count, count + 3, kept)
      log.undo.rollBackTo(Math.max(log.undo.tail, 0))
    }
    expect(loaded.undo.mark).toBe(saved.undo.mark)
    expect(loaded.image()).toEqual(saved.image())
  }
})

test('an undo log as wide as it may be forgets its oldest images, and rolls back to all others', () => {
  const logged = new Logged()
  const count = UNDO_LANES_MAX / IMAGE + 1_000
  logged.write(0, count, count)
  const { undo } = logged
  expect(undo.bytes).toBe(UNDO_LANES_MAX * Uint32Array.BYTES_PER_ELEMENT)
  expect(undo.mark - undo.tail).toBeLessThanOrEqual(UNDO_LANES_MAX)
  const oldest = Math.ceil(undo.tail / IMAGE)
  expect(oldest).toBe(count - UNDO_LANES_MAX / IMAGE)
  undo.rollBackTo(oldest * IMAGE)
  const lastOf = (row: number) => oldest - 100 + row
  const rows = Array.from({ length: 100 }, (_, row) => new Array(LANES).fill(lastOf(row))).flat()
  expect(Array.from(logged.image() ?? []).slice(0, rows.length)).toEqual(rows)
})

test('a window of late events that outgrew its first memory is loaded whole', () => {
  const engineOfLate = () => new Engine({ clock: 'event', lateSlots: 20_000, identities: 1 << 13 })
  const inTime = stepsOf(trades(3, 5_000), 3)
  const [missed] = inTime.splice(1_000, 1)
  if (missed === undefined) throw new Error('the history is too short')
  const whole = engineOfLate()
  foldSteps(whole, inTime)
  const loaded = restored(whole, engineOfLate())
  for (const engine of [whole, loaded]) foldStep(engine, missed)
  expect(whole.counts.lateFolded).toBe(1)
  expect(
    differenceOf(
      loaded,
      whole,
      inTime.map(({ event }) => event),
    ),
  ).toBeNull()
})

test('of creations without a slot, behind the last one that is known, so many are remembered as can be saved', () => {
  const engine = new Engine({ clock: 'event' })
  engine.accept(swap({ slot: 1_000, mint: 'other', signature: 'the last with a slot' }))
  const events = Array.from({ length: 400 }, (_, i) => told(i, null))
  for (const event of events) engine.accept(event)
  const part = engine.parts.find(({ name }) => name === 'lifecycle events')
  const bytes = part?.facts()[0] ?? 0
  expect(bytes).toBeGreaterThan(LIFECYCLE_TEXTS_MAX - 2 * URI_CHARACTERS)
  expect(bytes).toBeLessThan(LIFECYCLE_TEXTS_MAX)
  const loaded = restored(engine, new Engine({ clock: 'event' }))
  expect(differenceOf(loaded, engine, events.slice(-3))).toBeNull()
  for (const each of [engine, loaded]) each.accept(told(400, null))
  expect(differenceOf(loaded, engine, events.slice(-3))).toBeNull()
})

test('what the ring keeps of texts goes with its events, taken back or forgotten', () => {
  const engine = new Engine({ clock: 'event' })
  for (let i = 0; i < 800; i += 1) {
    engine.accept(told(i, 1_000 + i * 2))
    engine.accept(swap({ slot: 999 + i * 2, mint: 'other', signature: `late ${i}` }))
  }
  expect(engine.counts.lateFolded).toBe(800)
  expect(engine.counts.lateRefused).toBe(0)
})

test('the ring tells tokens of the lifecycle events it has, taken back, forgotten and loaded ones too', () => {
  const random = new Random(7)
  const ring = new ReorderWindow()
  let held: { slot: number; token: number | null }[] = []
  let slot = 0
  const expectSame = (one: ReorderWindow) => {
    for (let token = 0; token < 12; token += 1)
      expect(one.hasEntryOf(token)).toBe(held.some((event) => event.token === token))
  }
  for (let i = 0; i < 3_000; i += 1) {
    slot += random.integer(0, 2)
    const key = { ...NOWHERE, slot, isSlotKnown: true, arrival: i }
    const token = random.chance(0.3) ? random.integer(0, 11) : null
    ring.push(key, 0, NO_BARS, token === null ? null : { event: created({ slot }), token, key })
    held.push({ slot, token })
    if (random.chance(0.2)) {
      ring.pop()
      held.pop()
    }
    if (random.chance(0.1)) {
      ring.forgetBefore(slot - 5)
      held = held.filter((event) => event.slot >= slot - 5)
    }
    if (i % 10 === 0) expectSame(ring)
    if (i % 500 !== 0) continue
    const loaded = new ReorderWindow()
    copyParts(ring.parts, loaded.parts)
    expectSame(loaded)
  }
})

/** A creation with a text as long as some. */
function told(i: number, slot: number | null) {
  return created({ slot, mint: `mint ${i}`, signature: `create ${i}`, uri: LONG_URI })
}

test('lifecycle events of the ring are read back as they were written', () => {
  const key = fc.record({
    slot: fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }),
    txIndex: fc.nat(),
    ordinal: fc.nat(),
    isSlotKnown: fc.boolean(),
    signatureHigh: fc.integer(),
    signatureLow: fc.integer(),
    arrival: fc.nat(),
  })
  fc.assert(
    fc.property(anyEvent, key, fc.nat(), (event, place, token) => {
      if (event.type === 'swap' || !isPlaced(event)) return
      const entry = { event, token, key: place }
      const [ring, loaded] = [new ReorderWindow(), new ReorderWindow()]
      ring.push(NOWHERE, 0, NO_BARS, entry)
      copyParts(ring.parts, loaded.parts)
      expect(loaded.pop().entry).toEqual(entry)
    }),
    { numRuns: byLength(50, 500) },
  )
})
