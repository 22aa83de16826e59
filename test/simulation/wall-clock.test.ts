import { expect, test } from 'vitest'
import { Service, WallClock } from '../../src/app/service.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { price, START_SECOND, swap } from '../oracle/fixtures.ts'

/** A larger step has to last. */
const STEP_MS_MAX = 60_000
/** So long. */
const STEP_LASTS_MS = 90_000
const MONTH_MS = 30 * 86_400_000
const DAY_MS = 86_400_000

/** A machine with its three clocks, and a wall clock of ours that goes by them. */
class MachineTime {
  skewMs = 0
  readonly steps: string[] = []
  #steadyMs = 5_000
  #sleptMs = 1_000
  readonly clock = new WallClock((step) => this.steps.push(step), {
    wallMs: () => this.wallMs,
    steadyMs: () => this.#steadyMs,
    upMs: () => this.#steadyMs + this.#sleptMs,
  })

  get wallMs(): number {
    return START_SECOND * 1000 + this.#steadyMs + this.#sleptMs + this.skewMs
  }

  /** Goes on for `ms`, with a look at the clock every second, as the program has it. */
  runs(ms: number): void {
    for (let left = ms; left > 0; left -= 1_000) {
      this.#steadyMs += Math.min(left, 1_000)
      this.clock.nowMs()
    }
  }

  sleeps(ms: number): void {
    this.#sleptMs += ms
  }
}

test('a step forward that was undone before it lasted leaves no trace in the time', () => {
  const machine = new MachineTime()
  machine.runs(10_000)
  machine.skewMs = MONTH_MS
  for (let i = 0; i < 4; i++) {
    machine.runs(1_000)
    expect(machine.clock.nowMs()).toBe(machine.wallMs - MONTH_MS)
    expect(machine.clock.heldReason).toMatch(/^The clock of this machine went 2592000 s ahead /)
  }
  machine.skewMs = 0
  machine.runs(1_000)
  expect(machine.clock.nowMs()).toBe(machine.wallMs)
  expect(machine.clock.heldReason).toBeNull()
  expect(machine.steps).toEqual(['held', 'undone'])
})

test('a step forward that lasts is taken when it has, and not before', () => {
  const machine = new MachineTime()
  machine.skewMs = DAY_MS
  machine.runs(1_000)
  machine.runs(STEP_LASTS_MS - 1_000)
  expect(machine.clock.nowMs()).toBe(machine.wallMs - DAY_MS)
  machine.runs(1_000)
  expect(machine.clock.nowMs()).toBe(machine.wallMs)
  expect(machine.steps).toEqual(['held', 'taken'])
  machine.runs(5_000)
  expect(machine.clock.nowMs()).toBe(machine.wallMs)
})

test('a clock that goes further ahead has not lasted where it was', () => {
  const machine = new MachineTime()
  machine.skewMs = DAY_MS
  machine.runs(STEP_LASTS_MS - 2_000)
  machine.skewMs = MONTH_MS
  machine.runs(STEP_LASTS_MS - 2_000)
  expect(machine.clock.nowMs()).toBe(machine.wallMs - MONTH_MS)
  machine.runs(5_000)
  expect(machine.clock.nowMs()).toBe(machine.wallMs)
  expect(machine.steps).toEqual(['held', 'taken'])
})

test('small steps, steps back and those that undo them are taken at once', () => {
  const machine = new MachineTime()
  for (const skewMs of [STEP_MS_MAX, -DAY_MS, STEP_MS_MAX, 2 * STEP_MS_MAX, -5_000, 500]) {
    machine.skewMs = skewMs
    machine.runs(1_000)
    expect(machine.clock.nowMs()).toBe(machine.wallMs)
  }
  expect(machine.steps).toEqual([])
})

test('what the machine slept is taken at once, and no step beside it', () => {
  const machine = new MachineTime()
  machine.sleeps(8 * 3_600_000)
  machine.runs(1_000)
  expect(machine.clock.nowMs()).toBe(machine.wallMs)
  machine.sleeps(3_600_000)
  machine.skewMs = DAY_MS
  machine.runs(1_000)
  expect(machine.clock.nowMs()).toBeLessThan(machine.wallMs)
  expect(machine.steps).toEqual(['held'])
})

test('where nothing tells how long the machine is up, a sleep is taken once it has lasted', () => {
  const machine = { steadyMs: 0, sleptMs: 0 }
  const wallMs = () => START_SECOND * 1000 + machine.steadyMs + machine.sleptMs
  const clock = new WallClock(undefined, {
    wallMs,
    steadyMs: () => machine.steadyMs,
    upMs: () => {
      throw new Error('no /proc')
    },
  })
  machine.sleptMs = DAY_MS
  expect(clock.nowMs()).toBe(wallMs() - DAY_MS)
  machine.steadyMs += STEP_LASTS_MS
  expect(clock.nowMs()).toBe(wallMs())
})

test('windows keep what is in them through a month of four seconds', () => {
  const machine = new MachineTime()
  const service = new Service({ clock: 'wall', lateSlots: 32 }, undefined, () =>
    machine.clock.nowMs(),
  )
  const answers = new EngineQueries(service.engine, () => service.tick())
  const timestamp = Math.floor(machine.wallMs / 1000)
  service.events([price(150), swap({ mint: 'mint', slot: 300, signature: 'first', timestamp })])
  const beforeSeconds = service.engine.state.now
  machine.skewMs = MONTH_MS
  machine.runs(4_000)
  expect(JSON.parse(answers.marketData(['mint']))).toMatchObject([{ tx_24h: 1 }])
  machine.skewMs = 0
  machine.runs(1_000)
  expect(JSON.parse(answers.marketData(['mint']))).toMatchObject([{ tx_24h: 1 }])
  expect(service.engine.state.now).toBe(beforeSeconds + 5)
  expect(service.clockReason).toBeNull()
})
