import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { ReplayRefusals } from '../../../src/feeds/yellowstone/yellowstone-source.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'

function failure(code: status, words = 'broadcast from 5 is not available'): Error {
  return Object.assign(new Error(words), { code })
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
  refusals.succeeded()
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
  refusals.succeeded()
  expect(refused()).toBe(false)
})

test('a refusal of an old slot is known by code and words, in all forms that servers have', () => {
  const words = 'broadcast from 430 is not available, last available: 512'
  const forms: readonly [status, string][] = [
    [status.OUT_OF_RANGE, words],
    [status.INTERNAL, words],
    [status.INVALID_ARGUMENT, 'failed to get replay index for slot'],
    [status.DATA_LOSS, 'too old'],
  ]
  for (const [code, text] of forms) {
    const refusals = new ReplayRefusals(new VirtualTimers())
    for (let stream = 0; stream < 3; stream++) {
      expect(refusals.mayReplay, text).toBe(true)
      refusals.stream(failure(code, text))
    }
    expect(refusals.mayReplay, text).toBe(false)
  }
})

test('a server that supports no old slots is not asked for one again', () => {
  const refusals = new ReplayRefusals(new VirtualTimers())
  refusals.stream(failure(status.INTERNAL, 'from_slot is not supported'))
  expect(refusals.mayReplay).toBe(false)
})

test('an internal error with other words is held for a refusal only when it lasts for twice as long', () => {
  const refusals = new ReplayRefusals(new VirtualTimers())
  const reset = failure(status.INTERNAL, 'Received RST_STREAM with code 2')
  for (let stream = 0; stream < 5; stream++) refusals.stream(reset)
  expect(refusals.mayReplay).toBe(true)
  refusals.stream(reset)
  expect(refusals.mayReplay).toBe(false)
})
