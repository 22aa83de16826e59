import { expect, test } from 'vitest'
import { HydrationQueue, JOBS_MAX } from '../../../src/feeds/hydration/hydration-queue.ts'

const LIMITS = { facts: 3, texts: 3, largest: 1, holders: 2 }
const mintsOf = (jobs: readonly { readonly mint: string }[]) => jobs.map(({ mint }) => mint)

test('what clients want comes first in its order, then what traded last', () => {
  const queue = new HydrationQueue(() => true)
  for (const mint of ['a', 'b', 'c', 'd', 'a']) queue.traded(mint, 0)
  expect(mintsOf(queue.ready(['c', 'unheard'], LIMITS, 0).facts)).toEqual(['c', 'a', 'd'])
  expect(mintsOf(queue.ready([], LIMITS, 0).facts)).toEqual(['a', 'd', 'c'])
})

test('each stage has its own mints, and a mint whose answer waits is not asked for', () => {
  const queue = new HydrationQueue(() => true)
  for (const mint of ['a', 'b', 'c', 'd']) queue.traded(mint, 0)
  const [a, b, c] = queue.ready(['a', 'b', 'c'], LIMITS, 0).facts
  Object.assign(a, { stage: 'largest' })
  Object.assign(b, { stage: 'holders' })
  Object.assign(c, { isHeld: true })
  const ready = queue.ready([], LIMITS, 0)
  expect(mintsOf(ready.facts)).toEqual(['d'])
  expect(mintsOf(ready.largest)).toEqual(['a'])
  expect(mintsOf(ready.holders)).toEqual(['b'])
})

test('a known mint is not asked for, and looked up again after a minute', () => {
  const known = new Set(['a'])
  let lookUps = 0
  const queue = new HydrationQueue((mint) => {
    lookUps += 1
    return !known.has(mint)
  })
  for (let n = 0; n < 100; n++) queue.traded('a', n)
  expect([queue.length, lookUps]).toEqual([0, 1])
  known.clear()
  queue.traded('a', 70_000)
  expect([queue.length, lookUps]).toEqual([1, 2])
})

test('a mint that is wanted before it is there is asked for with its first trade', () => {
  const there = new Set<string>()
  const queue = new HydrationQueue((mint) => there.has(mint))
  expect(queue.want('a', 0)).toBe(false)
  there.add('a')
  queue.traded('a', 1)
  expect(queue.length).toBe(1)
})

test('a mint that cannot be had is tried three times, later each time, and given up for an hour', () => {
  const queue = new HydrationQueue(() => true)
  queue.traded('a', 0)
  const ready = (nowMs: number) => queue.ready([], LIMITS, nowMs).facts
  for (const [failedAtMs, nextMs] of [
    [0, 20_000],
    [20_000, 60_000],
  ]) {
    queue.failed(ready(failedAtMs)[0], failedAtMs)
    expect(ready(nextMs - 1)).toEqual([])
    expect(ready(nextMs)).toHaveLength(1)
  }
  queue.failed(ready(60_000)[0], 60_000)
  queue.traded('a', 3_659_999)
  expect([queue.length, queue.gaveUp]).toEqual([0, 1])
  queue.traded('a', 3_660_000)
  expect(queue.length).toBe(1)
})

test('when too many wait, the one whose last trade is oldest is dropped and counted', () => {
  const queue = new HydrationQueue(() => true)
  for (let n = 0; n < JOBS_MAX; n++) queue.traded(`mint ${n}`, 0)
  queue.traded('mint 0', 0)
  queue.traded('one more', 0)
  expect([queue.length, queue.dropped]).toEqual([JOBS_MAX, 1])
  expect(mintsOf(queue.ready(['mint 0', 'mint 1'], LIMITS, 0).facts)).not.toContain('mint 1')
})
