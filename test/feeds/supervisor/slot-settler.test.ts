import { expect, test } from 'vitest'
import { SlotSettler } from '../../../src/feeds/supervisor/slot-settler.ts'
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
  expect(timers.waiting).toBe(0)
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
  // Also when the rest of it comes behind the next ones.
  settler.close(10, 9)
  settler.touch(13)
  expect(whole).toEqual(['10>11'])
})

test('the parent that a slot was closed with stays when it is closed again without one', () => {
  const { whole, settler } = settling()
  settler.reached(11)
  settler.close(10, 7)
  settler.close(10, null)
  settler.touch(11)
  expect(whole).toEqual(['7>10'])
})

test('a slot that was closed before the chain came there is whole when it does', async () => {
  const { timers, whole, settler } = settling()
  settler.close(10, 9)
  await timers.pass(SETTLE_MS)
  settler.reached(10)
  expect(whole).toEqual(['9>10'])
  // An older slot does not take the chain back.
  settler.close(12, 10)
  settler.reached(12)
  settler.reached(3)
  await timers.pass(SETTLE_MS)
  expect(whole).toEqual(['9>10', '10>12'])
})

test('the word that ends a slot counts as something of it, and ends the slot before', async () => {
  const { timers, whole, settler } = settling()
  settler.reached(11)
  settler.touch(10)
  await timers.pass(SETTLE_MS - 1)
  settler.close(10, 9)
  await timers.pass(SETTLE_MS - 1)
  expect(whole).toEqual([])
  settler.close(11, 10)
  expect(whole).toEqual(['9>10'])
  for (let n = 0; n < 100; n++) settler.touch(11)
  expect(timers.waiting).toBe(1)
})

test('a look-up that ends twice ends no other one of its slot', () => {
  const { whole, settler } = settling()
  settler.reached(11)
  const [one, two] = [settler.hold(10), settler.hold(10)]
  settler.close(10, 9)
  settler.touch(11)
  one()
  one()
  expect(whole).toEqual([])
  two()
  expect(whole).toEqual(['9>10'])
})

test('open slots are bounded: those farthest ahead of the chain go, else the oldest', async () => {
  const ahead = settling()
  for (let slot = 1; slot <= 3_000; slot++) ahead.settler.close(slot, slot - 1)
  ahead.settler.reached(9_000)
  await ahead.timers.pass(SETTLE_MS)
  expect(ahead.whole).toHaveLength(1_024)
  expect(ahead.whole.at(-1)).toBe('1023>1024')
  const { whole, settler } = settling()
  settler.reached(9_000)
  settler.hold(1)
  for (let slot = 1; slot <= 1_024; slot++) settler.close(slot, slot - 1)
  expect(whole).toEqual([])
  settler.touch(1_025)
  expect(whole).toHaveLength(1_023)
  expect(whole[0]).toBe('1>2')
})

test('who is told of a slot may end it all', () => {
  const whole: number[] = []
  const settler = new SlotSettler(new VirtualTimers(), SETTLE_MS, (slot) => {
    whole.push(slot)
    settler.stop()
  })
  for (const slot of [10, 11, 12]) settler.close(slot, slot - 1)
  settler.reached(13)
  settler.touch(13)
  expect(whole).toEqual([10])
})
