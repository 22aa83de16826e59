import { expect, test } from 'vitest'
import { Service } from '../../src/app/service.ts'
import { price, START_SECOND } from '../oracle/fixtures.ts'

const DAY_SECONDS = 86_400

function serviceAt(clock: 'wall' | 'event', seconds: () => number): Service {
  return new Service({ clock, lateSlots: 32 }, undefined, () => seconds() * 1000)
}

test('a clock that was once set ahead is told for as long as the market stands before it', () => {
  let now = START_SECOND
  const service = serviceAt('wall', () => now)
  service.tick()
  expect(service.clockReason).toBeNull()
  now += DAY_SECONDS
  service.tick()
  now -= DAY_SECONDS
  service.tick()
  expect(service.clockReason).toMatch(/^The market's clock is 86400 s ahead of this machine's, /)
  now += DAY_SECONDS - 60
  expect(service.clockReason).toBeNull()
})

test('the clock of events may be ahead of that of the machine', () => {
  const service = serviceAt('event', () => START_SECOND - DAY_SECONDS)
  service.events([price(150)])
  expect(service.clockReason).toBeNull()
})
