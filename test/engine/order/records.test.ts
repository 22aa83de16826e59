import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { LATE_SLOTS } from '../../../src/engine/order/reorder-window.ts'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { RecordBatch } from '../../../src/events/swap-record.ts'
import { byLength } from '../../lengths.ts'
import { everyRead, firstUnlike } from '../../model/every-read.ts'
import { checkEvent } from '../../model/light-check.ts'
import { Pair } from '../../model/pair.ts'
import { created, migrated, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { history } from '../../oracle/histories.ts'

interface Page {
  readonly items: readonly { timestamp: string; tx_index: number }[]
}

const HISTORIES = byLength(6, 40)
const EVENTS = 60
const OPTIONS = { clock: 'event', identities: 1 << 12 } as const

test('swaps made records before anything is folded end in the answers of swaps taken one by one', () => {
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const events = history(seed, EVENTS).map(withoutSomeIndexes)
    const expected = everyRead(folded(events), events)
    expect(firstUnlike(everyRead(recorded(events), events), expected), `seed ${seed}`).toBeNull()
  }
})

test('a transaction without an index has that of its event that arrived last in the slot', () => {
  for (const told of [3, 12]) {
    const events = [
      created({ slot: 100, txIndex: 7, signature: 'other' }),
      swap({ slot: 100, txIndex: null, signature: 'own', ordinal: 0 }),
      swap({ slot: 100, txIndex: told, signature: 'own', ordinal: 1 }),
      swap({ slot: 100, txIndex: null, signature: 'own', ordinal: 2 }),
    ]
    expect(indexesOf(events)).toEqual([8, told, told])
  }
})

test('an event without a slot lends its index to no other event of its transaction', () => {
  const events = [
    swap({ slot: 100, txIndex: 4, signature: 'first' }),
    swap({ slot: null, txIndex: null, signature: 'own', ordinal: 0 }),
    swap({ slot: 100, txIndex: null, signature: 'own', ordinal: 1 }),
  ]
  expect(indexesOf(events)).toEqual([4, 0, 5])
})

test('an index once counted stays through being taken back and folded again', () => {
  const events = [
    swap({ slot: 100, txIndex: 4, signature: 'first' }),
    swap({ slot: 100, txIndex: null, signature: 'own', ordinal: 0 }),
    swap({ slot: 99, txIndex: 9, signature: 'late' }),
    swap({ slot: 100, txIndex: null, signature: 'own', ordinal: 1 }),
    swap({ slot: 100, txIndex: null, signature: 'last' }),
  ]
  expect(indexesOf(events)).toEqual([4, 5, 9, 5, 6])
})

test('as late as a swap may be, it is counted after a creation of its slot', () => {
  const events = [
    created({ slot: 100, txIndex: 7, signature: 'other' }),
    swap({ slot: 100 + LATE_SLOTS, txIndex: 1, signature: 'newest' }),
    swap({ slot: 100, txIndex: null, signature: 'own' }),
  ]
  expect(indexesOf(events)).toEqual([1, 8])
})

test('an event of another slot lends its index to none, whatever its signature', () => {
  const events = [
    swap({ slot: 99, txIndex: 4, signature: 'own', ordinal: 0 }),
    swap({ slot: 100, txIndex: 1, signature: 'first' }),
    swap({ slot: 100, txIndex: null, signature: 'own', ordinal: 1 }),
  ]
  expect(indexesOf(events)).toEqual([4, 1, 2])
})

test('swaps are counted after a creation of their slot, whatever text its signature is', () => {
  const base58 = '5'.repeat(87)
  for (const signature of ['a text', base58]) {
    const events = [
      created({ slot: 100, txIndex: 6, signature }),
      swap({ slot: 100, txIndex: null, signature, ordinal: 1 }),
      swap({ slot: 100, txIndex: null, signature: `${base58.slice(1)}6` }),
    ]
    expect(indexesOf(events), signature).toEqual([6, 7])
  }
})

test('a migration told long after its slot counts behind the swaps of the slot, or with its own', () => {
  for (const signature of ['own', 'of nobody']) {
    const pair = new Pair('event')
    const events = [
      created({ slot: 90, signature: 'birth' }),
      swap({ slot: 100, txIndex: 3, signature: 'own', ordinal: 0 }),
      swap({ slot: 100, txIndex: 5, signature: 'other', ordinal: 0 }),
      swap({ slot: 300, txIndex: 1, signature: 'newest' }),
      // Another of its slot, which it stands before or behind in the table of the graduated.
      migrated({ slot: 100, txIndex: 4, signature: 'another', mint: 'mint 2' }),
      migrated({ slot: 100, txIndex: null, signature, ordinal: 1 }),
    ]
    for (const [index, event] of events.entries()) {
      pair.apply(event)
      expect(checkEvent(pair, event, index), signature).toBeNull()
    }
  }
})

/** Every fifth event forgets its index, so that many are counted. */
function withoutSomeIndexes(event: FeedEvent, at: number): FeedEvent {
  return 'txIndex' in event && at % 5 === 0 ? { ...event, txIndex: null } : event
}

/** The `tx_index` of every swap, in order of arrival; each gets a second by which it is found. */
function indexesOf(given: readonly FeedEvent[]): number[] {
  const events = given.map((event, at) => ({ ...event, timestamp: START_SECOND + at }))
  const reads = everyRead(folded(events), events)
  const page: Page = JSON.parse(reads.get('swaps of mint 1') ?? '')
  const swaps = events.filter((event): event is Swap => event.type === 'swap')
  return swaps.map(({ timestamp }) => {
    const text = new Date(timestamp * 1000).toISOString().slice(0, 19).replace('T', ' ')
    return page.items.find((item) => item.timestamp === text)?.tx_index ?? -1
  })
}

function folded(events: readonly FeedEvent[]): Engine {
  const engine = new Engine(OPTIONS)
  for (const event of events) engine.accept(event)
  return engine
}

/** All swaps are made records before anything is folded; the other events stand between them. */
function recorded(events: readonly FeedEvent[]): Engine {
  const engine = new Engine(OPTIONS)
  const batch = new RecordBatch(events.length)
  for (const event of events)
    if (event.type === 'swap') batch.addSwap(event, engine.state.book)
    else batch.addOther(event)
  engine.records(batch)
  return engine
}
