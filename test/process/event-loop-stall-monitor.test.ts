import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import {
  EventLoopStallMonitor,
  LongSteps,
  ownMs,
  STALL_MS,
  type Stall,
  stolenBetweenMs,
  stolenTicks,
} from '../../src/figures/event-loop-stall-monitor.ts'
import { newFolder } from '../new-folder.ts'
import { until } from './program.ts'

const HELD_MS = 150
/** How often the witness looks: so much of a stall may have been the time before it. */
const TICK_MS = 10

/** The stall of a loop that was held up. */
async function heldUp(hold: () => void, steps = new LongSteps()): Promise<Stall> {
  const witness = new EventLoopStallMonitor(steps)
  onTestFinished(() => witness.stop())
  await pause(3 * TICK_MS)
  const heldAtMs = Date.now()
  hold()
  // One before is none of the test's.
  const isMade = ({ atMs, lateMs }: Stall) => atMs > heldAtMs && lateMs >= HELD_MS - TICK_MS
  const stall = await until('the stall that was made', async () => {
    return witness.stalls().find(isMade) ?? null
  })
  const { loop_stalls_total, loop_own_stalls_total } = witness.figures()
  expect(loop_stalls_total).toBeGreaterThanOrEqual(Math.max(1, loop_own_stalls_total))
  return stall
}

test('a loop that is kept busy ran or waited for a core, and was blocked by nothing', async () => {
  const stall = await heldUp(() => {
    const endMs = performance.now() + HELD_MS
    while (performance.now() < endMs);
  })
  expect(stall.ranMs).toBeGreaterThan(0)
  expect(stall.ranMs + stall.waitedMs).toBeGreaterThan(stall.blockedMs)
})

test.skipIf(process.platform !== 'linux')('a loop that sleeps was blocked', async () => {
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  const stall = await heldUp(() => Atomics.wait(nothing, 0, 0, HELD_MS))
  expect(stall.stolenMs + stall.blockedMs).toBeGreaterThan(HELD_MS - 2 * TICK_MS)
  expect(ownMs({ ...stall, stolenMs: 0 })).toBeGreaterThan(STALL_MS)
})

test('a stall tells its long steps, by name, and short ones are none', async () => {
  const steps = new LongSteps()
  const stall = await heldUp(() => {
    const startMs = performance.now()
    while (performance.now() - startMs < HELD_MS);
    steps.note('fold', startMs)
    steps.note('disk append', startMs, startMs + 60)
    steps.note('disk read', startMs, startMs + 1)
  }, steps)
  expect(stall.steps.fold).toBeGreaterThanOrEqual(HELD_MS)
  expect(stall.steps['disk append']).toBeCloseTo(60, 6)
  expect(Object.keys(stall.steps)).not.toContain('disk read')
})

test('short steps of one name that hold the loop together are told as one', async () => {
  const steps = new LongSteps()
  const stall = await heldUp(() => {
    const startMs = performance.now()
    for (let from = startMs; from - startMs < HELD_MS; ) {
      const atMs = from
      while (performance.now() - atMs < 1);
      from = performance.now()
      steps.note('tables', atMs)
    }
    steps.note('search', startMs, startMs + 1)
  }, steps)
  expect(stall.steps.tables).toBeGreaterThan(HELD_MS / 2)
  expect(Object.keys(stall.steps)).not.toContain('search')
  for (let i = 0; i < 8; i += 1) steps.note('tables', i, i + 1)
  steps.note('search', 0, 4)
  expect(steps.takeShort()).toEqual({ tables: 8 })
  expect(steps.takeShort()).toEqual({})
})

test('stolen time is that of the processor that lost most since the last look, none where nobody counts', () => {
  const folder = newFolder()
  const path = join(folder, 'stat')
  const say = (first: number, second: number) =>
    writeFileSync(
      path,
      `cpu  9 9 9 9 9 9 9 ${first + second} 0 0\ncpu0 9 9 9 9 9 9 9 ${first} 0 0\ncpu1 9 9 9 9 9 9 9 ${second} 0 0\nintr 1 2 3\n`,
    )
  say(100, 200)
  const first = stolenTicks(path)
  expect(stolenBetweenMs(first, first)).toBe(0)
  say(103, 209)
  const second = stolenTicks(path)
  expect(stolenBetweenMs(first, second)).toBe(90)
  say(104, 209)
  expect(stolenBetweenMs(second, stolenTicks(path))).toBe(10)
  expect(stolenBetweenMs([], second)).toBe(0)
  expect(stolenTicks(join(folder, 'none'))).toEqual([])
})

test('a stall is the machine’s when nothing above the bound is left of what others had of the cores', () => {
  const none = { waitedMs: 0, stolenMs: 0 }
  expect(ownMs({ ...none, lateMs: 120, waitedMs: 80 })).toBeLessThanOrEqual(STALL_MS)
  expect(ownMs({ lateMs: 220, waitedMs: 90, stolenMs: 100 })).toBeLessThanOrEqual(STALL_MS)
  expect(ownMs({ ...none, lateMs: 123, stolenMs: 90 })).toBeLessThanOrEqual(STALL_MS)
  expect(ownMs({ ...none, lateMs: 313, waitedMs: 200 })).toBeGreaterThan(STALL_MS)
  expect(ownMs({ ...none, lateMs: 51 })).toBeGreaterThan(STALL_MS)
})
