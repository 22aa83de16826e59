import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent, Gap } from '../../../src/events/event.ts'
import { EngineLive } from '../../../src/query/json/engine-live.ts'
import { byLength } from '../../lengths.ts'
import { everyRead, firstUnlike } from '../../model/every-read.ts'
import { created, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

const LATE_SLOTS = 32

function gap(state: Gap['state'], fromSlot: number, toSlot: number): FeedEvent {
  return { type: 'gap', state, fromSlot, toSlot, timestamp: START_SECOND + toSlot + 1 }
}

function trade(slot: number, mint: string, signer = 'alice'): FeedEvent {
  const direction = slot % 3 === 0 ? 'sell' : 'buy'
  return swap({ slot, txIndex: 0, mint, signer, direction, timestamp: START_SECOND + slot })
}

test('swaps that fill a gap are told at its end, each with the number of its arrival', () => {
  const engine = new Engine({ clock: 'event' })
  const live = new EngineLive(engine)
  const told: [string, string, number, number, number][] = []
  live.onTrade(({ mint, wallet, seq, walletSeq, tradeSeq }) => {
    told.push([mint, wallet, seq, walletSeq, tradeSeq])
  })
  live.attach()
  engine.events([trade(100, 'a'), gap('open', 101, 180), trade(181, 'a'), trade(182, 'b', 'bob')])
  engine.accept(gap('filling', 101, 180))
  for (const event of [trade(101, 'a', 'bob'), trade(110, 'b'), trade(120, 'a', 'bob')])
    engine.accept(event)
  expect(told.length).toBe(3)
  engine.accept(gap('filled', 101, 180))
  expect(told).toEqual([
    ['a', 'alice', 1, 1, 1],
    ['a', 'alice', 2, 2, 2],
    ['b', 'bob', 1, 1, 3],
    ['a', 'bob', 3, 2, 4],
    ['b', 'alice', 2, 3, 5],
    ['a', 'bob', 4, 3, 6],
  ])
})

test('an event of an open gap is taken however late, and refused once the gap is filled or lost', () => {
  for (const end of ['filled', 'lost'] as const) {
    const engine = new Engine({ clock: 'event', lateSlots: LATE_SLOTS })
    engine.events([trade(100, 'a'), gap('open', 101, 1_000), trade(5_000, 'a')])
    engine.accept(trade(101, 'a'))
    expect(engine.counts.lateRefused).toBe(0)
    engine.accept(gap(end, 101, 1_000))
    engine.accept(trade(5_001, 'a'))
    engine.accept(trade(102, 'a'))
    expect([end, engine.counts.lateRefused, engine.counts.swaps]).toEqual([end, 1, 4])
  }
})

test('what fills a gap is taken though the clock was set back by more than a minute since', () => {
  const engine = new Engine({ clock: 'wall', lateSlots: LATE_SLOTS })
  engine.advance(START_SECOND + 181)
  engine.events([trade(100, 'a'), gap('open', 101, 180), trade(181, 'a')])
  engine.advance(START_SECOND - 600)
  engine.events([gap('filling', 101, 180), trade(150, 'a'), gap('filled', 101, 180)])
  expect([engine.counts.aheadRefused, engine.counts.swaps]).toEqual([0, 3])
})

test('a fill whose end was never written ends with the journal', () => {
  const engine = new Engine({ clock: 'event' })
  engine.events([trade(100, 'a'), gap('open', 101, 180), trade(181, 'a'), gap('filling', 101, 180)])
  engine.accept(trade(101, 'a'))
  engine.endFill()
  expect(engine.state.tape.count).toBe(3)
  expect(engine.state.unseen.all).toEqual([
    { from: 101, to: 180, seconds: START_SECOND + 181, isOpen: true },
  ])
})

test('tokens that are evicted while a gap is filled have all their events', () => {
  const history = [
    ...['a', 'b'].map((mint, i) => created({ mint, slot: 10 + i, timestamp: START_SECOND })),
    ...[trade(100, 'a'), trade(101, 'b', 'bob'), gap('open', 102, 180), trade(181, 'b', 'bob')],
    ...[gap('filling', 102, 180), trade(103, 'a', 'carol')],
  ]
  const rest = [trade(110, 'b'), gap('filled', 102, 180)]
  const [whole, evicted] = [new Engine({ clock: 'event' }), new Engine({ clock: 'event' })]
  whole.events([...history, ...rest])
  evicted.events(history)
  evicted.coldStore.evict([0, 1])
  evicted.events(rest)
  const reads = everyRead(whole, history)
  expect(firstUnlike(reads, everyRead(evicted, history))).toBeNull()
})

test('however gaps lie and are filled, all answers are those of the events in order', () => {
  for (let seed = 1; seed <= byLength(20, 300); seed += 1) {
    const random = new Random(seed)
    const mints = ['a', 'b', 'c'] as const
    const history: FeedEvent[] = mints.map((mint, i) =>
      created({ mint, slot: 10 + i, txIndex: 0, timestamp: START_SECOND }),
    )
    for (let slot = 20; slot < 400; slot += random.integer(1, 3))
      history.push(trade(slot, random.pick(mints), random.pick(['x', 'y', 'z'] as const)))
    const inOrder = new Engine({ clock: 'event' })
    inOrder.events(history)
    const behind = new Engine({ clock: 'event' })
    behind.events(withGaps(random, history))
    const reads = everyRead(inOrder, history)
    expect(firstUnlike(reads, everyRead(behind, history)), `seed ${seed}`).toBeNull()
    expect(behind.state.unseen.all, `seed ${seed}`).toEqual([])
  }
})

/** Up to three gaps that follow each other, each filled in one run or two behind all that comes later. */
function withGaps(random: Random, history: readonly FeedEvent[]): FeedEvent[] {
  const slotOf = (event: FeedEvent) => ('slot' in event ? (event.slot ?? 0) : 0)
  const between = (from: number, to: number) =>
    history.filter((event) => slotOf(event) >= from && slotOf(event) <= to)
  const events: FeedEvent[] = []
  const fills: FeedEvent[] = []
  let next = 0
  for (let n = random.integer(1, 3); n > 0; n -= 1) {
    const from = next + random.integer(10, 60)
    const to = from + random.integer(1, 60)
    const middle = random.integer(from, to)
    events.push(...between(next, from - 1), gap('open', from, to))
    for (const [first, last] of [
      [from, middle],
      [middle + 1, to],
    ] as const)
      if (first <= last)
        fills.push(gap('filling', first, last), ...between(first, last), gap('filled', first, last))
    next = to + 1
  }
  return [...events, ...between(next, 10_000), ...fills]
}
