import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { highestIndexes } from '../../../src/engine/read/swap-outtake.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { ARRIVAL_STEP } from '../../../src/feeds/chain/arrival-index.ts'
import {
  type BufferedTransaction,
  inOrder,
  type WrittenIndexes,
} from '../../../src/feeds/supervisor/slot-order.ts'
import { newSlotCounters, SlotSequencer } from '../../../src/feeds/supervisor/slot-sequencer.ts'
import { swap } from '../../oracle/fixtures.ts'
import { told } from './scripted-source.ts'

/** A desk that has handed over slot 10, and where it put what it handed over behind it. */
function deskAt10(written: WrittenIndexes = new Map()) {
  const counters = newSlotCounters()
  const places: { signature: string; txIndex: number }[] = []
  const take = (events: readonly FeedEvent[]) => {
    for (const event of events)
      if (event.type === 'completed')
        places.push({ signature: event.signature, txIndex: event.txIndex ?? -1 })
  }
  const desk = new SlotSequencer(take, counters, 10, undefined, written)
  /** By the order that the engine keeps. */
  const order = () => {
    const sorted = places.toSorted((a, b) => a.txIndex - b.txIndex)
    return [...new Set(sorted.map(({ signature }) => signature))].join('')
  }
  return { desk, counters, order, places }
}

/** By its index in the block of slot 11. */
function exact(signature: string, txIndex: number, ...mints: string[]) {
  return { ...told(11, txIndex, { signature }), ...eventsOf(signature, txIndex, mints) }
}

/** By its index of arrival in slot 11. */
function arrived(signature: string, place: number, ...mints: string[]) {
  const txIndex = (place + 1) * ARRIVAL_STEP
  return {
    ...told(11, txIndex, { signature, isExact: false }),
    ...eventsOf(signature, txIndex, mints),
  }
}

function eventsOf(signature: string, txIndex: number, mints: readonly string[]) {
  const [event] = told(11, txIndex, { signature }).events
  if (event.type !== 'completed') throw new Error('another event')
  return { events: mints.map((mint, ordinal): FeedEvent => ({ ...event, mint, ordinal })) }
}

/** Frames of slot 11, one behind the other, of mint M where nothing else is said. */
function allArrive(
  { live }: SlotSequencer,
  names: string,
  mintOf: Readonly<Record<string, string>> = {},
): void {
  for (const [place, name] of [...names].entries())
    live.transaction(arrived(name, place, mintOf[name] ?? 'M'))
}

/** Slots 11 to 13 end: what was late of the first has waited for the others. */
function endSlots({ live }: SlotSequencer): void {
  for (const slot of [11, 12, 13]) live.slotComplete(slot, slot - 1)
}

test('a slot that two feeds told in part is in the order of its block, though a log frame of it was lost', () => {
  const { desk, order, counters } = deskAt10()
  const { live } = desk
  live.transaction(exact('D', 5, 'Z'))
  live.transaction(exact('A', 300, 'M'))
  live.transaction(arrived('A', 0, 'M'))
  live.transaction(arrived('B', 1, 'M'))
  live.slotComplete(11, 10)
  expect(order()).toBe('DAB')
  live.transaction(exact('B', 400, 'M'))
  endSlots(desk)
  expect(order()).toBe('DAB')
  // Indexes of two kinds are no disorder.
  expect(counters.reordered).toBe(0)
})

test('what only the logs told goes before the next one of its mint that the other feed told too', () => {
  const { desk, order } = deskAt10()
  const { live } = desk
  allArrive(desk, 'ABCXD', { X: 'Z' })
  // The logs of the two programs are no one order.
  live.transaction(exact('X', 2, 'Z'))
  live.transaction(exact('C', 30, 'M'))
  live.transaction(exact('E', 40, 'M'))
  live.slotComplete(11, 10)
  expect(order()).toBe('XABCED')
})

test('frames of another program between those of a mint do not move them', () => {
  const { desk, order } = deskAt10()
  allArrive(desk, 'PQXV', { P: 'Z', Q: 'Z' })
  desk.live.transaction(exact('X', 5, 'M'))
  desk.live.transaction(exact('P', 100, 'Z'))
  desk.live.slotComplete(11, 10)
  expect(order()).toBe('XPQV')
  // The block has O of the other program between X and V.
  const late = deskAt10()
  allArrive(late.desk, 'XVO', { O: 'Z' })
  late.desk.live.slotComplete(11, 10)
  const block = [exact('X', 5, 'M'), exact('O', 7, 'Z'), exact('Y', 12, 'M'), exact('V', 20, 'M')]
  for (const one of block) late.desk.backfill.transaction(one)
  endSlots(late.desk)
  expect(late.order()).toBe('XYVO')
})

test('a transaction of two mints that only the logs told goes before the first that follows it', () => {
  const { desk, order } = deskAt10()
  const { live } = desk
  live.transaction(arrived('A', 0, 'M', 'Z'))
  live.transaction(arrived('B', 1, 'Z'))
  live.transaction(arrived('C', 2, 'M'))
  live.transaction(exact('B', 7, 'Z'))
  live.transaction(exact('C', 9, 'M'))
  live.slotComplete(11, 10)
  expect(order()).toBe('ABC')
})

test('what is told by its block behind a slot that its frames told stands behind those of its mint before it', () => {
  const { desk, order, places } = deskAt10()
  allArrive(desk, 'PQX', { P: 'Z', Q: 'Z' })
  desk.live.slotComplete(11, 10)
  // The connection is lost, and the block read: of mint M it has one before and two behind X.
  const block = [exact('W', 3, 'M'), exact('X', 5, 'M'), exact('Y', 12, 'M'), exact('V', 13, 'M')]
  for (const one of [...block, exact('P', 100, 'Z'), exact('Q', 101, 'Z')])
    desk.backfill.transaction(one)
  endSlots(desk)
  expect(order()).toBe('WPQXYV')
  expect(places.filter(({ signature }) => 'YV'.includes(signature))).toEqual([
    { signature: 'Y', txIndex: 3 * ARRIVAL_STEP + 13 },
    { signature: 'V', txIndex: 3 * ARRIVAL_STEP + 14 },
  ])
})

test('a slot that its frames alone told keeps the indexes of their arrival', () => {
  const { desk, places } = deskAt10()
  for (const [name, place] of Object.entries({ C: 7, A: 2, B: 4 }))
    desk.live.transaction(arrived(name, place, 'M'))
  desk.live.slotComplete(11, 10)
  expect(places).toEqual([
    { signature: 'A', txIndex: 3 * ARRIVAL_STEP },
    { signature: 'B', txIndex: 5 * ARRIVAL_STEP },
    { signature: 'C', txIndex: 8 * ARRIVAL_STEP },
  ])
})

test('a late transaction that its frame told is told by its block as well, which knows its place', () => {
  const { desk, order, counters } = deskAt10()
  allArrive(desk, 'AC')
  desk.live.slotComplete(11, 10)
  desk.live.transaction(arrived('B', 2, 'M'))
  for (const [index, name] of [...'ABC'].entries())
    desk.backfill.transaction(exact(name, index, 'M'))
  endSlots(desk)
  expect(order()).toBe('ABC')
  expect(counters).toMatchObject({ duplicates: 3, late: 1 })
})

test('a late frame stands behind its slot, and where its block was known it says where all others do', () => {
  const { desk, order, places } = deskAt10()
  desk.live.transaction(exact('A', 5, 'M'))
  desk.live.transaction(arrived('A', 0, 'M'))
  desk.live.transaction(arrived('B', 1, 'M'))
  desk.live.transaction(exact('C', 700, 'Z'))
  desk.live.slotComplete(11, 10)
  // Numbered anew, three stand where two had arrived.
  desk.live.transaction(arrived('D', 2, 'M'))
  endSlots(desk)
  expect(order()).toBe('ACBD')
  expect(places.map(({ txIndex }) => txIndex / ARRIVAL_STEP)).toEqual([1, 2, 3, 4])
})

test('a slot of which everything has its index in the block keeps these, late ones too', () => {
  const { desk, places } = deskAt10()
  desk.live.transaction(arrived('B', 0, 'M'))
  for (const [index, name] of [...'AB'].entries())
    desk.live.transaction(exact(name, index * 7, 'M'))
  desk.live.slotComplete(11, 10)
  desk.live.transaction(exact('C', 3, 'M'))
  endSlots(desk)
  expect(places.map(({ signature, txIndex }) => `${signature}${txIndex}`)).toEqual([
    'A0',
    'B7',
    'C3',
  ])
})

test('the rest of a slot of which a killed process wrote a part stands behind it', () => {
  const { desk, places } = deskAt10(new Map([[11, 2 * ARRIVAL_STEP]]))
  for (const [index, name] of [...'AB'].entries())
    desk.backfill.transaction(exact(name, index * 7, 'M'))
  desk.backfill.slotComplete(11, 10)
  expect(places.map(({ txIndex }) => txIndex)).toEqual([2 * ARRIVAL_STEP + 1, 2 * ARRIVAL_STEP + 8])
  // One by its block needs no other place.
  const whole = deskAt10(new Map([[11, 300]]))
  whole.desk.backfill.transaction(exact('A', 7, 'M'))
  whole.desk.backfill.slotComplete(11, 10)
  expect(whole.places).toEqual([{ signature: 'A', txIndex: 7 }])
})

test('of a slot that two feeds told in part each mint is in both orders, whatever transactions have of it', () => {
  const transactions = fc.record({
    mints: fc.subarray(['X', 'Y', 'Z'], { minLength: 1 }),
    toldBy: fc.subarray(['block', 'logs'] as const, { minLength: 1 }),
  })
  fc.assert(
    fc.property(fc.array(transactions, { maxLength: 8 }), (block) => {
      const held = block.map(({ mints, toldBy }, index): BufferedTransaction => {
        const byLogs = arrived(`${index}`, index, ...mints)
        const isExact = toldBy.includes('block')
        return {
          transaction: isExact ? exact(`${index}`, index, ...mints) : byLogs,
          arrivalIndex: toldBy.includes('logs') ? byLogs.txIndex : null,
        }
      })
      const order = inOrder(held).map(({ transaction }) => Number(transaction.signature))
      expect(order.toSorted((a, b) => a - b)).toEqual([...block.keys()])
      for (const [place, later] of order.entries())
        for (const earlier of order.slice(0, place)) {
          const [one, other] = [block[earlier], block[later]]
          const areOrdered = one.toldBy.some((feed) => other.toldBy.includes(feed))
          const areOfOne = one.mints.some((mint) => other.mints.includes(mint))
          if (areOrdered && areOfOne) expect(earlier).toBeLessThan(later)
        }
    }),
    { numRuns: 2_000 },
  )
})

test('what a restart reads again of a slot that logs told stands behind what was written of it, also of older slots', () => {
  const engine = new Engine({ clock: 'event' })
  const given = { timestamp: 1_790_000_000, mint: 'M' }
  engine.events([
    swap({ ...given, slot: 11, txIndex: ARRIVAL_STEP, signature: 'A' }),
    swap({ ...given, slot: 12, txIndex: ARRIVAL_STEP, signature: 'other', mint: 'other' }),
    swap({ ...given, slot: 12, txIndex: 2 * ARRIVAL_STEP, signature: 'last', mint: 'other' }),
  ])
  expect([...highestIndexes(engine.state, 11, 100)]).toEqual([
    [12, 2 * ARRIVAL_STEP],
    [11, ARRIVAL_STEP],
  ])
  expect([...highestIndexes(engine.state, 12, 100).keys()]).toEqual([12])
  expect([...highestIndexes(engine.state, 11, 1).keys()]).toEqual([12])
  const { desk, places } = deskAt10(highestIndexes(engine.state, 11, 100))
  desk.backfill.transaction(exact('B', 12, 'M'))
  desk.backfill.slotComplete(11, 10)
  expect(places).toEqual([{ signature: 'B', txIndex: ARRIVAL_STEP + 1 + 12 }])
})
