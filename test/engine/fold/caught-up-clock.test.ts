import { expect, test } from 'vitest'
import { Service } from '../../../src/app/service.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { RING_SECONDS } from '../../../src/engine/fold/swap-fold.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { copyParts } from '../../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { engineOf } from '../../store/restoring.ts'

const SWAPS = 3_000
const SWAPS_A_SECOND = 3
const HOUR_SECONDS = 3_600

/** Some of them ahead of the second in which they come. */
const SWAPS_IN_ORDER = Array.from({ length: SWAPS }, (_, i) => {
  const seconds = START_SECOND + Math.floor(i / SWAPS_A_SECOND)
  const at = { slot: 2_000 + i, timestamp: seconds + (i % 60), signature: `${i}` }
  return { seconds, event: swap({ ...at, mint: `mint ${i % 7}`, signer: `wallet ${i % 11}` }) }
})

/** A service that has folded all of them, and its clock. */
function serviceOf(clock: 'wall' | 'event') {
  const wall = { seconds: START_SECOND }
  const settings = { clock, lateSlots: 32 } as const
  const engine = engineOf(clock, 1 << 12)
  const service = new Service(settings, undefined, () => wall.seconds * 1000, engine)
  service.events([price(150)])
  for (const { seconds, event } of SWAPS_IN_ORDER) {
    wall.seconds = seconds
    service.events([event])
  }
  return { service, wall }
}

const digest = ({ parts }: Engine) => stateDigest(parts)

test.each([1, 23 * HOUR_SECONDS, 24 * HOUR_SECONDS + 500, RING_SECONDS, 100 * RING_SECONDS])(
  'a clock that stood still for %i seconds is caught up second by second, to the same state',
  (stoodSeconds) => {
    const [atOnce, inPieces] = [serviceOf('wall'), serviceOf('wall')]
    for (const { wall } of [atOnce, inPieces]) wall.seconds += stoodSeconds
    atOnce.service.tick()
    let before = inPieces.service.engine.state.now
    let pieces = 0
    for (const now of inPieces.service.catchUp()) {
      expect(now - before).toBe(1)
      before = now
      pieces += 1
    }
    expect(pieces).toBe(Math.min(stoodSeconds, RING_SECONDS))
    expect(inPieces.service.engine.state.now).toBe(inPieces.wall.seconds)
    expect(digest(inPieces.service.engine)).toBe(digest(atOnce.service.engine))
  },
)

test('a clock that goes by its events stays where they are', () => {
  const { service, wall } = serviceOf('event')
  const { now } = service.engine.state
  wall.seconds += HOUR_SECONDS
  expect([...service.catchUp()]).toEqual([])
  expect(service.engine.state.now).toBe(now)
})

test.each(['wall', 'event'] as const)(
  'a loaded state of a %s clock has its windows made as it is caught up, before a read',
  (clock) => {
    const { service, wall } = serviceOf(clock)
    const engine = engineOf(clock, 1 << 12)
    copyParts(service.engine.parts, engine.parts)
    const before = engine.window.trades.bytes
    const loaded = new Service(
      { clock, lateSlots: 32 },
      undefined,
      () => wall.seconds * 1000,
      engine,
    )
    runToEnd(loaded.catchUp())
    expect(engine.window.trades.bytes).toBeGreaterThan(before)
  },
)
