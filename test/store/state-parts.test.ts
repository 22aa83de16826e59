import fc from 'fast-check'
import { expect, test } from 'vitest'
import { STORED_FROM_SWAPS } from '../../src/engine/history/candles.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { byLength } from '../lengths.ts'
import { everyRead } from '../model/every-read.ts'
import type { Clock } from '../model/pair.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { swapLate, trades } from '../properties/late-trades.ts'
import { crowd } from './crowd.ts'
import {
  differenceOf,
  engineOf,
  foldStep,
  foldSteps,
  restored,
  stepsOf,
  usedEngineOf,
} from './restoring.ts'

const clocks = fc.constantFrom<Clock>('event', 'wall')
const seeds = fc.integer({ min: 1, max: 0x7fffffff })
const lengths = fc.constantFrom(1, 12, 30, 60, 120)

test('every part of the state has a name of its own', () => {
  const names = engineOf('event').parts.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(engineOf('wall').parts.map(({ name }) => name)).toEqual(names)
})

test('the same history gives the same state, whatever is read in between', () => {
  fc.assert(
    fc.property(seeds, lengths, clocks, (seed, length, clock) => {
      expectReadsChangeNothing(history(seed, length), seed, clock)
    }),
    { numRuns: byLength(5, 40) },
  )
})

test('reads that make lists of holders do not change the state', () => {
  fc.assert(
    fc.property(seeds, clocks, (seed, clock) => {
      expectReadsChangeNothing(crowd(seed, 120), seed, clock)
    }),
    { numRuns: byLength(2, 10) },
  )
})

test('another history gives another digest', () => {
  const digests = [1, 2, 3].map((seed) => {
    const engine = engineOf('event')
    foldSteps(engine, stepsOf(history(seed, 12), seed))
    return stateDigest(engine.parts)
  })
  expect(new Set(digests).size).toBe(3)
})

test('an engine restored after every k-th event ends as one that never was', () => {
  const every = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 }))
  fc.assert(
    fc.property(seeds, lengths, every, clocks, (seed, length, k, clock) => {
      expectSameWhenRestored(history(seed, length), seed, k, clock)
    }),
    { numRuns: byLength(5, 40) },
  )
})

test('restoring between late trades, and after bars are stored, changes nothing', () => {
  const every = fc.integer({ min: 1, max: 400 })
  fc.assert(
    fc.property(seeds, every, clocks, (seed, k, clock) => {
      const events = swapLate(trades(seed, STORED_FROM_SWAPS + 120), new Random(seed))
      expectSameWhenRestored(events, seed, Math.max(k, 40), clock)
      expectSameWhenRestored(events.slice(0, 130), seed, 1 + (k % 5), clock)
    }),
    { numRuns: byLength(1, 5) },
  )
})

test('a trade that is late right after a restore is folded in its place, by the undo log', () => {
  fc.assert(
    fc.property(seeds, clocks, fc.integer({ min: 1, max: 6 }), (seed, clock, late) => {
      const inTime = stepsOf(trades(seed, 60), seed)
      const [missed] = inTime.splice(inTime.length - 1 - late, 1)
      if (missed === undefined) throw new Error('the history is too short')
      const step = { ...missed, now: inTime.at(-1)?.now ?? 0 }
      const whole = engineOf(clock)
      foldSteps(whole, inTime)
      const loaded = restored(whole, usedEngineOf(clock, seed))
      const lame = restored(whole, engineOf(clock), 'undo')
      for (const engine of [whole, loaded, lame]) foldStep(engine, step)
      const events = inTime.map(({ event }) => event)
      expect(whole.counts.lateFolded).toBe(1)
      expect(differenceOf(loaded, whole, events)).toBeNull()
      expect(differenceOf(lame, whole, events, 'undo')).not.toBeNull()
    }),
    { numRuns: byLength(4, 20) },
  )
})

test('what is restored into keeps on moving its wall clock', () => {
  const steps = stepsOf(history(7, 60), 7)
  const whole = engineOf('wall')
  foldSteps(whole, steps)
  const loaded = restored(whole, usedEngineOf('wall', 8))
  for (const seconds of [1, 3_600, 86_399, 86_401]) {
    for (const engine of [whole, loaded]) engine.advance(engine.state.now + seconds)
    expect(differenceOf(loaded, whole, history(7, 60))).toBeNull()
  }
})

function expectReadsChangeNothing(events: readonly FeedEvent[], seed: number, clock: Clock): void {
  const [quiet, read] = [engineOf(clock), engineOf(clock)]
  const random = new Random(seed)
  for (const step of stepsOf(events, seed)) {
    foldStep(quiet, step)
    foldStep(read, step)
    if (!random.chance(4 / events.length)) continue
    everyRead(read, events)
    read.order.keepUp()
    expect(stateDigest(read.parts)).toBe(stateDigest(quiet.parts))
  }
  expect(differenceOf(read, quiet, events)).toBeNull()
}

function expectSameWhenRestored(
  events: readonly FeedEvent[],
  seed: number,
  k: number,
  clock: Clock,
): void {
  const random = new Random(seed ^ k)
  const whole = engineOf(clock)
  let engine = engineOf(clock)
  stepsOf(events, seed).forEach((step, i) => {
    foldStep(whole, step)
    foldStep(engine, step)
    if (i % k !== k - 1) return
    if (random.chance(0.1)) everyRead(engine, events)
    const into = random.chance(0.2) ? usedEngineOf(clock, seed + i) : engineOf(clock)
    engine = restored(engine, into)
    expect(stateDigest(engine.parts)).toBe(stateDigest(whole.parts))
  })
  expect(differenceOf(engine, whole, events)).toBeNull()
}
