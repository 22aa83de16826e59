import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { ReplayRefusals } from '../../../src/feeds/yellowstone/replay-refusals.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'

function failure(code: status): Error {
  return Object.assign(new Error('broadcast from 5 is not available'), { code })
}

test('a stream begins at now after three refusals in a row, until something is told again', () => {
  const refusals = new ReplayRefusals(new VirtualTimers())
  for (const code of [status.OUT_OF_RANGE, status.INVALID_ARGUMENT]) refusals.stream(failure(code))
  // It has lost its key, or its connection.
  for (const code of [status.UNAUTHENTICATED, status.UNAVAILABLE]) refusals.stream(failure(code))
  refusals.stream(new Error('nothing came'))
  expect(refusals.mayReplay).toBe(true)
  refusals.stream(failure(status.DATA_LOSS))
  expect(refusals.mayReplay).toBe(false)
  refusals.told()
  expect(refusals.mayReplay).toBe(true)
})

test('slots are given up when back-fills were refused ten times in a row, and then at once for ten minutes', async () => {
  const timers = new VirtualTimers()
  const refusals = new ReplayRefusals(timers)
  const refused = (code = status.OUT_OF_RANGE) => refusals.backfill(failure(code))
  const times = (count: number) => Array.from({ length: count }, () => refused())
  expect(times(9)).not.toContain(true)
  expect(refused(status.UNAVAILABLE)).toBe(false)
  expect(times(2)).toEqual([true, true])
  await timers.pass(600_000)
  expect(refused()).toBe(true)
  await timers.pass(600_001)
  expect(times(10).indexOf(true)).toBe(9)
  refusals.told()
  expect(refused()).toBe(false)
})
