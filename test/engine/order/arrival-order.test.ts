import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { swapsArrivedAfter } from '../../../src/engine/order/arrival-order.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { SwapLane } from '../../../src/events/swap-record.ts'
import { byLength } from '../../lengths.ts'
import { created, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { history } from '../../oracle/histories.ts'
import { Random } from '../../oracle/random.ts'
import { swapLate, trades } from '../../properties/late-trades.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'
import { engineOf, restored, usedEngineOf } from '../../store/restoring.ts'

const SEEDS = Number(process.env.RUNS ?? byLength(8, 60))

/** Trades by token in the order in which they were told: the witness of the order of arrival. */
class Told {
  readonly byToken = new Map<number, string[]>()

  constructor(engine: Engine) {
    engine.facts.on('trade', (index) => {
      const { tape } = engine.state
      const token = tape.u32Of(index)[tape.at(index) + SwapLane.token]
      const list = this.byToken.get(token) ?? []
      list.push(nameOf(engine, index))
      this.byToken.set(token, list)
    })
  }
}

/** What stays of a record wherever it moves to. */
function nameOf({ state: { tape } }: Engine, index: number): string {
  const at = tape.at(index)
  const lanes = tape.u32Of(index)
  const signature = lanes.slice(at + SwapLane.signature, at + SwapLane.signature + 16).join('.')
  return `${signature}/${lanes[at + SwapLane.ordinal]}`
}

/** Every token, from every number: the missed ones in order, or a loss; returns the losses. */
function check(engine: Engine, told: Told, random: Random): number {
  let losses = 0
  for (const [token, names] of told.byToken) {
    const after = random.integer(0, names.length)
    const found = swapsArrivedAfter(engine.state, token, after)
    if (typeof found === 'string') losses += 1
    else
      expect(
        found.map((index) => nameOf(engine, index)),
        `after ${after}`,
      ).toEqual(names.slice(after))
  }
  return losses
}

test('of swaps that have left memory a thousand are told, and none where they are more', () => {
  const count = 1_500
  const engine = new Engine({ clock: 'event', tapeChunkRecords: TAPE_BLOCK_RECORDS })
  for (let i = 0; i < count; i += 1)
    engine.accept(swap({ slot: 1_000 + i, signature: `swap ${i}` }))
  new MemoryArchive().takeFrom(engine)
  const { firstInMemory } = engine.state.tape
  const from = firstInMemory - 1_000
  expect(from).toBeGreaterThan(0)
  const told = Array.from({ length: count - from }, (_, i) => from + i)
  expect(swapsArrivedAfter(engine.state, 0, from)).toEqual(told)
  expect(swapsArrivedAfter(engine.state, 0, from - 1)).toBe('too_old')
})

test('swaps come back in the order they arrived, also from a state that was saved and loaded', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = new Random(seed)
    const events = seed % 2 ? history(seed, 150) : swapLate(trades(seed, 150), random)
    const engine = engineOf('event', 1 << 12)
    const told = new Told(engine)
    for (const event of events) {
      engine.accept(event)
      if (random.chance(0.2)) check(engine, told, random)
    }
    expect(check(engine, told, random), `seed ${seed}`).toBe(0)
    const loaded = restored(engine, usedEngineOf('event', seed), 'identities')
    expect(check(loaded, told, random), `seed ${seed}`).toBe(0)
  }
})

test('a swap that comes behind more than 31 of its mint is a loss, never a wrong order', () => {
  const engine = engineOf('event', 1 << 12)
  const told = new Told(engine)
  const events: FeedEvent[] = [created({ slot: 1 })]
  for (let i = 0; i < 80; i += 1)
    events.push(swap({ slot: 10 + (i >> 3), txIndex: i, timestamp: START_SECOND + i }))
  for (const event of events) engine.accept(event)
  engine.accept(swap({ slot: 15, txIndex: 0, timestamp: START_SECOND }))
  const [token = -1] = told.byToken.keys()
  expect(swapsArrivedAfter(engine.state, token, 70)).toBe('order_lost')
  expect(swapsArrivedAfter(engine.state, token, 80)).toBe('order_lost')
  expect(swapsArrivedAfter(engine.state, token, 81)).toEqual([])
  for (let i = 0; i < 40; i += 1)
    engine.accept(swap({ slot: 30, txIndex: i, timestamp: START_SECOND + 99 }))
  expect(check(engine, told, new Random(1))).toBeLessThanOrEqual(1)
  expect(swapsArrivedAfter(engine.state, token, 81)).toHaveLength(40)
})

test.each([
  ['31 of its mint were told before it', 31, 1, true],
  ['32 of its mint were told before it', 32, 1, false],
  ['31 late ones were told after it that go before it', 1, 31, true],
  ['32 late ones were told after it that go before it', 1, 32, false],
])('of a swap of which %s (%i early, %i late) the order is kept: %s', (_, early, late, isKnown) => {
  const engine = engineOf('event', 1 << 12)
  const told = new Told(engine)
  engine.accept(created({ slot: 1 }))
  for (let i = 0; i < early; i += 1) engine.accept(swap({ slot: 30, txIndex: i }))
  for (let i = 0; i < late; i += 1) engine.accept(swap({ slot: 20, txIndex: i }))
  const [[token = -1, names = []] = []] = told.byToken
  for (let after = 0; after < names.length; after += 1) {
    const found = swapsArrivedAfter(engine.state, token, after)
    const named = typeof found === 'string' ? found : found.map((index) => nameOf(engine, index))
    // The one that is displaced too far is missed by whoever does not have it yet.
    const isMissed = after < (early > late ? names.length : 1)
    expect(named, `after ${after}`).toEqual(
      isKnown || !isMissed ? names.slice(after) : 'order_lost',
    )
  }
})

test('launches and migrations are announced once each, in the order they arrived', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const engine = engineOf('event', 1 << 12)
    const launches: number[] = []
    const migrations: number[] = []
    engine.facts.on('migration', (token) => void migrations.push(token))
    for (const event of history(seed, 150)) {
      const before = engine.announcements.launches.length
      engine.accept(event)
      if (engine.announcements.launches.length > before && event.type === 'token_created')
        launches.push(engine.state.book.findToken(event.mint))
    }
    const { announcements } = restored(engine, usedEngineOf('event', seed), 'identities')
    const list = ({ length, get }: { length: number; get: (place: number) => number }) =>
      Array.from({ length }, (_, place) => get(place))
    const held = (part: typeof announcements.launches) =>
      list({ length: part.length, get: (place) => part.get(place) })
    expect(held(announcements.launches)).toEqual(launches)
    expect(held(announcements.migrations)).toEqual(migrations)
    expect(new Set(launches).size).toBe(launches.length)
  }
})
