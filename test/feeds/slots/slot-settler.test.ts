import { expect, test } from 'vitest'
import { SlotSettler } from '../../../src/feeds/slots/slot-settler.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'

const SETTLE_MS = 10

function settling() {
  const timers = new VirtualTimers()
  const whole: string[] = []
  const settler = new SlotSettler(timers, SETTLE_MS, (slot, parent) =>
    whole.push(`${parent}>${slot}`),
  )
  return { timers, whole, settler }
}

test('a slot is whole when nothing has come for a while, or when the next one begins', async () => {
  const { timers, whole, settler } = settling()
  settler.reached(11)
  settler.close(10, 9)
  await timers.pass(SETTLE_MS - 1)
  settler.touch(10)
  await timers.pass(SETTLE_MS - 1)
  expect(whole).toEqual([])
  await timers.pass(1)
  expect(whole).toEqual(['9>10'])
  settler.close(11, 10)
  settler.reached(12)
  settler.touch(12)
  expect(whole).toEqual(['9>10', '10>11'])
})

test('a slot that the chain has not reached is not whole, and does not end the one before', async () => {
  const { timers, whole, settler } = settling()
  settler.reached(10)
  settler.close(10, 9)
  settler.close(5_010, 9)
  expect(whole).toEqual([])
  await timers.pass(SETTLE_MS * 10)
  expect(whole).toEqual(['9>10'])
})

test('a slot waits for its look-ups, and later ones for it', async () => {
  const { timers, whole, settler } = settling()
  settler.reached(13)
  const release = settler.hold(10)
  settler.close(10, 9)
  settler.close(11, 10)
  settler.touch(12)
  await timers.pass(SETTLE_MS * 10)
  expect(whole).toEqual([])
  release()
  release()
  expect(whole).toEqual(['9>10', '10>11'])
})

test('a slot that nobody closes keeps no later one back', () => {
  const { whole, settler } = settling()
  settler.reached(12)
  settler.touch(10)
  settler.close(11, 10)
  settler.touch(12)
  expect(whole).toEqual(['10>11'])
})

test('after the end nothing is said any more', async () => {
  const { timers, whole, settler } = settling()
  settler.reached(10)
  settler.close(10, 9)
  settler.stop()
  await timers.pass(SETTLE_MS * 10)
  expect(whole).toEqual([])
})

test('slots that the chain has not reached cannot take the place of those it has', () => {
  const { whole, settler } = settling()
  settler.reached(12)
  settler.close(10, 9)
  for (let n = 0; n < 3_000; n++) settler.close(5_000 + n, 9)
  settler.close(11, 10)
  settler.touch(12)
  expect(whole).toEqual(['9>10', '10>11'])
})

test('a slot of which something could not be had is never whole', () => {
  const { whole, settler } = settling()
  settler.reached(12)
  settler.close(10, 9)
  settler.leave(10)
  settler.close(11, 10)
  settler.touch(12)
  expect(whole).toEqual(['10>11'])
})
